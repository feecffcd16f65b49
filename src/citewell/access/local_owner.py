"""Who sits at this machine owns the data folder, and may do everything."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from citewell.domain.clearance import Principal
from citewell.domain.credential import Credential
from citewell.domain.errors import CredentialsError
from citewell.ports.authenticator import Authenticator


class LocalOwner(Authenticator):
    """Lets in what comes from this machine without a credential, and nothing else."""

    def __init__(self, tiers: Sequence[str]) -> None:
        """Take all tiers of this installation, lowest first; the owner reads the highest."""
        self._owner = Principal(
            "owner", tiers[-1], scopes=frozenset({"ask", "sync", "admin"}), kind="local"
        )

    @override
    def authenticate(self, credential: Credential) -> Principal:
        if credential.is_local and credential.bearer is None:
            return self._owner
        raise CredentialsError

    @override
    def is_valid(self, principal: Principal) -> bool:
        return principal == self._owner

    @property
    @override
    def is_remote_allowed(self) -> bool:
        return False
