"""Locks that the kernel lets go when their holder ends, however it ends."""

import fcntl
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from citewell.adapters.data_folders.file_lock import FileLock, LockedError, read_holder

HOST = re.escape(socket.gethostname())

HOLD = """
import sys
import threading
from pathlib import Path
from citewell.adapters.data_folders.file_lock import FileLock
lock = FileLock(Path(sys.argv[1]), command="rag watch", is_brief=len(sys.argv) > 2)
print("held", flush=True)
sys.stdin.read()
"""


def start_holder(path: Path, *more: str) -> "subprocess.Popen[bytes]":
    """Start a process that holds a lock until its standard input ends, and wait until it does."""
    command = [sys.executable, "-c", HOLD, str(path), *more]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


def end(holder: "subprocess.Popen[bytes]") -> None:
    holder.kill()
    holder.communicate()


def test_second_holder_is_told_who_is_first(tmp_path: Path) -> None:
    first = FileLock(tmp_path / "lock", command="rag sync")
    with pytest.raises(
        LockedError, match=rf"`rag sync`, process {os.getpid()} on {HOST}, since 20\S+Z$"
    ):
        FileLock(tmp_path / "lock", command="rag watch")
    first.release()
    first.release()
    FileLock(tmp_path / "lock", command="rag watch").release()


def test_holder_is_known_to_others_while_it_holds(tmp_path: Path) -> None:
    assert read_holder(tmp_path / "lock") is None
    lock = FileLock(tmp_path / "lock", command="rag sync")
    holder = read_holder(tmp_path / "lock")
    assert holder is not None
    assert (holder.pid, holder.command, holder.is_brief) == (os.getpid(), "rag sync", False)
    lock.release()
    assert read_holder(tmp_path / "lock") is None


def test_lock_of_a_killed_process_is_free_and_says_nothing(tmp_path: Path) -> None:
    holder = start_holder(tmp_path / "lock")
    with pytest.raises(LockedError, match=f"`rag watch`, process {holder.pid} on {HOST}"):
        FileLock(tmp_path / "lock", command="rag sync", wait_s=60)
    end(holder)
    assert (tmp_path / "lock").read_text() != ""
    assert read_holder(tmp_path / "lock") is None
    FileLock(tmp_path / "lock", command="rag sync").release()


def test_looking_for_a_holder_keeps_nobody_from_the_lock(tmp_path: Path) -> None:
    holder = start_holder(tmp_path / "lock")
    end(holder)  # what it wrote is still there
    with (tmp_path / "lock").open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        threading.Timer(0.1, looking.close).start()
        FileLock(tmp_path / "lock", command="rag sync", wait_s=60).release()


def test_holder_that_is_brief_is_waited_for(tmp_path: Path) -> None:
    holder = start_holder(tmp_path / "lock", "brief")
    with pytest.raises(LockedError):
        FileLock(tmp_path / "lock", command="rag sync")
    assert holder.stdin is not None
    holder.stdin.close()  # it ends now, and the lock is free some time later
    holder.stdin = None
    FileLock(tmp_path / "lock", command="rag sync", wait_s=60).release()
    end(holder)


@pytest.mark.parametrize("text", ["{", "[]", "", '{"pid": 1}'])
def test_lock_file_that_says_nothing_is_no_obstacle(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock").write_text(text)
    first = FileLock(tmp_path / "lock", command="rag sync")
    (tmp_path / "lock").write_text(text)
    with pytest.raises(LockedError, match="another process"):
        FileLock(tmp_path / "lock", command="rag sync")
    first.release()
