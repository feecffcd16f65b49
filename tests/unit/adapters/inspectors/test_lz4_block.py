"""LZ4 blocks, as the format describes them."""

import pytest

from citewell.adapters.inspectors.lz4_block import NotLz4Error, decode_block


def test_literals_alone() -> None:
    assert decode_block(b"\x50hello" + b"rest", n_bytes=5) == (b"hello", 6)


def test_length_above_fourteen_goes_on_in_more_bytes() -> None:
    text = bytes(range(65, 65 + 20))
    assert decode_block(b"\xf0\x05" + text, n_bytes=20) == (text, 22)
    long = b"x" * (15 + 255 + 7)
    assert decode_block(b"\xf0\xff\x07" + long, n_bytes=277) == (long, 280)


def test_repetition_may_overlap_itself() -> None:
    block = b"\x24ab" + b"\x02\x00" + b"\x10!"
    assert decode_block(block, n_bytes=11) == (b"ab" + b"abababab" + b"!", 7)


@pytest.mark.parametrize(
    "block", [b"", b"\x50hel", b"\x14a\x09\x00\x10!", b"\x14a\x00\x00\x10!", b"\x50hello"]
)
def test_other_bytes_are_refused(block: bytes) -> None:
    with pytest.raises(NotLz4Error):
        decode_block(block, n_bytes=4)
