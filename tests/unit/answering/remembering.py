"""A small corpus, what a search finds in it, and an answer that a model wrote from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from answering_samples import EMPLOYEE, ListReader, make_chunk, make_passages
from typing_extensions import override

from citewell.answering.remembering.answer_cache import AnswerMemory, CacheKey
from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.domain.clearance import Clearance
from citewell.domain.passage import SearchResult, VisibleChunk
from citewell.testing.memory_answer_cache import MemoryAnswerCache

QUESTION = "What is the export limit of Atlas?"
LIMIT = "The export limit of Atlas is 500 rows."
KEY = CacheKey(QUESTION, EMPLOYEE, top_k=5, model="small", version="prompts-1")


class ChangingReader(ListReader):
    """Reads from chunks that a test changes; `chunks` are those of now."""

    def __init__(self, *chunks: VisibleChunk) -> None:
        self.chunks = list(chunks)

    @override
    def find_chunk(self, clearance: Clearance, chunk_id: str) -> VisibleChunk | None:
        return ListReader(*self.chunks).find_chunk(clearance, chunk_id)

    @override
    def visible_chunks(
        self, clearance: Clearance, chunk_keys: Sequence[int]
    ) -> Mapping[int, VisibleChunk]:
        return {
            chunk.chunk_key: chunk
            for chunk in self.chunks
            if chunk.chunk_key in set(chunk_keys) and clearance.allows(chunk.tier)
        }


class World:
    """A corpus of two chunks and a memory over it.

    Attributes:
        reader: Holds the corpus of now.
        searched: What was searched for, in order.
        confidence: Of every search.
        is_sufficient: Of every search.
        notice: Of every search.
    """

    def __init__(self) -> None:
        self.reader = ChangingReader(make_chunk(LIMIT), make_chunk("Atlas exports to CSV.", key=2))
        self.cache = MemoryAnswerCache()
        self.memory = AnswerMemory(self.cache, self.reader)
        self.searched: list[str] = []
        self.clearance = EMPLOYEE
        self.confidence = 0.9
        self.is_sufficient = True
        self.notice: str | None = None

    def search(self, question: str) -> SearchResult:
        """Return all that the clearance sees, in order of the corpus."""
        self.searched.append(question)
        visible = [chunk for chunk in self.reader.chunks if self.clearance.allows(chunk.tier)]
        return SearchResult(
            self.confidence, make_passages(*visible), self.is_sufficient, notice=self.notice
        )

    def keep(self, key: CacheKey = KEY, *, written_by: str | None = "small") -> bool:
        """Remember the answer to a question for which one search was made."""
        found = {key.asked: self.search(key.asked)}
        kept = self.memory.keep(key, found, answer_from(LIMIT), written_by=written_by)
        self.searched.clear()
        return kept

    def find(self, key: CacheKey = KEY) -> Answer | None:
        return self.memory.find(key, self.search)

    def change(self, place: int, **fields: object) -> None:
        """Change fields of a chunk."""
        self.reader.chunks[place] = replace(self.reader.chunks[place], **fields)


def answer_from(text: str, *, chunk_id: str = "c1", document_id: str = "d1") -> Answer:
    """Return an answer of one sentence that quotes the whole chunk."""
    citation = Citation(
        n=1,
        citation_id=f"{chunk_id}-0-{len(text):x}",
        tag="[s.vault:notes%2Fa.md/]",
        source_name="handbook",
        source_type="vault",
        source_id="notes/a.md",
        location="",
        document_id=document_id,
        chunk_id=chunk_id,
        heading_path=(),
        page=None,
        paragraph=None,
        span=(0, len(text)),
        quote=text,
        tier="employee",
        score=0.5,
    )
    return Answer(
        mode="rag",
        confidence=0.8,
        text="At most 500 rows. [1]",
        sentences=(Sentence("At most 500 rows.", "claim", (1,)),),
        citations=(citation,),
        grounding=Grounding(has_citations=True, citations_valid=True),
        timings_ms={"search": 3.0, "generate": 4_000.0},
        usage={"model_calls": 2},
        trace={"prompt": "secret"},
    )
