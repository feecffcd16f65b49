"""What a reader is told while an answer is made, in order: statuses and sentences, then the end."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.domain.answer import Answer, Citation, Sentence


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """What is being done.

    Attributes:
        stage: `searching`, `reading` or `checking`.
        detail: For people, e.g. `reading 5 passages`; tells nothing that the reader may not know.
    """

    stage: str
    detail: str


@dataclass(frozen=True, slots=True)
class SentenceEvent:
    """A sentence that was checked, with its citations."""

    sentence: Sentence
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class RetractEvent:
    """What was sent does not hold as a whole: the reader must drop it."""

    reason: str


@dataclass(frozen=True, slots=True)
class DoneEvent:
    """The end, with the whole answer; what it says replaces what was sent."""

    answer: Answer


AnswerEvent = StatusEvent | SentenceEvent | RetractEvent | DoneEvent
