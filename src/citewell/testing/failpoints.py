"""Arming failpoints: what happens where the work has got to."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Literal, get_args

from citewell.domain.errors import UnavailableError
from citewell.domain.failpoints import BackupFailpoint, Failpoint, watch_failpoints

Fault = Literal["kill", "raise", "cancel"]
FAILPOINTS: tuple[Failpoint, ...] = get_args(Failpoint)
BACKUP_FAILPOINTS: tuple[BackupFailpoint, ...] = get_args(BackupFailpoint)
FAULTS: tuple[Fault, ...] = get_args(Fault)


@contextmanager
def armed(
    failpoint: Failpoint | BackupFailpoint, fault: Fault | Callable[[], None], *, nth: int = 1
) -> Generator[list[Failpoint | BackupFailpoint]]:
    """Let a fault happen when a failpoint is reached for the nth time.

    Args:
        failpoint: Where.
        fault: `kill` ends the process as `kill -9` does, `raise` raises `UnavailableError`,
            `cancel` raises `KeyboardInterrupt`; or what to call, e.g. to wait for something.
        nth: From 1.

    Yields:
        The failpoints that were reached so far, in order.
    """
    reached: list[Failpoint | BackupFailpoint] = []

    def on_reach(name: Failpoint | BackupFailpoint) -> None:
        reached.append(name)
        if name == failpoint and reached.count(name) == nth:
            _cause(fault)

    watch_failpoints(on_reach)
    try:
        yield reached
    finally:
        watch_failpoints(None)


def _cause(fault: Fault | Callable[[], None]) -> None:
    if callable(fault):
        fault()
    elif fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "cancel":
        raise KeyboardInterrupt
    else:
        raise UnavailableError("a fault that a test asked for")
