"""Which writing system a text is in."""

from __future__ import annotations

import re
from typing import Literal

WritingSystem = Literal[
    "latin",
    "cyrillic",
    "greek",
    "arabic",
    "hebrew",
    "indic",
    "southeast_asian",
    "korean",
    "chinese",
]

_LETTERS: dict[WritingSystem, re.Pattern[str]] = {
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "arabic": re.compile("[\u0620-\u06ff]"),
    "hebrew": re.compile("[\u05d0-\u05ea]"),
    "indic": re.compile("[\u0900-\u0dff]"),
    "southeast_asian": re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"),
    "korean": re.compile("[\uac00-\ud7af]"),
    "chinese": re.compile("[\u3041-\u30ff\u3400-\u9fff]"),  # Japanese counts as Chinese
}
_WEIGHTS: dict[WritingSystem, int] = {"korean": 2, "chinese": 3}  # letters that one sign is worth


def writing_system_of(text: str) -> WritingSystem | None:
    """Return the writing system that most of a text is in, or None if there is no letter.

    A Chinese sentence with a few Latin names is Chinese. Ties go to the first in the order above.
    """
    if text.isascii():
        return "latin" if any(c.isalpha() for c in text) else None
    best: tuple[int, WritingSystem | None] = (0, None)
    for system, letters in _LETTERS.items():
        n_letters = _WEIGHTS.get(system, 1) * len(letters.findall(text))
        if n_letters > best[0]:
            best = (n_letters, system)
    return best[1]
