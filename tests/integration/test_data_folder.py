"""One process holds a data folder at a time."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from citewell.adapters.data_folder import DataFolder, make_private
from citewell.domain.errors import ConfigurationError, DataFolderBusyError, LowDiskSpaceError

HOLD = """
import sys
from pathlib import Path
from citewell.adapters.data_folder import DataFolder
folder = DataFolder(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a" / "data"
    DataFolder(path).release()
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_second_holder_is_refused_until_the_first_releases(tmp_path: Path) -> None:
    first = DataFolder(tmp_path)
    with pytest.raises(DataFolderBusyError, match=rf"process {os.getpid()} since 20.*Z: wait"):
        DataFolder(tmp_path)
    first.release()
    first.release()
    DataFolder(tmp_path).release()


def test_holder_that_was_killed_holds_nothing_any_more(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(DataFolderBusyError, match=f"process {holder.pid} since"):
            DataFolder(tmp_path)
        holder.kill()
        holder.wait()
    DataFolder(tmp_path).release()


def test_lock_file_that_says_nothing_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("{")
    first = DataFolder(tmp_path)
    (tmp_path / "lock").write_text("[]")
    with pytest.raises(DataFolderBusyError, match="is held by another process"):
        DataFolder(tmp_path)
    first.release()


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
