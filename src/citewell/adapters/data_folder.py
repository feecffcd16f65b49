"""The data folder: one process at a time, and a watermark for free space."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from citewell.domain.errors import ConfigurationError, DataFolderBusyError, LowDiskSpaceError

_MIB = 2**20


class DataFolder:
    """A folder that this process holds until `release`."""

    def __init__(self, path: Path) -> None:
        """Make the folder where it is missing, readable by its owner only, and hold it.

        Raises:
            DataFolderBusyError: Another process holds it; the message says which, and since when.
            ConfigurationError: It cannot be made or written.
        """
        self.path = path
        make_private(path)
        self._lock: TextIO | None = _hold(path / "lock")

    def check_space(self, *, min_free_mib: int) -> None:
        """Raise below the watermark.

        Raises:
            LowDiskSpaceError: Less than `min_free_mib` MiB are free.
        """
        free_mib = shutil.disk_usage(self.path).free // _MIB
        if free_mib < min_free_mib:
            raise LowDiskSpaceError(
                f"only {free_mib} MiB are free on the disk of {self.path}, less than"
                f" MIN_FREE_DISK_MIB={min_free_mib}: ingestion is paused, search goes on."
                " Free some space, then sync again"
            )

    def release(self) -> None:
        """Let other processes have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def make_private(path: Path) -> None:
    """Make a folder for its owner only.

    Raises:
        ConfigurationError: It cannot be made or written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigurationError(
            f"the data folder {path} cannot be made ({error.strerror}): set DATA_DIR or --data-dir"
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"the data folder {path} cannot be written: set DATA_DIR or --data-dir"
        )


def _hold(path: Path) -> TextIO:
    handle = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        holder = _read_holder(handle.read())
        handle.close()
        raise DataFolderBusyError(
            f"the data folder {path.parent} is held by {holder}: wait for it to end,"
            " or use another folder with --data-dir"
        ) from None
    handle.seek(0)
    handle.truncate()
    since = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    json.dump({"pid": os.getpid(), "since": since}, handle)
    handle.flush()
    return handle


def _read_holder(text: str) -> str:
    try:
        known = json.loads(text)
        return f"process {known['pid']} since {known['since']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
