"""From a question to passages.

lexical leg ─┐
             ├─► visible candidates ─► fuse ─► merge neighbours ─► passages ─► enough?
dense leg ───┘
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance
from citewell.domain.errors import EmbedderError, RetrievalNotReadyError, UsageError
from citewell.domain.passage import SearchFilters, SearchResult
from citewell.domain.visible_text import clean_text
from citewell.lexical.languages import guess_language, is_in_other_language
from citewell.lexical.weigh import question_terms, weigh_query
from citewell.ports.embedder import Embedder
from citewell.ports.index import Candidate
from citewell.ports.passage_reader import PassageReader
from citewell.ports.vector_store import VectorStore
from citewell.retrieval.background import Background, BackgroundSampler
from citewell.retrieval.explain import explain_search
from citewell.retrieval.foreign import N_EXAMINED, foreign_candidates, foreign_score
from citewell.retrieval.fuse import LegWeights, fuse_legs, leg_weights
from citewell.retrieval.judge_evidence import Evidence, EvidenceJudge
from citewell.retrieval.leg_results import LegResults
from citewell.retrieval.neighbours import merge_neighbours
from citewell.retrieval.search_legs import SearchLegs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_CANDIDATES = 60
"""Visible candidates that each leg is asked for, at least; fusion needs more than are shown."""
MAX_QUESTION_CHARACTERS = 8_000
MAX_TOP_K = 20


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """The parts of a search; safe to use from several threads.

    Attributes:
        reader: Decides what is visible, and knows the statistics.
        legs: Search the index.
        embedder: None leaves the search to the lexical leg.
        vectors: Of live chunks; None without an embedder.
        background: Over those vectors; None without an embedder.
        judge: Tells whether the passages answer the question.
        notice: What every result says too, or None.
    """

    reader: PassageReader
    legs: SearchLegs
    embedder: Embedder | None
    vectors: VectorStore | None
    background: BackgroundSampler | None
    judge: EvidenceJudge
    notice: str | None = None

    def search_passages(
        self,
        question: str,
        clearance: Clearance,
        *,
        top_k: int = 5,
        filters: SearchFilters | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """Return the passages that fit a question best, and whether they are likely to answer it.

        Args:
            question: Words, a question, an identifier; at most 8,000 characters.
            clearance: What may be read.
            top_k: In [1, 20].
            filters: What to narrow the search to.
            explain: Whether to add the trace.

        Raises:
            UsageError: The question is empty or too long, `top_k` is out of range, or a filter is
                not valid.
            RetrievalNotReadyError: The reader has nothing to search.
        """
        check_question(question, top_k=top_k)
        started = time.perf_counter()
        found, weights, ranked, notice = self.rank_chunks(
            question, clearance, wanted=max(MIN_CANDIDATES, 4 * top_k), filters=filters
        )
        chunks = found.chunks
        ordered = [chunks[candidate.chunk_key] for candidate in ranked]
        passages = merge_neighbours(ordered[: 2 * top_k], top_k=top_k, scores=found.cosines)
        evidence = Evidence(
            question=question,
            query=found.query,
            n_chunks=found.n_chunks,
            lexical=found.lexical.candidates,
            cosines=found.cosines,
            background=found.background,
            passages=tuple(passages),
            vector_share=found.vector_share,
        )
        verdict = self.judge.judge_evidence(evidence)
        timings_ms = {"search": (time.perf_counter() - started) * 1000}
        return SearchResult(
            confidence=verdict.confidence,
            passages=passages,
            is_sufficient=verdict.is_sufficient,
            notice=notice,
            explain=explain_search(
                found,
                weights=weights,
                ranked=ranked,
                passages=passages,
                verdict=verdict,
                timings_ms=timings_ms,
            )
            if explain
            else None,
        )

    def rank_chunks(
        self,
        question: str,
        clearance: Clearance,
        *,
        wanted: int = MIN_CANDIDATES,
        filters: SearchFilters | None = None,
    ) -> tuple[LegResults, LegWeights, list[Candidate], str | None]:
        """Return what both legs found, their weights, the fused ranking, and a notice or None.

        Args:
            question: As asked.
            clearance: What may be read.
            wanted: Visible candidates of each leg, in [1, 10,000].
            filters: What to narrow the search to.

        Raises:
            RetrievalNotReadyError: The reader has nothing to search.
        """
        found, notice = self._search_legs(
            question, clearance, filters or SearchFilters(), wanted=wanted
        )
        weights = _weigh_legs(question, found)
        dense = _dense_candidates(found)
        close = {c.chunk_key: found.chunks[c.chunk_key].content for c in dense[:N_EXAMINED]}
        fused = fuse_legs(
            found.lexical.candidates,
            dense,
            weights=weights,
            foreign=foreign_candidates(question, close),
            foreign_score=foreign_score(question, found.query, found.lexical.candidates),
        )
        return found, weights, fused, notice

    def weigh_question(self, question: str, clearance: Clearance) -> SparseVector:
        """Return the question's terms with their inverse document frequency for this reader.

        Raises:
            RetrievalNotReadyError: The reader has nothing to search.
        """
        return self._weigh(question, clearance)[0]

    def _weigh(self, question: str, clearance: Clearance) -> tuple[SparseVector, int]:
        terms = question_terms(question)
        frequencies, n_chunks = self.reader.document_frequencies(clearance, terms)
        if n_chunks == 0:
            raise RetrievalNotReadyError(self.notice)
        return weigh_query(question, frequencies, n_chunks), n_chunks

    def _search_legs(
        self, question: str, clearance: Clearance, filters: SearchFilters, *, wanted: int
    ) -> tuple[LegResults, str | None]:
        """Search both legs; an embedder that fails leaves the lexical one."""
        with ThreadPoolExecutor(1) as pool:
            embedding = pool.submit(self._embed, question)
            query, n_chunks = self._weigh(question, clearance)
            both = self.legs.search(
                clearance,
                query,
                lambda: embedding.result()[0],
                wanted=wanted,
                document_keys=self.reader.documents_matching(clearance, filters),
            )
            vector, notice = embedding.result()
        background, vector_share = self._background(clearance, vector)
        results = LegResults(
            query=query,
            n_chunks=n_chunks,
            lexical=both.lexical,
            dense=both.dense,
            chunks=both.chunks,
            cosines=self._cosines(vector, list(both.chunks)),
            background=background,
            vector_share=vector_share,
        )
        if notice is None and self.vectors is not None and vector_share < 1:
            notice = "some documents are searched by words alone: their vectors are being made"
        return results, "; ".join(filter(None, (self.notice, notice))) or None

    def _embed(self, question: str) -> tuple[NDArray[np.float32] | None, str | None]:
        if self.embedder is None:
            return None, None
        try:
            return self.embedder.embed_query(question), None
        except EmbedderError as error:
            return None, f"searched by words alone: {error}"

    def _cosines(
        self, vector: NDArray[np.float32] | None, chunk_keys: Sequence[int]
    ) -> dict[int, float]:
        """Compare the question with each candidate's own vector, whichever leg proposed it."""
        if vector is None or self.vectors is None or not chunk_keys:
            return {}
        stored = self.vectors.get(chunk_keys)
        cosines = (stored.vectors @ vector).tolist()
        return dict(zip(stored.chunk_keys, cosines, strict=True))

    def _background(
        self, clearance: Clearance, vector: NDArray[np.float32] | None
    ) -> tuple[Background | None, float]:
        if vector is None or self.background is None:
            return None, 0.0
        if not vector.any():
            return None, 1.0  # a question without a word has no vector, whatever the chunks have
        return self.background.measure(clearance, vector)


