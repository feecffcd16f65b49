"""The data folder: one process at a time writes, one sync of a source; a watermark for space."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from citewell.adapters.data_folders.file_lock import FileLock, Holder, LockedError, read_holder
from citewell.domain.errors import (
    BusyError,
    ConfigurationError,
    DataFolderBusyError,
    LowDiskSpaceError,
)

_MIB = 2**20
_PATIENCE_S = 10.0
"""For a command that only answers a question, and so lets go by itself."""


class DataFolder:
    """A folder that this process holds until `release`."""

    def __init__(self, path: Path, *, command: str = "citewell", is_brief: bool = False) -> None:
        """Make the folder where it is missing, readable by its owner only, and hold it.

        Args:
            path: The folder.
            command: What this process does, for the messages of others.
            is_brief: It only answers a question: others wait for it a little.

        Raises:
            DataFolderBusyError: Another process holds it; the message says which, and since when.
            ConfigurationError: It cannot be made or written.
        """
        self.path = path
        self._command = command
        make_private(path)
        patience_s = 0.0 if is_brief else _PATIENCE_S
        try:
            self._lock = FileLock(
                path / "lock", command=command, is_brief=is_brief, wait_s=patience_s
            )
        except LockedError as error:
            raise DataFolderBusyError(
                f"the data folder {path} is held by {error}: wait for it to end,"
                " or use another folder with --data-dir"
            ) from None

    @contextmanager
    def hold_source(self, source_id: str, *, name: str) -> Generator[None]:
        """Keep other syncs of a source out, in this process too.

        Raises:
            BusyError: Another sync of it is at work; the message says whose, and since when.
        """
        make_private(self.path / "locks")
        try:
            lock = FileLock(self.path / "locks" / source_id, command=self._command)
        except LockedError as error:
            raise BusyError(
                f"the source {name} is being synced by {error}: try again later"
            ) from None
        try:
            yield
        finally:
            lock.release()

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
        self._lock.release()


def holder_of(path: Path) -> Holder | None:
    """Return who holds a data folder, or None."""
    return read_holder(path / "lock")


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
