"""The fork server: `python -m` this module with a socket and the limits; not for people."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path

from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.preload import (
    leave_out_unused_packages,
    preload_everything,
    preload_light,
)
from citewell.adapters.converters.preparation import Preparation, Prepare
from citewell.adapters.converters.sandbox.requests import WITH_EVERYTHING
from citewell.adapters.converters.sandbox.worker import serve_conversions

_PR_SET_PDEATHSIG = 1
_NICENESS = 10
_AUTOGROUP = Path("/proc/self/autogroup")
_CONNECTION = 3


def main() -> None:
    """Fork a worker for every descriptor that arrives, until the control socket closes.

    The light libraries are loaded before the first worker, the heavy ones when the first worker
    with them is asked for: folders of PDF and notes never need them.
    """
    control = socket.socket(fileno=int(sys.argv[1]))
    limits = ConversionLimits(**json.loads(sys.argv[2]))
    preparation = json.loads(sys.argv[3])
    _end_with_parent()
    os.nice(_NICENESS)
    _lower_session()
    leave_out_unused_packages()
    preload_light()
    prepare = Preparation(**preparation).make() if preparation else None
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        if message == WITH_EVERYTHING:
            preload_everything()
        _reap_ended_workers()
        process_id = os.fork()
        if process_id == 0:
            _become_worker(descriptors[0], limits, prepare)
        os.close(descriptors[0])
        control.sendall(struct.pack("!q", process_id))


def _lower_session() -> None:
    """Give the group of this session the priority of its leader, this process.

    Where the kernel groups processes by session (autogroups of Linux), the priority of a process
    counts among those of its session only.
    """
    with suppress(OSError):  # no such groups here
        _AUTOGROUP.write_text(str(os.nice(0)))


def _end_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _reap_ended_workers() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _become_worker(descriptor: int, limits: ConversionLimits, prepare: Prepare | None) -> None:
    """Turn this fork into a worker; does not return."""
    try:
        _end_with_parent()
        os.setsid()
        _lower_session()
        os.dup2(descriptor, _CONNECTION)
        os.closerange(_CONNECTION + 1, os.sysconf("SC_OPEN_MAX"))
        serve_conversions(_CONNECTION, limits, prepare)
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
