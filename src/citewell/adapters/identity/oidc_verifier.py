"""Tokens of an OpenID Connect or OAuth 2.0 issuer: signed JWTs (RFC 7519, 8725, 9068)."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from citewell.adapters.identity.issuer_keys import fetch_issuer_keys
from citewell.adapters.identity.key_ring import KeyRing
from citewell.adapters.identity.strict_json import read_object
from citewell.domain.errors import CredentialsError
from citewell.ports.token_verifier import TokenVerifier, VerifiedToken

if TYPE_CHECKING:
    from jwt import PyJWK

MAX_TOKEN_CHARACTERS = 8192
_MAX_SUBJECT_CHARACTERS = 255  # OpenID Connect Core 1.0, 2
_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)", flags=re.ASCII)
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
_FOREIGN_KEYS = frozenset({"jku", "jwk", "x5u", "crit", "b64", "zip", "enc"})
"""What a header may not hold: where its key is, which the token does not decide, and extensions of
which we know none."""
_REQUIRED = ("exp", "iss", "aud", "sub")


@dataclass(frozen=True, slots=True)
class TokenRules:
    """Which tokens are accepted.

    Attributes:
        issuer: Exactly as it stands in them.
        audience: One of those that a token is for must be this one.
        algorithms: Asymmetric ones.
        leeway_s: How far the clocks of the issuer and of this machine may differ.
    """

    issuer: str
    audience: str
    algorithms: Sequence[str] = ("RS256", "PS256", "ES256", "EdDSA")
    leeway_s: float = 30.0


class OidcVerifier(TokenVerifier):
    """Checks tokens with the keys that their issuer publishes."""

    def __init__(self, rules: TokenRules, *, keys: KeyRing | None = None) -> None:
        """Take which tokens are accepted, and where the issuer's keys are kept."""
        self._rules = rules
        fetch = partial(fetch_issuer_keys, rules.issuer, algorithms=rules.algorithms)
        self._keys = keys or KeyRing(fetch)

    @override
    def verify(self, token: str) -> VerifiedToken:
        try:
            name, algorithm = _read_header(token, algorithms=self._rules.algorithms)
        except ValueError:
            raise CredentialsError from None
        key = self._keys.find(name, algorithm)
        if key is None:
            raise CredentialsError
        claims = self._checked_claims(token, key, algorithm)
        return VerifiedToken(
            issuer=self._rules.issuer,
            subject=claims["sub"],
            signing_key=key.key_id or "",
            expires_at=claims["exp"] + self._rules.leeway_s,
            claims=claims,
        )

    @override
    def is_trusted(self, signing_key: str) -> bool:
        return self._keys.has(signing_key)

    def _checked_claims(self, token: str, key: PyJWK, algorithm: str) -> dict[str, Any]:
        """Return the claims of a token that is signed and valid."""
        import jwt

        rules = self._rules
        try:
            jwt.decode(
                token,
                key=key,
                algorithms=[algorithm],
                audience=rules.audience,
                issuer=rules.issuer,
                leeway=rules.leeway_s,
                options={"require": list(_REQUIRED), "enforce_minimum_key_length": True},
            )
            claims = read_object(_decoded(token.split(".")[1]))
            _check_kinds(claims)
        except (jwt.PyJWTError, ValueError, TypeError, ArithmeticError):
            raise CredentialsError from None  # whatever is wrong with it, it is refused
        return claims


def _read_header(token: str, *, algorithms: Sequence[str]) -> tuple[str, str]:
    """Return the name of the key that a token says it is signed with, and the algorithm.

    Raises:
        ValueError: It is no token that we accept, whoever signed it.
    """
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise ValueError("it is too long")
    parts = _COMPACT.fullmatch(token)
    if parts is None:
        raise ValueError("it is no signed token in compact form")
    header = read_object(_decoded(parts[1]))
    if _FOREIGN_KEYS & header.keys():
        raise ValueError("it wants to choose its key, or has extensions")
    name, algorithm = header.get("kid", ""), header.get("alg")
    kind = header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower() not in _TYPES or "cty" in header:
        raise ValueError("it is no token that carries claims")
    if not isinstance(name, str) or not isinstance(algorithm, str) or algorithm not in algorithms:
        raise ValueError("it is not signed as it should be")
    return name, algorithm


def _decoded(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error as error:
        raise ValueError("it is no base64") from error


def _check_kinds(claims: dict[str, Any]) -> None:
    """Raise ValueError where a claim is of a kind that another reader could take otherwise."""
    for name in ("exp", "nbf", "iat"):
        value = claims.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} is no number")  # noqa: TRY004 - the input is wrong
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _MAX_SUBJECT_CHARACTERS:
        raise ValueError("sub is no name")
