"""Count an embedder's tokens fast, by remembering the counts of words."""

from __future__ import annotations

import functools
from collections.abc import Callable

# About 20 MB of words; counting starts afresh beyond it.
_MAX_WORDS = 100_000
_MAX_WORD_LENGTH = 40

# Longer words of more different characters are data in letters; E5 would take ten microseconds a
# character to count them. Lines of dashes are not: a token is sixteen of them.
_LONG_WORD = 200
_FEW_CHARACTERS = 8


@functools.lru_cache(maxsize=4)
def count_by_words(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return a counter that asks `count` once per distinct word and adds up.

    Tokenizers of embedders (SentencePiece, WordPiece) never join words across white space, so the
    sum is what `count` gives for the whole text; for those that do join, it is a few tokens more.
    E5 needs 10 microseconds a token for whole texts, and 0.1 for a word that was seen before.

    Args:
        count: Tokens of a text, with whatever the model adds to each text (prompt, end marks).
    """
    added = max(0, min(count(""), 2 * count("a") - count("a a")))
    size_of = _WordSizes(count, added).__getitem__

    def count_words(text: str) -> int:
        return added + sum(map(size_of, text.split()))

    return count_words


class _WordSizes(dict[str, int]):
    """Tokens by word; asks for those that are missing."""

    def __init__(self, count: Callable[[str], int], added: int) -> None:
        super().__init__()
        self._count = count
        self._added = added

    def __missing__(self, word: str) -> int:
        if len(word) > _LONG_WORD and word.isascii() and len(set(word)) > _FEW_CHARACTERS:
            return len(word) + 1  # the most that any tokenizer makes of it
        size = max(0, self._count(word) - self._added)
        if len(word) <= _MAX_WORD_LENGTH:
            if len(self) >= _MAX_WORDS:
                self.clear()
            self[word] = size
        return size
