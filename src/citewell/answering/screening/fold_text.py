"""One spelling for the many ways to write the same words; for the guards' eyes only."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from citewell.domain.visible_text import clean_text, unusual_characters

# Pairs of a letter, in lower case, and the Latin one that a reader takes it for: Cyrillic, Greek,
# Armenian, phonetic.
_LOOKALIKE_PAIRS = (
    "аaвbсcԁdеeғfԍgнhһhіiјjкkӏlмmпnоoрpԛqгrѕsтtцuѵvѡwхxуyзzьb"
    "αaβbγyδdεeηnιiκkνvοoρpσoςcτtυuχxωwϲcϳj"
    "աwոnսuցgօoեeіiզqհhքp"
    "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢzɑaɡgɩi"
)
_LOOKALIKES = str.maketrans(_LOOKALIKE_PAIRS[::2], _LOOKALIKE_PAIRS[1::2])
_LOOKALIKES_OF_BOTH_CASES = _LOOKALIKES | {
    ord(letter.upper()): latin.upper()
    for letter, latin in zip(_LOOKALIKE_PAIRS[::2], _LOOKALIKE_PAIRS[1::2], strict=True)
    if len(letter.upper()) == 1
}
_NAMED_LETTER = re.compile(r".*\b(?:LETTER|CAPITAL|SYMBOL LETTER) ([A-Z])(?: WITH .*)?$")
_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc\u00b4`\u2032]")
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_BETWEEN_IDEOGRAPHS = re.compile(
    f"(?<=[{_IDEOGRAPHS}])[\\s\u00b7*_.\\-|/~+#^]{{1,4}}(?=[{_IDEOGRAPHS}])"
)
_UNSEEN = ("Cf", "Cc", "Cn", "Co", "Cs")
TAGS = re.compile("[\U000e0020-\U000e007e]{2,}")
FLAG_WITH_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")


def fold_text(text: str, *, unseen: str = "") -> str:
    """Return `text` in lower case without accents, apostrophes and what cannot be seen.

    Wide, styled and enclosed letters become plain ones, `_` and blanks a space; blanks between
    ideographs go. `unseen` stands for each run of what cannot be seen.
    """
    if not unusual_characters(text):
        return _APOSTROPHES.sub("", text.lower()).replace("_", " ")
    if unseen:
        text = "".join(unseen if _is_unseen(character) else character for character in text)
    text = unicodedata.normalize("NFKC", clean_text(text)[0])
    text = "".join(_plain(character) for character in text)
    text = strip_marks(text.casefold())
    text = _APOSTROPHES.sub("", text).replace("_", " ")
    return _BETWEEN_IDEOGRAPHS.sub("", text)


def fold_exactly(text: str) -> str:
    """Return `text` like `fold_text`, but with accents and dotless i: they tell words apart."""
    text = unicodedata.normalize("NFKC", clean_text(text)[0])
    text = "".join(_plain(character) for character in text).replace("\u0130", "i")
    text = _APOSTROPHES.sub("", text.lower()).replace("_", " ")
    return _BETWEEN_IDEOGRAPHS.sub("", text)


def strip_marks(text: str) -> str:
    """Return `text` without accents and other marks on Latin, Greek and Cyrillic letters."""
    if text.isascii():
        return text
    bare = _MARKS.sub("", unicodedata.normalize("NFD", text)).replace("\u0131", "i")
    return unicodedata.normalize("NFC", bare)


def latinize(folded: str) -> str:
    """Return folded text with letters that look like Latin ones replaced by them."""
    return folded.translate(_LOOKALIKES)


def plain_letters(text: str) -> str:
    """Return `text` as it is read, with styled letters and look-alikes as Latin ones, same case."""
    text = unicodedata.normalize("NFKC", clean_text(text)[0])
    return text.translate(_LOOKALIKES_OF_BOTH_CASES)


def with_tags_read(text: str, *, border: str = "") -> str:
    """Return `text` with tag characters as the letters that they spell; those of flags go.

    `border` is put before and behind each run of them.
    """

    def read(run: re.Match[str]) -> str:
        return border + "".join(chr(ord(tag) - 0xE0000) for tag in run.group()) + border

    return TAGS.sub(read, FLAG_WITH_TAGS.sub("", text))


@lru_cache(maxsize=4_096)
def _is_unseen(character: str) -> bool:
    return character not in "\n\t\r" and (
        unicodedata.category(character) in _UNSEEN or not clean_text(character)[0]
    )


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    """Return the letter that the character's name says it is, or the character, or ""."""
    if character < "\u0080":
        return character
    if _is_unseen(character):
        return ""
    if unicodedata.decomposition(character):
        return character
    name = unicodedata.name(character, "")
    found = _NAMED_LETTER.match(name)
    is_other_letter = not name.startswith(("LATIN", "NEGATIVE", "REGIONAL", "SQUARED", "CIRCLED"))
    return character if found is None or is_other_letter else found.group(1).lower()
