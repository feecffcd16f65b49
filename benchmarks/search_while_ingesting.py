"""Search latency while another process ingests PDFs into the same data folder, against idle.

    script/bench search_while_ingesting --pdfs FOLDER [--pages 2000] [--chunks 10000]

Fills a data folder as `search` does, searches it while nothing else runs, then starts `rag ingest`
and searches until that ends: while pages are converted and indexed, and while their vectors are
made (of which the first `--vectors-s` seconds are measured, as they take long).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.errors import CitewellError
from citewell.load_settings import load_settings
from citewell.settings import Settings
from ingest import fill_folder
from machine import describe_machine
from search import READER, Corpus, MadeVectors, fill, percentile

RAG = Path(sys.executable).parent / "rag"
IDLE_SEARCHES = 300
WARM_UP = 20


def search_until(
    parts: Citewell, corpus: Corpus, vectors: dict[str, np.ndarray], is_over: Callable[[int], bool]
) -> list[float]:
    """Search one question after the other and return the times in milliseconds."""
    search = parts.search_with(MadeVectors(parts.embedder.embedder, vectors))
    times_ms: list[float] = []
    while not is_over(len(times_ms)):
        question = corpus.question()
        vectors[question] = corpus.vectors(1)[0]
        started = time.perf_counter()
        search.search_passages(question, READER)
        times_ms.append((time.perf_counter() - started) * 1000)
    return times_ms[WARM_UP:]


def measure_idle(settings: Settings, corpus: Corpus) -> list[float]:
    """Return the times of searches while nothing else runs."""
    with open_citewell(settings, access="search") as parts:
        return search_until(parts, corpus, {}, lambda n: n >= IDLE_SEARCHES + WARM_UP)


def measure_busy(
    settings: Settings, corpus: Corpus, pdfs: Path, *, vectors_s: float
) -> tuple[list[float], list[float]]:
    """Return the times of searches while pages are indexed, and while their vectors are made."""
    command = [RAG, "ingest", pdfs, "--tier", "manager", "--data-dir", settings.data_dir, "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: holder_of(settings) == process.pid)
            with open_citewell(settings, access="search") as parts:

                def is_indexed() -> bool:
                    runs = parts.catalog.runs.history(limit=1)
                    return bool(runs) and runs[0].state == "succeeded"

                indexing = search_until(parts, corpus, {}, lambda _: is_indexed())
                end = time.perf_counter() + vectors_s
                filling = search_until(
                    parts,
                    corpus,
                    {},
                    lambda _: time.perf_counter() > end or process.poll() is not None,
                )
        finally:
            process.terminate()
    return indexing, filling


def holder_of(settings: Settings) -> int | None:
    """Return the process that writes to the data folder."""
    try:
        with open_citewell(settings, access="read") as parts:
            return parts.holder.pid if parts.holder else None
    except CitewellError:
        return None


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.perf_counter() + 60
    while not condition():
        if time.perf_counter() > end:
            raise SystemExit("the ingesting process did not start")
        time.sleep(0.05)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--vectors-s", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "pdfs")
        folder.mkdir()
        pages = fill_folder(folder, sorted(arguments.pdfs.glob("*.pdf")), pages=arguments.pages)
        settings = load_settings({"data_dir": Path(scratch, "data"), "sources_file": ""})
        corpus = Corpus(384)
        with open_citewell(settings) as parts:
            fill(parts, corpus, arguments.chunks)
        idle = measure_idle(settings, corpus)
        indexing, filling = measure_busy(settings, corpus, folder, vectors_s=arguments.vectors_s)
    print(
        json.dumps(
            {
                "benchmark": "search_while_ingesting",
                "parameters": {"pages": pages, "chunks": arguments.chunks},
                "machine": describe_machine(),
                "results": {
                    name: {
                        "searches": len(times_ms),
                        "p50_ms": percentile(times_ms, 50),
                        "p95_ms": percentile(times_ms, 95),
                        "p95_ratio": round(percentile(times_ms, 95) / percentile(idle, 95), 2),
                    }
                    for name, times_ms in (
                        ("idle", idle),
                        ("while_indexing", indexing),
                        ("while_making_vectors", filling),
                    )
                },
            }
        )
    )


if __name__ == "__main__":
    main()
