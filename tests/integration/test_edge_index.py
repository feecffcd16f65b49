"""What only the real engine in its own process shows."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import (
    DataFolderBusyError,
    EmbeddingMismatchError,
    IndexRestartedError,
    IndexUnavailableError,
)
from citewell.ports.embedder import EmbeddingModel
from citewell.ports.index import LexicalPoint

MODEL = EmbeddingModel("fake", "made", dim=8, max_tokens=512)
STAFF = Clearance(("staff",))
TERM = SparseVector((1,), (1.0,))

Open = Callable[..., EdgeIndex]


@pytest.fixture
def open_index(tmp_path: Path) -> Iterator[Open]:
    opened: list[EdgeIndex] = []

    def open_index(model: EmbeddingModel | None = MODEL, analyzer_version: int = 1) -> EdgeIndex:
        index = EdgeIndex(tmp_path / "index", model=model, analyzer_version=analyzer_version)
        opened.append(index)
        return index

    yield open_index
    for index in opened:
        try:
            index.close()
        except IndexRestartedError:
            continue


def write(index: EdgeIndex, *chunk_keys: int, tier: str = "staff") -> None:
    index.upsert_lexical(tier, [LexicalPoint(key, key // 10, TERM) for key in chunk_keys])


def write_dense(index: EdgeIndex, *chunk_keys: int, tier: str = "staff") -> None:
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((len(chunk_keys), MODEL.dim)).astype(np.float32)
    documents = [key // 10 for key in chunk_keys]
    index.upsert_dense(tier, chunk_keys=chunk_keys, document_keys=documents, vectors=vectors)


def found(index: EdgeIndex, clearance: Clearance = STAFF) -> list[int]:
    return [c.chunk_key for c in index.search_lexical(clearance, TERM, limit=100)]


def kill(index: EdgeIndex, with_signal: int = signal.SIGKILL) -> None:
    pid = index.process_id
    assert pid is not None
    os.kill(pid, with_signal)
    with suppress(ChildProcessError):  # the index itself reaps its child, perhaps already
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


class TestDurability:
    def test_flushed_points_survive_a_kill_and_unflushed_ones_need_not(
        self, open_index: Open
    ) -> None:
        index = open_index()
        write(index, 1, 2)
        write_dense(index, 1, 2)
        index.flush()
        write(index, 3)
        kill(index)
        assert found(index) == [1, 2]
        assert index.chunk_keys("staff", "dense") == [1, 2]

    def test_closed_index_opens_with_everything(self, open_index: Open) -> None:
        first = open_index()
        write(first, *range(250))
        write_dense(first, *range(250))
        before = first.search_dense(STAFF, np.ones(8, np.float32), limit=20)
        first.close()
        second = open_index()
        assert second.chunk_keys("staff", "lexical") == list(range(250))
        assert second.search_dense(STAFF, np.ones(8, np.float32), limit=20) == before

    def test_shard_half_made_by_a_kill_is_made_anew(self, open_index: Open, tmp_path: Path) -> None:
        rest = tmp_path / "index" / "staff" / "lexical.new"
        rest.mkdir(parents=True)
        (rest / "edge_config.json").write_text("{")
        index = open_index()
        write(index, 1)
        assert found(index) == [1]

    def test_a_folder_whose_name_is_not_utf8_works(self, tmp_path: Path) -> None:
        root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
        index = EdgeIndex(root, model=MODEL, analyzer_version=1)
        write(index, 1)
        index.close()
        again = EdgeIndex(root, model=MODEL, analyzer_version=1)
        assert found(again) == [1]
        again.close()


class TestRestart:
    def test_first_write_after_a_crash_reports_lost_writes_once(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        index.flush()
        write(index, 2)
        kill(index)
        with pytest.raises(IndexRestartedError, match="SIGKILL"):
            write(index, 3)
        write(index, 2, 3)
        index.flush()
        assert found(index) == [1, 2, 3]
        assert index.restarts == 1

    def test_flush_after_a_crash_reports_lost_writes_once(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        kill(index)
        with pytest.raises(IndexRestartedError):
            index.flush()
        index.flush()
        assert found(index) == []

    def test_a_search_in_between_does_not_hide_the_loss(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        kill(index)
        assert found(index) == []
        with pytest.raises(IndexRestartedError):
            index.optimize()

    def test_close_after_a_crash_reports_lost_writes(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        kill(index)
        with pytest.raises(IndexRestartedError):
            index.close()

    def test_a_crash_that_lost_nothing_goes_unnoticed(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        index.flush()
        kill(index)
        write(index, 2)
        assert found(index) == [1, 2]
        assert index.restarts == 1

    def test_full_disk_is_named_as_the_likely_cause_of_its_signal(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        kill(index, signal.SIGBUS)
        with pytest.raises(IndexRestartedError, match="disk is full"):
            write(index, 1)

    def test_searches_running_while_it_is_killed_are_answered(self, open_index: Open) -> None:
        index = open_index()
        write(index, *range(50))
        index.flush()
        killed = threading.Event()
        results: list[list[int]] = []

        def search() -> None:
            while not killed.is_set():
                results.append(found(index))
            results.append(found(index))

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        kill(index)
        assert found(index) == list(range(50))
        killed.set()
        for thread in threads:
            thread.join()
        assert results == [list(range(50))] * len(results)
        assert index.restarts == 1

    def test_an_index_that_cannot_start_says_why(self, open_index: Open, tmp_path: Path) -> None:
        index = open_index()
        write(index, 1)
        index.flush()
        kill(index)
        shutil.rmtree(tmp_path / "index")
        (tmp_path / "index").write_text("in the way")
        with pytest.raises(IndexUnavailableError, match="File exists"):
            found(index)

    def test_a_damaged_shard_says_what_to_do(self, open_index: Open, tmp_path: Path) -> None:
        first = open_index()
        write(first, 1)
        first.close()
        (tmp_path / "index" / "staff" / "lexical" / "edge_config.json").write_text("{")
        with pytest.raises(IndexUnavailableError, match=r"staff/lexical.*delete the folder"):
            found(open_index())


class TestIsolation:
    def test_search_opens_only_the_shards_of_its_clearance(self, open_index: Open) -> None:
        first = open_index()
        for tier in ("staff", "board", "owner"):
            write(first, 1, tier=tier)
            write_dense(first, 1, tier=tier)
        first.close()
        index = open_index()
        assert index.opened_shards() == []
        index.search_lexical(STAFF, TERM, limit=5)
        assert index.opened_shards() == [("staff", "lexical")]
        index.search_dense(Clearance(("staff", "board")), np.ones(8, np.float32), limit=5)
        assert index.opened_shards() == [
            ("board", "dense"),
            ("staff", "dense"),
            ("staff", "lexical"),
        ]

    def test_search_of_a_tier_without_points_makes_no_shard(
        self, open_index: Open, tmp_path: Path
    ) -> None:
        index = open_index()
        assert found(index) == []
        assert index.opened_shards() == []
        assert not (tmp_path / "index" / "staff").exists()

    def test_folder_is_readable_by_its_owner_only(self, open_index: Open, tmp_path: Path) -> None:
        write(open_index(), 1)
        assert (tmp_path / "index").stat().st_mode & 0o077 == 0


class TestProcess:
    def test_nothing_starts_before_it_is_needed(self, open_index: Open, tmp_path: Path) -> None:
        index = open_index()
        index.flush()
        index.optimize()
        assert index.opened_shards() == []
        assert index.process_id is None
        assert not (tmp_path / "index").exists()

    def test_second_process_on_the_folder_is_refused_until_the_first_closes(
        self, open_index: Open
    ) -> None:
        first, second = open_index(), open_index()
        write(first, 1)
        with pytest.raises(DataFolderBusyError, match=f"process {first.process_id}"):
            found(second)
        first.close()
        assert found(second) == [1]

    def test_it_ends_with_its_owner_even_if_that_is_killed(self, tmp_path: Path) -> None:
        owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(tmp_path / "index")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert owner.stdout is not None
        with owner:
            child = psutil.Process(int(owner.stdout.readline()))
            assert child.is_running()
            owner.kill()
            owner.wait()
            child.wait(timeout=20)

    def test_it_outlives_the_signals_of_a_terminal(self, open_index: Open) -> None:
        index = open_index()
        write(index, 1)
        pid = index.process_id
        assert pid is not None
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(pid, ignored)
        index.flush()
        assert index.process_id == pid
        assert os.getsid(pid) == pid

    def test_it_ends_when_the_index_is_forgotten_without_close(self, tmp_path: Path) -> None:
        index = EdgeIndex(tmp_path / "index", model=MODEL, analyzer_version=1)
        write(index, 1)
        assert index.process_id is not None
        process = psutil.Process(index.process_id)
        del index
        process.wait(timeout=20)


OWNER = """
import sys
from pathlib import Path
from citewell.adapters.indexes.edge.client import EdgeIndex
index = EdgeIndex(Path(sys.argv[1]), model=None, analyzer_version=1)
index.chunk_keys("staff", "lexical")
print(index.process_id, flush=True)
sys.stdin.read()
"""


class TestIdentity:
    def test_another_model_is_refused_at_once(self, open_index: Open) -> None:
        first = open_index()
        write_dense(first, 1)
        first.close()
        with pytest.raises(EmbeddingMismatchError, match=r"fake/made/8 .* fake/other/8"):
            open_index(EmbeddingModel("fake", "other", dim=8, max_tokens=512))
        with pytest.raises(EmbeddingMismatchError, match=r"8 dimensions.* \(16\)"):
            open_index(EmbeddingModel("fake", "made", dim=16, max_tokens=512))
        with pytest.raises(IndexUnavailableError, match="analyzer"):
            open_index(analyzer_version=2)

    def test_an_index_with_terms_only_takes_any_model(self, open_index: Open) -> None:
        first = open_index(model=None)
        write(first, 1)
        first.close()
        index = open_index()
        write_dense(index, 1)
        assert index.chunk_keys("staff", "dense") == [1]

    def test_without_an_embedder_terms_work_and_vectors_are_refused(self, open_index: Open) -> None:
        first = open_index()
        write(first, 1, 2)
        write_dense(first, 1, 2)
        first.close()
        index = open_index(model=None)
        assert found(index) == [1, 2]
        with pytest.raises(EmbeddingMismatchError):
            index.search_dense(STAFF, np.ones(8, np.float32), limit=5)
        index.delete("staff", [1])
        assert index.chunk_keys("staff", "dense") == [2]


class TestOptimize:
    def test_graph_finds_what_exact_search_finds(self, tmp_path: Path) -> None:
        dim, n = 1024, 10_400  # the fewest for which the engine builds a graph
        generator = np.random.default_rng(3)
        centres = generator.standard_normal((300, dim)).astype(np.float32)
        vectors = centres[generator.integers(0, 300, n)]
        vectors = vectors + 0.7 * generator.standard_normal((n, dim)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        model = EmbeddingModel("fake", "made", dim=dim, max_tokens=512)
        index = EdgeIndex(tmp_path / "index", model=model, analyzer_version=1)
        keys = range(n)
        index.upsert_dense("staff", chunk_keys=keys, document_keys=keys, vectors=vectors)
        index.optimize()
        shares = []
        for query in vectors[:: n // 30]:
            near = index.search_dense(STAFF, query, limit=10)
            exact = index.search_dense(STAFF, query, limit=10, exact=True)
            shares.append(len({c.chunk_key for c in near} & {c.chunk_key for c in exact}) / 10)
        index.close()
        assert np.mean(shares) >= 0.98

    def test_vacuum_leaves_no_trace_of_deleted_points(
        self, open_index: Open, tmp_path: Path
    ) -> None:
        index = open_index()
        write(index, *range(40))
        index.upsert_lexical("staff", [LexicalPoint(77, 7_777_777, SparseVector((9,), (3.75,)))])
        marker = np.array([0.5, -0.5, 0.5, -0.5, 0, 0, 0, 0], np.float32)
        write_dense(index, *range(40))
        index.upsert_dense(
            "staff", chunk_keys=[77], document_keys=[7_777_777], vectors=marker.reshape(1, 8)
        )
        index.flush()
        traces = (b"7777777", marker.tobytes(), (7_777_777).to_bytes(8, "little"))
        assert all(count(tmp_path / "index", traces))
        index.delete("staff", [77])
        index.vacuum("staff")
        assert count(tmp_path / "index", traces) == [0, 0, 0]
        assert found(index) == list(range(40))
        assert index.chunk_keys("staff", "dense") == list(range(40))

    def test_vacuum_works_on_an_index_that_nothing_has_used_yet(
        self, open_index: Open, tmp_path: Path
    ) -> None:
        first = open_index()
        write_dense(first, *range(40))
        marker = np.array([0.5, -0.5, 0.5, -0.5, 0, 0, 0, 0], np.float32)
        first.upsert_dense("staff", chunk_keys=[77], document_keys=[7], vectors=marker[np.newaxis])
        first.delete("staff", [77])
        first.close()
        assert count(tmp_path / "index", [marker.tobytes()]) == [1]
        open_index().vacuum("staff")
        assert count(tmp_path / "index", [marker.tobytes()]) == [0]

    def test_vacuum_makes_no_index_where_there_is_none(
        self, open_index: Open, tmp_path: Path
    ) -> None:
        open_index().vacuum("staff")
        assert not (tmp_path / "index").exists()


def count(root: Path, traces: Sequence[bytes]) -> list[int]:
    files = [path.read_bytes() for path in root.rglob("*") if path.is_file()]
    return [sum(file.count(trace) for file in files) for trace in traces]
