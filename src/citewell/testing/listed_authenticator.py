"""An authenticator that knows the principals it was given, for tests of doors."""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from citewell.domain.clearance import Principal
from citewell.domain.credential import Credential
from citewell.domain.errors import CredentialsError
from citewell.ports.authenticator import Authenticator


class ListedAuthenticator(Authenticator):
    """Lets in who shows one of the listed keys, until that is revoked."""

    def __init__(self, principals: Mapping[str, Principal]) -> None:
        """Take the principals by key."""
        self._principals = dict(principals)

    def revoke(self, key: str) -> None:
        """Let nobody in with a key any more."""
        del self._principals[key]

    @override
    def authenticate(self, credential: Credential) -> Principal:
        principal = self._principals.get(credential.bearer or "")
        if principal is None:
            raise CredentialsError
        return principal

    @override
    def is_valid(self, principal: Principal) -> bool:
        return principal in self._principals.values()

    @property
    @override
    def is_remote_allowed(self) -> bool:
        return True
