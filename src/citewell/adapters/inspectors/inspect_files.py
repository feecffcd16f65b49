"""The process that looks into the files of the stores; run as a module.

A process of its own: whoever closes a file of an SQLite database takes away the locks that SQLite
holds on it in the same process (https://sqlite.org/howtocorrupt.html, 2.2).

It reads one JSON object from standard input and writes one to standard output.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from citewell.adapters.inspectors.edge_slots import PAYLOAD_FIELDS, fields, payloads, slots
from citewell.adapters.inspectors.inspect_sqlite import has_remains, inspect_sqlite
from citewell.adapters.inspectors.sqlite_pages import NotDecodedError
from citewell.adapters.inspectors.text_marks import TextMarks, unpacked
from citewell.domain.erasure import Finding, Store

_LEGS = ("dense", "lexical")
_KNOWN_FILES = frozenset({"lock", "index.lock", "meta.json", "edge_config.json"})
_LOCKS = "locks"
_SIDE_FILES = ("-wal", "-shm", "-journal")


def inspect_files(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the files hold that they should not, and the slots of each shard.

    Args:
        request: `sqlite`, path by store; `index`, the folder of the index; `folder`, the data
            folder; `ignored`, paths below it that are none of ours; `texts`, to be looked for;
            `remains_of`, a store: then only `remains` is answered for it.
    """
    paths = {store: Path(path) for store, path in request["sqlite"].items()}
    asked = request.get("remains_of")
    if asked is not None:
        return {"remains": has_remains(asked, paths[asked])}
    marks = TextMarks(request["texts"])
    findings: list[Finding] = []
    for store, path in paths.items():
        findings += inspect_sqlite(cast("Store", store), path, marks)
    index = Path(request["index"])
    shards: list[tuple[str, str, list[int]]] = []
    for tier, leg, folder in _shards(index):
        findings += _inspect_shard(f"{tier}/{leg}", folder)
        shards.append((tier, leg, _slots(folder)))
    stores = [f"{path.absolute()}{end}" for path in paths.values() for end in ("", *_SIDE_FILES)]
    ignored = (*request["ignored"], *stores)
    findings += _inspect_others(Path(request["folder"]), index, ignored=ignored, marks=marks)
    return {"findings": [astuple(finding) for finding in findings], "shards": shards}


def _shards(index: Path) -> list[tuple[str, str, Path]]:
    return [
        (unquote(folder.parent.name, errors="surrogatepass"), folder.name, folder)
        for leg in _LEGS
        for folder in sorted(index.glob(f"*/{leg}"))
        if folder.is_dir()
    ]


def _inspect_shard(name: str, folder: Path) -> Iterator[Finding]:
    for segment in sorted((folder / "segments").glob("*")):
        try:
            slots(segment)
            names = {name for payload in payloads(segment) for name in fields(payload)}
        except (NotDecodedError, OSError) as error:
            yield Finding("index", f"{name}, {segment.name}", f"it cannot be decoded ({error})")
            continue
        if not names <= PAYLOAD_FIELDS:
            yield Finding("index", f"{name}, {segment.name}", "points say more than they should")


def _slots(folder: Path) -> list[int]:
    found: set[int] = set()
    for segment in (folder / "segments").glob("*"):
        try:
            found.update(slots(segment))
        except (NotDecodedError, OSError):
            continue  # told as a finding
    return sorted(found)


def _inspect_others(
    folder: Path, index: Path, *, ignored: tuple[str, ...], marks: TextMarks
) -> Iterator[Finding]:
    """Yield files that belong to no store, and files with text where there should be none."""
    segments = tuple(f"{shard / 'segments'}{os.sep}" for _, _, shard in _shards(index))
    for path in sorted(path for root in {folder, index} for path in root.rglob("*")):
        name = str(path.absolute())
        if not path.is_file() or not path.stat().st_size or _is_below(name, ignored):
            continue
        store = "index" if path.is_relative_to(index) else "data folder"
        place = str(path.relative_to(folder)) if path.is_relative_to(folder) else name
        is_segment = str(path).startswith(segments)
        if path.name not in _KNOWN_FILES and path.parent != folder / _LOCKS and not is_segment:
            yield Finding(store, place, "this file belongs to no store: remove it")
        if marks and _holds_text(path, marks, is_segment=is_segment):
            yield Finding(store, place, "it holds text that was to be forgotten")


def _holds_text(path: Path, marks: TextMarks, *, is_segment: bool) -> bool:
    """Return whether a file holds text, compressed or not; payloads are decoded elsewhere."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if marks.find(data) is not None:
            return True
        return not is_segment and any(marks.find(text) is not None for text in unpacked(data))


def _is_below(name: str, others: tuple[str, ...]) -> bool:
    return any(name == other or name.startswith(f"{other}{os.sep}") for other in others)


def main() -> None:
    """Answer one request."""
    os.nice(10)  # somebody may be waiting for an answer meanwhile
    request = json.loads(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(inspect_files(request)))


if __name__ == "__main__":
    main()
