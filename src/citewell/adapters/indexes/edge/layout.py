"""The index folder: one folder per tier and leg, and a file that says what they were built with.

index.lock                 held by the index process
guests                     socket on which other processes may search
meta.json                  schema, analyzer, embedding model, catalog
<tier>/lexical             a shard
<tier>/dense               a shard
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO, cast
from urllib.parse import quote, unquote

from citewell.domain.errors import (
    DataFolderBusyError,
    EmbeddingMismatchError,
    IndexUnavailableError,
    UsageError,
)
from citewell.ports.index import Leg

SCHEMA_VERSION = 1
LEGS: tuple[Leg, ...] = ("lexical", "dense")
_LOCK_WAIT_S = 1.0  # a predecessor whose owner was killed needs a moment to end
_MAX_FOLDER_NAME = 200  # bytes; file systems take 255


@dataclass(frozen=True, slots=True)
class IndexIdentity:
    """What the points of an index were made with; another index cannot be searched with ours.

    Attributes:
        analyzer_version: Of the analyzer that hashed the terms.
        model_key: Of the embedding model; None: without a dense leg.
        dim: Of its vectors; 0 without a dense leg.
        schema_version: Of the folder and of the shards' settings.
        catalog_id: Of the catalog whose keys the points bear; None: it does not matter whose.
    """

    analyzer_version: int
    model_key: str | None
    dim: int
    schema_version: int = SCHEMA_VERSION
    catalog_id: str | None = None


def tier_folder(tier: str) -> str:
    """Return a folder name for a tier: `[a-z0-9_-]` as they are, all else percent-encoded.

    Upper case is encoded too, for file systems that do not tell it from lower case.

    Raises:
        UsageError: The name is empty or too long.
    """
    name = "".join(
        char if char in "abcdefghijklmnopqrstuvwxyz0123456789_-" else _percent(char)
        for char in tier
    )
    if not 0 < len(name) <= _MAX_FOLDER_NAME:
        raise UsageError(f"the name of a tier must have 1 to {_MAX_FOLDER_NAME} characters")
    return name


def tier_of_folder(name: str) -> str:
    """Return the tier whose folder has this name."""
    return unquote(name, errors="surrogatepass")


def stored_shards(root: Path) -> list[tuple[str, Leg]]:
    """Return the tier and leg of every shard in the folder, in order of tier and leg."""
    return sorted(
        (tier_of_folder(folder.name), leg)
        for folder in root.iterdir()
        if folder.is_dir()
        for leg in LEGS
        if (folder / leg).is_dir()
    )


def check_identity(root: Path, expected: IndexIdentity) -> None:
    """Refuse a folder that was built with something else; a folder without shards fits.

    Raises:
        EmbeddingMismatchError: Its vectors are of another model or dimension.
        IndexUnavailableError: Its schema, analyzer or catalog is another one, or it does not say.
    """
    if not root.is_dir():
        return
    found = read_identity(root)
    if found is None:
        if stored_shards(root):
            raise IndexUnavailableError(f"{root} has no readable meta.json: {rebuild(root)}")
        return
    if _is_foreign(found, expected.catalog_id):
        raise IndexUnavailableError(f"the index in {root} is of another catalog: {rebuild(root)}")
    if found.schema_version != expected.schema_version:
        raise IndexUnavailableError(
            f"the index in {root} has schema {found.schema_version}, this version of Citewell needs"
            f" {expected.schema_version}: {rebuild(root)}"
        )
    if found.analyzer_version != expected.analyzer_version:
        raise IndexUnavailableError(
            f"the index in {root} was built with analyzer {found.analyzer_version}, this version of"
            f" Citewell has {expected.analyzer_version}: {rebuild(root)}"
        )
    if expected.model_key and found.model_key and _vectors(found) != _vectors(expected):
        raise EmbeddingMismatchError(
            f"the index in {root} was built with {found.model_key} ({found.dim} dimensions), the"
            f" settings say {expected.model_key} ({expected.dim}): set EMBEDDING_PROVIDER,"
            f" EMBEDDING_MODEL and EMBEDDING_DIM back, or run `rag embeddings rebuild`"
        )


def discard_foreign_index(root: Path, catalog_id: str) -> bool:
    """Delete a folder whose points bear the keys of another catalog, and say whether it was so.

    One that does not say what it was built with stays. No index process may be running.
    """
    discarded = root.with_name(f"{root.name}.discarded")
    shutil.rmtree(discarded, ignore_errors=True)
    found = read_identity(root)
    if found is None or not _is_foreign(found, catalog_id):
        return False
    root.rename(discarded)  # an interruption must not leave half a folder
    shutil.rmtree(discarded, ignore_errors=True)
    return True


def read_identity(root: Path) -> IndexIdentity | None:
    """Return what the folder was built with, or None if it does not say."""
    try:
        stored = json.loads((root / "meta.json").read_text(encoding="utf-8"))
        return IndexIdentity(**cast("dict[str, Any]", stored))
    except (OSError, ValueError, TypeError):
        return None


def write_identity(root: Path, identity: IndexIdentity) -> None:
    """Write what the folder is built with, whole or not at all."""
    new = root / "meta.json.new"
    with new.open("w", encoding="utf-8") as file:
        json.dump(asdict(identity), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.replace(root / "meta.json")


def remove_dense_shards(root: Path) -> None:
    """Delete the dense leg of every tier and forget its model, so that another may be used.

    No index process may be running.
    """
    identity = read_identity(root)
    if identity is None:
        return
    for tier, leg in stored_shards(root):
        if leg == "dense":
            shutil.rmtree(root / tier_folder(tier) / leg)
    write_identity(root, replace(identity, model_key=None, dim=0))


def lock_folder(root: Path, *, wait_s: float = _LOCK_WAIT_S) -> TextIO:
    """Hold the folder until the file is closed or the process ends.

    Raises:
        DataFolderBusyError: Another process holds it; the message says which.
    """
    file = (root / "index.lock").open("a+", encoding="utf-8")
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                file.seek(0)
                holder = file.read().strip() or "another process"
                file.close()
                raise DataFolderBusyError(
                    f"the index in {root} is held by {holder}: wait for it to end, or stop it"
                ) from error
            time.sleep(0.02)
    file.truncate(0)
    file.write(f"process {os.getpid()}\n")
    file.flush()
    return file


def rebuild(root: Path) -> str:
    """Return what to do about a folder that does not fit, for the end of a message."""
    return f"delete the folder {root} and run `rag sync`, which builds it anew from the catalog"


def _percent(char: str) -> str:
    if char.isascii():  # `quote` leaves upper case and "." as they are
        return f"%{ord(char):02X}"
    return quote(char, errors="surrogatepass")


def _is_foreign(found: IndexIdentity, catalog_id: str | None) -> bool:
    return catalog_id not in {None, found.catalog_id}


def _vectors(identity: IndexIdentity) -> tuple[str | None, int]:
    return identity.model_key, identity.dim
