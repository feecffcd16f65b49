"""Recognise text from mainframes, whose letters lie elsewhere than in ASCII."""

from __future__ import annotations

_LETTERS = bytes(
    [
        *range(0x81, 0x8A),
        *range(0x91, 0x9A),
        *range(0xA2, 0xAA),
        *range(0xC1, 0xCA),
        *range(0xD1, 0xDA),
        *range(0xE2, 0xEA),
    ]
)
_DIGITS_AND_SPACE = bytes([*range(0xF0, 0xFA), 0x40])
_LINE_ENDS = b"\x15\x25\x0d"
_MIN_SHARE = 0.8
_MIN_SPACE_SHARE = 0.05
_MIN_BYTES = 12


def detect_ebcdic(data: bytes) -> str | None:
    """Return `cp500` or `cp037` if nearly all bytes are EBCDIC letters, digits and spaces."""
    sample = data[:10_000]
    n_bytes = len(sample)
    if n_bytes < _MIN_BYTES or sample.count(0x40) / n_bytes < _MIN_SPACE_SHARE:
        return None
    n_others = len(sample.translate(None, _LETTERS + _DIGITS_AND_SPACE + _LINE_ENDS))
    if 1 - n_others / n_bytes < _MIN_SHARE or b" " in sample or b"\n" in sample:
        return None
    # The two differ in a few signs; a cent or a not sign in running text means the wrong one.
    odd_signs = "¢¬|"
    international, american = sample.decode("cp500"), sample.decode("cp037")
    n_international = sum(map(international.count, odd_signs))
    return "cp500" if n_international <= sum(map(american.count, odd_signs)) else "cp037"
