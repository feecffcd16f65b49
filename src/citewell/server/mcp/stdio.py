"""MCP over standard input and output: the owner of a data folder and the assistant they start.

The data folder is opened when a tool is called and closed when none was for some seconds, so that
syncs need not wait for an assistant that idles.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from typing_extensions import override

from citewell.domain.clearance import Principal
from citewell.server.mcp.door import Door, Result, ToolParts, Work
from citewell.server.mcp.tools import make_tool_server

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell

IDLE_S = 5.0
"""Half of the time that a sync waits for a process that only answers questions."""

Open = Callable[[], AbstractContextManager["Citewell"]]


class StdioDoor(Door):
    """Calls of one principal; it opens the data folder when it must."""

    def __init__(self, open_parts: Open, principal: Principal, *, idle_s: float = IDLE_S) -> None:
        """Take what opens the data folder, who calls, and how long it stays open unused."""
        self._open = open_parts
        self._principal = principal
        self._idle_s = idle_s
        self._lock = asyncio.Lock()
        self._opened: AbstractContextManager[Citewell] | None = None
        self._parts: Citewell | None = None
        self._n_calls = 0
        self._closing: asyncio.Task[None] | None = None

    @override
    def principal_of(self, context: Context[Any, Any]) -> Principal:
        return self._principal

    @override
    def request_id_of(self, context: Context[Any, Any]) -> str:
        return secrets.token_hex(16)

    @override
    @asynccontextmanager
    async def lent(self) -> AsyncGenerator[ToolParts]:
        self._n_calls += 1
        try:
            if self._closing is not None:
                self._closing.cancel()
            async with self._lock:
                if self._parts is None:
                    opened = self._open()
                    self._parts = await asyncio.to_thread(opened.__enter__)
                    self._opened = opened
                lent = _tool_parts(self._parts)
            yield lent
        finally:
            self._n_calls -= 1
            if not self._n_calls:
                self._closing = asyncio.create_task(self._close_later())

    @override
    async def hold(self, principal: Principal, work: Work[Result]) -> Result:
        return await work()

    async def close(self) -> None:
        """Close what is open."""
        async with self._lock:
            parts, opened = self._parts, self._opened
            self._parts = self._opened = None
            if parts is not None and parts.language_model is not None:
                await parts.language_model.close()
            if opened is not None:
                await asyncio.to_thread(opened.__exit__, None, None, None)

    async def _close_later(self) -> None:
        await asyncio.sleep(self._idle_s)
        await asyncio.shield(self.close())


async def serve_tools(open_parts: Open, principal: Principal) -> None:
    """Answer calls until standard input ends.

    Args:
        open_parts: Opens the data folder.
        principal: Who calls.
    """
    door = StdioDoor(open_parts, principal)
    server = make_tool_server(door, version=version("citewell"))
    try:
        await server.run_stdio_async()
    finally:
        await door.close()


def _tool_parts(parts: Citewell) -> ToolParts:
    return ToolParts(
        tiers=parts.settings.access_tiers,
        top_k=parts.settings.rag_top_k,
        searching=lambda: parts.search,
        answering=lambda: parts.answering,
        passages=parts.catalog.passages,
        library=parts.catalog.library,
        sources=parts.catalog.sources,
        tracer=parts.tracer,
    )
