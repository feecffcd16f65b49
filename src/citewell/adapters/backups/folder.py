"""The folder of the backups: a work folder until a file is whole, and rotation by name.

citewell-<series>-<moment>.backup     a backup
.citewell-<random>.partial            a work folder, locked as long as its process lives
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from citewell.adapters.backups.archive import errors_explained, sync_folder

_NAME = re.compile(r"citewell-([0-9a-f]{8})-\d{8}T\d{9}Z\.backup")
_PREFIX, _SUFFIX = ".citewell-", ".partial"


def file_name(series: str, made_at: str) -> str:
    """Return the name of a backup; names of a series have the order of their moments.

    Args:
        series: 8 hexadecimal digits.
        made_at: ISO 8601 in UTC, to the millisecond.
    """
    return f"citewell-{series}-{re.sub('[-:.]', '', made_at)}.backup"


def list_backups(folder: Path, series: str) -> list[Path]:
    """Return the backups of a series, oldest first; none where the folder is missing.

    Raises:
        UnavailableError: The folder cannot be read.
    """
    if not folder.is_dir():
        return []
    with errors_explained(folder):
        names = sorted(path.name for path in folder.iterdir())
    return [
        folder / name for name in names if (found := _NAME.fullmatch(name)) and found[1] == series
    ]


def rotate(folder: Path, series: str, *, keep: int, newest: Path) -> list[Path]:
    """Delete all backups of a series but the newest ones, and return what was deleted.

    Args:
        folder: Of the backups.
        series: Of which data folder.
        keep: How many stay, at least 1.
        newest: It stays, also where a clock that went wrong gave others a later name.
    """
    others = [path for path in list_backups(folder, series) if path != newest]
    old = others[: max(0, len(others) + 1 - keep)]
    with errors_explained(folder):
        for path in old:
            path.unlink(missing_ok=True)
        if old:
            sync_folder(folder)
    return old


@contextmanager
def work_folder(folder: Path) -> Generator[Path]:
    """Yield a folder in `folder` for its owner only, deleted in the end with all that is in it.

    Those that killed processes left are deleted too. `folder` is made where it is missing.

    Raises:
        LowDiskSpaceError: The disk is full.
        UnavailableError: It cannot be made or written.
    """
    with errors_explained(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_left_behind(folder)
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX, dir=folder))
        lock = os.open(made, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def publish(partial: Path, target: Path) -> None:
    """Give a whole and durable file its name, durably."""
    with errors_explained(target.parent):
        partial.rename(target)
        sync_folder(target.parent)


def _remove_left_behind(folder: Path) -> None:
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue  # its process has just ended
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except OSError:
            pass  # its process works in it
        finally:
            os.close(descriptor)
