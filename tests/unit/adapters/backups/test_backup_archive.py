from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.backups.archive import (
    Label,
    errors_explained,
    extract_catalog,
    write_archive,
)
from citewell.domain.backup import CatalogContents, Manifest
from citewell.domain.errors import BackupUnreadableError, LowDiskSpaceError, UnavailableError

LABEL = Label("2026-01-31T12:00:00.000Z", "1.0", "0a1b2c3d", CatalogContents(1, 2, 3))
CATALOG = bytes(range(256)) * 40


def make(folder: Path) -> tuple[Path, Manifest]:
    (folder / "catalog").write_bytes(CATALOG)
    manifest = write_archive(folder / "catalog", folder / "a.backup", LABEL)
    return folder / "a.backup", manifest


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make(tmp_path_factory.mktemp("whole"))[0].read_bytes()


def test_catalog_comes_back_as_it_was_with_what_is_known_of_it(tmp_path: Path) -> None:
    backup, manifest = make(tmp_path)
    assert extract_catalog(backup, tmp_path / "back") == manifest
    assert (tmp_path / "back").read_bytes() == CATALOG
    assert (manifest.made_at, manifest.version, manifest.series, manifest.contents) == (
        LABEL.made_at,
        LABEL.version,
        LABEL.series,
        LABEL.contents,
    )
    assert manifest.size_bytes == len(CATALOG)


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    backup, _ = make(tmp_path)
    extract_catalog(backup, tmp_path / "back")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (backup, tmp_path / "back")]
    assert modes == [0o600, 0o600]


def test_no_file_is_written_over(tmp_path: Path) -> None:
    make(tmp_path)
    with pytest.raises(UnavailableError, match="File exists"):
        write_archive(tmp_path / "catalog", tmp_path / "a.backup", LABEL)


@given(data=st.data())
def test_what_was_cut_off_is_no_backup(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, data: st.DataObject
) -> None:
    length = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path_factory.mktemp("cut")
    (path / "cut.backup").write_bytes(whole[:length])
    with pytest.raises(BackupUnreadableError, match="Choose another backup"):
        extract_catalog(path / "cut.backup", path / "back")


@given(data=st.data())
def test_another_byte_is_found_or_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(whole) - 1))
    change = data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("changed")
    changed = bytes([whole[place] ^ change])
    (path / "a.backup").write_bytes(whole[:place] + changed + whole[place + 1 :])
    try:
        extract_catalog(path / "a.backup", path / "back")
    except BackupUnreadableError:
        return
    assert (path / "back").read_bytes() == CATALOG


def rewrite(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Write an archive anew, with other members; None leaves one out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)


def other_catalog(name: str, content: bytes) -> bytes:
    return b"x" + content[1:] if name == "catalog.sqlite3" else content


def longer_catalog(name: str, content: bytes) -> bytes:
    return content * 1000 if name == "catalog.sqlite3" else content


def no_catalog(name: str, content: bytes) -> bytes | None:
    return None if name == "catalog.sqlite3" else content


def no_manifest(name: str, content: bytes) -> bytes | None:
    return None if name == "manifest.json" else content


def empty_manifest(name: str, content: bytes) -> bytes:
    return b"{}" if name == "manifest.json" else content


def later_format(name: str, content: bytes) -> bytes:
    if name != "manifest.json":
        return content
    return json.dumps(json.loads(content) | {"format": 2, "version": "9.9"}).encode()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (other_catalog, "its catalog is not the one that was written"),
        (longer_catalog, "its catalog is not the one that was written"),
        (no_catalog, "no backup, or damaged"),
        (no_manifest, "no backup, or damaged"),
        (empty_manifest, "no backup, or damaged"),
        (later_format, r"written by another version \(9\.9\)"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_archive_that_is_not_what_it_says_is_refused(
    tmp_path: Path, change: Callable[[str, bytes], bytes | None], reason: str
) -> None:
    backup, manifest = make(tmp_path)
    rewrite(backup, tmp_path / "other.backup", change)
    with pytest.raises(BackupUnreadableError, match=reason):
        extract_catalog(tmp_path / "other.backup", tmp_path / "back")
    written = sum(path.stat().st_size for path in tmp_path.glob("back"))
    assert written <= manifest.size_bytes


def test_missing_file_and_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(BackupUnreadableError, match="there is no such file"):
        extract_catalog(tmp_path / "missing", tmp_path / "back")
    with pytest.raises(BackupUnreadableError, match="Is a directory"):
        extract_catalog(tmp_path, tmp_path / "back")


def test_full_disk_is_told_apart(tmp_path: Path) -> None:
    with (
        pytest.raises(LowDiskSpaceError, match=f"no space is left on the disk of {tmp_path}"),
        errors_explained(tmp_path),
        Path("/dev/full").open("wb", buffering=0) as full,
    ):
        full.write(b"x")
