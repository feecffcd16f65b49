"""Keep a client for each event loop, because its connections belong to one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

_Client = TypeVar("_Client")


class ClientPerLoop(Generic[_Client]):
    """Makes a client when an event loop first needs one."""

    def __init__(
        self, make: Callable[[], _Client], *, close: Callable[[_Client], Awaitable[None]]
    ) -> None:
        """Make nothing yet.

        Args:
            make: Makes a client.
            close: Closes its connections.
        """
        self._make = make
        self._close = close
        self._lock = threading.Lock()
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Client] = WeakKeyDictionary()

    def client(self) -> _Client:
        """Return the client of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._clients:
                self._clients[loop] = self._make()
            return self._clients[loop]

    async def close(self) -> None:
        """Close the client of the running loop; those of loops that ended are gone with them."""
        with self._lock:
            client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await self._close(client)
