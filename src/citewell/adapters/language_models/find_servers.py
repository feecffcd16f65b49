"""Look for model servers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from citewell.adapters.language_models.untrusted import MALFORMED, field_of

if TYPE_CHECKING:
    import httpx

USUAL_PORTS = (11434, 8080, 8081, 1234, 8000)
"""Of Ollama, llama.cpp, a second llama.cpp, LM Studio and vLLM."""

_TIMEOUT_S = 0.2
_MAX_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server that answers.

    Attributes:
        provider: As in LLM_PROVIDER.
        base_url: As in LLM_BASE_URL.
        models: Their names; may be empty.
    """

    provider: str
    base_url: str
    models: tuple[str, ...]


async def find_servers(ports: Sequence[int] = USUAL_PORTS) -> list[FoundServer]:
    """Return the servers on loopback, in the order of `ports`; takes at most about 0.5 s.

    Nothing but the list of models is asked for, and nothing beyond loopback.
    """
    import httpx

    timeout = httpx.Timeout(_TIMEOUT_S)
    async with httpx.AsyncClient(timeout=timeout, trust_env=False) as client:
        found = await asyncio.gather(*(_ask(client, port) for port in ports))
    return [server for server in found if server is not None]


async def _ask(client: httpx.AsyncClient, port: int) -> FoundServer | None:
    """Return the server at a port: Ollama by its own protocol, which it speaks best."""
    address = f"http://127.0.0.1:{port}"
    ollama = await _names(client, f"{address}/api/tags", of="models", name="name")
    if ollama is not None:
        return FoundServer("ollama", address, ollama)
    others = await _names(client, f"{address}/v1/models", of="data", name="id")
    return None if others is None else FoundServer("openai-compatible", f"{address}/v1", others)


async def _names(
    client: httpx.AsyncClient, url: str, *, of: str, name: str
) -> tuple[str, ...] | None:
    """Return the names in a list of models, or None if there is no such list."""
    import httpx

    try:
        async with asyncio.timeout(_TIMEOUT_S):
            reply = await client.get(url)
        if not reply.is_success or len(reply.content) > _MAX_BYTES:
            return None
        models = field_of(reply.json(), of)
    except (httpx.HTTPError, TimeoutError, *MALFORMED):
        return None
    if not isinstance(models, list):
        return None
    names = [field_of(model, name) for model in cast("list[object]", models)]
    return tuple(text for text in names if isinstance(text, str))
