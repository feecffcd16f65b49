"""Count tokens: of `cl100k_base`, and of an embedder whose own counting is slow."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

# About 40 MB of words; counting starts afresh beyond it.
_MAX_WORDS = 200_000


def count_tokens(text: str) -> int:
    """Return how many `cl100k_base` tokens `text` has.

    Names of special tokens such as `<|endoftext|>` are ordinary text. Lone surrogates count as the
    replacement character. Needs no network: the vocabulary comes with the wheel.
    """
    try:
        return _counter()(text)
    except UnicodeEncodeError:
        return _counter()(text.encode("utf-8", "replace").decode())


@functools.cache
def _counter() -> Callable[[str], int]:
    # The public `Encoding.encode` refuses names of special tokens; the binding below it is also
    # faster. The import is late because it loads a vocabulary of 100,000 entries.
    bindings = importlib.import_module("bpe_openai._bindings")
    count: Callable[[str], int] = bindings.tokenizer_for_encoding("cl100k_base").count
    return count


@functools.lru_cache(maxsize=4)
def count_by_words(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return a counter that asks `count` once per distinct word and adds up.

    Tokenizers of embedders (SentencePiece, WordPiece) never join words across white space, so the
    sum is what `count` gives for the whole text. For a tokenizer that does join them it is, but for
    single tokens, an upper bound. E5 needs 10 microseconds a token for whole texts and 0.1 for
    words seen before.

    Args:
        count: Tokens of a text, with whatever the model adds to each text (prompt, end marks).
    """
    added = max(0, min(count(""), 2 * count("a") - count("a a")))
    sizes: dict[str, int] = {}

    def size_of(word: str) -> int:
        size = sizes.get(word)
        if size is None:
            if len(sizes) >= _MAX_WORDS:
                sizes.clear()
            size = sizes[word] = max(0, count(word) - added)
        return size

    def count_words(text: str) -> int:
        return added + sum(map(size_of, text.split()))

    return count_words
