"""Find how much of the text before a chunk is repeated at its start."""

from __future__ import annotations

from citewell.domain.document import Span
from citewell.ingestion.pieces import line_starts, paragraph_starts, sentence_starts
from citewell.ingestion.tokens import count_tokens

# The most characters that a token of prose has on average; bounds how far back is looked.
_CHARACTERS_PER_TOKEN = 8


def overlap_starts(text: str, before: Span, *, max_tokens: int) -> list[int]:
    """Return where an overlap may start: whole sentences within `max_tokens`, longest first.

    Lines take the place of sentences in text that has none, such as tables in a PDF.

    Args:
        text: The document's text.
        before: From the first character that may be repeated to the start of the chunk.
        max_tokens: Of the repeated text.
    """
    first, end = before
    start = max(first, end - max_tokens * _CHARACTERS_PER_TOKEN)
    if start >= end or max_tokens <= 0:
        return []
    whole = [first] if start == first else []
    paragraphs = paragraph_starts(text, start, end)
    sentences = sorted({*whole, *paragraphs, *sentence_starts(text, start, end)} - {end})
    return _within(text, sentences, end, max_tokens) or _within(
        text, line_starts(text, start, end), end, max_tokens
    )


def unfinished_sentence(text: str, before: Span, *, max_tokens: int) -> list[int]:
    """Return where the sentence starts that the end of `before` leaves unfinished, or nothing."""
    first, end = before
    last = text[first:end].rstrip()[-1:]
    follows = text[end : end + 100].lstrip()[:1]
    if not follows.islower() or not (last.isalnum() or last in ",;-–—"):
        return []
    return overlap_starts(text, before, max_tokens=max_tokens)[-1:]


def _within(text: str, starts: list[int], end: int, max_tokens: int) -> list[int]:
    fitting: list[int] = []
    size, stop = 0, end
    for start in reversed(starts):
        size += count_tokens(text[start:stop])
        if size > max_tokens:
            break
        fitting.append(start)
        stop = start
    return fitting[::-1]
