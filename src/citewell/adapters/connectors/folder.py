"""A folder on this machine as a source."""

from __future__ import annotations

import errno
import os
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from typing_extensions import override

from citewell.adapters.connectors.folder_access import (
    explain,
    is_gone,
    kind_of,
    open_folder,
    open_root,
    read_file,
)
from citewell.adapters.connectors.names import (
    Parts,
    is_plain,
    locator_of,
    parts_of,
    parts_of_path,
    printable_path,
)
from citewell.adapters.connectors.patterns import PathPatterns, is_hidden
from citewell.domain.errors import SourceEmptyError, SourceUnavailableError
from citewell.domain.source import RejectedItem, SourceItem
from citewell.ports.connector import Connector

# What a folder answers when its disk or server is gone: not a reason to take its files for deleted.
_UNAVAILABLE = frozenset(
    {errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.ENODEV}
)


_EMPTY = (
    "the source's folder is empty, as when its disk is gone; nothing was deleted."
    " If that is right, run `rag sync` with --confirm-deletions"
)


class FolderConnector(Connector):
    """Lists and reads the files below a folder.

    Names that start with a dot and scratch files of editors are left out. Symbolic links are listed
    as rejected: a link into the folder would double a document, another would leave it. Files with
    several names (hard links) are remembered, so that a look at one name finds the others; one that
    got its second name since the last whole scan takes another such scan.
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
        self._linked: dict[tuple[int, int], set[Parts]] = defaultdict(set)
        self._seen: set[tuple[int, int]] = set()

    @override
    def scan(self, within: Sequence[str] | None = None) -> Iterator[SourceItem | RejectedItem]:
        with open_root(self._root) as root:
            found = list(self._scan_all(root) if within is None else self._look_at(root, within))
            self._require_same_root(root)
        by_path = {entry.relative_path: entry for entry in found}
        return iter(by_path[path] for path in sorted(by_path))

    @override
    def read(self, item: SourceItem, *, max_bytes: int) -> bytes:
        with open_root(self._root) as root:
            return read_file(root, parts_of(item.locator), max_bytes=max_bytes)

    def _scan_all(self, root: int) -> Iterator[SourceItem | RejectedItem]:
        self._linked.clear()
        return self._scan_below(root, ())

    def _look_at(self, root: int, within: Sequence[str]) -> Iterator[SourceItem | RejectedItem]:
        """Yield what is at or below some paths, and under the other names of the same files."""
        _require_filled(root)
        known = set(self._linked)
        self._seen.clear()
        looked_at: set[Parts] = set()
        for parts in sorted(parts_of_path(path) for path in within):
            if not any(parts[:depth] in looked_at for depth in range(len(parts) + 1)):
                looked_at.add(parts)
                yield from self._look_below(root, parts)
        if self._seen - known:
            yield from self._scan_all(root)
            return
        for parts in [parts for file in self._seen for parts in self._linked.get(file, ())]:
            yield from self._look_below(root, parts)

    def _look_below(self, root: int, parts: Parts) -> Iterator[SourceItem | RejectedItem]:
        paths = [printable_path(parts[: depth + 1]) for depth in range(len(parts))]
        if not is_plain(parts) or any(is_hidden(path.rpartition("/")[2]) for path in paths):
            return
        if any(self._patterns.skips_folder(path) for path in paths[:-1]):
            return
        try:
            with open_folder(root, parts[:-1]) as folder:
                status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if not is_gone(error):
                yield self._rejected_folder(parts[:-1], error)
            return
        if not stat.S_ISDIR(status.st_mode):
            entry = self._judge(parts, status)
            yield from () if entry is None else (entry,)
        elif not self._patterns.skips_folder(paths[-1]):
            yield from self._scan_below(root, parts)

    def _scan_below(self, root: int, top: Parts) -> Iterator[SourceItem | RejectedItem]:
        waiting: list[Parts] = [top]
        while waiting:
            parts = waiting.pop()
            try:
                found = self._list_folder(root, parts)
            except OSError as error:
                if not is_gone(error):  # removed, or replaced by a file or link, since it was seen
                    yield self._rejected_folder(parts, error)
                continue
            waiting += [entry for entry in found if isinstance(entry, tuple)]
            yield from (entry for entry in found if not isinstance(entry, tuple))

    def _list_folder(self, root: int, parts: Parts) -> list[SourceItem | RejectedItem | Parts]:
        with open_folder(root, parts) as folder, os.scandir(folder) as listing:
            entries = list(listing)
            if not entries and not parts:
                raise SourceEmptyError(_EMPTY)
            found = [self._sort_out((*parts, os.fsencode(entry.name)), entry) for entry in entries]
        return [entry for entry in found if entry is not None]

    def _sort_out(
        self, parts: Parts, entry: os.DirEntry[str]
    ) -> SourceItem | RejectedItem | Parts | None:
        """Return an item, a folder to look into, or nothing for what is left out."""
        path = printable_path(parts)
        if is_hidden(path.rpartition("/")[2]):
            return None
        if entry.is_dir(follow_symlinks=False):
            return None if self._patterns.skips_folder(path) else parts
        try:
            return self._judge(parts, entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return None

    def _judge(self, parts: Parts, status: os.stat_result) -> SourceItem | RejectedItem | None:
        """Return what is no folder as an item, rejected, or nothing for what is not offered."""
        path = printable_path(parts)
        if not self._patterns.offers(path):
            return None
        if kind := kind_of(status.st_mode):
            return RejectedItem(path, self._reason(parts, kind))
        if status.st_nlink > 1:
            file = (status.st_dev, status.st_ino)
            self._linked[file].add(parts)
            self._seen.add(file)
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
        reason = f"the folder cannot be read: {explain(error)}"
        return RejectedItem(printable_path(parts), reason, may_hold_items=True)

    def _require_same_root(self, root: int) -> None:
        """Refuse a list made while the folder was unmounted or replaced."""
        try:
            same = os.path.samestat(os.fstat(root), Path(os.fsdecode(self._root)).stat())
        except OSError:
            same = False
        if not same:
            raise SourceUnavailableError("the source's folder was replaced; nothing was deleted")


def _require_filled(root: int) -> None:
    with os.scandir(root) as listing:
        if next(listing, None) is None:
            raise SourceEmptyError(_EMPTY)
