from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.errors import EmbedderError, EmbeddingMismatchError, InvalidDocumentError
from citewell.ingestion.embed import embed_passages
from citewell.ports.embedder import PassageText
from citewell.testing.scripted_embedder import ScriptedEmbedder


def passages(*texts: str) -> list[PassageText]:
    return [PassageText(text) for text in texts]


def refuse(*refused: str) -> ScriptedEmbedder:
    def check(texts: Sequence[str]) -> None:
        if set(texts) & set(refused):
            raise InvalidDocumentError("too long")

    embedder = ScriptedEmbedder()
    embedder.before = check
    return embedder


def test_vectors_come_in_bounded_batches_and_in_order() -> None:
    embedder = ScriptedEmbedder()
    texts = [str(number) for number in range(7)]
    made = embed_passages(embedder, passages(*texts), batch_size=3)
    assert embedder.passage_calls == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    assert made.rows == list(range(7))
    assert made.refused == {}
    np.testing.assert_array_equal(
        made.vectors, np.stack([embedder.embed_query(text) for text in texts])
    )


def test_no_passages_need_no_call() -> None:
    embedder = ScriptedEmbedder(dim=5)
    made = embed_passages(embedder, [])
    assert (made.rows, made.vectors.shape, made.refused) == ([], (0, 5), {})
    assert embedder.passage_calls == []


def test_text_without_anything_to_embed_has_no_row_and_is_no_failure() -> None:
    embedder = ScriptedEmbedder()
    made = embed_passages(embedder, passages("a", " ", "b"))
    assert made.rows == [0, 2]
    assert made.refused == {}
    np.testing.assert_array_equal(made.vectors[1], embedder.embed_query("b"))


def test_a_refused_passage_keeps_nobody_else_from_a_vector() -> None:
    embedder = refuse("c")
    made = embed_passages(embedder, passages("a", "b", "c", "d", "e"))
    assert made.rows == [0, 1, 3, 4]
    assert made.refused == {2: "too long"}
    np.testing.assert_array_equal(made.vectors[3], embedder.embed_query("e"))


@given(
    st.lists(st.booleans(), max_size=20),
    st.integers(min_value=1, max_value=8),
)
def test_exactly_the_refused_passages_have_no_vector(bad: list[bool], batch_size: int) -> None:
    texts = [f"{'bad' if is_bad else 'good'} {place}" for place, is_bad in enumerate(bad)]
    embedder = refuse(*(text for text in texts if text.startswith("bad")))
    made = embed_passages(embedder, passages(*texts), batch_size=batch_size)
    assert made.rows == [place for place, is_bad in enumerate(bad) if not is_bad]
    assert sorted(made.refused) == [place for place, is_bad in enumerate(bad) if is_bad]


def test_a_failure_of_the_embedder_ends_the_call() -> None:
    def fail(texts: Sequence[str]) -> None:
        raise EmbedderError("down")

    embedder = ScriptedEmbedder()
    embedder.before = fail
    with pytest.raises(EmbedderError, match="down"):
        embed_passages(embedder, passages("a", "b"))
    assert len(embedder.passage_calls) == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda rows: rows[:-1], EmbedderError, r"2 passages with vectors of shape \(1, 8\)"),
        (lambda rows: np.vstack([rows, rows]), EmbedderError, r"shape \(4, 8\)"),
        (lambda rows: rows[0], EmbedderError, r"shape \(8,\)"),
        (lambda rows: rows[:, :-1], EmbeddingMismatchError, "dimension 7, not 8"),
        (lambda rows: rows * np.float32("nan"), EmbedderError, "not finite"),
        (lambda rows: rows * np.float32("inf"), EmbedderError, "not finite"),
        (lambda rows: rows * 2, EmbedderError, "unit length"),
    ],
    ids=["too few", "too many", "flat", "too short", "nan", "infinite", "too long"],
)
def test_vectors_that_cannot_be_indexed_are_refused(
    change: object, error: type[Exception], message: str
) -> None:
    embedder = ScriptedEmbedder()
    embedder.change = change
    with pytest.raises(error, match=message):
        embed_passages(embedder, passages("a", "b"))
