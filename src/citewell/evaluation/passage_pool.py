"""Passages of all question sets in one searchable pool, of which a trial sees a part."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.domain.chunk import SparseVector
from citewell.evaluation.datasets import SquadArticle
from citewell.lexical.cover import PassageWords, read_passage
from citewell.lexical.languages import is_in_other_language
from citewell.lexical.weigh import question_terms, weigh_chunk, weigh_query
from citewell.ports.embedder import Embedder, PassageText
from citewell.ports.index import Candidate
from citewell.retrieval.background import SAMPLE_SIZE, Background
from citewell.retrieval.foreign import N_EXAMINED, foreign_candidates, foreign_score
from citewell.retrieval.fuse import fuse_legs, leg_weights
from citewell.retrieval.gate_features import POOLED_PASSAGES, SearchEvidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

N_CANDIDATES = 60
"""As many as a search asks each leg for."""
EMBED_BATCH = 64

VectorCache = MutableMapping[str, "NDArray[np.float32]"]


@dataclass(frozen=True, slots=True)
class PoolPassage:
    """A passage of the pool.

    Attributes:
        set_name: Which question set it comes from.
        article: Number of its article, from 0, the same in all sets.
        paragraphs: Numbers of the paragraphs in it, counted through the set from 0.
        text: The paragraphs, joined by an empty line.
    """

    set_name: str
    article: int
    paragraphs: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PoolQuestion:
    """A question with an answer in the pool.

    Attributes:
        set_name: Which question set it comes from.
        article: Number of its article.
        paragraph: Number of the paragraph that answers it.
        text: As asked.
    """

    set_name: str
    article: int
    paragraph: int
    text: str


def number_articles(sets: Iterable[Sequence[SquadArticle]]) -> dict[str, int]:
    """Return a number for each title; articles of one title or with a question in common share it.

    So translations of an article, and excerpts of it in several sets, count as one topic.
    """
    number_of: dict[str, int] = {}
    numbers: dict[str, int] = {}
    for article in (article for articles in sets for article in articles):
        questions = (question.id for p in article.paragraphs for question in p.questions)
        keys = [f"title {article.title}", *(f"question {question}" for question in questions)]
        known = (number_of[key] for key in keys if key in number_of)
        number = next(known, len(set(numbers.values())))
        number_of.update(dict.fromkeys(keys, number))
        numbers[article.title] = number
    return numbers


def join_paragraphs(
    set_name: str,
    articles: Sequence[SquadArticle],
    *,
    n_joined: int,
    numbers: Mapping[str, int],
) -> list[PoolPassage]:
    """Return an article's paragraphs as passages of `n_joined` neighbours each, in order.

    Args:
        set_name: Of the articles.
        articles: In order.
        n_joined: At least 1.
        numbers: Of the articles by title.
    """
    passages: list[PoolPassage] = []
    first = 0
    for article in articles:
        texts = [paragraph.text for paragraph in article.paragraphs]
        for start in range(0, len(texts), n_joined):
            part = texts[start : start + n_joined]
            held = tuple(range(first + start, first + start + len(part)))
            passages.append(PoolPassage(set_name, numbers[article.title], held, "\n\n".join(part)))
        first += len(texts)
    return passages


def answerable_questions(
    set_name: str, articles: Sequence[SquadArticle], *, numbers: Mapping[str, int]
) -> list[PoolQuestion]:
    """Return the questions that have an answer, in order; `numbers` of articles are by title."""
    paragraphs = [
        (numbers[article.title], paragraph)
        for article in articles
        for paragraph in article.paragraphs
    ]
    return [
        PoolQuestion(set_name, article, number, question.text)
        for number, (article, paragraph) in enumerate(paragraphs)
        for question in paragraph.questions
        if question.answers
    ]


def embed_pool_passages(
    passages: Sequence[PoolPassage], embedder: Embedder, cache: VectorCache
) -> NDArray[np.float32]:
    """Return `float32[n_passages, dim]`; what the cache lacks is embedded and put there."""
    import numpy as np

    keys = [_cache_key(embedder, "passage", passage.text) for passage in passages]
    missing = [n for n, key in enumerate(keys) if key not in cache]
    for start in range(0, len(missing), EMBED_BATCH):
        batch = missing[start : start + EMBED_BATCH]
        vectors = embedder.embed_passages([PassageText(passages[n].text) for n in batch])
        cache.update(zip((keys[n] for n in batch), vectors, strict=True))
    return np.stack([cache[key] for key in keys])


def embed_pool_questions(
    questions: Sequence[PoolQuestion], embedder: Embedder, cache: VectorCache
) -> NDArray[np.float32]:
    """Return `float32[n_questions, dim]`; what the cache lacks is embedded and put there."""
    import numpy as np

    keys = [_cache_key(embedder, "query", question.text) for question in questions]
    for key, question in zip(keys, questions, strict=True):
        if key not in cache:
            cache[key] = embedder.embed_query(question.text)
    return np.stack([cache[key] for key in keys])


def _cache_key(embedder: Embedder, kind: str, text: str) -> str:
    return f"{embedder.model.key}:{kind}:{hashlib.sha256(text.encode()).hexdigest()}"


class PassagePool:
    """Searches any part of the pool as the product searches a corpus; keys are positions."""

    def __init__(self, passages: Sequence[PoolPassage], vectors: NDArray[np.float32]) -> None:
        """Weigh the passages; `vectors` is `float32[n_passages, dim]` in their order."""
        import numpy as np

        self.passages = passages
        self.vectors = vectors
        postings: dict[int, tuple[list[int], list[float]]] = {}
        for number, passage in enumerate(passages):
            terms = weigh_chunk(passage.text)
            for term_id, value in zip(terms.indices, terms.values, strict=True):
                numbers, values = postings.setdefault(term_id, ([], []))
                numbers.append(number)
                values.append(value)
        self._read: dict[int, PassageWords] = {}
        self._postings = {
            term_id: (np.array(numbers), np.array(values))
            for term_id, (numbers, values) in postings.items()
        }

    def search(
        self, question: str, cosines: NDArray[np.float32], members: NDArray[np.bool_]
    ) -> SearchEvidence:
        """Return the evidence for a question, found by both legs.

        Args:
            question: As asked.
            cosines: `float32[n_passages]`, of the question to each passage of the pool.
            members: `bool[n_passages]`, the passages that the corpus holds, at least two.
        """
        import numpy as np

        query, lexical = self._search_lexical(question, members)
        dense = _best(np.where(members, cosines, -np.inf), lowest=-np.inf)
        keys = sorted({c.chunk_key for c in (*dense, *lexical)})
        known = [Candidate(key, float(cosines[key])) for key in keys]
        known.sort(key=lambda candidate: -candidate.score)
        background = _background(cosines[members])
        language = self._words(lexical[0].chunk_key).language if lexical else None
        weights = leg_weights(
            query,
            lexical,
            cosine_spread=background.spread,
            is_foreign=is_in_other_language(question, language),
        )
        ranked = fuse_legs(
            lexical,
            known,
            weights=weights,
            foreign=foreign_candidates(
                question,
                {c.chunk_key: self.passages[c.chunk_key].text for c in known[:N_EXAMINED]},
            ),
            foreign_score=foreign_score(question, query, lexical),
        )
        return SearchEvidence(
            question=question,
            query=query,
            n_chunks=int(members.sum()),
            lexical=lexical,
            cosines={candidate.chunk_key: candidate.score for candidate in known},
            background=background,
            passages=[self._words(c.chunk_key) for c in ranked[:POOLED_PASSAGES]],
            first_keys={ranked[0].chunk_key},
        )

    def search_by_words(self, question: str, members: NDArray[np.bool_]) -> SearchEvidence | None:
        """Return the evidence that the lexical leg finds alone; None if it finds nothing."""
        query, lexical = self._search_lexical(question, members)
        if not lexical:
            return None
        return SearchEvidence(
            question=question,
            query=query,
            n_chunks=int(members.sum()),
            lexical=lexical,
            cosines={},
            background=None,
            passages=[self._words(c.chunk_key) for c in lexical[:POOLED_PASSAGES]],
            first_keys={lexical[0].chunk_key},
        )

    def _search_lexical(
        self, question: str, members: NDArray[np.bool_]
    ) -> tuple[SparseVector, list[Candidate]]:
        import numpy as np

        found = {i: self._postings[i] for i in question_terms(question) if i in self._postings}
        frequencies = {i: int(members[numbers].sum()) for i, (numbers, _) in found.items()}
        query = weigh_query(question, frequencies, int(members.sum()))
        scores = np.zeros(len(members))
        for term_id, weight in zip(query.indices, query.values, strict=True):
            if term_id in found:
                numbers, values = found[term_id]
                scores[numbers] += weight * values
        return query, _best(np.where(members, scores, 0.0), lowest=0.0)

    def _words(self, number: int) -> PassageWords:
        if number not in self._read:
            self._read[number] = read_passage(self.passages[number].text)
        return self._read[number]


def _best(scores: NDArray[np.float64], *, lowest: float) -> list[Candidate]:
    import numpy as np

    order = np.argsort(-scores, kind="stable")[:N_CANDIDATES]
    return [Candidate(int(n), float(scores[n])) for n in order if scores[n] > lowest]


def _background(cosines: NDArray[np.float32]) -> Background:
    """Return the background of an even sample, as the product measures it."""
    sample = cosines[:: -(-len(cosines) // SAMPLE_SIZE)]
    return Background(float(sample.mean()), max(float(sample.std()), 1e-3), len(sample))
