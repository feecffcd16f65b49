"""Running the server: sockets, signals, the live sync beside it, and an orderly end."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from types import FrameType
from typing import TYPE_CHECKING

from typing_extensions import override
from uvicorn import Config, Server

from citewell.domain.errors import ConfigurationError
from citewell.server.protocol import OneShapeProtocol

if TYPE_CHECKING:
    from fastapi import FastAPI

_BACKLOG = 2048
_LAST_S = 2  # after which what did not end by itself is cut off


class CitewellServer(Server):
    """Serves an application; it begins its end by telling the answers that are being made."""

    def __init__(
        self, config: Config, *, stopping: asyncio.Event, begun: Callable[[], None]
    ) -> None:
        """Take how to serve, what to set when it is told to stop, and whom to tell it listens."""
        super().__init__(config)
        self._stopping = stopping
        self._begun = begun

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._begun()

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)

    @override
    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop on SIGINT and SIGTERM, and let the process end in its own way after that."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the first thread may handle signals
            return
        before = {n: signal.signal(n, self._stop) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.force_exit = self.should_exit  # told twice
        self.should_exit = True


def serve(
    app: FastAPI,
    sockets: list[socket.socket],
    *,
    stopping: asyncio.Event,
    shutdown_s: float,
    n_threads: int,
    begun: Callable[[], None],
) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        app: What is served.
        sockets: That listen.
        stopping: Set when the server is told to stop.
        shutdown_s: How long answers may go on after that, in seconds.
        n_threads: For what blocks while questions are answered.
        begun: Called once requests are answered.
    """
    config = config_for(app, shutdown_s=shutdown_s)
    server = CitewellServer(config, stopping=stopping, begun=begun)

    async def run() -> None:
        pool = ThreadPoolExecutor(n_threads, thread_name_prefix="question")
        asyncio.get_running_loop().set_default_executor(pool)
        await server.serve(sockets)

    asyncio.run(run())


def config_for(app: FastAPI, *, shutdown_s: float) -> Config:
    """Return how an application is served; `shutdown_s` is as in `serve`."""
    return Config(
        app,
        http=OneShapeProtocol,
        log_config=None,
        access_log=False,
        proxy_headers=False,  # whoever forwards to us must not say who asks
        server_header=False,
        timeout_graceful_shutdown=int(shutdown_s) + _LAST_S,
    )


def listen(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of a host; port 0 is one free port for all.

    Raises:
        ConfigurationError: The host is unknown, or the port is taken or not allowed.
    """
    sockets: list[socket.socket] = []
    try:
        for family, address in _addresses(host, port):
            listening = socket.create_server(
                (address, sockets[0].getsockname()[1] if sockets else port),
                family=family,
                backlog=_BACKLOG,
            )
            sockets.append(listening)
            # Connections inherit it. Without it a reply waits for the reader's delayed
            # acknowledgement, 40 ms; asyncio sets it for other kinds of sockets only.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        for listening in sockets:
            listening.close()
        raise ConfigurationError(
            f"cannot listen on {host} port {port}: {error.strerror or error}."
            " Set SERVER_HOST and SERVER_PORT, or --host and --port"
        ) from error
    return sockets


def is_loopback(host: str) -> bool:
    """Return whether nobody but this machine reaches a host's addresses."""
    with suppress(OSError, ValueError):
        return all(ip_address(address).is_loopback for _, address in _addresses(host, 0))
    return False


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    """Return the addresses of a host that this machine can use, IPv4 first."""
    found = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_ADDRCONFIG
    )
    return sorted({(family, str(address[0])) for family, _, _, _, address in found})
