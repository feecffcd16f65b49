"""One backup is one ZIP file: the catalog, and behind it a manifest with its SHA-256.

What was cut off has no directory of members, so it never looks whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from citewell.domain.backup import CatalogContents, Manifest
from citewell.domain.errors import BackupUnreadableError, LowDiskSpaceError, UnavailableError

_CATALOG = "catalog.sqlite3"
_MANIFEST = "manifest.json"
_FORMAT = 1
_MAX_MANIFEST_BYTES = 65_536
_BLOCK_BYTES = 2**20
_LEVEL = 1  # a third of the size at some 100 MB/s; higher levels are slower than disks


@dataclass(frozen=True, slots=True)
class Label:
    """What a backup is called; the rest of its manifest is measured.

    Attributes:
        made_at: When, ISO 8601 in UTC.
        version: Of Citewell.
        series: Of which data folder it is.
        contents: What its catalog holds.
    """

    made_at: str
    version: str
    series: str
    contents: CatalogContents


def write_archive(catalog: Path, target: Path, label: Label) -> Manifest:
    """Write a backup that is readable by its owner only, and make it durable.

    Args:
        catalog: A copy of a catalog that nobody writes to.
        target: The file; must not exist.
        label: What it is called.

    Raises:
        LowDiskSpaceError: The disk is full.
        UnavailableError: It cannot be written.
    """
    with errors_explained(target.parent), _new_file(target) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
            with (
                catalog.open("rb") as source,
                archive.open(_CATALOG, "w", force_zip64=True) as member,
            ):
                size_bytes, sha256 = _copy(source, member)
            manifest = Manifest(
                made_at=label.made_at,
                version=label.version,
                series=label.series,
                contents=label.contents,
                size_bytes=size_bytes,
                sha256=sha256,
            )
            archive.writestr(_MANIFEST, json.dumps({"format": _FORMAT, **asdict(manifest)}))
        file.flush()
        os.fsync(file.fileno())
    return manifest


def extract_catalog(backup: Path, target: Path) -> Manifest:
    """Write the catalog of a backup to a new file, and compare it with the manifest.

    Raises:
        BackupUnreadableError: It is no whole backup.
        LowDiskSpaceError: The disk is full.
        UnavailableError: The new file cannot be written.
    """
    with (
        _opened(backup) as archive,
        errors_explained(target.parent),
        _new_file(target) as file,
    ):
        manifest = _read_manifest(backup, archive)
        with _damage_explained(backup), archive.open(_CATALOG) as member:
            found = _copy(member, file, at_most=manifest.size_bytes)
        if found != (manifest.size_bytes, manifest.sha256):
            raise _unreadable(backup, "its catalog is not the one that was written")
    return manifest


@contextmanager
def errors_explained(folder: Path) -> Generator[None]:
    """Raise what the operating system or SQLite says of a full or broken disk as ours."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        is_full = getattr(error, "sqlite_errorname", "") == "SQLITE_FULL"
        if is_full or getattr(error, "errno", 0) in {errno.ENOSPC, errno.EDQUOT}:
            raise LowDiskSpaceError(
                f"no space is left on the disk of {folder}: free some, then try again"
            ) from error
        raise UnavailableError(f"{folder} cannot be read or written: {error}") from error


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _new_file(path: Path) -> Generator[IO[bytes]]:
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
        yield file


@contextmanager
def _opened(backup: Path) -> Generator[zipfile.ZipFile]:
    with _damage_explained(backup):
        archive = zipfile.ZipFile(backup)
    with archive:
        yield archive


def _read_manifest(backup: Path, archive: zipfile.ZipFile) -> Manifest:
    with _damage_explained(backup), archive.open(_MANIFEST) as member:
        stored: dict[str, Any] = json.loads(member.read(_MAX_MANIFEST_BYTES))
        written_by = stored["version"]
        if stored.pop("format") != _FORMAT:
            raise _unreadable(backup, f"it was written by another version ({written_by})")
        contents = CatalogContents(**stored.pop("contents"))
        return Manifest(**stored, contents=contents)


@contextmanager
def _damage_explained(backup: Path) -> Generator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise _unreadable(backup, "there is no such file") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(backup, "it is no backup, or damaged") from error
    except (OSError, NotImplementedError, RuntimeError) as error:
        if getattr(error, "errno", 0) in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise _unreadable(backup, str(error)) from error


def _unreadable(backup: Path, reason: str) -> BackupUnreadableError:
    return BackupUnreadableError(f"{backup} cannot be restored: {reason}. Choose another backup")


def _copy(source: IO[bytes], target: IO[bytes], *, at_most: int | None = None) -> tuple[int, str]:
    """Copy bytes and return how many there were, and their SHA-256 in hexadecimal.

    With `at_most`, a source that is longer is given up behind so many bytes.
    """
    digest = hashlib.sha256()
    size_bytes = 0
    while block := source.read(_BLOCK_BYTES):
        size_bytes += len(block)
        if at_most is not None and size_bytes > at_most:
            break
        digest.update(block)
        target.write(block)
    return size_bytes, digest.hexdigest()
