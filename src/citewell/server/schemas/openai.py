"""Bodies of the OpenAI-compatible routes: what clients send besides is allowed, and left alone."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from citewell.domain.conversation import Turn
from citewell.domain.errors import UsageError
from citewell.server.schemas.ask import MAX_TURNS
from citewell.server.schemas.body import Body
from citewell.server.schemas.search import Name

MODEL = "citewell"


class TextPart(Body):
    """A part of a message's content."""

    model_config = ConfigDict(extra="ignore")

    type: str = Field(max_length=100)
    text: str = ""


class ChatMessage(Body):
    """What was said."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None

    @property
    def words(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(Body):
    """How a stream ends."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = None


class ChatBody(Body):
    """A chat; its last message is the question, what users and assistant said before is history.

    Instructions (`system`, `developer`) are left out: answers come from the documents alone.
    """

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [
                {
                    "model": MODEL,
                    "messages": [{"role": "user", "content": "How is a P1 ticket escalated?"}],
                }
            ]
        },
    )

    model: str = Field(default=MODEL, max_length=200, examples=[MODEL])
    messages: list[ChatMessage] = Field(
        min_length=1,
        max_length=4 * MAX_TURNS,
        examples=[[{"role": "user", "content": "How is a P1 ticket escalated?"}]],
    )
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, ge=1, le=1)
    tier: Name | None = None
    """Read as this tier; never above the caller's own. OpenAI's API has no such field."""

    def question(self) -> str:
        """Return the question.

        Raises:
            UsageError: The last message is not a user's.
        """
        last = self.messages[-1]
        if last.role != "user":
            raise UsageError("the last message must be the user's question")
        return last.words

    def history(self) -> tuple[Turn, ...]:
        """Return what was asked and answered before, oldest first; at most 50 turns."""
        turns: list[Turn] = []
        asked: str | None = None
        for message in self.messages[:-1]:
            if message.role == "user":
                asked = message.words
            elif message.role == "assistant" and asked is not None:
                turns.append(Turn(asked, message.words))
                asked = None
        return tuple(turns[-MAX_TURNS:])


class ModelCard(BaseModel):
    """A model by name."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelsList(BaseModel):
    """The models: one."""

    object: Literal["list"]
    data: list[ModelCard]


class ChatCompletion(BaseModel):
    """An answer; `citewell` is the whole reply of `/ask`."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int]
    citewell: dict[str, Any]
