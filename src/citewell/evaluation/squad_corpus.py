"""A folder with the paragraphs of a question set, kept between runs under a name of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path


def corpus_key(documents: Mapping[str, str]) -> str:
    """Return 16 hexadecimal digits that differ where a path or a text does."""
    digest = hashlib.sha256()
    for path, text in sorted(documents.items()):
        for part in (path, text):
            data = part.encode()
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


def write_documents(documents: Mapping[str, str], folder: Path) -> None:
    """Write every document that the folder lacks or holds otherwise; others stay untouched.

    So a sync of a folder that was written before has nothing to do.
    """
    for path, text in documents.items():
        file = folder / path
        data = text.encode()
        if not file.is_file() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
