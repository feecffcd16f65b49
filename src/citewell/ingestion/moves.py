"""Telling a renamed or moved item from one deleted and one added."""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from dataclasses import dataclass
from pathlib import PurePosixPath

from citewell.domain.errors import CitewellError
from citewell.domain.record import KnownItem
from citewell.domain.source import SourceItem
from citewell.ingestion.diff import Diff
from citewell.ports.connector import Connector

_ByDigest = dict[str, deque[KnownItem]]


@dataclass(frozen=True, slots=True)
class Move:
    """A known item that is now found elsewhere, with the same bytes."""

    known: KnownItem
    item: SourceItem


def places_to_look(diff: Diff) -> dict[int, list[SourceItem]]:
    """Return the new items that each vanished one may have become, by its document key.

    Those of its size and suffix: with another suffix the same bytes are another text. An item that
    failed or was never read has none.
    """
    new: dict[tuple[int, str], list[SourceItem]] = defaultdict(list)
    for item, known in diff.to_read:
        if known is None:
            new[item.size_bytes, _suffix(item.relative_path)].append(item)
    return {
        known.document_key: new.get((known.size_bytes, _suffix(known.relative_path)), [])
        if known.failure is None and known.content_sha256
        else []
        for known in diff.vanished
    }


def find_moves(diff: Diff, connector: Connector, *, max_bytes: int) -> list[Move]:
    """Return the vanished items whose bytes are found again at a new path.

    Only new items of the size and suffix of a vanished one are read: with another suffix the same
    bytes are another text. Of several with equal bytes each is used once, in order of the paths.
    """
    vanished: dict[tuple[int, str], _ByDigest] = defaultdict(lambda: defaultdict(deque))
    for known in diff.vanished:
        if known.failure is None and known.content_sha256:
            place = known.size_bytes, _suffix(known.relative_path)
            vanished[place][known.content_sha256].append(known)
    moves: list[Move] = []
    for item, known in diff.to_read:
        candidates = vanished.get((item.size_bytes, _suffix(item.relative_path)))
        if known is None and candidates:
            digest = _digest(item, connector, max_bytes)
            if digest in candidates:
                moves.append(Move(candidates[digest].popleft(), item))
                if not candidates[digest]:
                    del candidates[digest]
    return moves


def _suffix(relative_path: str) -> str:
    return PurePosixPath(relative_path).suffix.lower()


def _digest(item: SourceItem, connector: Connector, max_bytes: int) -> str:
    try:
        return hashlib.sha256(connector.read(item, max_bytes=max_bytes)).hexdigest()
    except CitewellError:
        return ""  # the ordinary road reads it again and records the failure
