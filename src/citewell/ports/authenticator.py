"""The port through which every door learns who asks."""

from __future__ import annotations

from typing import Protocol

from citewell.domain.clearance import Principal
from citewell.domain.credential import Credential


class Authenticator(Protocol):
    """From a credential to a principal; safe to use from several threads.

    Both methods may block for some milliseconds, so an event loop calls them in a thread.
    """

    def authenticate(self, credential: Credential) -> Principal:
        """Return who shows this credential.

        Raises:
            CredentialsError: There is none, or it is unknown, wrong, expired or revoked. All of
                these give the same message, and take about the same time.
        """
        ...

    def is_valid(self, principal: Principal) -> bool:
        """Return whether the credential that made this principal would be let in now, unchanged.

        Open streams ask every two seconds at most; it must be cheap.
        """
        ...

    @property
    def is_remote_allowed(self) -> bool:
        """Whether somebody is let in who does not sit at this machine: a key or an issuer is set.

        Without that, a server listens to this machine alone.
        """
        ...
