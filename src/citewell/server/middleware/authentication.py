"""Lets nobody in without a credential, but to the few paths that are open to all."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.domain.credential import Credential
from citewell.ports.authenticator import Authenticator
from citewell.server.limits import RequestRate
from citewell.server.request_state import note, say_in_logs
from citewell.server.threads import in_thread

_FORWARDED = frozenset(
    {b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip", b"via"}
)


class Authentication:
    """Notes who asks; whatever is behind it needs not ask again whether somebody was let in."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        authenticator: Authenticator,
        rate: RequestRate,
        open_paths: Collection[str],
    ) -> None:
        """Take what it wraps, who knows the credentials, how often one may ask, and open paths."""
        self._app = app
        self._authenticator = authenticator
        self._rate = rate
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] in {"http", "websocket"} and scope["path"] not in self._open_paths:
            principal = await in_thread(self._authenticator.authenticate, credential_of(scope))
            note(scope, "principal", principal)
            say_in_logs("principal", principal.id)
            self._rate.count(principal)
        await self._app(scope, receive, send)


def credential_of(scope: Scope) -> Credential:
    """Return what a request shows; one that cannot be read counts as a wrong one."""
    shown = [value for name, value in scope["headers"] if name == b"authorization"]
    if not shown:
        return Credential(None, is_local=_is_local(scope))
    kind, _, bearer = shown[0].partition(b" ")
    if len(shown) > 1 or kind.lower() != b"bearer":
        bearer = b""
    return Credential(bearer.strip().decode("latin-1"), is_local=_is_local(scope))


def _is_local(scope: Scope) -> bool:
    """Return whether a connection comes from this machine; a proxy's is the one of its client."""
    if any(name in _FORWARDED for name, _ in scope["headers"]):
        return False
    try:
        return ip_address((scope.get("client") or ("",))[0]).is_loopback
    except ValueError:
        return False
