from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.ingestion.pieces import cut_between_words, make_piece, sentence_starts


def split(text: str) -> list[str]:
    borders = [0, *sentence_starts(text, 0, len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(borders)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["One.", " Two!", " Three?", " Four"],
        ["He said “stop.”", " (Then he left.)", " Why…", " 42 rows."],
        ["Costs are 3.5 % e.g. for rows, cf. the table.", " Next."],
        ["Ask Dr. Smith or J. P. Morgan of Acme Inc. New York.", " He knows."],
        ["Line one.\n", "Line two\ngoes on.\n", "Line three"],
        ["这是第一句。", "这是第二句！", "“引用。”", "结束"],
        ["यह पहला वाक्य है।", " यह दूसरा है।"],
        ["هل هذا سؤال؟", " نعم."],
        ["Это первое.", " Это второе."],
    ],
)
def test_sentences_start_after_a_mark(sentences: list[str]) -> None:
    assert split("".join(sentences)) == sentences


@given(st.text(alphabet="ab. \n\u0301\U0001f468\u200d中\ufe0f", min_size=1, max_size=400))
def test_words_cover_a_piece_and_keep_graphemes_whole(text: str) -> None:
    pieces = cut_between_words(text, make_piece(text, 0, len(text), 3))
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    for piece in pieces[1:]:
        if not text[: piece.start].isspace():
            assert text[piece.start] not in "\u200d\ufe0f" or text[piece.start - 1].isspace()


def test_words_are_cut_at_places_that_an_insertion_does_not_move() -> None:
    words = [f"word{i}" for i in range(400)]
    before = " ".join(words)
    after = " ".join([*words[:100], "inserted", *words[100:]])

    def groups(text: str) -> set[str]:
        pieces = cut_between_words(text, make_piece(text, 0, len(text), 3))
        return {text[piece.start : piece.end] for piece in pieces}

    assert len(groups(after) - groups(before)) <= 2
