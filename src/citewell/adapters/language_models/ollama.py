"""Ollama's own `/api/chat`, by its SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from citewell.adapters.language_models.client_per_loop import ClientPerLoop
from citewell.adapters.language_models.failed_reply import (
    failed_reply,
    failed_stream,
    lost_connection,
    unreadable_reply,
)
from citewell.adapters.language_models.prompt_size import (
    check_not_cut,
    lower_bound,
    upper_bound,
    window_for,
)
from citewell.adapters.language_models.remote import (
    LanguageModelOptions,
    Part,
    RemoteLanguageModel,
)
from citewell.adapters.language_models.retry import TransientError
from citewell.adapters.language_models.untrusted import MALFORMED, field_of, read_count, read_text
from citewell.domain.errors import LanguageModelTimeoutError, PromptTooLongError
from citewell.ports.language_model import Prompt, Usage

if TYPE_CHECKING:
    import httpx
    from ollama import AsyncClient

DEFAULT_BASE_URL = "http://127.0.0.1:11434"

_HINT = "check that LLM_BASE_URL leads to Ollama, without /v1"


class OllamaModel(RemoteLanguageModel):
    """Ollama, with a window that holds the prompt: by itself it takes a small one and cuts."""

    def __init__(
        self,
        options: LanguageModelOptions,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Connect to nothing yet; arguments as in `RemoteLanguageModel`."""
        super().__init__(options, provider="ollama", sleep=sleep)
        self._clients = ClientPerLoop(self._make_client, close=lambda client: client.close())
        self._window = 0
        self._longest_window: int | None = None
        self._knows_longest_window = False

    @override
    async def close(self) -> None:
        await self._clients.close()

    @override
    def _prepare(self) -> None:
        self._clients.client()

    @override
    async def _request(self, prompt: Prompt) -> Part:
        with _errors_mapped():
            return self._checked(await self._chat(prompt, stream=False), prompt)

    @override
    async def _open(self, prompt: Prompt) -> AsyncGenerator[Part, None]:
        with _errors_mapped():
            replies: Any = await self._chat(prompt, stream=True)
            try:
                async for reply in replies:
                    yield self._checked(reply, prompt)
            finally:
                await replies.aclose()

    async def _chat(self, prompt: Prompt, *, stream: bool) -> object:
        options = {
            "temperature": prompt.temperature,
            "num_predict": prompt.max_tokens,
            "num_ctx": await self._choose_window(prompt),
        }
        client: Any = self._clients.client()
        return await client.chat(
            model=self._options.model,
            messages=[{"role": m.role, "content": m.content} for m in prompt.messages],
            stream=stream,
            # Reasoning would use up the tokens that a reply is given.
            think=False,
            format=None if prompt.schema is None else dict(prompt.schema),
            options=options,
        )

    async def _choose_window(self, prompt: Prompt) -> int:
        """Return the window to ask for; it does not shrink, as that would load the model anew.

        Raises:
            PromptTooLongError: The prompt is longer than the model's longest window.
        """
        longest = await self._ask_longest_window()
        if longest is not None and lower_bound(prompt) > longest:
            raise PromptTooLongError(
                f"the model reads {longest} tokens: lower RAG_CONTEXT_TOKEN_BUDGET, or take a model"
                " with a longer window"
            )
        window = window_for(upper_bound(prompt) + prompt.max_tokens)
        self._window = max(self._window, min(window, longest or window))
        return self._window

    async def _ask_longest_window(self) -> int | None:
        """Return the window that the model was trained for, or None if the server does not tell."""
        if not self._knows_longest_window:
            reply: object = await self._clients.client().show(self._options.model)
            facts = field_of(reply, "modelinfo") or field_of(reply, "model_info")
            named = cast("Mapping[str, object]", facts if isinstance(facts, Mapping) else {})
            lengths = [read_count(v) for k, v in named.items() if k.endswith(".context_length")]
            self._longest_window = next((length for length in lengths if length), None)
            self._knows_longest_window = True
        return self._longest_window

    def _checked(self, reply: object, prompt: Prompt) -> Part:
        """Return the part, if the server read the whole prompt."""
        message = field_of(reply, "message")
        if message is None:
            raise unreadable_reply(_HINT)
        n_prompt = read_count(field_of(reply, "prompt_eval_count"))
        check_not_cut(prompt, n_prompt, window=self._window)
        has_ended = field_of(reply, "done") is True
        usage = Usage(n_prompt or None, read_count(field_of(reply, "eval_count")))
        return Part(
            read_text(field_of(message, "content")),
            usage=usage if has_ended else None,
            has_ended=has_ended,
            was_cut=field_of(reply, "done_reason") == "length",
            reasons_apart=bool(field_of(message, "thinking")),
        )

    def _make_client(self) -> AsyncClient:
        import httpx
        from ollama import AsyncClient

        key = self._options.api_key
        return AsyncClient(
            host=self._options.base_url,
            timeout=httpx.Timeout(self._options.timeout_s, connect=self._options.connect_timeout_s),
            follow_redirects=False,
            headers={"authorization": f"Bearer {key}"} if key else None,
            event_hooks={
                "request": [] if key else [_leave_out_key],
                "response": [_raise_failed_reply, _read_lines_strictly],
            },
        )


async def _leave_out_key(request: httpx.Request) -> None:
    """Undo that the SDK sends a key from the environment to whatever server is asked."""
    request.headers.pop("authorization", None)


async def _raise_failed_reply(response: httpx.Response) -> None:
    """Judge a reply before the SDK does, whose error does not keep the headers."""
    if not response.is_success:
        await response.aread()
        raise failed_reply(
            response.status_code, response.text, retry_after=response.headers.get("retry-after")
        )


async def _read_lines_strictly(response: httpx.Response) -> None:
    """Have lines of JSON end at a line feed only.

    The SDK takes httpx's lines, which also end at U+0085, U+2028 and U+2029 within a text, turns
    bytes that are no UTF-8 into U+FFFD, and stumbles over empty lines.
    """
    response.aiter_lines = lambda: _lines(response.aiter_bytes())


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                yield line.decode()
    if rest.strip():
        yield rest.decode()


@contextmanager
def _errors_mapped() -> Generator[None]:
    import httpx
    import ollama

    try:
        yield
    except httpx.TimeoutException as error:
        raise TransientError(LanguageModelTimeoutError()) from error
    except (ConnectionError, httpx.TransportError) as error:
        raise lost_connection() from error
    except ollama.ResponseError as error:
        # Not chained: it repeats the body, which may quote a document.
        raise failed_stream(error.error) from None
    except (json.JSONDecodeError, httpx.HTTPError, *MALFORMED):
        raise unreadable_reply(_HINT) from None
