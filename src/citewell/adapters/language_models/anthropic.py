"""Anthropic's `/v1/messages`, by its SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from copy import deepcopy
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
from citewell.adapters.language_models.remote import (
    LanguageModelOptions,
    Part,
    RemoteLanguageModel,
)
from citewell.adapters.language_models.retry import TransientError
from citewell.adapters.language_models.untrusted import MALFORMED, field_of, read_count, read_text
from citewell.domain.errors import LanguageModelError, LanguageModelTimeoutError
from citewell.ports.language_model import Prompt, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

DEFAULT_BASE_URL = "https://api.anthropic.com"

_HINT = "check that LLM_BASE_URL leads to a server that speaks Anthropic's protocol"
_NAMED_AS = {"output_config": ("output_config", "output_format", "schema", "structured output")}
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


class AnthropicModel(RemoteLanguageModel):
    """Claude, or a server that speaks its protocol.

    The temperature is left out: the SDK has none any more, and newer models refuse it.
    """

    def __init__(
        self,
        options: LanguageModelOptions,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Connect to nothing yet; arguments as in `RemoteLanguageModel`."""
        super().__init__(options, provider="anthropic", sleep=sleep)
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
            return _whole_part(await self._create(prompt, stream=False))

    @override
    async def _open(self, prompt: Prompt) -> AsyncGenerator[Part, None]:
        with _errors_mapped():
            events: Any = await self._create(prompt, stream=True)
            n_prompt: int | None = None
            try:
                async for event in events:
                    usage = field_of(field_of(event, "message"), "usage")
                    n_prompt = n_prompt or _n_prompt_tokens(usage)
                    yield _streamed_part(event, n_prompt)
            finally:
                await events.close()

    async def _create(self, prompt: Prompt, *, stream: bool) -> object:
        """Send the request, and anew without what the server refuses of it."""
        import anthropic

        create = cast("Callable[..., Awaitable[object]]", self._clients.client().messages.create)
        while True:
            optional = self._features.kept(_optional_arguments(prompt))
            try:
                return await create(
                    model=self._options.model,
                    max_tokens=prompt.max_tokens,
                    messages=[
                        {"role": m.role, "content": m.content}
                        for m in prompt.messages
                        if m.role != "system"
                    ],
                    stream=stream,
                    extra_headers=self._headers(),
                    **_system(prompt),
                    **optional,
                )
            except anthropic.BadRequestError as error:
                if not self._features.note_refusal(error.response.text, sent=optional):
                    raise

    def _make_client(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Timeout

        # A key must be given, or the SDK looks for one in the environment and in the home folder.
        # It does not repeat calls: one place decides about that. Text goes where it was told to go,
        # and nothing about it to a collector of traces.
        return AsyncAnthropic(
            base_url=self._options.base_url.rstrip("/").removesuffix("/v1"),
            api_key=self._options.api_key or "none",
            max_retries=0,
            timeout=Timeout(self._options.timeout_s, connect=self._options.connect_timeout_s),
            http_client=DefaultAsyncHttpxClient(follow_redirects=False),
            open_telemetry=False,
        )

    def _headers(self) -> dict[str, Any]:
        from anthropic import Omit

        if self._options.api_key is not None:
            return {}
        return {"X-Api-Key": Omit(), "Authorization": Omit()}


@contextmanager
def _errors_mapped() -> Generator[None]:
    import anthropic

    try:
        yield
    except anthropic.APITimeoutError as error:
        raise TransientError(LanguageModelTimeoutError()) from error
    except anthropic.APIConnectionError as error:
        raise lost_connection() from error
    except anthropic.APIStatusError as error:
        # Not chained: the SDK's message repeats the body, which may quote a document.
        raise _failed(error) from None
    except (anthropic.AnthropicError, *MALFORMED):
        raise unreadable_reply(_HINT) from None
    except Exception as error:
        # The SDK lets errors of its HTTP library through while a stream is read.
        if type(error).__module__.split(".")[0] in {"httpx2", "httpcore2"}:
            raise lost_connection() from error
        raise


def _failed(error: Any) -> Exception:
    """Return the error for an error reply, or for one that comes within a stream of status 200."""
    if error.response.is_success:
        return failed_stream(str(error.body))
    return failed_reply(
        error.status_code,
        error.response.text,
        retry_after=error.response.headers.get("retry-after"),
    )


def _system(prompt: Prompt) -> dict[str, str]:
    texts = [message.content for message in prompt.messages if message.role == "system"]
    return {"system": "\n\n".join(texts)} if texts else {}


def _optional_arguments(prompt: Prompt) -> dict[str, Any]:
    from anthropic import transform_schema

    if prompt.schema is None:
        return {}
    schema = transform_schema(deepcopy(dict(prompt.schema)))
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


def _whole_part(reply: object) -> Part:
    content = field_of(reply, "content")
    if not isinstance(content, list):
        error = field_of(reply, "error")
        raise failed_stream(str(error)) if error else unreadable_reply(_HINT)
    usage = field_of(reply, "usage")
    return _part(
        read_text(cast("object", content)),
        field_of(reply, "stop_reason"),
        Usage(_n_prompt_tokens(usage), read_count(field_of(usage, "output_tokens"))),
    )


def _streamed_part(event: object, n_prompt: int | None) -> Part:
    kind, delta = field_of(event, "type"), field_of(event, "delta")
    if kind == "message_delta":
        n_reply = read_count(field_of(field_of(event, "usage"), "output_tokens"))
        return _part("", field_of(delta, "stop_reason"), Usage(n_prompt, n_reply))
    if kind == "content_block_delta" and field_of(delta, "type") == "thinking_delta":
        return Part(reasons_apart=True)
    if kind == "content_block_delta":
        return Part(read_text(field_of(delta, "text")))
    return Part()


def _part(text: str, stop_reason: object, usage: Usage) -> Part:
    if stop_reason == "refusal":
        raise LanguageModelError("the language model's provider withheld the reply")
    return Part(text, usage=usage, has_ended=bool(stop_reason), was_cut=stop_reason in _CUT)


def _n_prompt_tokens(usage: object) -> int | None:
    """Return the tokens of the prompt, those from the provider's cache included."""
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = [read_count(field_of(usage, name)) for name in names]
    return None if counts[0] is None else sum(count or 0 for count in counts)
