"""What was said before a question."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer, as the reader or a client kept them: text, not trusted."""

    question: str
    answer: str
