"""Say whether a text is small enough to be one chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from citewell.ingestion.embedder_tokens import count_by_words
from citewell.ingestion.tokens import count_tokens
from citewell.ports.embedder import Embedder

# Embedder tokens per cl100k token where the embedder cannot be asked. E5 on windows of 1,200
# characters: median 1.07 (annual reports) to 1.25 (Python), highest of 1,400 windows 1.72 (HTML).
_ASSUMED_RATIO = 1.75

# What a model adds to each text: prompt, start and end.
_ADDED_TOKENS = 8

# Left free for the file name where a document has no title.
_NAME_TOKENS = 24


class Size(NamedTuple):
    """How large a text is.

    Attributes:
        tokens: Of `cl100k_base`.
        embedder_tokens: Of the embedder, or an upper bound; 0 without an embedder.
    """

    tokens: int
    embedder_tokens: int

    def plus(self, other: Size) -> Size:
        """Return the size of two texts together: at most one token more for the seam."""
        return Size(
            self.tokens + other.tokens + 1, self.embedder_tokens + other.embedder_tokens + 1
        )


@dataclass(frozen=True, slots=True)
class EmbedderLimit:
    """The longest passage that an embedder reads whole.

    Attributes:
        max_tokens: In its own tokens, prompt and end marks included.
        count: Tokens of a text, or an upper bound; None where only the limit is known.
    """

    max_tokens: int
    count: Callable[[str], int] | None = None

    @classmethod
    def of(cls, embedder: Embedder | None) -> EmbedderLimit | None:
        """Return the limit of an embedder that can be asked; None without one."""
        return cls(embedder.model.max_tokens, embedder.count_tokens) if embedder else None

    def size(self, text: str, n_tokens: int) -> int:
        """Return the embedder's tokens of a text that has `n_tokens`, or an upper bound."""
        # No tokenizer makes more tokens than bytes of UTF-8, but for what it adds.
        n_bytes = len(text) * (1 if text.isascii() else 4) + _ADDED_TOKENS
        if n_bytes <= self.max_tokens // 2:
            return n_bytes
        if self.count is None:
            return ceil(n_tokens * _ASSUMED_RATIO) + _ADDED_TOKENS
        return count_by_words(self.count)(text)

    def reserve(self, *, title: str, heading_path: tuple[str, ...]) -> int:
        """Return the tokens that title and headings take, at most half of the limit."""
        prefix = " › ".join((title, *heading_path))
        size = self.size(prefix, count_tokens(prefix)) + (0 if title else _NAME_TOKENS)
        return min(size, self.max_tokens // 2)


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """What no chunk of a section may exceed.

    Attributes:
        max_tokens: In `cl100k_base` tokens.
        embedder: Of the embedder in use, or None.
        reserved: Embedder tokens taken by title and headings.
    """

    max_tokens: int
    embedder: EmbedderLimit | None = None
    reserved: int = 0

    def measure(self, text: str, n_tokens: int) -> Size:
        """Return the size of a text that has `n_tokens`."""
        if self.embedder is None or n_tokens > self.max_tokens:
            return Size(n_tokens, 0)
        return Size(n_tokens, self.embedder.size(text, n_tokens))

    def allows(self, size: Size) -> bool:
        """Return whether a text of this size may be one chunk."""
        if size.tokens > self.max_tokens:
            return False
        if self.embedder is None:
            return True
        return size.embedder_tokens <= self.embedder.max_tokens - self.reserved

    def fits(self, text: str, n_tokens: int) -> bool:
        """Return whether a text that has `n_tokens` may be one chunk."""
        return self.allows(self.measure(text, n_tokens))
