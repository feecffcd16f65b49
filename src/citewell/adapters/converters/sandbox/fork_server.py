"""Start worker processes from a process that has the libraries loaded and nothing to steal."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.preparation import Preparation
from citewell.adapters.converters.sandbox.requests import LIGHT, WITH_EVERYTHING

_SERVER_MODULE = "citewell.adapters.converters.sandbox.fork_server_process"
_START_TIMEOUT_S = 60.0
_PROCESS_ID = struct.Struct("!q")
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class ForkServer:
    """The parent's side of the fork server; starts it at the first request.

    It is a fresh interpreter, not a copy of this process: it has no secrets in its memory or
    environment, does not import the caller's `__main__`, and does not get the terminal's Ctrl-C.
    It ends, and its workers with it, when its control socket closes, so also when this process
    is killed. Thread-safe.
    """

    def __init__(self, limits: ConversionLimits, preparation: Preparation | None) -> None:
        """Remember what every worker gets."""
        self._limits = limits
        self._preparation = preparation
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._closed = False

    def start(self) -> None:
        """Start the server if it does not run; a failure shows when a worker is asked for."""
        with self._lock, contextlib.suppress(OSError):
            if self._control is None and not self._closed:
                self._start()

    def fork_worker(self, *, with_everything: bool = False) -> tuple[int, socket.socket]:
        """Start a worker and return its process id and the socket to talk with it.

        A server that has died is started anew once.

        Args:
            with_everything: With the office converters loaded: a second more for the first one.

        Raises:
            OSError: The server cannot be started or was closed.
        """
        request = WITH_EVERYTHING if with_everything else LIGHT
        with self._lock:
            try:
                return self._ask_for_worker(request)
            except OSError:
                self._end()
                return self._ask_for_worker(request)

    def close(self) -> None:
        """End the server and all its workers at once."""
        self._closed = True
        control = self._control
        if control is not None:
            with contextlib.suppress(OSError):
                control.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits in `fork_worker`
        with self._lock:
            self._end()

    def _ask_for_worker(self, request: bytes) -> tuple[int, socket.socket]:
        if self._closed:
            raise ConnectionError("the converter is closed")
        control = self._control or self._start()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [request], [theirs.fileno()])
            answer = control.recv(_PROCESS_ID.size)
            if len(answer) != _PROCESS_ID.size:
                raise ConnectionError("the fork server ended")
        except OSError:
            ours.close()
            raise
        return _PROCESS_ID.unpack(answer)[0], ours

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                _command(theirs.fileno(), self._limits, self._preparation),
                pass_fds=[theirs.fileno()],
                env=_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        ours.settimeout(_START_TIMEOUT_S)
        self._control = ours
        return ours

    def _end(self) -> None:
        control, self._control = self._control, None
        process, self._process = self._process, None
        if control is not None:
            control.close()
        if process is not None:
            process.kill()  # it has nothing to save, and the kernel ends its workers with it
            process.wait()


def _command(
    descriptor: int, limits: ConversionLimits, preparation: Preparation | None
) -> list[str]:
    # -P: the current folder is not searched for modules.
    options = [json.dumps(asdict(limits)), json.dumps(preparation and asdict(preparation))]
    return [sys.executable, "-P", "-m", _SERVER_MODULE, str(descriptor), *options]


def _environment() -> dict[str, str]:
    """Return what the interpreter needs, and nothing of the caller's (keys, tokens, proxies)."""
    own_root = str(Path(__file__).resolve().parents[4])
    packages = [entry for entry in sys.path if Path(entry).name.endswith("-packages")]
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join([own_root, *packages]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **dict.fromkeys(_ONE_THREAD, "1"),
    }
