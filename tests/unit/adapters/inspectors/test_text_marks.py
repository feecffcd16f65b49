"""Finding pieces of texts among any bytes."""

import bz2
import gzip
import lzma
import random
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.inspectors.text_marks import TextMarks, unpacked

SECRET = "Project Kingfisher moves the quarterly budget to Antananarivo before the audit."
NOISE = random.Random(7).randbytes(50_000)


@given(text=st.text(min_size=60, max_size=300), start=st.integers(0, 200), place=st.integers(0, 99))
def test_any_rest_of_thirty_five_bytes_is_found(text: str, start: int, place: int) -> None:
    whole = text.encode("utf-8", "surrogatepass")
    rest = whole[start % (len(whole) - 34) :][:35]
    assert TextMarks([text]).find(NOISE[:place] + rest + NOISE[:50]) is not None


def test_place_of_the_first_piece_is_told() -> None:
    assert TextMarks([SECRET]).find(NOISE + SECRET.encode() + NOISE) == len(NOISE)


def test_other_bytes_hold_nothing() -> None:
    marks = TextMarks([SECRET, "Another text that is long enough to be told apart."])
    assert marks.find(NOISE + b"Project Kingfisher moves"[:-1] + NOISE) is None


def test_piece_across_the_border_of_a_window_is_found() -> None:
    marks = TextMarks([SECRET])
    for before in range((1 << 22) - 30, (1 << 22) + 1, 7):
        assert marks.find(bytes(before) + SECRET.encode()) == before


def test_text_is_found_as_json_writes_it() -> None:
    assert (
        TextMarks(["上海子公司增资方案的第一部分"]).find(rb'["\u4e0a\u6d77\u5b50\u516c\u53f8"]')
        == 2
    )


def test_short_text_is_found_whole_and_a_word_says_nothing() -> None:
    assert TextMarks(["Kingfisher budget"]).find(b"... Kingfisher budget ...") == 4
    assert TextMarks(["Budget"]).find(b"... Budget ...") is None
    assert bool(TextMarks(["Budget"])) is False


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, bz2.compress, lzma.compress])
def test_compressed_streams_are_unpacked_wherever_they_start(
    pack: Callable[[bytes], bytes],
) -> None:
    data = NOISE + pack(SECRET.encode()) + NOISE
    assert SECRET.encode() in list(unpacked(data))


def test_stream_that_is_cut_off_is_unpacked_as_far_as_it_goes() -> None:
    packed = zlib.compress((SECRET * 50).encode() + NOISE)
    marks = TextMarks([SECRET])
    assert any(marks.find(text) is not None for text in unpacked(packed[: len(packed) // 2]))
