from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache
from citewell.adapters.embedders.cached import CachedEmbedder, EmbeddingCounts
from citewell.domain.errors import EmbedderError
from citewell.ports.embedder import PassageText
from citewell.ports.embedding_cache import text_sha
from citewell.testing.scripted_embedder import ScriptedEmbedder

A, B, C = PassageText("a"), PassageText("b"), PassageText("c")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[SqliteEmbeddingCache]:
    cache = SqliteEmbeddingCache(tmp_path / "cache.sqlite3")
    yield cache
    cache.close()


def test_only_what_is_missing_is_computed(cache: SqliteEmbeddingCache) -> None:
    scripted = ScriptedEmbedder()
    embedder = CachedEmbedder(scripted, cache)
    expected = scripted.embed_passages([A, B, C])
    scripted.passage_calls.clear()
    embedder.embed_passages([A, C])
    np.testing.assert_array_equal(embedder.embed_passages([A, B, C]), expected)
    assert scripted.passage_calls == [["a", "c"], ["b"]]
    assert embedder.counts == EmbeddingCounts(computed=3, reused=2)


def test_equal_passages_are_computed_once(cache: SqliteEmbeddingCache) -> None:
    scripted = ScriptedEmbedder()
    embedder = CachedEmbedder(scripted, cache)
    vectors = embedder.embed_passages([A, B, A])
    assert scripted.passage_calls == [["a", "b"]]
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert embedder.counts == EmbeddingCounts(computed=2, reused=1)


def test_title_and_headings_are_part_of_what_is_remembered(cache: SqliteEmbeddingCache) -> None:
    scripted = ScriptedEmbedder()
    embedder = CachedEmbedder(scripted, cache)
    embedder.embed_passages([PassageText("a", title="T")])
    embedder.embed_passages([PassageText("a", heading_path=("H",))])
    embedder.embed_passages([PassageText("a", title="T", relative_path="moved.md")])
    assert scripted.passage_calls == [["T\na"], ["H\na"]]


def test_a_question_is_remembered_apart_from_passages(cache: SqliteEmbeddingCache) -> None:
    scripted = ScriptedEmbedder()
    embedder = CachedEmbedder(scripted, cache)
    embedder.embed_passages([A])
    first = embedder.embed_query("a")
    np.testing.assert_array_equal(embedder.embed_query("a"), first)
    assert scripted.questions == ["a"]
    assert embedder.counts == EmbeddingCounts(computed=1, reused=0)


def test_models_do_not_share_vectors(cache: SqliteEmbeddingCache) -> None:
    one, other = ScriptedEmbedder(name="one"), ScriptedEmbedder(name="other")
    CachedEmbedder(one, cache).embed_passages([A])
    CachedEmbedder(other, cache).embed_passages([A])
    assert other.passage_calls == [["a"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: np.vstack([rows, rows[:1]]),
        lambda rows: rows[:, :-1],
        lambda rows: np.where(np.arange(len(rows))[:, None] == 1, np.nan, rows),
    ],
    ids=["one too few", "one too many", "too short", "not finite"],
)
def test_nothing_of_an_unusable_answer_is_remembered(
    cache: SqliteEmbeddingCache, change: object
) -> None:
    scripted = ScriptedEmbedder()
    scripted.change = change
    embedder = CachedEmbedder(scripted, cache)
    with pytest.raises(EmbedderError):
        embedder.embed_passages([A, B])
    found = cache.get(scripted.model.key, "passage", [text_sha("a"), text_sha("b")])
    assert found == {}
    assert embedder.counts == EmbeddingCounts(0, 0)


def test_a_failure_passes_through_and_is_not_remembered(cache: SqliteEmbeddingCache) -> None:
    def fail(texts: Sequence[str]) -> None:
        raise EmbedderError("down")

    scripted = ScriptedEmbedder()
    scripted.before = fail
    embedder = CachedEmbedder(scripted, cache)
    with pytest.raises(EmbedderError, match="down"):
        embedder.embed_query("a")
    scripted.before = lambda texts: None
    assert embedder.embed_query("a").any()


def test_zero_vectors_are_not_remembered(cache: SqliteEmbeddingCache) -> None:
    scripted = ScriptedEmbedder()
    embedder = CachedEmbedder(scripted, cache)
    vectors = embedder.embed_passages([PassageText(""), A])
    np.testing.assert_array_equal(vectors.any(axis=1), [False, True])
    assert not embedder.embed_query(" ").any()
    assert cache.get(scripted.model.key, "passage", [text_sha("")]) == {}


def test_the_cache_and_the_connections_are_closed(cache: SqliteEmbeddingCache) -> None:
    closed: list[str] = []

    class Connected(ScriptedEmbedder):
        def close(self) -> None:
            closed.append("connections")

    CachedEmbedder(Connected(), cache).close()
    assert closed == ["connections"]
    assert cache.get("any", "query", [text_sha("a")]) == {}
