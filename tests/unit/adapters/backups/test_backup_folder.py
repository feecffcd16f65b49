from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from citewell.adapters.backups.folder import (
    file_name,
    list_backups,
    publish,
    rotate,
    work_folder,
)
from citewell.domain.errors import UnavailableError

OURS, OTHERS = "0a1b2c3d", "ffffffff"
WORK = """
import sys
from pathlib import Path
from citewell.adapters.backups.folder import work_folder
with work_folder(Path(sys.argv[1])) as made:
    (made / "half").write_text("half")
    print(made.name, flush=True)
    sys.stdin.read()
"""


def name(day: int, series: str = OURS) -> str:
    return file_name(series, f"2026-01-{day:02}T08:00:00.000Z")


def fill(folder: Path, *names: str) -> None:
    for each in names:
        (folder / each).write_text("")


def test_name_says_of_what_and_when(tmp_path: Path) -> None:
    made = file_name(OURS, "2026-01-31T08:09:10.123Z")
    assert made == "citewell-0a1b2c3d-20260131T080910123Z.backup"
    fill(tmp_path, made)
    assert list_backups(tmp_path, OURS) == [tmp_path / made]


def test_newest_are_kept_and_nothing_else_is_touched(tmp_path: Path) -> None:
    others = [name(1, OTHERS), "citewell-0a1b2c3d-old.backup", f"{name(1)}.copy", "notes.txt"]
    fill(tmp_path, *(name(day) for day in (3, 1, 4, 2)), *others)
    newest = tmp_path / name(4)
    assert rotate(tmp_path, OURS, keep=9, newest=newest) == []
    deleted = rotate(tmp_path, OURS, keep=2, newest=newest)
    assert deleted == [tmp_path / name(1), tmp_path / name(2)]
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([name(3), name(4), *others])
    assert rotate(tmp_path, OURS, keep=2, newest=newest) == []


def test_newest_stays_where_the_clock_was_wrong(tmp_path: Path) -> None:
    fill(tmp_path, *(name(day) for day in (1, 30, 31)))
    newest = tmp_path / name(1)
    assert rotate(tmp_path, OURS, keep=1, newest=newest) == [
        tmp_path / name(30),
        tmp_path / name(31),
    ]
    assert list(tmp_path.iterdir()) == [newest]


def test_folder_that_is_missing_has_no_backups(tmp_path: Path) -> None:
    assert list_backups(tmp_path / "missing", OURS) == []


def test_work_folder_is_private_and_gone_in_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "backups"
    with work_folder(folder) as made:
        (made / "part").write_text("whole")
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, made)]
        publish(made / "part", folder / name(1))
    assert modes == [0o700, 0o700]
    assert [path.name for path in folder.iterdir()] == [name(1)]


def test_what_a_killed_process_left_goes_and_a_living_one_keeps_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORK, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        half = tmp_path / process.stdout.readline().decode().strip() / "half"
        with work_folder(tmp_path):
            assert half.exists()
        process.kill()
        process.wait()
    assert half.exists()
    with work_folder(tmp_path):
        assert not half.parent.exists()


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(UnavailableError, match="file cannot be read or written"),
        work_folder(tmp_path / "file"),
    ):
        pass
