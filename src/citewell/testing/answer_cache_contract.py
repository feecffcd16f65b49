"""What every answer cache must keep; subclass it with the fixtures `cache` and `clock`."""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256

import numpy as np

from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.ports.answer_cache import (
    AnswerCache,
    AnswerName,
    PastSearch,
    RememberedAnswer,
    UsedChunk,
)

MAX_ENTRIES = 3
"""Entries that the fixture `cache` keeps for a reader."""
MAX_AGE_S = 60.0
"""How long the fixture `cache` keeps them."""


class SetClock:
    """A clock that a test sets; the fixture `cache` tells the time by it."""

    def __init__(self) -> None:
        """Start some time after the epoch."""
        self.now = 1_000_000.0

    def __call__(self) -> float:
        """Return seconds since the epoch."""
        return self.now


def named(exact: str, *, alike: str = "sense", reader: str = "staff") -> AnswerName:
    """Return a name made of words."""
    return AnswerName(*(sha256(part.encode()).digest() for part in (exact, alike, reader)))


def made(text: str = "It is 500 rows.", *document_ids: str) -> RememberedAnswer:
    """Return an answer that uses the first chunk of each document, with every field filled."""
    citation = Citation(
        n=1,
        citation_id="c1-0-9",
        tag="[s.vault:a%2Fb.md/Limits]",
        source_name="handbook",
        source_type="vault",
        source_id="a/b.md",
        location="Limits",
        document_id="d1",
        chunk_id="c1",
        heading_path=("Atlas", "Limits"),
        page=3,
        paragraph=2,
        span=(0, 9),
        quote="500 rows,\n导出 “x” \\ \U0001f600",
        tier="staff",
        score=0.87,
        table_header="Rows",
    )
    answer = Answer(
        mode="rag",
        confidence=0.9,
        text=f"{text} [1]",
        sentences=(Sentence(text, "claim", (1,)), Sentence("More is unknown.", "notice", ())),
        citations=(citation, replace(citation, n=2, page=None, paragraph=None, score=None)),
        grounding=Grounding(has_citations=True, citations_valid=True),
        notice="vectors lag",
    )
    used = tuple(UsedChunk(d, key, "staff") for key, d in enumerate(document_ids or ("d1",), 1))
    return RememberedAnswer(answer, (PastSearch("limits?", sha256(b"found").digest()),), used)


def parts(remembered: RememberedAnswer | None) -> tuple[object, ...] | None:
    """Return what can be compared of an answer, or None."""
    if remembered is None:
        return None
    vector = remembered.vector
    numbers = None if vector is None else vector.tolist()
    return (remembered.answer, remembered.searches, remembered.used, numbers)


class AnswerCacheContract:
    """The promises of the port `AnswerCache`."""

    def test_answer_comes_back_as_it_was_put(self, cache: AnswerCache) -> None:
        remembered = made("It is 500 rows.", "d1", "d2")
        assert cache.get(named("a").exact) is None
        cache.put(named("a"), remembered)
        assert parts(cache.get(named("a").exact)) == parts(remembered)
        assert cache.get(named("b").exact) is None

    def test_answer_of_the_same_name_is_replaced(self, cache: AnswerCache) -> None:
        cache.put(named("a"), made("old", "d1"))
        cache.put(named("a"), made("new", "d2"))
        assert parts(cache.get(named("a").exact)) == parts(made("new", "d2"))
        assert list(cache.used_chunks()) == [UsedChunk("d2", 1, "staff")]

    def test_alike_answers_are_those_with_a_vector(self, cache: AnswerCache) -> None:
        vector = np.array([0.6, 0.8], np.float32)
        with_vector = replace(made("first"), vector=vector)
        cache.put(named("a"), with_vector)
        cache.put(named("b"), made("without a vector"))
        cache.put(named("c", alike="else"), with_vector)
        found = cache.get_alike(named("z").alike)
        assert [parts(one) for one in found] == [parts(with_vector)]
        assert list(cache.get_alike(named("z", alike="none").alike)) == []

    def test_oldest_answers_of_the_same_reader_make_room(
        self, cache: AnswerCache, clock: SetClock
    ) -> None:
        cache.put(named("other", reader="board"), made())
        for number in range(MAX_ENTRIES + 2):
            clock.now += 1
            cache.put(named(str(number)), made(str(number)))
        found = [cache.get(named(str(number)).exact) for number in range(MAX_ENTRIES + 2)]
        assert [one is not None for one in found] == [False] * 2 + [True] * MAX_ENTRIES
        assert cache.get(named("other").exact) is not None

    def test_answer_is_used_until_it_is_too_old(self, cache: AnswerCache, clock: SetClock) -> None:
        cache.put(named("a"), replace(made(), vector=np.ones(2, np.float32)))
        clock.now += MAX_AGE_S
        assert cache.get(named("a").exact) is not None
        assert len(cache.get_alike(named("a").alike)) == 1
        clock.now += 1
        assert cache.get(named("a").exact) is None
        assert list(cache.get_alike(named("a").alike)) == []

    def test_answer_from_the_future_is_not_used(self, cache: AnswerCache, clock: SetClock) -> None:
        cache.put(named("a"), made())
        clock.now -= 10
        assert cache.get(named("a").exact) is None

    def test_removed_answer_is_gone_alone(self, cache: AnswerCache) -> None:
        cache.put(named("a"), made("a", "d1"))
        cache.put(named("b"), made("b", "d2"))
        cache.remove(named("a").exact)
        cache.remove(named("unknown").exact)
        assert cache.get(named("a").exact) is None
        assert cache.get(named("b").exact) is not None
        assert list(cache.used_chunks()) == [UsedChunk("d2", 1, "staff")]

    def test_answers_that_used_a_document_are_forgotten(self, cache: AnswerCache) -> None:
        cache.put(named("a"), made("a", "d1", "d2"))
        cache.put(named("b"), made("b", "d2"))
        cache.put(named("c"), made("c", "d3"))
        assert cache.forget(["d1", "d3", "unknown"])
        found = [cache.get(named(name).exact) is not None for name in "abc"]
        assert found == [False, True, False]
        assert cache.forget([])
        assert cache.compact()
        assert cache.get(named("b").exact) is not None

    def test_used_chunks_stand_once(self, cache: AnswerCache) -> None:
        cache.put(named("a"), made("a", "d1", "d2"))
        cache.put(named("b"), made("b", "d1"))
        expected = {UsedChunk("d1", 1, "staff"), UsedChunk("d2", 2, "staff")}
        found = cache.used_chunks()
        assert (set(found), len(found)) == (expected, 2)

    def test_answer_that_uses_nothing_is_not_remembered(self, cache: AnswerCache) -> None:
        cache.put(named("a"), replace(made(), used=()))
        assert cache.get(named("a").exact) is None

    def test_threads_share_it(self, cache: AnswerCache) -> None:
        def put_and_get(number: int) -> bool:
            name = named(str(number), reader=str(number))
            cache.put(name, made(str(number)))
            return parts(cache.get(name.exact)) == parts(made(str(number)))

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(put_and_get, range(40))) == [True] * 40
