"""Encodings that hide other scripts in plain ASCII bytes: ISO-2022, HZ and UTF-7."""

from __future__ import annotations

import base64
import binascii
import re

_ISO_2022 = {
    b"\x1b$B": "iso2022_jp_2",
    b"\x1b$@": "iso2022_jp_2",
    b"\x1b$(D": "iso2022_jp_2",
    b"\x1b(J": "iso2022_jp_2",
    b"\x1b(I": "iso2022_jp_3",
    b"\x1b$)C": "iso2022_kr",
}
_HZ_RUN = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_UTF_7_RUN = re.compile(rb"\+([A-Za-z0-9+/]*)(-?)")
_MIN_UTF_7_RUNS = 2


def detect_seven_bit_encoding(data: bytes) -> str | None:
    """Return the encoding if these ASCII bytes are more than ASCII, else None."""
    for escape, encoding in _ISO_2022.items():
        if escape in data and _decodes(data, encoding):
            return encoding
    if _HZ_RUN.search(data) and _decodes(data, "hz"):
        return "hz"
    if _is_utf_7(data):
        return "utf_7"
    return None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _is_utf_7(data: bytes) -> bool:
    """Return whether every `+` starts a well-formed run of letters beyond ASCII (RFC 2152).

    Source code, phone numbers and base64 also hold `+`; a single run that is not UTF-7 settles it.
    """
    n_runs = 0
    for run in _UTF_7_RUN.finditer(data):
        encoded, dash = run.groups()
        if not encoded:
            if not dash:
                return False
            continue
        if not _encodes_letters(encoded):
            return False
        n_runs += 1
    return n_runs >= _MIN_UTF_7_RUNS and _decodes(data, "utf_7")


def _encodes_letters(encoded: bytes) -> bool:
    padded = encoded + b"=" * (-len(encoded) % 4)
    try:
        units = base64.b64decode(padded, validate=True)
        text = units[: len(units) // 2 * 2].decode("utf_16_be")
    except (binascii.Error, UnicodeDecodeError):
        return False
    leftover = units[len(units) // 2 * 2 :]
    is_foreign = any(ord(character) > 0x7F for character in text)
    return bool(text) and is_foreign and not any(leftover) and text.isprintable()
