"""Locks between processes: a file that the kernel lets go when its holder ends, however it ends."""

from __future__ import annotations

import fcntl
import json
import math
import os
import socket
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

from typing_extensions import override

from citewell.domain.errors import ConfigurationError

_POLL_S = 0.02
_ENDING_S = 1.0
"""A holder that says nothing, or left a dead one's words, is coming, going or only looking."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock.

    Attributes:
        pid: Process id.
        host: Name of the machine or container that it runs on.
        command: What it is doing, e.g. `rag sync`.
        since: ISO 8601 in UTC.
        is_brief: It only answers a question and lets go by itself.
    """

    pid: int
    host: str
    command: str
    since: str
    is_brief: bool

    @override
    def __str__(self) -> str:
        """Return who it is, for messages."""
        return f"`{self.command}`, process {self.pid} on {self.host}, since {self.since}"

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs, as far as this machine can tell."""
        import psutil

        return self.host != socket.gethostname() or psutil.pid_exists(self.pid)


class LockedError(Exception):
    """Another holder has the lock.

    Attributes:
        holder: Who it is, or None when it did not say.
    """

    def __init__(self, holder: Holder | None) -> None:
        """Take who holds it."""
        super().__init__(str(holder or "another process"))
        self.holder = holder


class FileLock:
    """A lock that is held until `release`, or until this process ends."""

    def __init__(
        self, path: Path, *, command: str, is_brief: bool = False, wait_s: float = 0.0
    ) -> None:
        """Take the lock.

        Locks of one process exclude each other too.

        Args:
            path: The file; made where it is missing, and never removed.
            command: What this process is doing, for the messages of others.
            is_brief: It will not be held for long: others may wait.
            wait_s: How long to wait for a holder that is brief, or is just ending.

        Raises:
            LockedError: Another holder has it.
            ConfigurationError: The file system has no locks.
        """
        self._file: TextIO | None = path.open("a+", encoding="utf-8")
        try:
            _lock(self._file, wait_s=wait_s)
            self._sign(command, is_brief=is_brief)
        except BaseException:
            self._file.close()
            raise

    def release(self) -> None:
        """Let go; a second time does nothing."""
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None

    def _sign(self, command: str, *, is_brief: bool) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        holder = Holder(os.getpid(), socket.gethostname(), command, now, is_brief)
        file = cast("TextIO", self._file)
        file.truncate(0)
        json.dump(asdict(holder), file)
        file.flush()


def read_holder(path: Path) -> Holder | None:
    """Return who holds a lock, or None when nobody does or the holder has not said so yet."""
    try:
        with path.open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # let go when it is closed
            except BlockingIOError:
                return _parse(file.read())
    except OSError:
        return None
    return None


def _lock(file: TextIO, *, wait_s: float) -> None:
    begin = time.monotonic()
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = _parse(file.read())
            if time.monotonic() - begin >= min(wait_s, _patience_s(holder)):
                raise LockedError(holder) from None
            time.sleep(_POLL_S)
        except OSError as error:
            raise ConfigurationError(
                f"the disk of {file.name} has no file locks ({error.strerror}): choose another one"
                " with DATA_DIR or --data-dir"
            ) from error
        else:
            return


def _patience_s(holder: Holder | None) -> float:
    if holder is None or not holder.is_alive:
        return _ENDING_S
    return math.inf if holder.is_brief else 0.0


def _parse(text: str) -> Holder | None:
    try:
        return Holder(**cast("dict[str, Any]", json.loads(text)))
    except (ValueError, TypeError):
        return None
