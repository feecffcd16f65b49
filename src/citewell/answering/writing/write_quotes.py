"""Answering without a model: what answers best is quoted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citewell.answering.citing.cite import cite_quotes
from citewell.answering.quoting.quote import Quote, QuoteOptions, choose_quotes
from citewell.domain.answer import Citation, Sentence
from citewell.domain.clearance import Clearance
from citewell.domain.passage import Passage
from citewell.ports.embedder import Embedder, PassageText
from citewell.retrieval.search_passages import PassageSearch


@dataclass(frozen=True, slots=True)
class QuoteWriting:
    """Quotes the words of passages that answer a question best.

    Attributes:
        search: Weighs the question's words; its embedder gives the question's vector.
        embedder: Gives those of sentences, and remembers none: nobody would know which to forget
            with a document. None leaves the comparison to words.
        options: How much is quoted.
    """

    search: PassageSearch
    embedder: Embedder | None
    options: QuoteOptions = field(default_factory=QuoteOptions)

    def write_quotes(
        self, question: str, passages: Sequence[Passage], clearance: Clearance
    ) -> tuple[tuple[Sentence, ...], tuple[Citation, ...]]:
        """Return the quotes as sentences with their citations; both may be empty."""
        query = self.search.weigh_question(question, clearance)
        quotes: Sequence[Quote] = choose_quotes(
            question,
            passages,
            term_weights=dict(zip(query.indices, query.values, strict=True)),
            similarities=self._similarities(question),
            options=self.options,
        )
        return cite_quotes(quotes)

    def _similarities(self, question: str) -> Callable[[Sequence[str]], Sequence[float] | None]:
        """Return what compares texts with the question by cosine."""
        embedder = self.embedder
        if embedder is None or self.search.embedder is None:
            return lambda _: None
        vector = self.search.embedder.embed_query(question)

        def compare(texts: Sequence[str]) -> Sequence[float]:
            rows = embedder.embed_passages([PassageText(text) for text in texts])
            return [float(cosine) for cosine in rows @ vector]

        return compare
