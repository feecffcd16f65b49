"""One process writes to a data folder at a time, one sync reads a source."""

import os
import re
import shutil
import socket
import stat
from pathlib import Path

import pytest

from citewell.adapters.data_folders.data_folder import DataFolder, holder_of, make_private
from citewell.domain.errors import (
    BusyError,
    ConfigurationError,
    DataFolderBusyError,
    LowDiskSpaceError,
)

HOST = re.escape(socket.gethostname())


def test_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a" / "data"
    DataFolder(path).release()
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_second_holder_is_refused_until_the_first_releases(tmp_path: Path) -> None:
    first = DataFolder(tmp_path, command="rag watch")
    told = rf"is held by `rag watch`, process {os.getpid()} on {HOST}, since 20\S+Z: wait for it"
    with pytest.raises(DataFolderBusyError, match=told):
        DataFolder(tmp_path)
    first.release()
    first.release()
    DataFolder(tmp_path).release()


def test_holder_can_be_asked_for(tmp_path: Path) -> None:
    assert holder_of(tmp_path) is None
    folder = DataFolder(tmp_path, command="rag watch")
    holder = holder_of(tmp_path)
    assert holder is not None
    assert (holder.pid, holder.command) == (os.getpid(), "rag watch")
    folder.release()
    assert holder_of(tmp_path) is None


def test_source_is_synced_once_at_a_time(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path, command="rag watch")
    with folder.hold_source("s1", name="handbook"):
        told = rf"source handbook is being synced by `rag watch`, process {os.getpid()} on {HOST}"
        with pytest.raises(BusyError, match=told), folder.hold_source("s1", name="handbook"):
            pass
        with folder.hold_source("s2", name="other"):
            pass
    with folder.hold_source("s1", name="handbook"):
        pass
    folder.release()


def test_too_little_free_space_is_told_with_the_setting(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.check_space(min_free_mib=0)
    more = shutil.disk_usage(tmp_path).total // 2**20 + 1
    with pytest.raises(LowDiskSpaceError, match=f"less than MIN_FREE_DISK_MIB={more}"):
        folder.check_space(min_free_mib=more)
    folder.release()


def test_folder_that_cannot_be_made_is_a_matter_of_settings(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ConfigurationError, match="set DATA_DIR or --data-dir"):
            make_private(path)
