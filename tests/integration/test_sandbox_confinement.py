"""What a worker process can still do once it has confined itself: asked of a real kernel."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"},
    reason="the system call filter knows Linux on x86_64 and aarch64",
)

_PROBE = """
import ctypes, json, os, resource, socket, subprocess, sys, threading
from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.sandbox.confinement import confine_this_process

libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()
measures = confine_this_process(ConversionLimits())

def attempt(action):
    try:
        result = action()
    except OSError as error:
        return type(error).__name__
    return "allowed" if result is None or result != -1 else os.strerror(ctypes.get_errno())

def thread_runs():
    seen = []
    thread = threading.Thread(target=seen.append, args=(1,))
    thread.start()
    thread.join()
    return seen[0]

outcomes = {
    "socket": attempt(lambda: socket.socket()),
    "socket by ctypes": attempt(lambda: libc.socket(2, 1, 0)),
    "unix socket": attempt(lambda: socket.socket(socket.AF_UNIX)),
    "program": attempt(lambda: subprocess.run(["/bin/true"])),
    "exec by ctypes": attempt(lambda: libc.execv(b"/bin/true", None)),
    "fork": attempt(os.fork),
    "kill parent": attempt(lambda: os.kill(parent, 0)),
    "write": attempt(lambda: open(sys.argv[1] + "/new", "w")),
    "append": attempt(lambda: open(sys.argv[1] + "/old", "a")),
    "delete": attempt(lambda: os.unlink(sys.argv[1] + "/old")),
    "rename": attempt(lambda: os.rename(sys.argv[1] + "/old", sys.argv[1] + "/new")),
    "raise limit": attempt(lambda: libc.setpriority(0, 0, -20)),
    "thread": attempt(thread_runs),
    "read own code": attempt(lambda: open(os.__file__).close()),
    "read secret": attempt(lambda: open(sys.argv[1] + "/old").close()),
}
print(json.dumps([measures, outcomes]))
"""


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, str]]:
    folder = tmp_path_factory.mktemp("outside")
    (folder / "old").write_text("secret")
    finished = subprocess.run(
        [sys.executable, "-c", _PROBE, str(folder)], capture_output=True, text=True, check=True
    )
    assert (folder / "old").read_text() == "secret"
    assert [path.name for path in Path(folder).iterdir()] == ["old"]
    measures, outcomes = json.loads(finished.stdout)
    return measures, outcomes


def test_system_calls_are_filtered(probed: tuple[list[str], dict[str, str]]):
    assert {"rlimits", "seccomp"} <= set(probed[0])


@pytest.mark.parametrize(
    "action",
    [
        "socket",
        "socket by ctypes",
        "unix socket",
        "program",
        "exec by ctypes",
        "fork",
        "kill parent",
        "write",
        "append",
        "delete",
        "rename",
        "raise limit",
    ],
)
def test_worker_may_not(probed: tuple[list[str], dict[str, str]], action: str):
    assert probed[1][action] in {"PermissionError", "Operation not permitted"}


@pytest.mark.parametrize("action", ["thread", "read own code"])
def test_worker_may(probed: tuple[list[str], dict[str, str]], action: str):
    assert probed[1][action] == "allowed"


def test_worker_reads_nothing_but_code_where_the_kernel_has_landlock(
    probed: tuple[list[str], dict[str, str]],
):
    measures, outcomes = probed
    if "landlock" not in measures:
        pytest.skip("this kernel has no Landlock")

    assert outcomes["read secret"] == "PermissionError"
