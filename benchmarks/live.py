"""How soon `rag watch` shows a change in a folder of many small files.

    script/bench live [--files 10000] [--changes 40] [--until-erased]

Seconds from the change on disk until another process sees it: an edit is found by its new word, a
deleted file and one moved to a higher tier are no longer readable; with `--until-erased` also until
what went is erased from every store, which is then verified. Vectors are made too, by an embedder
that costs nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.clearance import Clearance
from citewell.load_settings import load_settings
from machine import describe_machine
from search import percentile
from sync import RAG, make_files, run_rag

PATIENCE_S = 120.0
ERASURE_PATIENCE_S = 1_200.0
POLL_S = 0.02
EMPLOYEE = Clearance(("employee",))


class Live:
    """A watched folder, and what a reader of the lowest tier sees of it."""

    def __init__(self, parts: Citewell, root: Path) -> None:
        """Take the parts that search, and the folder with one folder per tier."""
        self._parts = parts
        self._root = root
        self._draw = random.Random(20260131)
        self._files = sorted((root / "employee").rglob("*.md"))
        self._draw.shuffle(self._files)

    def edit(self) -> float:
        """Add a new word to a file and return the seconds until it is found."""
        path = self._files.pop()
        word = "".join(self._draw.choices("abcdefghijklmnopqrstuvwxyz", k=14))
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{word}\n")
        return self._seconds_until(lambda: self._finds(word, path))

    def delete(self) -> float:
        """Delete a file and return the seconds until it is unreadable."""
        path = self._files.pop()
        words = path.read_text(encoding="utf-8").split()
        path.unlink()
        return self._seconds_until(lambda: not self._finds(" ".join(words[3:9]), path))

    def raise_tier(self) -> float:
        """Move a file to a higher tier and return the seconds until it is unreadable."""
        path = self._files.pop()
        words = path.read_text(encoding="utf-8").split()
        path.rename(self._root / "director" / path.name)
        return self._seconds_until(lambda: not self._finds(" ".join(words[3:9]), path))

    def _finds(self, question: str, path: Path) -> bool:
        result = self._parts.search.search_passages(question, EMPLOYEE)
        names = {passage.chunk.relative_path.rpartition("/")[2] for passage in result.passages}
        return path.name in names

    def erase(self) -> float:
        """Delete a file and return the seconds until every store has erased it."""
        path = self._files.pop()
        path.unlink()
        catalog = self._parts.catalog
        (source,) = catalog.sources.sources()

        def is_erased() -> bool:
            n_missing = catalog.documents.count_items(source.id).missing
            return not n_missing and catalog.erasures.oldest_pending() is None

        return self._seconds_until(is_erased, patience_s=ERASURE_PATIENCE_S)

    @staticmethod
    def _seconds_until(is_so: Callable[[], bool], *, patience_s: float = PATIENCE_S) -> float:
        started = time.perf_counter()
        while not is_so():
            if time.perf_counter() - started > patience_s:
                raise SystemExit(f"a change was not seen within {patience_s} s")
            time.sleep(POLL_S)
        return time.perf_counter() - started


def wait_for_event(process: subprocess.Popen[str], event: str) -> None:
    """Read what the watch prints until it tells of an event; drain the rest in a thread."""
    if process.stdout is None:
        raise SystemExit("the output of `rag watch` is not read")
    for line in process.stdout:
        if json.loads(line).get("event") == event:
            break
    else:
        raise SystemExit("`rag watch` ended")
    threading.Thread(target=process.stdout.read, daemon=True).start()


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--changes", type=int, default=40)
    parser.add_argument("--until-erased", action="store_true")
    arguments = parser.parse_args()
    os.environ["EMBEDDING_PROVIDER"] = "fake"
    with tempfile.TemporaryDirectory() as scratch:
        root, data = Path(scratch, "notes"), Path(scratch, "data")
        make_files(root / "employee", arguments.files)
        (root / "director").mkdir()
        run_rag("ingest", root, "--folder-per-tier", "--data-dir", data)
        settings = load_settings({"data_dir": data, "sources_file": ""})
        command = [RAG, "watch", "--json", "--data-dir", data]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                wait_for_event(process, "watching")
                with open_citewell(settings, access="search") as parts:
                    live = Live(parts, root)
                    times_s = {
                        "edit_to_found": [live.edit() for _ in range(arguments.changes)],
                        "delete_to_unreadable": [live.delete() for _ in range(arguments.changes)],
                        "raise_to_unreadable": [
                            live.raise_tier() for _ in range(arguments.changes)
                        ],
                    }
                    if arguments.until_erased:
                        times_s["delete_to_erased"] = [live.erase()]
            finally:
                process.terminate()
        if arguments.until_erased:
            run_rag("forget", "--verify-all", "--data-dir", data)
    print(
        json.dumps(
            {
                "benchmark": "live",
                "parameters": vars(arguments),
                "machine": describe_machine(),
                "results": {
                    name: {
                        "p50_s": percentile(values, 50),
                        "p95_s": percentile(values, 95),
                        "max_s": round(max(values), 2),
                    }
                    for name, values in times_s.items()
                },
            }
        )
    )


if __name__ == "__main__":
    main()
