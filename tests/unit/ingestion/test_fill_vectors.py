"""Vectors follow in the background."""

from collections.abc import Sequence

import pytest
from pending_chunks import MemoryPending, MemoryVectors, chunk

from citewell.domain.errors import EmbedderError, InvalidDocumentError
from citewell.ingestion.fill_vectors import VectorFilling
from citewell.ingestion.write_index import IndexWriter
from citewell.ports.embedder import passage_text
from citewell.testing.memory_index import MemoryIndex
from citewell.testing.scripted_embedder import ScriptedEmbedder


class Parts:
    """A filling with everything in memory."""

    def __init__(self, *texts: str) -> None:
        self.pending = MemoryPending(*(chunk(key, text) for key, text in enumerate(texts, 1)))
        self.embedder = ScriptedEmbedder()
        self.vectors = MemoryVectors(self.embedder.model)
        self.index = MemoryIndex(dim=self.embedder.model.dim)
        self.made: list[int] = []

    def fill(self, batch_size: int = 2) -> int:
        writer = IndexWriter(pending=self.pending, index=self.index, vectors=self.vectors)
        filling = VectorFilling(
            self.pending, self.embedder, self.vectors, writer, batch_size=batch_size
        )
        return filling.fill_vectors(progress=self.made.append)

    @property
    def indexed(self) -> list[int]:
        return self.index.chunk_keys("staff", "dense")


def test_missing_vectors_are_made_newest_first_in_batches() -> None:
    parts = Parts("one", "two", "three")
    assert parts.fill() == 3
    assert parts.embedder.passage_calls == [["three", "two"], ["one"]]
    assert parts.made == [2, 1]
    assert (parts.vectors.keys(), parts.indexed) == ([1, 2, 3], [1, 2, 3])
    assert (parts.pending.waiting, [*parts.pending.outbox(after=0, limit=9)]) == (set(), [])


def test_made_and_reused_vectors_are_told_by_source() -> None:
    parts = Parts()
    sources = {1: "s1", 2: "s2", 3: "s1"}
    chunks = [chunk(key, f"text {key}", source_id=source) for key, source in sources.items()]
    parts.pending = MemoryPending(*chunks)
    cached = iter([0, 0, 0, 1])
    told: list[tuple[str, int, int]] = []
    writer = IndexWriter(pending=parts.pending, index=parts.index, vectors=parts.vectors)
    filling = VectorFilling(
        parts.pending,
        parts.embedder,
        parts.vectors,
        writer,
        count_reused=lambda: next(cached),
        record=lambda *counts: told.append(counts),
    )
    assert filling.fill_vectors(progress=lambda _: None) == 3
    assert told == [("s1", 2, 0), ("s2", 0, 1)]


def test_who_asks_to_stop_is_heard_between_batches() -> None:
    parts = Parts("one", "two", "three")
    writer = IndexWriter(pending=parts.pending, index=parts.index, vectors=parts.vectors)
    filling = VectorFilling(parts.pending, parts.embedder, parts.vectors, writer, batch_size=1)
    stop = iter([False, True])
    assert filling.fill_vectors(progress=parts.made.append, should_stop=lambda: next(stop)) == 1
    assert (parts.vectors.keys(), parts.pending.waiting) == ([3], {1, 2})


def test_vectors_of_chunks_that_went_meanwhile_are_not_kept() -> None:
    parts = Parts("one", "two", "three")
    writer = IndexWriter(pending=parts.pending, index=parts.index, vectors=parts.vectors)
    filling = VectorFilling(parts.pending, parts.embedder, parts.vectors, writer)
    made = filling.embed(filling.next_batch())
    parts.pending.chunks.pop(2)
    parts.pending.waiting.discard(2)
    filling.keep(made)
    assert (parts.vectors.keys(), parts.indexed, parts.pending.waiting) == ([1, 3], [1, 3], set())


def test_nothing_missing_asks_nothing() -> None:
    parts = Parts()
    assert (parts.fill(), parts.embedder.passage_calls) == (0, [])


def test_batches_before_a_failure_are_kept_and_the_rest_follows_later() -> None:
    parts = Parts("one", "two", "three")

    def fail_for_one(texts: Sequence[str]) -> None:
        if "one" in texts:
            raise EmbedderError("it is away")

    parts.embedder.before = fail_for_one
    with pytest.raises(EmbedderError):
        parts.fill()
    assert (parts.vectors.keys(), parts.pending.waiting) == ([2, 3], {1})
    parts.embedder.before = lambda _: None
    assert parts.fill() == 1
    assert (parts.vectors.keys(), parts.indexed) == ([1, 2, 3], [1, 2, 3])


def test_passage_that_is_refused_is_noted_and_not_asked_for_again() -> None:
    parts = Parts("one", "two", "three")

    def refuse_two(texts: Sequence[str]) -> None:
        if "two" in texts:
            raise InvalidDocumentError("it is too long")

    parts.embedder.before = refuse_two
    assert parts.fill() == 3
    assert (parts.vectors.keys(), parts.indexed, parts.pending.waiting) == ([1, 3], [1, 3], set())
    assert parts.pending.refused == {2: "it is too long"}


def test_passage_with_nothing_to_embed_has_no_vector() -> None:
    parts = Parts(" ", "two")
    assert parts.fill() == 2
    assert (parts.vectors.keys(), parts.pending.waiting) == ([2], set())


@pytest.mark.parametrize(
    ("content", "embedded"),
    [
        ("# A\n\n## B\n\nalpha", "alpha"),
        ("\n# A\nalpha\n# C\nbeta", "alpha\n# C\nbeta"),
        ("# A\n", "# A\n"),
        ("#tag alpha", "#tag alpha"),
        ("alpha\n# A", "alpha\n# A"),
    ],
)
def test_headings_in_front_are_left_to_the_heading_path(content: str, embedded: str) -> None:
    text = passage_text(chunk(1, content, heading_path=("A", "B"), title="T", tags=("t",)))
    assert (text.content, text.heading_path, text.title, text.tags, text.relative_path) == (
        embedded,
        ("A", "B"),
        "T",
        ("t",),
        "1.md",
    )
