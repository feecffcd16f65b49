"""The pool of confined workers: limits, crashes, closing, and what is left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import psutil
import pytest

from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.adapters.converters.sandboxed import SandboxedConverter
from citewell.domain.document import ConvertedDocument
from citewell.domain.errors import ConversionError, ConversionLimitError

NOTE = b"# Keys\n\nThe guard keeps them.\n"
SLOW_PAGE = b"<p>" + b"<b>x</b> <i>y</i>" * 300_000  # half a minute of parsing


@pytest.fixture
def fresh() -> Iterator[SandboxedConverter]:
    converter = SandboxedConverter(workers=1)
    yield converter
    converter.close()


@pytest.fixture(scope="module")
def converter() -> Iterator[SandboxedConverter]:
    """A converter with small limits; starting one for each test takes long."""
    limits = ConversionLimits(time_s=2.0, memory_bytes=200 * MIB, output_bytes=4 * MIB)
    converter = SandboxedConverter(workers=1, files_per_worker=2, limits=limits)
    assert is_readable(converter)
    yield converter
    converter.close()


def sandbox_processes(parent: int | None = None) -> list[psutil.Process]:
    """Return fork servers and workers below a process."""
    found: list[psutil.Process] = []
    for process in psutil.Process(parent).children(recursive=True):
        try:
            if "fork_server_process" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill_workers(processes: list[psutil.Process]) -> int:
    """Kill the children of the fork server and return how many there were."""
    workers = [process for process in processes if process.parent() != psutil.Process()]
    for worker in workers:
        worker.kill()
    return len(workers)


def is_readable(converter: SandboxedConverter) -> bool:
    """Return whether the converter still converts."""
    (document,) = converter.submit(NOTE, relative_path="keys.txt").result(60)
    return isinstance(document, ConvertedDocument) and "guard" in document.text


def test_a_kill_for_time_costs_only_that_file(converter: SandboxedConverter):
    slow = converter.submit(SLOW_PAGE, relative_path="slow.html")
    next_file = converter.submit(NOTE, relative_path="keys.txt")

    with pytest.raises(ConversionLimitError, match=r"took longer than 2 seconds"):
        slow.result(60)
    assert next_file.result(60) == [ConvertedDocument(NOTE.decode(), "plain", converter="text-1")]


def test_a_kill_for_memory_costs_only_that_file(converter: SandboxedConverter):
    table = b"a,b,c\n" + b"1,2,3\n" * 3_000_000

    with pytest.raises(ConversionLimitError, match="more than 200 MiB of memory"):
        converter.submit(table, relative_path="big.csv").result(60)
    assert is_readable(converter)


def test_too_much_text_is_refused(converter: SandboxedConverter):
    with pytest.raises(ConversionLimitError, match="more than 4 MiB of text"):
        converter.submit(b"word " * 1_000_000, relative_path="long.txt").result(60)
    assert is_readable(converter)


def test_a_worker_that_dies_costs_only_its_file(fresh: SandboxedConverter):
    others = set(sandbox_processes())
    assert is_readable(fresh)
    slow = fresh.submit(SLOW_PAGE, relative_path="slow.html")
    while not slow.running():
        pass
    while not kill_workers([process for process in sandbox_processes() if process not in others]):
        pass

    with pytest.raises(ConversionError, match=r"crashed|memory"):  # if it was late
        slow.result(60)
    assert is_readable(fresh)


def test_a_fork_server_that_dies_is_started_again(converter: SandboxedConverter):
    processes = sandbox_processes()
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=120)

    assert is_readable(converter)


def test_workers_are_replaced_after_their_share_of_files(converter: SandboxedConverter):
    workers: list[int] = []
    for _ in range(5):
        assert is_readable(converter)
        workers += [p.pid for p in sandbox_processes() if p.parent() != psutil.Process()]

    assert len(workers) == 5
    assert len(set(workers)) in {3, 4}


def test_workers_yield_to_everything_else(converter: SandboxedConverter):
    assert is_readable(converter)

    niceness = min(19, os.nice(0) + 10)
    processes = sandbox_processes()
    assert {process.nice() for process in processes} == {niceness}
    groups = [Path(f"/proc/{process.pid}/autogroup") for process in processes]
    told = {group.read_text().partition(" ")[2].strip() for group in groups if group.exists()}
    assert told <= {f"nice {niceness}"}


def loaded_libraries(*, besides: list[psutil.Process]) -> set[str]:
    """Return the names of the files that sandbox processes have mapped."""
    processes = [process for process in sandbox_processes() if process not in besides]
    paths = [Path(m.path) for process in processes for m in process.memory_maps()]
    return {path.name.split(".")[0] for path in paths}


def test_office_libraries_are_loaded_when_a_file_needs_them(fresh: SandboxedConverter):
    before = sandbox_processes()
    assert is_readable(fresh)
    assert "etree" not in loaded_libraries(besides=before)

    (page,) = fresh.submit(b"<p>The guard", relative_path="keys.html").result(60)
    assert isinstance(page, ConvertedDocument)
    assert page.text == "The guard"
    assert "etree" in loaded_libraries(besides=before)
    assert is_readable(fresh)


def test_workers_do_not_inherit_secrets(fresh: SandboxedConverter, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LLM_API_KEY", "sk-very-secret")
    assert is_readable(fresh)

    for process in sandbox_processes():
        assert "LLM_API_KEY" not in process.environ()


def test_closing_kills_what_runs_and_leaves_no_process(fresh: SandboxedConverter):
    before = sandbox_processes()
    running = fresh.submit(SLOW_PAGE, relative_path="slow.html")
    cancelled = fresh.submit(NOTE, relative_path="keys.txt")
    waiting = fresh.submit(NOTE, relative_path="keys.txt")
    while not running.running():
        pass

    assert cancelled.cancel()
    fresh.close()

    for future in (running, waiting):
        with pytest.raises(ConversionError, match="closed"):
            future.result(30)
    with pytest.raises(CancelledError):
        cancelled.result(0)
    assert [process for process in sandbox_processes() if process not in before] == []


def test_getting_ready_starts_the_fork_server_once(fresh: SandboxedConverter):
    before = sandbox_processes()
    fresh.get_ready()
    fresh.get_ready()
    assert len(sandbox_processes()) == len(before) + 1

    assert is_readable(fresh)
    fresh.close()
    fresh.get_ready()
    assert sandbox_processes() == before


def test_a_closed_converter_refuses_at_once(fresh: SandboxedConverter):
    fresh.close()
    fresh.close()

    with pytest.raises(ConversionError, match="closed"):
        fresh.submit(NOTE, relative_path="keys.txt").result(0)


_SCRIPT = """
import sys, time
from citewell.adapters.converters.sandboxed import SandboxedConverter
converter = SandboxedConverter(workers=2)   # no `if __name__ == "__main__"` on purpose
print(converter.submit(b"note", relative_path="n.txt").result()[0].text, flush=True)
future = converter.submit(b"<p>" + b"<b>x</b> <i>y</i>" * 300_000, relative_path="slow.html")
print("running", flush=True)
{end}
"""


def _start_script(folder: Path, end: str) -> subprocess.Popen[str]:
    script = folder / "script.py"
    script.write_text(_SCRIPT.format(end=end))
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "note\n"
    assert process.stdout.readline() == "running\n"
    return process


@pytest.mark.parametrize("end_signal", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_a_parent_that_was_killed(tmp_path: Path, end_signal: signal.Signals):
    process = _start_script(tmp_path, "time.sleep(600)")
    left = sandbox_processes(process.pid)
    assert left != []

    os.kill(process.pid, end_signal)
    process.communicate(timeout=120)

    _, alive = psutil.wait_procs(left, timeout=120)
    assert alive == []


def test_a_parent_that_forgets_to_close_still_ends(tmp_path: Path):
    process = _start_script(tmp_path, "")
    left = sandbox_processes(process.pid)

    process.communicate(timeout=120)

    _, alive = psutil.wait_procs(left, timeout=120)
    assert (process.returncode, alive) == (0, [])
