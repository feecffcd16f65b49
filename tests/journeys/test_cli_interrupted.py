"""An ingestion that is ended in the middle is completed by the next one, as if never ended."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from command_line import CommandLine, isolate

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.domain.clearance import Clearance
from citewell.lexical.analyze import ANALYZER_VERSION, analyze

TIERS = Clearance(("employee", "manager", "director"))


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    isolate(monkeypatch, tmp_path)
    return CommandLine(tmp_path)


def write_notes(library: CommandLine, n: int) -> list[str]:
    paths = [f"{number % 7}/{number}.md" for number in range(n)]
    for number, path in enumerate(paths):
        library.write(path, f"# Note {number}\n\nalpha {number} beta\n")
    return paths


def end_in_the_middle(library: CommandLine, with_signal: signal.Signals) -> tuple[int, str]:
    """Ingest in a process of its own, and end it once ten documents are searchable.

    Returns:
        Its exit code and what it said.
    """
    command = library.command("ingest", library.documents, "--tier", "employee", "--json")
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    children: list[psutil.Process] = []
    while n_documents(library.data) < 10:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.02)
            break
    if process.poll() is None:
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(with_signal)
    said = process.stderr.read()
    process.stderr.close()
    code = process.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert alive == []  # nothing is left behind that would hold the folder
    return code, said


def n_documents(data: Path) -> int:
    """Return how many documents are live so far, seen from outside."""
    path = data / "catalog.sqlite3"
    if not path.exists():
        return 0
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        (count,) = connection.execute("SELECT count(*) FROM documents WHERE is_live").fetchone()
    except sqlite3.OperationalError:  # the schema is being made
        return 0
    finally:
        connection.close()
    return count


def contents(library: CommandLine) -> dict[str, Any]:
    """Return what a data folder holds, without ids, keys and times: those are drawn by lot."""
    catalog = SqliteCatalog.open(library.data / "catalog.sqlite3")
    chunks = catalog.passages.visible_chunks(TIERS, range(1, 10_000))
    terms = sorted(analyze(" ".join(chunk.content for chunk in chunks.values())))
    frequencies = catalog.passages.document_frequencies(TIERS, terms)
    states = {r.relative_path: (r.state.value, r.n_vectors) for r in catalog.documents.records()}
    n_rows = {
        table: catalog_rows(library, table)
        for table in ("chunks", "chunk_terms", "documents", "index_outbox", "pending_vectors")
    }
    catalog.close()
    places = {key: (chunk.relative_path, chunk.ordinal) for key, chunk in chunks.items()}
    return {
        "states": states,
        "texts": sorted((chunk.relative_path, chunk.content) for chunk in chunks.values()),
        "statistics": frequencies,
        "rows": n_rows,
        "index": index_contents(library, places),
        "vectors": sorted(places[key] for key in vector_keys(library)),
    }


def catalog_rows(library: CommandLine, table: str) -> int:
    connection = sqlite3.connect(library.data / "catalog.sqlite3")
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    connection.close()
    return count


def vector_keys(library: CommandLine) -> list[int]:
    connection = sqlite3.connect(library.data / "vectors.sqlite3")
    keys = [key for (key,) in connection.execute("SELECT chunk_key FROM vectors")]
    connection.close()
    return keys


def index_contents(
    library: CommandLine, places: dict[int, tuple[str, int]]
) -> dict[str, list[tuple[str, int]]]:
    """Return the places of the chunks that the index holds; a stale point fails the look-up."""
    model = FakeLexicalEmbedder().model
    index = EdgeIndex(library.data / "index", model=model, analyzer_version=ANALYZER_VERSION)
    found = {
        f"{tier} {leg}": sorted(places[key] for key in index.chunk_keys(tier, leg))
        for tier in TIERS.tiers
        for leg in ("lexical", "dense")
    }
    index.close()
    return found


def test_killed_ingestion_is_completed_by_a_sync(library: CommandLine, tmp_path: Path) -> None:
    paths = write_notes(library, 120)
    code, _ = end_in_the_middle(library, signal.SIGKILL)
    assert code == -signal.SIGKILL
    n_before = n_documents(library.data)
    assert 10 <= n_before < len(paths)
    assert len(library.found("alpha beta")) == 5

    synced = library.rag("sync", "--json")
    (report,) = synced.json["sources"]
    assert (synced.code, report["failed"], report["deleted"]) == (0, 0, 0)
    assert report["added"] + report["updated"] + report["skipped"] == len(paths)
    assert report["skipped"] >= n_before - 1
    runs = library.rag("sync", "--history", "--json").json["runs"]
    assert [run["state"] for run in runs] == ["succeeded", "interrupted"]

    fresh = CommandLine(tmp_path / "fresh")
    fresh.home.mkdir()
    ended = fresh.rag("ingest", library.documents, "--tier", "employee", "--json")
    assert (ended.code, ended.json["added"]) == (0, len(paths))
    assert contents(library) == contents(fresh)
    (again,) = library.rag("sync", "--json").json["sources"]
    assert again["skipped"] == len(paths)


def test_interrupted_ingestion_says_so_and_is_completed_by_the_same_command(
    library: CommandLine,
) -> None:
    paths = write_notes(library, 40)
    code, said = end_in_the_middle(library, signal.SIGINT)
    assert (code, said) == (130, "interrupted: what was done so far is kept\n")
    assert 10 <= n_documents(library.data) < len(paths)
    (run,) = library.rag("sync", "--history", "--json").json["runs"]
    assert run["state"] == "cancelled"
    ended = library.rag("ingest", library.documents, "--json")
    assert ended.code == 0
    status = library.rag("status", "--documents", "--json").json
    assert {d["relative_path"]: d["state"] for d in status["documents"]} == dict.fromkeys(
        paths, "indexed"
    )
    assert (status["pending_vectors"], catalog_rows(library, "chunks")) == (0, len(paths))
