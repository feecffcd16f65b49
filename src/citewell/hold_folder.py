"""Composition root of the data folder: who may write to it, and whose index is searched."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Literal

from citewell.adapters.data_folders.data_folder import DataFolder, make_private
from citewell.domain.errors import DataFolderBusyError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from citewell.adapters.indexes.edge.layout import IndexIdentity
    from citewell.adapters.indexes.edge.supervisor import RunningIndex
    from citewell.domain.source import Source

_PATIENCE_S = 3.0  # for a holder that has not started its index yet, or is just ending
_POLL_S = 0.05

Access = Literal["write", "search", "read"]
"""What a command does with a data folder: one process at a time may write. Those that search use
the index of the one that writes, or become it for a moment; those that read use the catalog only.
"""


class FolderHold:
    """This process's part in a data folder, until `release`."""

    def __init__(self, path: Path, *, access: Access, command: str) -> None:
        """Make the folder where it is missing, and hold it as far as `access` needs.

        Args:
            path: The folder.
            access: What it is opened for.
            command: What this process does, for the messages of others.

        Raises:
            DataFolderBusyError: It is to be written, and another process holds it.
            ConfigurationError: It cannot be made or written.
        """
        self._path = path
        self._command = command
        self._folder: DataFolder | None = None
        make_private(path)
        if access == "write":
            self._folder = DataFolder(path, command=command)
        elif access == "search":
            with suppress(DataFolderBusyError):
                self._hold_briefly()

    @property
    def may_write(self) -> bool:
        """Whether this process holds the folder."""
        return self._folder is not None

    def start_index(self, root: Path, identity: IndexIdentity) -> RunningIndex:
        """Start the index process, or find that of the process that holds the folder.

        Raises:
            DataFolderBusyError: Another process holds the folder and serves no index.
        """
        from citewell.adapters.indexes.edge.guest import IndexGuest
        from citewell.adapters.indexes.edge.process import IndexProcess, ProcessDiedError

        deadline = time.monotonic() + _PATIENCE_S
        while self._folder is None:
            try:
                return IndexGuest(root)
            except ProcessDiedError:
                pass  # the holder has not started it yet, or has just ended
            try:
                self._hold_briefly()
            except DataFolderBusyError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_POLL_S)
        return IndexProcess(root, identity)

    def hold_source(self, source: Source) -> AbstractContextManager[None]:
        """Keep other syncs of a source out while it is entered.

        Raises:
            BusyError: Another sync of it is at work.
            UsageError: This process may not write.
        """
        if self._folder is None:
            raise UsageError("this data folder was not opened for writing")
        return self._folder.hold_source(source.id, name=source.name)

    def check_space(self, *, min_free_mib: int) -> None:
        """Raise `LowDiskSpaceError` where this process writes and less than that is free."""
        if self._folder is not None:
            self._folder.check_space(min_free_mib=min_free_mib)

    def release(self) -> None:
        """Let other processes have the folder."""
        if self._folder is not None:
            self._folder.release()

    def _hold_briefly(self) -> None:
        self._folder = DataFolder(self._path, command=self._command, is_brief=True)
