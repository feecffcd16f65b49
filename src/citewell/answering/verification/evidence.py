"""The units of the passages, with what stands around each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell.answering.citing.place import heading_path_of
from citewell.answering.quoting.units import Unit, quotable_units
from citewell.answering.verification.facts import Facts, read_facts
from citewell.answering.verification.words import searchable
from citewell.domain.passage import Passage, VisibleChunk
from citewell.lexical.languages import guess_language

_N_BEFORE = 3


@dataclass(frozen=True, slots=True)
class EvidenceUnit:
    """A unit that may support a sentence.

    Attributes:
        passage: Index of the passage, from 0.
        chunk: That holds it.
        place: Index among the units of its chunk, from 0.
        unit: Where it stands.
        text: The exact words under the names of their columns.
        folded: `text` as words are looked for in it.
        around: Title and headings.
        before: The sentences just before, in the same chunk.
        above: What the passages have of the sections that hold its section, such as the scope that
            the beginning of a document sets; they are of the same document.
        siblings: Folded texts of the other rows or items of its table or list.
        language: Of the chunk, as guessed.
    """

    passage: int
    chunk: VisibleChunk
    place: int
    unit: Unit
    text: str
    folded: str
    around: str
    before: str
    above: str
    siblings: tuple[str, ...]
    language: str | None

    @property
    def facts(self) -> Facts:
        """Hard facts of the unit."""
        return read_facts(self.text, self.language)


def evidence_units(passages: Sequence[Passage]) -> list[EvidenceUnit]:
    """Return the units of all passages, in order of passage and position.

    A chunk that two passages share counts for the first.
    """
    found: dict[str, tuple[int, VisibleChunk]] = {}
    for index, passage in enumerate(passages):
        for chunk in passage.chunks:
            found.setdefault(chunk.chunk_id, (index, chunk))
    chunks = [chunk for _, chunk in found.values()]
    return [
        unit
        for index, chunk in found.values()
        for unit in _units_of(index, chunk, _text_above(chunk, chunks))
    ]


def _text_above(chunk: VisibleChunk, others: Sequence[VisibleChunk]) -> str:
    path = chunk.heading_path
    return "\n".join(
        other.content
        for other in others
        if other.document_id == chunk.document_id
        and len(other.heading_path) < len(path)
        and other.heading_path == path[: len(other.heading_path)]
    )


@lru_cache(maxsize=256)
def _units_of(index: int, chunk: VisibleChunk, above: str) -> tuple[EvidenceUnit, ...]:
    read = _read_content(chunk.content)
    language = guess_language(chunk.content)
    return tuple(
        EvidenceUnit(
            passage=index,
            chunk=chunk,
            place=place,
            unit=unit,
            text=text,
            folded=searchable(text),
            around="\n".join((chunk.title, *heading_path_of(chunk, unit))),
            before="\n".join(_before(place, read)),
            above=above,
            siblings=_siblings(unit, read),
            language=language,
        )
        for place, (unit, text) in enumerate(read)
    )


@lru_cache(maxsize=256)
def _read_content(content: str) -> tuple[tuple[Unit, str], ...]:
    """Return the units of a chunk's content with their texts, titles and questions included."""
    return tuple(
        (unit, "\n".join(part for part in (unit.header, content[unit.start : unit.end]) if part))
        for unit in quotable_units(content)
    )


def _before(place: int, read: Sequence[tuple[Unit, str]]) -> list[str]:
    """Return the texts just before a unit; other rows of its table say nothing of it."""
    own = read[place][0]
    return [
        text
        for unit, text in read[max(place - _N_BEFORE, 0) : place]
        if not (own.kind == "row" and unit.block == own.block)
    ]


def _siblings(unit: Unit, read: Sequence[tuple[Unit, str]]) -> tuple[str, ...]:
    if unit.kind not in {"row", "item"}:
        return ()
    return tuple(
        searchable(text) for other, text in read if other is not unit and other.block == unit.block
    )
