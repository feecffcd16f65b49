"""All that a sentence must pass before a reader sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citewell.answering.checking.check_output import check_sentence
from citewell.answering.checking.says_nothing_new import says_nothing_new
from citewell.answering.citing.cite import cite_quote, verify_citations
from citewell.answering.output.plain_words import plain_words
from citewell.answering.reading.read_drafts import Draft
from citewell.answering.verification.answers_question import answers_question
from citewell.answering.verification.verify_sentence import verify_sentence
from citewell.domain.answer import Citation
from citewell.domain.clearance import Clearance
from citewell.domain.passage import Passage
from citewell.ports.embedder import Embedder, PassageText
from citewell.ports.passage_reader import PassageReader

Outcome = Literal[
    "kept", "unknown", "unsafe", "unsupported", "says nothing new", "beside the question", "gone"
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks say of a sentence.

    Attributes:
        outcome: `kept`, or why not.
        text: As it is shown, if it is kept.
        reasons: What is wrong, or what was mended, for the trace.
        citations: Of a sentence that is kept, not yet numbered.
    """

    outcome: Outcome
    text: str = ""
    reasons: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()

    def trace(self, draft: Draft) -> dict[str, Any]:
        """Return the sentence and its verdict as JSON values."""
        return {
            "text": draft.text,
            "cited": list(draft.cited),
            "outcome": self.outcome,
            "reasons": list(self.reasons),
            "citations": [citation.tag for citation in self.citations],
        }


@dataclass(frozen=True, slots=True)
class Basis:
    """What sentences are checked against.

    Attributes:
        question: That is answered.
        parts: What it asks, one thing each; the question itself if it is simple.
        passages: As the model was given them; the numbers in its markers are theirs, from 1.
        clearance: Of the reader.
    """

    question: str
    parts: Sequence[str]
    passages: Sequence[Passage]
    clearance: Clearance


@dataclass(frozen=True, slots=True)
class SentenceChecks:
    """Checks sentences against the passages that a model was given.

    Attributes:
        reader: Tells whether a citation holds now.
        embedder: Compares texts of two languages, and remembers none of them; None leaves a
            sentence in another language than its passage without support.
    """

    reader: PassageReader
    embedder: Embedder | None

    def check_sentence(self, draft: Draft, basis: Basis, *, must_answer: bool) -> Verdict:
        """Return whether a sentence may be shown, and what it cites.

        Args:
            draft: As the model wrote it.
            basis: What it is checked against.
            must_answer: Whether the sentence must be about what was asked; what follows one that is
                may add to it.
        """
        if says_nothing_new(draft.text, basis.question):
            return Verdict("says nothing new", reasons=("it only repeats the question",))
        cited = [number - 1 for number in draft.cited]
        supported = verify_sentence(
            draft.text,
            basis.passages,
            cited=cited,
            question=basis.question,
            similarities=self._similarities(),
        )
        if not supported.is_supported:
            return Verdict("unsupported", reasons=supported.failures)
        quotes = [support.quote for support in supported.support]
        unsafe = check_sentence(draft.text, quotes=[quote.text for quote in quotes])
        if unsafe is not None:
            return Verdict("unsafe", reasons=(unsafe,))
        if must_answer:
            about = [answers_question(part, quotes, basis.passages) for part in basis.parts]
            if not any(verdict.is_answering for verdict in about):
                return Verdict("beside the question", reasons=about[0].reasons)
        citations = tuple(cite_quote(quote, n=0) for quote in quotes)
        if not citations or verify_citations(citations, basis.clearance, self.reader):
            return Verdict("gone", reasons=("what it cites changed meanwhile",))
        return Verdict("kept", plain_words(draft.text), supported.failures, citations)

    def _similarities(
        self,
    ) -> Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[float]]] | None:
        embedder = self.embedder
        if embedder is None:
            return None

        def compare(texts: Sequence[str], others: Sequence[str]) -> Sequence[Sequence[float]]:
            rows = embedder.embed_passages([PassageText(text) for text in (*texts, *others)])
            cosines = rows[: len(texts)] @ rows[len(texts) :].T
            return [[float(cosine) for cosine in row] for row in cosines]

        return compare
