"""What embedders on a server have in common: prompts, batches, retries, checks of the answer."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from citewell.adapters.embedders.clean import clean_text
from citewell.adapters.embedders.estimate_tokens import cut_to_tokens, estimate_tokens
from citewell.adapters.embedders.model_traits import traits_of
from citewell.adapters.embedders.place import embed_where_text
from citewell.adapters.embedders.retry import RetryOptions, call_with_retry
from citewell.adapters.embedders.unit_vectors import unit_vectors
from citewell.domain.errors import ConfigurationError
from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText

if TYPE_CHECKING:
    from numpy.typing import NDArray


_PATIENT = RetryOptions(max_attempts=5, max_wait_s=60.0)
_HURRIED = RetryOptions(max_attempts=2, max_wait_s=2.0)


@dataclass(frozen=True, slots=True)
class RemoteOptions:
    """How to reach an embedding server, and how hard to press it.

    Attributes:
        model: Name of the model on the server.
        base_url: With scheme; for `openai-compatible` it ends in `/v1`.
        api_key: None for servers that want none; never shown.
        dim: Length of the vectors; None asks the server once.
        max_tokens: Longest text; None takes what is known of the model, else 512.
        batch_size: Texts of one request; 32 is what TEI takes by default.
        concurrency: Requests at the same time, questions not counted.
        timeout_s: Of one request for passages; a busy CPU needs long for 32 of them.
        question_timeout_s: Of one request for a question; a reader is waiting.
        passage_retry: For passages: five calls, so that a rate limit per minute passes.
        question_retry: For questions: two calls, at most 2 s apart.
        query_prompt: None takes what is known of the model, else none.
        passage_prompt: Likewise.
    """

    model: str
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    dim: int | None = None
    max_tokens: int | None = None
    batch_size: int = 32
    concurrency: int = 2
    timeout_s: float = 120.0
    question_timeout_s: float = 10.0
    passage_retry: RetryOptions = _PATIENT
    question_retry: RetryOptions = _HURRIED
    query_prompt: str | None = None
    passage_prompt: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could never work.

        Raises:
            ConfigurationError: A name or address is missing, or a number is out of range.
        """
        if not self.model:
            raise ConfigurationError("EMBEDDING_MODEL is not set: name the server's model")
        if not self.base_url.startswith(("http://", "https://")):
            raise ConfigurationError("EMBEDDING_BASE_URL must start with http:// or https://")
        if min(self.batch_size, self.concurrency, self.dim or 1, self.max_tokens or 1) < 1:
            raise ConfigurationError("sizes of the embedder must be at least 1")


class RemoteEmbedder(Embedder):
    """Embeds on a server; a subclass knows how to ask it, here is how often and what to believe."""

    def __init__(
        self, options: RemoteOptions, *, provider: str, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Ask nothing yet.

        Args:
            options: Where and how.
            provider: As in `EmbeddingModel`.
            sleep: Waits between attempts, in seconds.
        """
        traits = traits_of(options.model)
        self._options = options
        self._provider = provider
        self._sleep = sleep
        self._query_prompt = _chosen(options.query_prompt, traits.query_prompt)
        self._passage_prompt = _chosen(options.passage_prompt, traits.passage_prompt)
        self._max_tokens = options.max_tokens or traits.max_tokens
        self._dim = options.dim
        self._dim_lock = threading.Lock()
        self._free_requests = threading.BoundedSemaphore(options.concurrency)

    @property
    @override
    def model(self) -> EmbeddingModel:
        """The model in use; the server is asked once when its dimension is not set.

        Raises:
            EmbedderError: It had to be asked and could not be reached.
        """
        name = _name_with_prompts(self._options)
        return EmbeddingModel(self._provider, name, self._known_dim(), self._max_tokens)

    @override
    def count_tokens(self, text: str) -> int:
        """Return an estimate of the length in the model's tokens, prompt included."""
        return estimate_tokens(self._passage_prompt) + estimate_tokens(text)

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        texts = [clean_text(passage.text) for passage in passages]
        return embed_where_text(texts, dim=self._known_dim(), embed=self._embed_texts)

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        text = cut_to_tokens(clean_text(question), self._max_tokens)
        if not text.strip():
            return np.zeros(self._known_dim(), dtype=np.float32)
        return self._embed_question(text, dim=self._known_dim())

    @abstractmethod
    def _request(self, texts: list[str], *, timeout_s: float) -> object:
        """Return what the server answers for `texts`: rows of numbers, in order, not yet checked.

        Raises:
            TransientError: It may answer next time.
            ConfigurationError: An operator must change something.
            InvalidDocumentError: A text is longer than the model reads.
            EmbedderError: The answer is not of the expected form.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the connections; a later call opens new ones."""

    def _known_dim(self) -> int:
        with self._dim_lock:
            if self._dim is None:
                self._dim = len(self._embed_question("dimension", dim=None))
            return self._dim

    def _embed_question(self, text: str, *, dim: int | None) -> NDArray[np.float32]:
        def ask() -> object:
            prompted = [self._query_prompt + text]
            return self._request(prompted, timeout_s=self._options.question_timeout_s)

        rows = call_with_retry(ask, options=self._options.question_retry, sleep=self._sleep)
        return unit_vectors(rows, n_texts=1, dim=dim)[0]

    def _embed_texts(self, texts: list[str]) -> NDArray[np.float32]:
        size = self._options.batch_size
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        if len(batches) == 1:
            return self._embed_batch(batches[0])
        with ThreadPoolExecutor(min(self._options.concurrency, len(batches))) as pool:
            running = [pool.submit(self._embed_batch, batch) for batch in batches]
            try:
                return np.concatenate([future.result() for future in running])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _embed_batch(self, texts: list[str]) -> NDArray[np.float32]:
        def ask() -> object:
            prompted = [self._passage_prompt + text for text in texts]
            with self._free_requests:
                return self._request(prompted, timeout_s=self._options.timeout_s)

        rows = call_with_retry(ask, options=self._options.passage_retry, sleep=self._sleep)
        return unit_vectors(rows, n_texts=len(texts), dim=self._known_dim())


def _chosen(set_by_operator: str | None, known: str) -> str:
    return known if set_by_operator is None else set_by_operator


def _name_with_prompts(options: RemoteOptions) -> str:
    """Return the model's name, marked when its prompts are not the known ones.

    Other prompts make other vectors, which must not be mixed with those of the known prompts.
    """
    if options.query_prompt is None and options.passage_prompt is None:
        return options.model
    mark = sha256(f"{options.query_prompt}\0{options.passage_prompt}".encode()).hexdigest()[:8]
    return f"{options.model}#{mark}"
