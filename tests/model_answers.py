"""Answers as a language model might have written them, for tests that remember some."""

from __future__ import annotations

from citewell.answering.citing.place import document_span
from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.domain.passage import VisibleChunk


def answer_quoting(chunk: VisibleChunk) -> Answer:
    """Return an answer of one sentence that says and quotes all of a chunk."""
    start, end = document_span(chunk, 0, len(chunk.content))
    citation = Citation(
        n=1,
        citation_id=f"{chunk.chunk_id}-{start:x}-{end:x}",
        tag="[s.folder:a.md/Heading]",
        source_name=chunk.source_name,
        source_type=chunk.source_type,
        source_id=chunk.relative_path,
        location="/".join(chunk.heading_path),
        document_id=chunk.document_id,
        chunk_id=chunk.chunk_id,
        heading_path=chunk.heading_path,
        page=None,
        paragraph=None,
        span=(start, end),
        quote=chunk.content,
        tier=chunk.tier,
        score=None,
    )
    return Answer(
        mode="rag",
        confidence=0.9,
        text=f"{chunk.content} [1]",
        sentences=(Sentence(chunk.content, "claim", (1,)),),
        citations=(citation,),
        grounding=Grounding(has_citations=True, citations_valid=True),
    )
