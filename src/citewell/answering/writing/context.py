"""What a language model is given to read: numbered passages, as data, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from citewell.answering.checking.passage_text import clean_passage_text
from citewell.domain.passage import Passage
from citewell.ingestion.tokens import count_tokens

TRUNCATED = "[truncated]"


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A passage as the model reads it.

    Attributes:
        number: By which it is cited, from 1.
        passage: Whose text it is.
        text: Four labelled lines, the last of which may go on over several.
    """

    number: int
    passage: Passage
    text: str


def assemble_context(passages: Sequence[Passage], *, token_budget: int) -> list[ContextBlock]:
    """Return the passages as numbered blocks that fit a budget together.

    They come in order of their rank; those of one rank by source, heading path and ordinal. The
    same text under the same heading of the same source stands once. Text is cleaned of what would
    pass for a part of the prompt. A block that does not fit is left out, and smaller ones after it
    are still taken; a first block that is too big alone is cut and marked `[truncated]`.

    Args:
        passages: In any order.
        token_budget: `cl100k_base` tokens, at least 1.
    """
    blocks: list[ContextBlock] = []
    left = token_budget
    for passage in _once_each(passages):
        number = len(blocks) + 1
        text = _block_text(number, passage)
        n_tokens = count_tokens(text)
        if n_tokens > left and not blocks:
            text = _cut(text, left)
            n_tokens = left
        if n_tokens <= left:
            blocks.append(ContextBlock(number, passage, text))
            left -= n_tokens
    return blocks


def context_text(blocks: Sequence[ContextBlock]) -> str:
    """Return the blocks as one text, a blank line between them."""
    return "\n\n".join(block.text for block in blocks)


def _once_each(passages: Sequence[Passage]) -> list[Passage]:
    ordered = sorted(passages, key=_order)
    seen: set[tuple[str, tuple[str, ...], bytes]] = set()
    kept: list[Passage] = []
    for passage in ordered:
        chunk = passage.chunk
        content = sha256(passage.content.encode("utf-8", "replace")).digest()
        key = (chunk.source_name, chunk.heading_path, content)
        if key not in seen:
            seen.add(key)
            kept.append(passage)
    return kept


def _order(passage: Passage) -> tuple[int, str, str, tuple[str, ...], int]:
    chunk = passage.chunk
    place = (chunk.source_name, chunk.relative_path, chunk.heading_path, chunk.ordinal)
    return (passage.rank, *place)


def _block_text(number: int, passage: Passage) -> str:
    chunk = passage.chunk
    headings = " › ".join(_one_line(heading) for heading in chunk.heading_path)
    return (
        f"[{number}] source: {_one_line(chunk.relative_path)}\n"
        f"heading: {headings or _one_line(chunk.title)}\n"
        f"score: {passage.score or 0.0:.4f}\n"
        f"content: {clean_passage_text(passage.content).strip()}"
    )


def _one_line(text: str) -> str:
    return " ".join(clean_passage_text(text).split())


def _cut(text: str, n_tokens: int) -> str:
    """Return the longest beginning that fits with the mark; half the characters at a time."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(f"{text[:middle]} {TRUNCATED}") <= n_tokens:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low]} {TRUNCATED}".strip()
