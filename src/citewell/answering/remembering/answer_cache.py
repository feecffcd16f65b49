"""Using an answer again, if all that it was made from is found again as it was.

question ─► name ─► remembered? ─► search again ─► found the same? ─► citations hold? ─► answer

An answer is remembered by its evidence, not by its question alone. Retrieval always runs, and what
it finds is compared with what the answer was made from: the same chunks of the same text, place and
tier, no more and no fewer. That is at least as strict as asking whether each cited passage came
back and none is newer than the answer: a chunk that was made, changed, moved or hidden since makes
the two differ, and so does one that only ranks among them now. The catalog has no sequence that all
these would raise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import TYPE_CHECKING

from citewell.answering.citing.cite import verify_citations
from citewell.answering.remembering.same_question import normalise_question, sense_of
from citewell.domain.errors import EmbedderError
from citewell.domain.passage import SearchFilters
from citewell.ports.answer_cache import AnswerName, PastSearch, RememberedAnswer, UsedChunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from citewell.domain.answer import Answer, Citation
    from citewell.domain.clearance import Clearance
    from citewell.domain.passage import SearchResult, VisibleChunk
    from citewell.ports.answer_cache import AnswerCache
    from citewell.ports.embedder import Embedder
    from citewell.ports.passage_reader import PassageReader

Search = Callable[[str], "SearchResult"]
"""Searches for a question with the clearance, filters and `top_k` of the key."""


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What must be the same for an answer to be used again, besides its evidence.

    Attributes:
        question: As asked.
        clearance: Of the reader; two readers share answers only if their tiers are the same.
        top_k: Passages of a search.
        filters: Of the search.
        model: Name of the language model.
        version: Of all else that decides what is answered: prompts, settings, the code.
        rewritten: The question that stands for itself, made of history and question; None without
            history.
    """

    question: str
    clearance: Clearance
    top_k: int
    model: str
    version: str
    filters: SearchFilters = field(default_factory=SearchFilters)
    rewritten: str | None = None

    @property
    def asked(self) -> str:
        """The question that is searched for first."""
        return self.question if self.rewritten is None else self.rewritten

    def name(self) -> AnswerName:
        """Return under which name the answer is remembered."""
        around = [
            list(self.clearance.tiers),
            self.top_k,
            self.model,
            self.version,
            list(astuple(self.filters)),
        ]
        rewritten = self.rewritten
        exact = [self.question, rewritten]
        return AnswerName(
            exact=_hash([around, [q if q is None else normalise_question(q) for q in exact]]),
            alike=_hash([around, [q if q is None else sense_of(q) for q in exact]]),
            reader=_hash(list(self.clearance.tiers)),
        )


