"""Say whether a text is small enough to be one chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citewell.ingestion.tokens import count_by_words, count_tokens

# Embedder tokens per cl100k token where the embedder cannot be asked. E5 on windows of 1,200
# characters: median 1.07 (annual reports) to 1.25 (Python), highest of 1,400 windows 1.72 (HTML).
_ASSUMED_RATIO = 1.75

# Left free for the file name where a document has no title.
_NAME_TOKENS = 24


@dataclass(frozen=True, slots=True)
class EmbedderLimit:
    """The longest passage that an embedder reads whole.

    Attributes:
        max_tokens: In its own tokens, prompt and end marks included.
        count: Tokens of a text; None where only the limit is known.
    """

    max_tokens: int
    count: Callable[[str], int] | None = None

    def fits(self, text: str, *, reserved: int) -> bool:
        """Return whether `text` fits beside `reserved` tokens; nothing over the limit does."""
        room = self.max_tokens - reserved
        # No tokenizer makes more tokens than UTF-8 bytes, but for what it adds to each text.
        if len(text) * 4 + 8 <= room:
            return True
        return self._size(text) <= room

    def reserve(self, *, title: str, heading_path: tuple[str, ...]) -> int:
        """Return the tokens that title and headings take, at most half of the limit."""
        prefix = " › ".join((title, *heading_path))
        size = self._size(prefix) + (0 if title else _NAME_TOKENS)
        return min(size, self.max_tokens // 2)

    def _size(self, text: str) -> int:
        if self.count is None:
            return round(count_tokens(text) * _ASSUMED_RATIO)
        return count_by_words(self.count)(text)


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """Both limits for the chunks of one section.

    Attributes:
        max_tokens: In `cl100k_base` tokens.
        embedder: Of the embedder in use, or None.
        reserved: Embedder tokens taken by title and headings.
    """

    max_tokens: int
    embedder: EmbedderLimit | None = None
    reserved: int = 0

    def fits(self, text: str, n_tokens: int) -> bool:
        """Return whether a text of `n_tokens` may be one chunk."""
        if n_tokens > self.max_tokens:
            return False
        return self.embedder is None or self.embedder.fits(text, reserved=self.reserved)
