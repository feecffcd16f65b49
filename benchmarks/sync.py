"""What syncing a folder of many small files costs, and how soon a change shows.

    script/bench sync [--files 10000]

Runs the real commands on made files of about a hundred words: the first sync, syncs with nothing
to do, and the most memory of all their processes together. Vectors are not made.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from machine import describe_machine
from peak_memory import PeakMemory

FILES_PER_FOLDER = 100
WORDS_PER_FILE = 100
REPEATS = 3
RAG = Path(sys.executable).parent / "rag"


def make_files(folder: Path, n_files: int) -> None:
    """Write files of made words, in folders of a hundred."""
    draw = random.Random(20260131)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(draw.choices(letters, k=draw.randint(3, 9))) for _ in range(20_000)]
    for number in range(n_files):
        path = folder / f"{number // FILES_PER_FOLDER:04}" / f"{number:06}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        words = " ".join(draw.choices(vocabulary, k=WORDS_PER_FILE))
        path.write_text(f"# Note {number}\n\n{words}\n", encoding="utf-8")


def run_rag(*arguments: str | Path) -> tuple[dict[str, Any], float, float]:
    """Run a command and return what it printed as JSON, its seconds, and its peak memory in MiB."""
    started = time.perf_counter()
    with (
        subprocess.Popen([RAG, *arguments, "--json"], stdout=subprocess.PIPE) as process,
        PeakMemory(process.pid) as memory,
    ):
        printed, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"rag {arguments[0]} ended with {process.returncode}: {printed.decode()}")
    return json.loads(printed), time.perf_counter() - started, memory.peak_mib


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, data = Path(scratch, "notes"), Path(scratch, "data")
        make_files(folder, arguments.files)
        _, first_s, first_mib = run_rag("ingest", folder, "--no-vectors", "--data-dir", data)
        unchanged = [run_rag("sync", "--no-vectors", "--data-dir", data) for _ in range(REPEATS)]
        (source,) = run_rag("status", "--data-dir", data)[0]["sources"]
    print(
        json.dumps(
            {
                "benchmark": "sync",
                "parameters": vars(arguments),
                "machine": describe_machine(),
                "results": {
                    "first_s": round(first_s, 1),
                    "files_per_s": round(arguments.files / first_s, 1),
                    "first_peak_rss_mib": round(first_mib),
                    "unchanged_s": round(statistics.median(run[1] for run in unchanged), 2),
                    "unchanged_peak_rss_mib": round(max(run[2] for run in unchanged)),
                    "documents": source["documents"],
                },
            }
        )
    )


if __name__ == "__main__":
    main()
