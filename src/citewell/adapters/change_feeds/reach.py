"""Whether events of the file system tell of every change below a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Other machines change what lies there without a word; FUSE may stand for any of them.
_SHARED = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "gpfs",
        "beegfs",
        "virtiofs",
        "vboxsf",
        "prl_fs",
        "vmhgfs",
        "drvfs",
        "davfs",
    }
)
_ESCAPED = re.compile(rb"\\([0-3][0-7]{2})")
_MOUNTS = Path("/proc/self/mountinfo")
_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
_MOST_OF_THE_LIMIT = 0.9
"""One watch per folder; the other programs of the user need some too."""


@dataclass(frozen=True, slots=True)
class FolderCensus:
    """What was found below a folder.

    Attributes:
        n_folders: How many folders, itself too.
        odd_name: A name that is not UTF-8, or None.
    """

    n_folders: int
    odd_name: bytes | None


def why_not_events(root: Path, census: FolderCensus, *, n_other_folders: int = 0) -> str | None:
    """Return why events would miss changes, as one sentence, or None if they do not.

    Args:
        root: The folder, resolved.
        census: Of it.
        n_other_folders: Watched by this process besides.
    """
    if kind := shared_file_system(root, _read(_MOUNTS)):
        return f"it lies on {kind}, where other machines may change it without a word"
    if census.odd_name is not None:
        return f"events cannot tell of names that are not UTF-8, such as {census.odd_name!r}"
    limit = int(_read(_LIMIT) or 0)
    n_folders = census.n_folders + n_other_folders
    if limit and n_folders > limit * _MOST_OF_THE_LIMIT:
        return (
            f"its {n_folders} folders are too near the system's limit of {limit}"
            " (fs.inotify.max_user_watches)"
        )
    return None


def take_census(root: Path) -> FolderCensus:
    """Count the folders below a folder; what cannot be listed is left out."""
    n_folders = 0
    odd_name: bytes | None = None
    waiting = [os.fsencode(root)]
    while waiting:
        n_folders += 1
        for name, path, is_folder in _entries(waiting.pop()):
            if odd_name is None and not _is_utf8(name):
                odd_name = name
            if is_folder:
                waiting.append(path)
    return FolderCensus(n_folders, odd_name)


def shared_file_system(root: Path, mounts: str) -> str | None:
    """Return the type of file system at or below `root` that other machines may change, or None.

    Args:
        root: Resolved.
        mounts: As in `/proc/self/mountinfo`.
    """
    at_root: tuple[int, str] = (-1, "")
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")[0]
        if len(fields) < 5:
            continue
        place = _unescaped(fields[4])
        if root.is_relative_to(place) and len(place.parts) >= at_root[0]:
            at_root = (len(place.parts), kind)  # the last mount at a place hides those before
        elif place.is_relative_to(root) and _is_shared(kind):
            return kind
    return at_root[1] if _is_shared(at_root[1]) else None


def _unescaped(place: str) -> Path:
    """Return a path of the list of mounts, which writes spaces as octal numbers."""
    plain = _ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), place.encode())
    return Path(plain.decode("utf-8", "replace"))


def _is_shared(kind: str) -> bool:
    return kind in _SHARED or kind.startswith("fuse")


def _entries(folder: bytes) -> Iterator[tuple[bytes, bytes, bool]]:
    try:
        with os.scandir(folder) as listing:
            for entry in listing:
                yield entry.name, entry.path, entry.is_dir(follow_symlinks=False)
    except OSError:
        return


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
