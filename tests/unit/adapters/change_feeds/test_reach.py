"""Where events of the file system do not tell of every change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citewell.adapters.change_feeds.reach import (
    FolderCensus,
    shared_file_system,
    take_census,
    why_not_events,
)

LOCAL = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /home rw - btrfs /dev/vdb rw
"""


def mount(place: str, kind: str) -> str:
    return f"40 22 0:40 / {place} rw,relatime shared:9 - {kind} somewhere rw\n"


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        (LOCAL, None),
        (LOCAL + mount("/data", "nfs4"), "nfs4"),
        (LOCAL + mount("/data/docs", "cifs"), "cifs"),
        (LOCAL + mount("/data/docs/team/shared", "fuse.sshfs"), "fuse.sshfs"),
        (LOCAL + mount("/data/docs/team/cache", "tmpfs"), None),
        (LOCAL + mount("/data/other", "nfs"), None),
        (LOCAL + mount("/data/docs-old", "nfs"), None),
        (mount("/", "nfs") + mount("/data", "ext4"), None),
        (LOCAL + mount("/data", "nfs") + mount("/data", "ext4"), None),
        (LOCAL + mount(r"/data\040of\040us", "nfs"), None),
        ("", None),
        ("nonsense\n\n- -\n", None),
    ],
)
def test_file_system_that_others_may_change_is_told(mounts: str, expected: str | None) -> None:
    assert shared_file_system(Path("/data/docs"), mounts) == expected


def test_place_of_a_mount_may_hold_spaces_and_any_letters() -> None:
    mounts = LOCAL + mount(r"/my\040größe\134x", "nfs")
    assert shared_file_system(Path("/my größe\\x/docs"), mounts) == "nfs"


def test_folders_are_counted_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "file.md").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert take_census(tmp_path) == FolderCensus(n_folders=4, odd_name=None)
    assert take_census(tmp_path / "missing") == FolderCensus(n_folders=1, odd_name=None)


def test_name_that_is_not_utf_8_is_found(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.md"
    Path(os.fsdecode(name)).write_text("text")
    census = take_census(tmp_path)
    assert census.odd_name == b"\xff.md"
    reason = why_not_events(tmp_path, census)
    assert reason == r"events cannot tell of names that are not UTF-8, such as b'\xff.md'"


def test_plain_folder_can_be_followed(tmp_path: Path) -> None:
    if shared_file_system(tmp_path, Path("/proc/self/mountinfo").read_text()):
        pytest.skip("the temporary folder is on a network file system")
    assert why_not_events(tmp_path, take_census(tmp_path)) is None


def test_too_many_folders_cannot_be_followed(tmp_path: Path) -> None:
    if shared_file_system(tmp_path, Path("/proc/self/mountinfo").read_text()):
        pytest.skip("the temporary folder is on a network file system")
    limit = int(Path("/proc/sys/fs/inotify/max_user_watches").read_text())
    reason = why_not_events(tmp_path, FolderCensus(10, None), n_other_folders=limit)
    assert reason is not None
    assert f"{limit + 10} folders are too near the system's limit of {limit}" in reason
