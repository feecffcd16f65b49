"""Embeddings from Ollama's own `/api/embed`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from typing_extensions import override

from citewell.adapters.embedders.failed_reply import failed_reply
from citewell.adapters.embedders.remote import RemoteEmbedder, RemoteOptions
from citewell.adapters.embedders.retry import TransientError
from citewell.domain.errors import EmbedderError

if TYPE_CHECKING:
    import httpx
    from ollama import Client

DEFAULT_BASE_URL = "http://127.0.0.1:11434"


class OllamaEmbedder(RemoteEmbedder):
    """Ollama by its SDK; texts are never cut by the server."""

    def __init__(
        self, options: RemoteOptions, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Connect to nothing yet; arguments as in `RemoteEmbedder`."""
        super().__init__(options, provider="ollama", sleep=sleep)
        self._client_lock = threading.Lock()
        self._clients: dict[float, Client] = {}

    @override
    def _request(self, texts: list[str], *, timeout_s: float) -> object:
        import httpx

        try:
            reply = self._client(timeout_s).embed(
                model=self._options.model,
                input=texts,
                # A text that is cut is found by its beginning only: better an error that says so.
                truncate=False,
            )
        except httpx.TimeoutException as error:
            raise TransientError(f"no answer within {timeout_s:g} s") from error
        except (ConnectionError, httpx.TransportError) as error:
            raise TransientError("no connection; is Ollama running?") from error
        except (httpx.HTTPError, ValueError, TypeError) as error:
            raise EmbedderError(
                "the server's answer is not a list of embeddings: check that EMBEDDING_BASE_URL "
                "leads to Ollama"
            ) from error
        return reply.embeddings

    @override
    def close(self) -> None:
        with self._client_lock:
            for client in self._clients.values():
                client.close()
            self._clients.clear()

    def _client(self, timeout_s: float) -> Client:
        """Return the client for a time limit, which the SDK takes per client only."""
        from ollama import Client

        with self._client_lock:
            if timeout_s not in self._clients:
                key = self._options.api_key
                self._clients[timeout_s] = Client(
                    host=self._options.base_url,
                    timeout=timeout_s,
                    follow_redirects=False,
                    headers={"authorization": f"Bearer {key}"} if key else None,
                    event_hooks={
                        "request": [] if key else [_leave_out_key],
                        "response": [_raise_failed_reply],
                    },
                )
            return self._clients[timeout_s]


def _leave_out_key(request: httpx.Request) -> None:
    """Undo that the SDK sends a key from the environment to whatever server is asked."""
    request.headers.pop("authorization", None)


def _raise_failed_reply(response: httpx.Response) -> None:
    """Judge a reply before the SDK does, whose error does not keep the headers."""
    if not response.is_success:
        response.read()
        raise failed_reply(
            response.status_code, response.text, retry_after=response.headers.get("retry-after")
        )
