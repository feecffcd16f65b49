"""Refuses requests under foreign host names and from pages of other sites."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.domain.errors import HostRefusedError, OriginRefusedError

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")

_FOREIGN = frozenset({b"cross-site", b"same-site"})
"""Of another site, or of another port or sub-domain: `Sec-Fetch-Site` of browsers since 2023."""


class HostCheck:
    """Lets requests pass whose `Host` is one of ours, and whose `Origin`, if any, is so too.

    A page of another site can let a name of its own lead to this machine (DNS rebinding); then its
    requests carry that name. A page that calls us by our name carries its own `Origin`.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], origins: Collection[str]) -> None:
        """Take what it wraps, our host names in lower case without port, and other sites."""
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] in {"http", "websocket"}:
            self._check(scope)
        await self._app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        matched = _HOST.fullmatch(named[0]) if len(named) == 1 else None
        if matched is None or _bare(matched[1]) not in self._hosts:
            raise HostRefusedError
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        for origin in origins:
            self._check_origin(origin, own=named[0])
        if not origins:
            _check_site(dict(scope["headers"]))

    def _check_origin(self, origin: str, *, own: str) -> None:
        if origin in self._origins:
            return
        try:
            site = urlsplit(origin)
        except ValueError:
            raise OriginRefusedError from None
        if site.scheme not in {"http", "https"} or site.netloc.lower() != own.lower():
            raise OriginRefusedError


def _check_site(headers: Mapping[bytes, bytes]) -> None:
    """Refuse what a page of another site loads without saying so in `Origin`, e.g. as a picture.

    Following a link from there is allowed: then the reader sees where they are.
    """
    is_foreign = headers.get(b"sec-fetch-site") in _FOREIGN
    if is_foreign and headers.get(b"sec-fetch-mode") != b"navigate":
        raise OriginRefusedError


def _bare(host: str) -> str:
    return host.strip("[]").lower()
