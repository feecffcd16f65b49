"""Numbering the citations of an answer that is written sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from citewell.domain.answer import Citation
from citewell.domain.document import Span


class CitationList:
    """Citations numbered from 1 in order of appearance; the same words at the same place once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._citations: dict[tuple[str, Span], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All so far, by number."""
        return tuple(self._citations.values())

    def number(self, citations: Iterable[Citation]) -> tuple[Citation, ...]:
        """Take citations and return them with their numbers, each once; theirs do not matter."""
        numbered: dict[int, Citation] = {}
        for citation in citations:
            place = (citation.document_id, citation.span)
            if place not in self._citations:
                self._citations[place] = replace(citation, n=len(self._citations) + 1)
            numbered[self._citations[place].n] = self._citations[place]
        return tuple(numbered.values())
