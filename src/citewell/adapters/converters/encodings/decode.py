"""Read the bytes of a text file, whatever its encoding."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.adapters.converters.encodings.ebcdic import detect_ebcdic
from citewell.adapters.converters.encodings.languages import LANGUAGES_OF_ENCODING
from citewell.adapters.converters.encodings.score import (
    EAST_ASIAN_ENCODINGS,
    WIDE_ENCODINGS,
    score_decoding,
)
from citewell.adapters.converters.encodings.seven_bit import detect_seven_bit_encoding
from citewell.adapters.converters.encodings.unicode_forms import (
    count_utf_8_sequences,
    decode_cesu,
    detect_wide_by_characters,
    detect_wide_encoding,
    encoding_of_mark,
    is_utf_8,
    split_by_validity,
)
from citewell.domain.errors import UnsupportedDocumentError

_SAMPLE_BYTES = 6_000
_MAX_CONTROL_SHARE = 0.02
_MAX_NUL_SHARE = 0.3
_MIN_SEQUENCES_OF_MIXED = 2
_CONTROLS = bytes([*range(1, 9), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text and how it was read.

    Attributes:
        text: As the bytes spell it; not yet cleaned.
        encoding: Name of the Python codec; `utf_8` for ASCII.
        note: What the operator should know, or "".
    """

    text: str
    encoding: str
    note: str = ""


def decode_text(data: bytes) -> DecodedText:
    """Return the text of a plain text file, its encoding taken from the bytes alone.

    Tried in this order: byte order mark, UTF-16 and UTF-32 by their NUL bytes, encodings in ASCII
    bytes, UTF-8, EBCDIC, UTF-8 lines mixed with others, and then the legacy encoding whose
    decoding looks most like a language.

    Raises:
        UnsupportedDocumentError: The bytes are not text.
    """
    marked = encoding_of_mark(data)
    if marked:
        return _decode_as(data[marked[1] :], marked[0])
    encoding = _certain_encoding(data)
    if encoding:
        return _decode_as(data, encoding)
    cesu = decode_cesu(data)
    if cesu is not None:
        return DecodedText(cesu, "utf_8")
    return _decode_damaged_or_mixed(data) or _decode_legacy(data)


def _certain_encoding(data: bytes) -> str | None:
    """Return the encoding if the bytes prove it.

    Raises:
        UnsupportedDocumentError: The bytes are not text.
    """
    encoding = detect_wide_encoding(data)
    if encoding is None and data.isascii():
        encoding = detect_seven_bit_encoding(data)
    if encoding:
        return encoding
    if _is_binary(data):
        encoding = detect_ebcdic(data) or detect_wide_by_characters(data)
        if encoding is None:
            message = "the content is binary data of an unknown type, not text"
            raise UnsupportedDocumentError(message)
        return encoding
    return "utf_8" if is_utf_8(data) else detect_ebcdic(data)


def detect_legacy_encoding(data: bytes) -> tuple[str, float]:
    """Return the likeliest legacy encoding of bytes that are not UTF-8, and its score.

    The score is the mean over the bytes beyond ASCII; above 0 it is plausible.
    """
    sample = _sample(data)
    best, best_score = "cp1252", float("-inf")
    for encoding in (*LANGUAGES_OF_ENCODING, *EAST_ASIAN_ENCODINGS, *WIDE_ENCODINGS):
        if encoding in WIDE_ENCODINGS and len(data) % 2:
            continue
        text = _decode_sample(sample if encoding not in WIDE_ENCODINGS else data, encoding)
        if text is None:
            continue
        score = score_decoding(text, encoding)
        if score > best_score:
            best, best_score = encoding, score
    return best, best_score / max(1, len(_BEYOND_ASCII.findall(sample)))


def _decode_as(data: bytes, encoding: str) -> DecodedText:
    text = data.decode(encoding, "replace")
    n_bad = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if encoding == "utf_8" else 0)
    note = f"{n_bad} places are not valid {encoding.replace('_', '-')}" if n_bad > 0 else ""
    return DecodedText(text, encoding, note)


def _is_binary(data: bytes) -> bool:
    n_bytes = max(1, len(data))
    n_controls = n_bytes - len(data.translate(None, _CONTROLS))
    return n_controls / n_bytes > _MAX_CONTROL_SHARE or data.count(0) / n_bytes > _MAX_NUL_SHARE


def _decode_damaged_or_mixed(data: bytes) -> DecodedText | None:
    """Return UTF-8 with a few broken places, or with lines in another encoding; else None."""
    n_good = count_utf_8_sequences(data)
    if n_good < _MIN_SEQUENCES_OF_MIXED:
        return None
    n_bad = data.decode("utf-8", "replace").count("\ufffd")
    if n_bad * 20 <= n_good:
        return _decode_as(data, "utf_8")
    runs = split_by_validity(data)
    valid = b"".join(run for run, is_valid in runs if is_valid)
    if count_utf_8_sequences(valid) < _MIN_SEQUENCES_OF_MIXED:
        return None
    others = b"".join(run for run, is_valid in runs if not is_valid)
    encoding, score = detect_legacy_encoding(others)
    if score <= 0:
        return None
    parts = [run.decode("utf-8" if is_valid else encoding, "replace") for run, is_valid in runs]
    note = f"some lines are UTF-8 and some are {encoding}"
    return DecodedText("".join(parts), "utf_8", note)


def _decode_legacy(data: bytes) -> DecodedText:
    encoding, score = detect_legacy_encoding(data)
    if score <= 0:
        encoding = _second_opinion(data) or encoding
    decoded = _decode_as(data, encoding)
    if score > 0:
        return decoded
    return DecodedText(decoded.text, encoding, f"the encoding is uncertain, read as {encoding}")


def _second_opinion(data: bytes) -> str | None:
    """Ask a library that knows more encodings and needs more text than we do."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[: _SAMPLE_BYTES * 4]).best()
    return best.encoding if best else None


def _sample(data: bytes) -> bytes:
    """Return the first lines that hold bytes beyond ASCII, whole lines where possible."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    sample = bytearray()
    for line in data[: _SAMPLE_BYTES * 100].split(b"\n"):
        if _BEYOND_ASCII.search(line):
            sample += line[:_SAMPLE_BYTES] + b"\n"
        if len(sample) >= _SAMPLE_BYTES:
            break
    return bytes(sample[:_SAMPLE_BYTES]) or data[:_SAMPLE_BYTES]


def _decode_sample(sample: bytes, encoding: str) -> str | None:
    """Decode strictly, but allow for a character cut off at the end of the sample."""
    for cut in range(4):
        try:
            return sample[: len(sample) - cut].decode(encoding)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:
                return None
    return None
