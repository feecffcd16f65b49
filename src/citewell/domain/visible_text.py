"""What of a text a reader can see."""

from __future__ import annotations

import re

_LINE_END = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")

# Scripts whose spelling needs the zero-width joiner and non-joiner.
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
)
_EMOJI = re.compile("[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]")
_KEYCAP = frozenset("0123456789#*")

# One class without alternatives: this runs over every character of every document.
_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x1f\x7f-\x9f"  # control characters but tab and line end
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, direction, deprecated
    "\u3164\uffa0\ufeff\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef"  # fillers, not characters
    "\ufe00-\ufe0f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # variants, shorthand, music
    "\U000e0000-\U000e0fff"  # tags and further variants: they can spell hidden words
    "\ud800-\udfff"  # halves of characters
    "]"
)
_USUAL_BYTES = bytes([0x09, 0x0A, *range(0x20, 0x7F)])


def clean_text(text: str) -> tuple[str, int]:
    r"""Return the text with `\n` line ends and without invisible characters, and their number.

    Removed are control, zero-width, direction (bidi), tag and filler characters, lone
    surrogates and code points that are not characters. Joiners stay where a script or an emoji
    needs them. Tab, line end and all visible characters stay.
    """
    unusual = unusual_characters(text)
    if _LINE_END.search(unusual):
        text = _LINE_END.sub("\n", text)
    if not _INVISIBLE.search(unusual):
        return text, 0
    cleaned = _INVISIBLE.sub(_kept, text)
    return cleaned, len(text) - len(cleaned)


def unusual_characters(text: str) -> str:
    r"""Return the characters other than visible ASCII, space, tab and `\n`, in order.

    Most text has few, and taking them out as bytes costs a tenth of a regular expression over all.
    """
    encoded = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_BYTES)
    return encoded.decode("utf-8", "surrogatepass")


def _kept(found: re.Match[str]) -> str:
    """Return the character if its neighbours need it, else ""."""
    character, text = found.group(), found.string
    before = text[found.start() - 1 : found.start()]
    after = text[found.end() : found.end() + 1]
    if character in "\u200c\u200d" and _JOINING.match(before) and _JOINING.match(after):
        return character
    if character == "\u200d" and _EMOJI.match(before) and _EMOJI.match(after):
        return character
    if character in "\ufe0e\ufe0f" and (_EMOJI.match(before) or before in _KEYCAP):
        return character
    return ""
