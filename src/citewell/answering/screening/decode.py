"""Find text that was encoded: nobody asks documents in Base64."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_MIN_LETTERS = 4
_MIN_TEXT_SHARE = 0.9
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[\s,:]?){8,}")
_BINARY = re.compile(r"(?:[01]{8}[\s,]?){4,}")
_DECIMAL = re.compile(r"(?:\b(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])\b[\s,]*){8,}")
_MORSE = re.compile(r"(?:[.\-\u2013\u2014\u00b7]{1,6}[ /|]+){6,}[.\-\u2013\u2014\u00b7]{1,6}")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});")
_ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})")
# English words that instructions to an assistant use, written backwards and in ROT13.
_BACKWARDS = re.compile(
    r"erongi|tegrof|dragersid|snoitcurtsn|tpmorp|drowssap|laever|rewsna|naelc|tcidrev",
    re.IGNORECASE,
)
_ROT13 = re.compile(
    r"\b(?:vtaber|sbetrg|qvfertneq|vafgehpgvbaf?|cebzcgf?|cnffjbeq|erirny|nafjre|irqvpg|irevqpg|flfgrz)\b",
    re.IGNORECASE,
)
_RIGHT_TO_LEFT = re.compile("[\u202e\u2067]")
_MORSE_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .--"
    " -..- -.-- --.."
)
_MORSE_LETTERS: dict[str, str] = dict(
    zip(re.split(" ", _MORSE_CODES), "abcdefghijklmnopqrstuvwxyz", strict=True)
)


def decodings(text: str) -> Iterator[tuple[str, str]]:
    """Yield each text that is encoded in `text`, with the name of its encoding."""
    for pattern, decode, name in _DECODERS:
        for found in pattern.finditer(text):
            decoded = decode(found.group())
            if decoded != found.group() and _is_text(decoded):
                yield decoded, name
    for pattern, unescape, name in _ESCAPES:
        if pattern.search(text):
            yield unescape(text), name
    if _ROT13.search(text):
        yield codecs.decode(text, "rot13"), "rot13"
    if _BACKWARDS.search(text) or _RIGHT_TO_LEFT.search(text):
        yield text[::-1], "backwards"


def _is_text(decoded: str) -> bool:
    n_text = sum(character.isprintable() or character.isspace() for character in decoded)
    n_letters = sum(map(str.isalpha, decoded))
    return n_letters >= _MIN_LETTERS and n_text >= _MIN_TEXT_SHARE * len(decoded)


def _from_base64(run: str) -> str:
    padded = run.rstrip("=").replace("-", "+").replace("_", "/")
    padded += "=" * (-len(padded) % 4)
    try:
        return base64.b64decode(padded).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(run: str) -> str:
    digits = re.sub(r"0x|\\x|[\s,:]", "", run)
    return _from_bytes(digits[: len(digits) // 2 * 2], base=16, width=2)


def _from_binary(run: str) -> str:
    return _from_bytes(re.sub(r"[\s,]", "", run), base=2, width=8)


def _from_bytes(digits: str, *, base: int, width: int) -> str:
    octets = bytes(int(digits[at : at + width], base) for at in range(0, len(digits), width))
    return octets.decode("utf-8", "replace").replace("\ufffd", "\0")


def _from_decimal(run: str) -> str:
    return "".join(chr(int(number)) for number in re.findall(r"\d+", run))


def _from_morse(run: str) -> str:
    run = re.sub("[\u2013\u2014]", "-", run).replace("\u00b7", ".")
    words = re.split(r"\s*[/|]\s*| {2,}", run)
    return " ".join(
        "".join(_MORSE_LETTERS.get(code, "") for code in word.split()) for word in words
    )


def _from_escapes(run: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found.group(1) or found.group(2), 16)), run)


_DECODERS: tuple[tuple[re.Pattern[str], Callable[[str], str], str], ...] = (
    (_BASE64, _from_base64, "base64"),
    (_HEX, _from_hex, "hexadecimal"),
    (_BINARY, _from_binary, "binary"),
    (_DECIMAL, _from_decimal, "decimal"),
    (_MORSE, _from_morse, "morse"),
)
_ESCAPES: tuple[tuple[re.Pattern[str], Callable[[str], str], str], ...] = (
    (_PERCENT, unquote, "percent"),
    (_ENTITY, html.unescape, "entities"),
    (_ESCAPED, _from_escapes, "escapes"),
)
