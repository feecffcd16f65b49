"""Load the embedder before it is needed, and tell what it needs offline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from citewell.adapters.embedders.cached import CachedEmbedder
from citewell.domain.errors import EmbedderError

if TYPE_CHECKING:
    from pathlib import Path

    from citewell.ports.embedder import Embedder, EmbeddingModel


@runtime_checkable
class HasModelFiles(Protocol):
    """An embedder whose model lies on this machine."""

    @property
    def model_files(self) -> tuple[Path, ...]:
        """The files of the model."""
        ...


@dataclass(frozen=True, slots=True)
class WarmupReport:
    """What `rag embeddings warmup` shows.

    Attributes:
        model: The model in use.
        first_question_s: Seconds that loading and the first question took.
        next_question_s: Seconds that the same question took again.
        model_folder: Where the model lies, or None when it is not on this machine.
        model_bytes: Its size on disk, 0 when it is not on this machine.
        before_going_offline: What to do; one sentence.
    """

    model: EmbeddingModel
    first_question_s: float
    next_question_s: float
    model_folder: Path | None
    model_bytes: int
    before_going_offline: str


def warm_up(embedder: Embedder, *, clock: Callable[[], float] = time.perf_counter) -> WarmupReport:
    """Load the model and embed a question twice.

    Args:
        embedder: A cache in front of it is passed over.
        clock: Seconds from any beginning.

    Raises:
        ConfigurationError: It is not installed, or the server does not know the model.
        EmbedderError: It cannot be reached, or its answer is not usable.
    """
    if isinstance(embedder, CachedEmbedder):
        embedder = embedder.uncached
    begin = clock()
    first = embedder.embed_query("warm up")
    loaded = clock()
    again = embedder.embed_query("warm up")
    end = clock()
    if not first.any() or first.shape != again.shape:
        raise EmbedderError("the embedder gave no usable vector for a short question")
    files = embedder.model_files if isinstance(embedder, HasModelFiles) else ()
    return WarmupReport(
        model=embedder.model,
        first_question_s=loaded - begin,
        next_question_s=end - loaded,
        model_folder=files[0].parent if files else None,
        model_bytes=sum(path.stat().st_size for path in files),
        before_going_offline=_advice(embedder.model, on_this_machine=bool(files)),
    )


def _advice(model: EmbeddingModel, *, on_this_machine: bool) -> str:
    if on_this_machine:
        return "Nothing: the model is part of the installed package."
    if model.provider == "fake":
        return "Nothing: there is no model."
    if model.provider == "ollama":
        return f"Run `ollama pull {model.name}` on the machine that EMBEDDING_BASE_URL names."
    return "Keep the server that EMBEDDING_BASE_URL names in reach: the model lies there."
