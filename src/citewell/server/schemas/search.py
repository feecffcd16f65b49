"""Bodies of `/search`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from citewell.domain.passage import SearchFilters
from citewell.retrieval.search_passages import MAX_QUESTION_CHARACTERS, MAX_TOP_K
from citewell.server.schemas.body import Body

Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)]
TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K)]
Name = Annotated[str, Field(min_length=1, max_length=1000)]


class Filters(Body):
    """What a search is narrowed to; all that is given must hold."""

    source: Name | None = None
    """Name of a source."""

    path_prefix: Name | None = None
    """Start of the relative path."""

    tags: list[Name] = Field(default=[], max_length=50)
    """Any of these, each with its nested tags."""

    types: list[Name] = Field(default=[], max_length=50)
    """Any of these file types, e.g. `pdf`, `md`."""

    modified_after: Name | None = None
    """ISO 8601 date or time, inclusive."""

    modified_before: Name | None = None
    """ISO 8601 date or time, exclusive."""

    def to_domain(self) -> SearchFilters:
        """Return the same for a search."""
        return SearchFilters(
            source=self.source,
            path_prefix=self.path_prefix,
            tags=tuple(self.tags),
            types=tuple(self.types),
            modified_after=self.modified_after,
            modified_before=self.modified_before,
        )


def filters_of(filters: Filters | None) -> SearchFilters:
    """Return what a search is narrowed to."""
    return SearchFilters() if filters is None else filters.to_domain()


class SearchBody(Body):
    """A search."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "P1 ticket", "top_k": 3}]})

    query: Question = Field(examples=["How is a P1 ticket escalated?"])
    """Words, a question, an identifier."""

    top_k: TopK | None = Field(default=None, examples=[5])
    """Passages to find; the setting `RAG_TOP_K` (5) if not given."""

    tier: Name | None = None
    """Read as this tier; never above the caller's own."""

    filters: Filters | None = None
    explain: bool = False
    """Add how each candidate was ranked and judged."""


class PassageReply(BaseModel):
    """A passage."""

    rank: int
    citation_id: str
    content: str
    source: str
    source_name: str
    source_type: str
    relative_path: str
    heading_path: list[str]
    heading: str
    score: float | None
    span: list[int]
    tier: str
    tags: list[str]
    document_id: str
    chunk_id: str
    modified_at: str
    title: str
    page_start: int | None = None
    page_end: int | None = None


class SearchReply(BaseModel):
    """What was found, best first."""

    confidence: float
    results: list[PassageReply]
    notice: str | None = None
    explain: dict[str, Any] | None = None
