"""Any server that speaks OpenAI's `/v1/chat/completions`, by OpenAI's SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from citewell.adapters.language_models.client_per_loop import ClientPerLoop
from citewell.adapters.language_models.failed_reply import (
    failed_reply,
    failed_stream,
    lost_connection,
    unreadable_reply,
)
from citewell.adapters.language_models.optional_features import OptionalFeatures
from citewell.adapters.language_models.prompt_size import check_not_cut
from citewell.adapters.language_models.remote import (
    LanguageModelOptions,
    Part,
    RemoteLanguageModel,
)
from citewell.adapters.language_models.retry import TransientError
from citewell.adapters.language_models.untrusted import (
    MALFORMED,
    field_of,
    first_of,
    read_count,
    read_text,
)
from citewell.domain.errors import LanguageModelError, LanguageModelTimeoutError
from citewell.ports.language_model import Prompt, Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_HINT = "check that LLM_BASE_URL ends in /v1 and leads to an OpenAI-compatible server"


# A server that wants `max_completion_tokens` names both.
_NAMED_AS = {
    "max_tokens": ("max_completion_tokens",),
    "stream_options": ("stream_options", "include_usage"),
    "response_format": (
        "response_format",
        "json_schema",
        "schema",
        "grammar",
        "structured output",
        "guided",
    ),
    "temperature": ("temperature",),
}


class OpenAICompatibleModel(RemoteLanguageModel):
    """OpenAI, llama.cpp, vLLM, LM Studio, OpenRouter and whatever else speaks this protocol."""

    def __init__(
        self,
        options: LanguageModelOptions,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Connect to nothing yet; arguments as in `RemoteLanguageModel`."""
        super().__init__(options, provider="openai-compatible", sleep=sleep)
        self._clients = ClientPerLoop(self._make_client, close=lambda client: client.close())
        self._features = OptionalFeatures(_NAMED_AS)

    @override
    async def close(self) -> None:
        await self._clients.close()

    @override
    def _prepare(self) -> None:
        self._clients.client()

    @override
    async def _request(self, prompt: Prompt) -> Part:
        with _errors_mapped():
            return _checked(_whole_part(await self._create(prompt, stream=False)), prompt)

    @override
    async def _open(self, prompt: Prompt) -> AsyncGenerator[Part, None]:
        with _errors_mapped():
            chunks: Any = await self._create(prompt, stream=True)
            try:
                has_chunks = False
                async for chunk in chunks:
                    has_chunks = True
                    yield _checked(_streamed_part(chunk), prompt)
                if not has_chunks and not _is_event_stream(chunks):
                    raise unreadable_reply(_HINT)
            finally:
                await chunks.close()

    async def _create(self, prompt: Prompt, *, stream: bool) -> object:
        """Send the request, and anew without what the server refuses of it."""
        import openai

        create = cast(
            "Callable[..., Awaitable[object]]", self._clients.client().chat.completions.create
        )
        while True:
            optional = self._optional_arguments(prompt, stream=stream)
            try:
                return await create(
                    model=self._options.model,
                    messages=[{"role": m.role, "content": m.content} for m in prompt.messages],
                    stream=stream,
                    extra_headers=self._headers(),
                    **optional,
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._features.note_refusal(error.response.text, sent=optional):
                    raise

    def _optional_arguments(self, prompt: Prompt, *, stream: bool) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
        }
        if stream:
            arguments["stream_options"] = {"include_usage": True}
        if prompt.schema is not None:
            arguments["response_format"] = _response_format(prompt.schema)
        kept = self._features.kept(arguments)
        if self._features.is_refused("max_tokens"):
            kept["max_completion_tokens"] = prompt.max_tokens
        return kept

    def _make_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

        # A key must be given, or the SDK looks for one in the environment. It does not repeat
        # calls: one place decides about that. Text goes where it was told to go.
        return AsyncOpenAI(
            base_url=self._options.base_url.rstrip("/"),
            api_key=self._options.api_key or "none",
            max_retries=0,
            timeout=Timeout(self._options.timeout_s, connect=self._options.connect_timeout_s),
            http_client=DefaultAsyncHttpxClient(follow_redirects=False),
        )

    def _headers(self) -> dict[str, Any]:
        """Leave out what the SDK would take from the environment, and a key that is not set."""
        from openai import Omit

        names = ["OpenAI-Organization", "OpenAI-Project"]
        if self._options.api_key is None:
            names.append("Authorization")
        return {name: Omit() for name in names}


@contextmanager
def _errors_mapped() -> Generator[None]:
    import openai

    try:
        yield
    except openai.APITimeoutError as error:
        raise TransientError(LanguageModelTimeoutError()) from error
    except openai.APIConnectionError as error:
        raise lost_connection() from error
    except openai.APIStatusError as error:
        # Not chained: the SDK's message repeats the body, which may quote a document.
        raise failed_reply(
            error.status_code,
            error.response.text,
            retry_after=error.response.headers.get("retry-after"),
        ) from None
    except openai.APIError as error:
        raise failed_stream(str(error.body)) from None
    except (openai.OpenAIError, *MALFORMED):
        raise unreadable_reply(_HINT) from None


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
    }


def _checked(part: Part, prompt: Prompt) -> Part:
    """Return the part, if the server read the whole prompt; Ollama cuts it here too."""
    check_not_cut(prompt, part.usage.n_prompt_tokens if part.usage else None)
    return part


def _whole_part(reply: object) -> Part:
    choice = first_of(field_of(reply, "choices"))
    message = field_of(choice, "message")
    if message is None:
        error = field_of(reply, "error")
        raise failed_stream(str(error)) if error else unreadable_reply(_HINT)
    text = read_text(field_of(message, "content"))
    return _part(text, choice, usage=field_of(reply, "usage"))


def _streamed_part(chunk: object) -> Part:
    choice = first_of(field_of(chunk, "choices"))
    delta = field_of(choice, "delta")
    reasons_apart = bool(field_of(delta, "reasoning_content") or field_of(delta, "reasoning"))
    text = read_text(field_of(delta, "content"))
    part = _part(text, choice, usage=field_of(chunk, "usage"))
    return replace(part, reasons_apart=reasons_apart)


def _part(text: str, choice: object, *, usage: object) -> Part:
    finish = field_of(choice, "finish_reason")
    if finish == "content_filter":
        raise LanguageModelError("the language model's provider withheld the reply")
    return Part(
        text,
        usage=_usage(usage),
        has_ended=bool(finish),
        was_cut=finish == "length",
    )


def _usage(usage: object) -> Usage | None:
    if usage is None:
        return None
    return Usage(
        read_count(field_of(usage, "prompt_tokens")),
        read_count(field_of(usage, "completion_tokens")),
    )


def _is_event_stream(chunks: object) -> bool:
    headers: Any = field_of(field_of(chunks, "response"), "headers")
    return "event-stream" in headers.get("content-type", "")
