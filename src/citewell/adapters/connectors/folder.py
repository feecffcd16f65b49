"""A folder on this machine as a source."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from typing_extensions import override

from citewell.adapters.connectors.folder_access import (
    explain,
    kind_of,
    open_folder,
    open_root,
    read_file,
)
from citewell.adapters.connectors.names import Parts, locator_of, parts_of, printable_path
from citewell.adapters.connectors.patterns import PathPatterns, is_hidden
from citewell.domain.errors import SourceUnavailableError
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ports.connector import Connector

# What a folder answers when its disk or server is gone: not a reason to take its files for deleted.
_UNAVAILABLE = frozenset(
    {errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.ENODEV}
)


class FolderConnector(Connector):
    """Lists and reads the files below a folder.

    Names that start with a dot and scratch files of editors are left out. Symbolic links are listed
    as rejected: a link into the folder would double a document, another would leave it.
    """

    def __init__(
        self,
        root: str | Path,
        *,
        include: Sequence[str] = ("**/*",),
        exclude: Sequence[str] = (),
    ) -> None:
        """Take a folder; nothing is opened yet.

        Args:
            root: The folder.
            include: Glob patterns; an item must match one.
            exclude: Glob patterns; an item must match none.
        """
        self._root = os.fsencode(root)
        self._patterns = PathPatterns(include=include, exclude=exclude)

    @override
    def scan(self) -> Iterator[SourceItem | RejectedItem]:
        with open_root(self._root) as root:
            found = list(self._scan_all(root))
            self._require_same_root(root)
        return iter(sorted(found, key=lambda entry: entry.relative_path))

    @override
    def read(self, item: SourceItem, *, max_bytes: int) -> bytes:
        with open_root(self._root) as root:
            return read_file(root, parts_of(item.locator), max_bytes=max_bytes)

    def _scan_all(self, root: int) -> Iterator[SourceItem | RejectedItem]:
        waiting: list[Parts] = [()]
        while waiting:
            parts = waiting.pop()
            try:
                found = self._list_folder(root, parts)
            except (FileNotFoundError, NotADirectoryError):
                continue  # removed, or replaced by a file or link, since it was listed
            except OSError as error:
                yield self._rejected_folder(parts, error)
                continue
            waiting += [entry for entry in found if isinstance(entry, tuple)]
            yield from (entry for entry in found if not isinstance(entry, tuple))

    def _list_folder(self, root: int, parts: Parts) -> list[SourceItem | RejectedItem | Parts]:
        with open_folder(root, parts) as folder, os.scandir(folder) as listing:
            entries = list(listing)
            if not entries and not parts:
                raise SourceUnavailableError("the source's folder is empty; nothing was deleted")
            found = [self._look_at((*parts, os.fsencode(entry.name)), entry) for entry in entries]
        return [entry for entry in found if entry is not None]

    def _look_at(
        self, parts: Parts, entry: os.DirEntry[str]
    ) -> SourceItem | RejectedItem | Parts | None:
        """Return an item, a folder to look into, or nothing for what is left out."""
        path = printable_path(parts)
        if is_hidden(path.rpartition("/")[2]):
            return None
        if entry.is_dir(follow_symlinks=False):
            return None if self._patterns.skips_folder(path) else parts
        if not self._patterns.offers(path):
            return None
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        if kind := kind_of(status.st_mode):
            return RejectedItem(path, self._reason(parts, kind))
        return SourceItem(
            relative_path=path,
            size_bytes=status.st_size,
            modified_ns=status.st_mtime_ns,
            locator=locator_of(parts),
            fingerprint=(
                f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"
            ),
        )

    def _reason(self, parts: Parts, kind: str) -> str:
        if kind != "a symbolic link":
            return f"not a regular file but {kind}"
        root = Path(os.fsdecode(self._root)).resolve()
        try:
            target = root.joinpath(*map(os.fsdecode, parts)).resolve()
        except (OSError, RuntimeError):  # links that lead to each other
            return "the symbolic link leads nowhere"
        if not target.is_relative_to(root):
            return "the symbolic link leads outside the source"
        if not target.exists():
            return "the symbolic link leads nowhere"
        return "symbolic links are not followed; what this one leads to has a name of its own"

    def _rejected_folder(self, parts: Parts, error: OSError) -> RejectedItem:
        if not parts or error.errno in _UNAVAILABLE:
            raise SourceUnavailableError(
                f"a folder of the source cannot be read ({explain(error)}); nothing was deleted"
            ) from error
        return RejectedItem(printable_path(parts), f"the folder cannot be read: {explain(error)}")

    def _require_same_root(self, root: int) -> None:
        """Refuse a list made while the folder was unmounted or replaced."""
        try:
            same = os.path.samestat(os.fstat(root), Path(os.fsdecode(self._root)).stat())
        except OSError:
            same = False
        if not same:
            raise SourceUnavailableError("the source's folder was replaced; nothing was deleted")
