"""In which script a text is written."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Literal

Script = Literal[
    "latin",
    "cyrillic",
    "greek",
    "arabic",
    "hebrew",
    "indic",
    "thai",
    "han",
    "kana",
    "hangul",
    "none",
]

# An ideograph stands for about three letters.
_LETTERS: tuple[tuple[Script, re.Pattern[str], int], ...] = (
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"), 1),
    ("cyrillic", re.compile("[\u0400-\u052f]"), 1),
    ("greek", re.compile("[\u0370-\u03ff]"), 1),
    ("arabic", re.compile("[\u0620-\u06ff]"), 1),
    ("hebrew", re.compile("[\u05d0-\u05ea]"), 1),
    ("indic", re.compile("[\u0900-\u0dff]"), 1),
    ("thai", re.compile("[\u0e00-\u0e7f]"), 1),
    ("han", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"), 3),
    ("kana", re.compile("[\u3040-\u30ff]"), 3),
    ("hangul", re.compile("[\uac00-\ud7af]"), 3),
)
_EXAMINED_CHARACTERS = 2_000
_KANA_SHARE = 0.1


def dominant_script(text: str) -> Script:
    """Return the script of most of the text's start; Japanese is `kana`, without letters `none`."""
    start = text[:_EXAMINED_CHARACTERS]
    if start.isascii():
        return "latin" if any(c.isalpha() for c in start) else "none"
    weights: dict[Script, int] = {script: 0 for script, _, _ in _LETTERS}
    for character, count in Counter(start).items():
        script, weight = _script_of(character)
        weights[script] = weights.get(script, 0) + weight * count
    if weights["kana"] > _KANA_SHARE * weights["han"]:
        weights["kana"] += weights.pop("han")
    best = max(weights, key=lambda script: weights[script])
    return best if weights[best] else "none"


@lru_cache(maxsize=4_096)
def _script_of(character: str) -> tuple[Script, int]:
    for script, letters, weight in _LETTERS:
        if letters.match(character):
            return script, weight
    return "none", 0
