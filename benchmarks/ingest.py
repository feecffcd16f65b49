"""PDF pages a second until they are lexically searchable, against markitdown on the same files.

    script/bench ingest --pdfs FOLDER [--pages 3000]

The PDFs are repeated under other names until there are enough pages. Vectors are not made.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pypdfium2

from citewell.bootstrap import open_citewell
from citewell.domain.source import Source
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.register_source import register_folder
from citewell.load_settings import load_settings
from machine import describe_machine
from peak_memory import PeakMemory

BASELINE_PAGES = 60


class Quiet:
    """An observer that is not interested."""

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """Ignore."""

    def done(self, outcome: Outcome) -> None:
        """Ignore."""


def n_pages(path: Path) -> int:
    """Return how many pages a PDF has."""
    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def fill_folder(folder: Path, pdfs: list[Path], *, pages: int) -> int:
    """Copy the PDFs under other names until there are enough pages, and return how many."""
    total = 0
    copy = 0
    while total < pages:
        for pdf in pdfs:
            shutil.copy(pdf, folder / f"{copy:03}-{pdf.name}")
            total += n_pages(pdf)
        copy += 1
    return total


def measure_baseline(pdfs: list[Path]) -> float:
    """Return markitdown's pages a second, in one process, import not counted."""
    from markitdown import MarkItDown

    converter = MarkItDown()
    chosen: list[Path] = []
    for pdf in sorted(pdfs, key=n_pages):
        chosen.append(pdf)
        if sum(map(n_pages, chosen)) >= BASELINE_PAGES:
            break
    started = time.perf_counter()
    for pdf in chosen:
        converter.convert_local(pdf)
    return sum(map(n_pages, chosen)) / (time.perf_counter() - started)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=3000)
    arguments = parser.parse_args()
    pdfs = sorted(arguments.pdfs.glob("*.pdf"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "pdfs")
        folder.mkdir()
        pages = fill_folder(folder, pdfs, pages=arguments.pages)
        settings = load_settings({"data_dir": Path(scratch, "data"), "sources_file": ""})
        with PeakMemory() as memory, open_citewell(settings) as parts:
            source = register_folder(folder, parts.catalog.sources, tiers=settings.access_tiers)
            started = time.perf_counter()
            counts = parts.sync.sync_source(source, parts.connector(source), observer=Quiet())
            took_s = time.perf_counter() - started
        started = time.perf_counter()
        rag = Path(sys.executable).parent / "rag"
        subprocess.run([rag, "sync", "--no-vectors", "--data-dir", settings.data_dir], check=True)
        resync_s = time.perf_counter() - started
    baseline = measure_baseline(pdfs)
    print(
        json.dumps(
            {
                "benchmark": "ingest",
                "parameters": {"pages": pages, "files": counts.added, "failed": counts.failed},
                "machine": describe_machine(),
                "results": {
                    "pages_per_s": round(pages / took_s, 1),
                    "chunks_per_s": round(counts.chunks_written / took_s, 1),
                    "peak_rss_mib": round(memory.peak_mib),
                    "largest_child_mib": round(memory.largest_child_mib),
                    "baseline_pages_per_s": round(baseline, 2),
                    "ratio": round(pages / took_s / baseline, 1),
                    "resync_s": round(resync_s, 2),
                },
            }
        )
    )


if __name__ == "__main__":
    main()