@dataclass(frozen=True, slots=True)
class AnswerMemory:
    """Remembers answers of a language model; safe to use from several threads.

    Attributes:
        cache: Keeps them.
        reader: Reads what is cited, as it stands now.
        embedder: Compares similar questions; None without them.
        min_similarity: Cosine in [0, 1] from which on a question that has the same sense (see
            `sense_of`) is the same; None leaves it to equal questions.
        made_with: What else must be the same, e.g. where the model is and which release asks it.
    """

    cache: AnswerCache
    reader: PassageReader
    embedder: Embedder | None = None
    min_similarity: float | None = None
    made_with: str = ""

    def find(self, key: CacheKey, search: Search) -> Answer | None:
        """Return the remembered answer if it would be given now, with `cached` set; else None.

        The answer has the scores of now, and no timings.

        Args:
            key: Of the question.
            search: Called for every search that a remembered answer was made from; what the caller
                has found already should be found at once.

        Raises:
            CitewellError: As `search`.
        """
        name = self._name(key)
        remembered = self.cache.get(name.exact)
        if remembered is not None:
            return self._checked(remembered, key, search)
        for similar in self._similar(key, name):
            answer = self._checked(similar, key, search, instead_of=similar.searches[0].question)
            if answer is not None:
                return answer
        return None

    def keep(
        self,
        key: CacheKey,
        searches: Mapping[str, SearchResult],
        answer: Answer,
        *,
        written_by: str | None,
    ) -> bool:
        """Remember an answer that has been given, and return whether it was worth it.

        Args:
            key: Of the question.
            searches: What was found, by what was searched for: every search that was made, also
                those that found too little. What they would find now decides as well.
            answer: As given.
            written_by: Name of the model that wrote it to its end; None if it was cut. What another
                than the key's model wrote is not remembered.
        """
        if written_by != key.model or not is_worth_keeping(answer):
            return False
        chunks = _chunks_of(searches)
        if not {citation.chunk_id for citation in answer.citations} <= {
            chunk.chunk_id for chunk in chunks.values()
        }:
            return False
        name = self._name(key)
        remembered = RememberedAnswer(
            answer=replace(answer, timings_ms={}, usage={}, trace=None, cached=False),
            searches=tuple(
                PastSearch(text, evidence_of(found)) for text, found in searches.items()
            ),
            used=tuple(UsedChunk(c.document_id, c.chunk_key, c.tier) for c in chunks.values()),
            vector=self._vector(key) if list(searches) == [key.asked] else None,
        )
        self.cache.put(name, remembered)
        # Looked at after it was written: what goes later is erased with the rest, and whoever
        # deleted something before has perhaps erased already.
        if not self._is_current(key.clearance, chunks, answer):
            self.cache.remove(name.exact)
            return False
        return True

    def close(self) -> None:
        """Release the cache; nothing may be called afterwards."""
        self.cache.close()

    def _name(self, key: CacheKey) -> AnswerName:
        return replace(key, version=f"{self.made_with}\n{key.version}").name()

    def _checked(
        self,
        remembered: RememberedAnswer,
        key: CacheKey,
        search: Search,
        *,
        instead_of: str | None = None,
    ) -> Answer | None:
        """Return the answer if its evidence is found again and its citations hold."""
        found: list[SearchResult] = []
        for past in remembered.searches:
            result = search(key.asked if past.question == instead_of else past.question)
            if evidence_of(result) != past.evidence:
                return None
            found.append(result)
        answer = remembered.answer
        scores = _scores_of(found)
        if not answer.citations or any(c.chunk_id not in scores for c in answer.citations):
            return None
        if verify_citations(answer.citations, key.clearance, self.reader):
            return None
        return replace(
            answer,
            citations=tuple(_with_score(citation, scores) for citation in answer.citations),
            confidence=found[0].confidence if len(found) == 1 else answer.confidence,
            cached=True,
        )

    def _similar(self, key: CacheKey, name: AnswerName) -> list[RememberedAnswer]:
        """Return answers to questions of the same sense, the most similar first."""
        if self.min_similarity is None:
            return []
        candidates = self.cache.get_alike(name.alike)
        vector = self._vector(key) if candidates else None
        if vector is None:
            return []
        rated = [
            (float(other.vector @ vector), other)
            for other in candidates
            if other.vector is not None and other.vector.shape == vector.shape
        ]
        near = [pair for pair in rated if pair[0] >= self.min_similarity]
        return [other for _, other in sorted(near, key=lambda pair: -pair[0])]

    def _vector(self, key: CacheKey) -> NDArray[np.float32] | None:
        if self.min_similarity is None or self.embedder is None:
            return None
        try:
            return self.embedder.embed_query(key.asked)
        except EmbedderError:
            return None

    def _is_current(
        self, clearance: Clearance, chunks: Mapping[int, VisibleChunk], answer: Answer
    ) -> bool:
        now = self.reader.visible_chunks(clearance, list(chunks))
        is_same = {key: _as_read(chunk) for key, chunk in now.items()} == {
            key: _as_read(chunk) for key, chunk in chunks.items()
        }
        return is_same and not verify_citations(answer.citations, clearance, self.reader)


def is_worth_keeping(answer: Answer) -> bool:
    """Return whether an answer may be remembered: from documents, whole, and all of it cited."""
    return (
        answer.mode == "rag"
        and not answer.cached
        and answer.grounding.grounded
        and bool(answer.citations)
        and any(sentence.kind != "notice" for sentence in answer.sentences)
        and all(s.citations or s.kind == "notice" for s in answer.sentences)
    )


def evidence_of(result: SearchResult) -> bytes:
    """Return the hash of all that a search found and that an answer may depend on.

    Two results have the same hash if they hold the same passages in whatever order, are both enough
    or not, and say the same in their notice. Scores are left out: they change a little with every
    document of the corpus. So is when an item was last touched.
    """
    passages = sorted(
        _hash([astuple(_as_read(chunk)) for chunk in passage.chunks]).hex()
        for passage in result.passages
    )
    return _hash([passages, result.is_sufficient, result.notice])


def _as_read(chunk: VisibleChunk) -> VisibleChunk:
    """Leave out what says nothing of the text, its place or who may read it."""
    return replace(chunk, modified_at="")


def _chunks_of(searches: Mapping[str, SearchResult]) -> dict[int, VisibleChunk]:
    return {
        chunk.chunk_key: chunk
        for result in searches.values()
        for passage in result.passages
        for chunk in passage.chunks
    }


def _scores_of(found: list[SearchResult]) -> dict[str, float | None]:
    """Return the best score of each chunk by its id, that of the passage that it is a part of."""
    scores: dict[str, float | None] = {}
    for result in found:
        for passage in result.passages:
            for chunk in passage.chunks:
                known = scores.get(chunk.chunk_id)
                scores[chunk.chunk_id] = max(
                    (score for score in (known, passage.score) if score is not None), default=None
                )
    return scores


def _with_score(citation: Citation, scores: Mapping[str, float | None]) -> Citation:
    return replace(citation, score=scores[citation.chunk_id])


def _hash(values: object) -> bytes:
    text = json.dumps(values, ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()