def check_question(question: str, *, top_k: int) -> None:
    """Refuse what cannot be searched.

    Raises:
        UsageError: The question shows nothing or is too long, or `top_k` is out of range.
    """
    if not clean_text(question)[0].strip():
        raise UsageError("the question is empty: write what you want to know")
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise UsageError(
            f"the question has {len(question)} characters, more than {MAX_QUESTION_CHARACTERS}"
        )
    if not 1 <= top_k <= MAX_TOP_K:
        raise UsageError(f"top_k is {top_k}: it must be in [1, {MAX_TOP_K}]")


def _weigh_legs(question: str, found: LegResults) -> LegWeights:
    spread = found.background.spread if found.background else 1.0
    language = None
    if found.lexical.candidates:
        first = found.lexical.candidates[0].chunk_key
        language = guess_language(found.chunks[first].content)
    return leg_weights(
        found.query,
        found.lexical.candidates,
        cosine_spread=spread,
        vector_share=found.vector_share,
        is_foreign=is_in_other_language(question, language),
    )


def _dense_candidates(found: LegResults) -> list[Candidate]:
    """Return all candidates that have a vector, by cosine; the lexical leg's included."""
    ordered = sorted(found.cosines.items(), key=lambda item: (-item[1], item[0]))
    return [Candidate(key, cosine) for key, cosine in ordered]
