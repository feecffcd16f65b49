"""The port to an issuer of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """What a token says that its issuer has signed, for us, and that is valid now.

    Attributes:
        issuer: Who signed it.
        subject: Whom it is about, by a name that its issuer gives to nobody else.
        signing_key: The issuer's name of the key that signed it; "" where the key has none.
        expires_at: Seconds since the epoch from which on it is not valid.
        claims: All that it says.
    """

    issuer: str
    subject: str
    signing_key: str
    expires_at: float
    claims: Mapping[str, Any] = field(repr=False)


class TokenVerifier(Protocol):
    """Tells the tokens of one issuer from all others; safe to use from several threads."""

    def verify(self, token: str) -> VerifiedToken:
        """Return what a token says.

        Raises:
            CredentialsError: It is not one that this issuer has signed for us, or not valid now.
            UnavailableError: The issuer could not be asked for its keys for so long that nobody can
                tell.
        """
        ...

    def is_trusted(self, signing_key: str) -> bool:
        """Return whether the issuer still signs with a key, as far as is known; asks nobody."""
        ...
