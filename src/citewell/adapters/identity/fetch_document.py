"""Fetching what an issuer publishes: small JSON documents, in a bounded time."""

from __future__ import annotations

import time
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from citewell.adapters.identity.strict_json import read_object
from citewell.domain.errors import UnavailableError

_MAX_BYTES = 262_144
_PAUSE_S = 3.0
_IN_ALL_S = 5.0


def fetch_document(url: str) -> dict[str, Any]:
    """Return the JSON object at a URL; redirects are not followed.

    Raises:
        UnavailableError: It cannot be had within five seconds, is larger than 256 KiB, or is no
            such object.
    """
    import httpx

    deadline = time.monotonic() + _IN_ALL_S
    body = bytearray()
    try:
        with (
            httpx.Client(timeout=_PAUSE_S, trust_env=not is_loopback_url(url)) as client,
            client.stream("GET", url, headers={"Accept": "application/json"}) as response,
        ):
            if response.status_code != 200:
                raise UnavailableError(f"{url} answers with status {response.status_code}")
            for block in response.iter_bytes():
                body += block
                if len(body) > _MAX_BYTES or time.monotonic() > deadline:
                    raise UnavailableError(f"{url} sends too much, or too slowly")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UnavailableError(f"{url} cannot be reached: {type(error).__name__}") from error
    try:
        return read_object(bytes(body))
    except ValueError as error:
        raise UnavailableError(f"{url} is not what it should be: {error}") from error


def is_loopback_url(url: str) -> bool:
    """Return whether a URL leads to this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
