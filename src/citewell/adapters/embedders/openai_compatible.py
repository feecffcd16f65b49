"""Embeddings from any server that speaks OpenAI's `/v1/embeddings`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from citewell.adapters.embedders.failed_reply import failed_reply
from citewell.adapters.embedders.model_traits import traits_of
from citewell.adapters.embedders.remote import RemoteEmbedder, RemoteOptions
from citewell.adapters.embedders.retry import TransientError
from citewell.domain.errors import EmbedderError

if TYPE_CHECKING:
    from openai import OpenAI


class OpenAICompatibleEmbedder(RemoteEmbedder):
    """OpenAI, vLLM, Text Embeddings Inference, LM Studio, Infinity, llama.cpp, by OpenAI's SDK."""

    def __init__(
        self, options: RemoteOptions, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Connect to nothing yet; arguments as in `RemoteEmbedder`."""
        super().__init__(options, provider="openai-compatible", sleep=sleep)
        self._client_lock = threading.Lock()
        self._made_client: OpenAI | None = None

    @override
    def _request(self, texts: list[str], *, timeout_s: float) -> object:
        import openai

        try:
            reply: object = self._client().embeddings.create(
                model=self._options.model,
                input=texts,
                # The SDK would ask for base64, which several servers refuse or ignore.
                encoding_format="float",
                timeout=timeout_s,
                extra_headers=self._headers(),
                **self._shortening(),
            )
        except openai.APITimeoutError as error:
            raise TransientError(f"no answer within {timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            raise TransientError("no connection; is EMBEDDING_BASE_URL right?") from error
        except openai.APIStatusError as error:
            # Not chained: the SDK's message repeats the body, which may quote a document.
            raise failed_reply(
                error.status_code,
                error.response.text,
                retry_after=error.response.headers.get("retry-after"),
            ) from None
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise EmbedderError(_NOT_EMBEDDINGS) from error
        return _rows_in_order(reply)

    @override
    def close(self) -> None:
        with self._client_lock:
            if self._made_client is not None:
                self._made_client.close()
            self._made_client = None

    def _client(self) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        with self._client_lock:
            if self._made_client is None:
                # A key must be given, or the SDK looks for one in the environment. It does not
                # repeat calls: one place decides about that. Text goes where it was told to go.
                self._made_client = OpenAI(
                    base_url=self._options.base_url.rstrip("/"),
                    api_key=self._options.api_key or "none",
                    max_retries=0,
                    http_client=DefaultHttpxClient(follow_redirects=False),
                )
            return self._made_client

    def _headers(self) -> dict[str, Any]:
        """Leave out what the SDK would take from the environment, and a key that is not set."""
        from openai import Omit

        names = ["OpenAI-Organization", "OpenAI-Project"]
        if self._options.api_key is None:
            names.append("Authorization")
        return {name: Omit() for name in names}

    def _shortening(self) -> dict[str, Any]:
        if self._options.dim is not None and traits_of(self._options.model).can_shorten:
            return {"dimensions": self._options.dim}
        return {}


_NOT_EMBEDDINGS = (
    "the server's answer is not a list of embeddings: check that EMBEDDING_BASE_URL ends in /v1 "
    "and leads to an embedding server"
)


def _rows_in_order(reply: object) -> list[object]:
    """Return the embeddings by their `index`, or as they stand where no index is given."""
    data: object = getattr(reply, "data", None)
    if not isinstance(data, list):
        raise EmbedderError(_NOT_EMBEDDINGS)
    rows: dict[int, object] = {}
    for place, item in enumerate(cast("list[object]", data)):
        index: object = getattr(item, "index", None)
        rows[index if isinstance(index, int) else place] = getattr(item, "embedding", None)
    if sorted(rows) != list(range(len(rows))) or len(rows) != len(cast("list[object]", data)):
        raise EmbedderError("the embedding server numbered its answers wrongly")
    return [rows[place] for place in range(len(rows))]
