"""Bodies of `/ask`, `/query`, `/ask/stream` and `/chat`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from citewell.domain.ask_request import AskRequest
from citewell.domain.conversation import Turn
from citewell.server.schemas.body import Body
from citewell.server.schemas.search import Filters, Name, Question, TopK, filters_of

MAX_TURNS = 50
MAX_ANSWER_CHARACTERS = 32_000


class TurnBody(Body):
    """A question that was asked before, and its answer."""

    question: Question
    answer: Annotated[str, Field(max_length=MAX_ANSWER_CHARACTERS)]


class AskBody(Body):
    """A question."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "How is a P1 ticket escalated?"}]}
    )

    question: Question = Field(
        validation_alias=AliasChoices("question", "query"),
        examples=["How is a P1 ticket escalated?"],
    )
    """What you want to know; `query` is the same."""

    top_k: TopK | None = None
    """Passages per search; the setting `RAG_TOP_K` (5) if not given."""

    tier: Name | None = None
    """Read as this tier; never above the caller's own."""

    filters: Filters | None = None
    fallback: bool = False
    """Let general knowledge answer what the documents do not, where the server allows it."""

    history: list[TurnBody] = Field(default=[], max_length=MAX_TURNS)
    """What was said before, oldest first; not together with `conversation_id`."""

    conversation_id: Name | None = None
    """A conversation that the server keeps, to go on with."""

    stream: bool = False
    """Answer as `/ask/stream` does."""

    def to_domain(self, *, top_k: int) -> AskRequest:
        """Return the same for whoever answers it.

        Args:
            top_k: Passages per search where the body says nothing.
        """
        return AskRequest(
            self.question,
            top_k=self.top_k or top_k,
            filters=filters_of(self.filters),
            history=tuple(Turn(turn.question, turn.answer) for turn in self.history),
            fallback=self.fallback,
        )


class SentenceReply(BaseModel):
    """One checkable unit of an answer."""

    text: str
    kind: Literal["claim", "quote", "notice"]
    citations: list[int]


class CitationReply(BaseModel):
    """A marker's passage, place and exact words."""

    n: int
    citation_id: str
    tag: str
    source: str
    source_name: str
    source_type: str
    source_id: str
    location: str
    document_id: str
    chunk_id: str
    heading: str
    heading_path: list[str]
    span: list[int]
    quote: str
    tier: str
    score: float | None
    page: int | None = None
    paragraph: int | None = None
    table_header: str | None = None


class GroundingReply(BaseModel):
    """What the check of the citations found."""

    has_citations: bool
    citations_valid: bool
    grounded: bool


class AskReply(BaseModel):
    """An answer whose every sentence is cited, or that the documents do not answer."""

    mode: Literal["rag", "no_answer", "fallback", "refused"]
    confidence: float
    answer: str
    sentences: list[SentenceReply]
    citations: list[CitationReply]
    grounding: GroundingReply
    conversation_id: str | None
    request_id: str
    cached: bool
    timings_ms: dict[str, float]
    usage: dict[str, int] | None = None
    notice: str | None = None
    trace: dict[str, Any] | None = None
