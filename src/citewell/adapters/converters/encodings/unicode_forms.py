"""Unicode with and without a byte order mark, broken and mixed UTF-8."""

from __future__ import annotations

import re
from collections import Counter

from citewell.adapters.converters.encodings.east_asia import ranks_of_encoding

_MARKS = (  # the longer ones first: UTF-32 LE begins like UTF-16 LE
    (b"\xef\xbb\xbf", "utf_8"),
    (b"\xff\xfe\x00\x00", "utf_32_le"),
    (b"\x00\x00\xfe\xff", "utf_32_be"),
    (b"\xff\xfe", "utf_16_le"),
    (b"\xfe\xff", "utf_16_be"),
)
_SURROGATE_IN_UTF_8 = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_SAMPLE_BYTES = 1 << 16
_MIN_PRINTABLE = 0.98
_MIN_IN_TWO_BLOCKS = 0.9
_MIN_FREQUENT = 0.3
_PUNCTUATION = frozenset("、。，？！：；（）「」『』《》“” \n")


def encoding_of_mark(data: bytes) -> tuple[str, int] | None:
    """Return the encoding that a byte order mark names and the length of the mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return None


def detect_wide_encoding(data: bytes) -> str | None:
    """Return UTF-16 or UTF-32 if NUL bytes stand where their ASCII characters put them."""
    sample = data[:_SAMPLE_BYTES]
    if b"\0" not in sample or len(data) < 4:
        return None
    encoding = _encoding_by_zeros(data, sample)
    if encoding is None or not _is_printable(sample.decode(encoding, "replace")):
        return None
    return encoding


def _encoding_by_zeros(data: bytes, sample: bytes) -> str | None:
    zeros = [sample[offset::4].count(0) / max(1, len(sample[offset::4])) for offset in range(4)]
    if len(data) % 4 == 0 and min(zeros[1:]) > 0.6 and zeros[0] < 0.2 and zeros[3] > 0.95:
        return "utf_32_le"
    if len(data) % 4 == 0 and min(zeros[:3]) > 0.6 and zeros[3] < 0.2 and zeros[0] > 0.95:
        return "utf_32_be"
    even, odd = (zeros[0] + zeros[2]) / 2, (zeros[1] + zeros[3]) / 2
    if odd > 0.15 and even < odd / 10:
        return "utf_16_le"
    if even > 0.15 and odd < even / 10:
        return "utf_16_be"
    return None


def detect_wide_by_characters(data: bytes) -> str | None:
    """Return UTF-16 if the pairs of bytes spell text, though it holds few ASCII characters.

    Text in an alphabet keeps to its own and the ASCII block of characters; text in Chinese,
    Japanese or Korean has its frequent characters. The wrong byte order has neither.
    """
    sample = data[: _SAMPLE_BYTES // 8]
    if len(data) % 2 or len(data) < 4:
        return None
    best, best_share = None, 0.0
    for encoding in ("utf_16_le", "utf_16_be"):
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        share = _share_of_text(text)
        if share > best_share:
            best, best_share = encoding, share
    return best


def _share_of_text(text: str) -> float:
    """Return how much of the text is in few blocks or frequent, 0.0 if it cannot be text."""
    if not _is_printable(text):
        return 0.0
    blocks = Counter(ord(character) >> 8 for character in text)
    in_two_blocks = sum(count for _, count in blocks.most_common(2)) / len(text)
    frequent = ranks_of_encoding("utf_16").frequent
    n_frequent = sum(character in frequent or character in _PUNCTUATION for character in text)
    if blocks[0] and in_two_blocks >= _MIN_IN_TWO_BLOCKS and any(map(str.isalpha, text)):
        return in_two_blocks
    return n_frequent / len(text) if n_frequent >= _MIN_FREQUENT * len(text) else 0.0


def _is_printable(text: str) -> bool:
    n_printable = sum(character.isprintable() or character in "\r\n\t" for character in text)
    return n_printable >= _MIN_PRINTABLE * len(text)


def decode_cesu(data: bytes) -> str | None:
    """Return the text if it is UTF-8 but for surrogate pairs written as two characters."""
    if not _SURROGATE_IN_UTF_8.search(data):
        return None
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return text.encode("utf_16_le", "surrogatepass").decode("utf_16_le", "replace")


def split_by_validity(data: bytes) -> list[tuple[bytes, bool]]:
    """Return the lines, each with whether it is valid UTF-8, neighbours of a kind joined."""
    runs: list[tuple[bytes, bool]] = []
    for line in data.splitlines(keepends=True):
        is_valid = is_utf_8(line)
        if runs and runs[-1][1] == is_valid:
            runs[-1] = (runs[-1][0] + line, is_valid)
        else:
            runs.append((line, is_valid))
    return runs


def is_utf_8(data: bytes) -> bool:
    """Return whether the bytes are strictly valid UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def count_utf_8_sequences(data: bytes) -> int:
    """Return how many characters of two and more bytes are spelled as UTF-8 would."""
    return len(_MULTIBYTE.findall(data[:_SAMPLE_BYTES]))
