"""Whether a model server answers at all, without asking a model anything."""

from __future__ import annotations

_TIMEOUT_S = 3.0


async def reaches(base_url: str) -> bool:
    """Return whether something answers over HTTP at an address, whatever it says."""
    import httpx

    try:
        async with (
            httpx.AsyncClient(timeout=_TIMEOUT_S) as client,
            client.stream("GET", base_url),
        ):
            return True
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
