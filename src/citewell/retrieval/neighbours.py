"""Merging neighbouring chunks of one section into one passage."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell.domain.document import Span
from citewell.domain.passage import Passage, VisibleChunk


def merge_neighbours(
    ranked: Sequence[VisibleChunk], *, top_k: int, scores: Mapping[int, float]
) -> list[Passage]:
    """Return at most `top_k` passages, best first.

    Chunks that follow each other in one section become one passage at the rank of the better one;
    a passage's score is the best of its chunks'.

    Args:
        ranked: Best first, each chunk once; what lies beyond `top_k` is used for merging only.
        top_k: At least 1.
        scores: Cosine similarity by chunk key; missing where there is no vector yet.
    """
    groups: list[list[VisibleChunk]] = []
    for chunk in ranked:
        touching = [group for group in groups if any(_are_neighbours(chunk, c) for c in group)]
        if touching:
            first, *others = touching  # it may be what lay between two groups
            first.extend([chunk, *itertools.chain(*others)])
            groups = [group for group in groups if group not in others]
        elif len(groups) < top_k:
            groups.append([chunk])
    return [_passage(group, rank, scores) for rank, group in enumerate(groups, 1)]


def _are_neighbours(a: VisibleChunk, b: VisibleChunk) -> bool:
    return (
        a.document_key == b.document_key
        and a.heading_path == b.heading_path
        and abs(a.ordinal - b.ordinal) == 1
    )


def _passage(group: Sequence[VisibleChunk], rank: int, scores: Mapping[int, float]) -> Passage:
    best = group[0]
    chunks = sorted(group, key=lambda chunk: chunk.ordinal)
    found = [scores[chunk.chunk_key] for chunk in chunks if chunk.chunk_key in scores]
    merged = _merge_text(chunks)
    return Passage(
        rank=rank,
        chunk=best,
        content=merged.content,
        span=merged.span,
        score=max(0.0, min(1.0, max(found))) if found else None,
        page_start=chunks[0].page_start,
        page_end=chunks[-1].page_end,
        chunks=tuple(chunks),
    )


@dataclass(frozen=True, slots=True)
class _MergedText:
    content: str
    span: Span


def _merge_text(chunks: Sequence[VisibleChunk]) -> _MergedText:
    """Join chunks in order of the document: overlaps once, gaps as white space of their length."""
    content = chunks[0].content
    start, end = chunks[0].span
    for chunk in chunks[1:]:
        chunk_start, chunk_end = chunk.span
        text = chunk.content[len(chunk.content) - (chunk_end - chunk_start) :]
        if chunk_start > end:
            content += "\n" * min(2, chunk_start - end) + " " * max(0, chunk_start - end - 2)
        content += text[max(0, end - chunk_start) :]
        end = max(end, chunk_end)
    return _MergedText(content, (start, end))
