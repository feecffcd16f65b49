from __future__ import annotations

import asyncio

import pytest
from starlette.types import Receive, Scope, Send

from citewell.domain.errors import HostRefusedError, OriginRefusedError
from citewell.server.middleware.host_check import HostCheck


def passes(*headers: tuple[str, str]) -> bool:
    """Send a request with these headers; it must be refused or be passed on."""
    reached: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope)

    check = HostCheck(app, hosts=["127.0.0.1", "::1"], origins=["https://chat.example.com"])
    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "headers": raw}
    asyncio.run(check(scope, None, None))  # type: ignore[arg-type]
    return reached == [scope]


HOST = ("Host", "127.0.0.1:8000")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Origin", "http://127.0.0.1:8000")],
        [("Origin", "https://chat.example.com"), ("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
        [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
    ],
)
def test_own_and_allowed_pages_pass(headers: list[tuple[str, str]]) -> None:
    assert passes(HOST, *headers)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "websocket"])
def test_what_another_site_loads_without_an_origin_is_refused(site: str, mode: str) -> None:
    with pytest.raises(OriginRefusedError):
        passes(HOST, ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode))


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:8001", "file://", "http://["]
)
def test_foreign_origin_is_refused_however_it_navigates(origin: str) -> None:
    with pytest.raises(OriginRefusedError):
        passes(HOST, ("Origin", origin), ("Sec-Fetch-Mode", "navigate"))


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil", ""])
def test_foreign_host_is_refused(host: str) -> None:
    with pytest.raises(HostRefusedError):
        passes(("Host", host))
