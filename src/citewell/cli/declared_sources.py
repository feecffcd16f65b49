"""Registering what the settings and `sources.toml` declare."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell


def register_declared(parts: Citewell) -> None:
    """Register the declared sources, and `VAULT_PATH` as the source `vault`.

    Raises:
        ConfigurationError: `sources.toml` is not valid.
        UsageError: `VAULT_PATH` is not a folder, or a name belongs to another source.
    """
    from citewell.domain.source import Source
    from citewell.ingestion.register_source import register_folder
    from citewell.sources_file import read_sources_file

    settings = parts.settings
    registry = parts.catalog.sources
    if settings.vault_path is not None:
        register_folder(settings.vault_path, registry, tiers=settings.access_tiers, name="vault")
    if settings.sources_file is None:
        return
    for declared in read_sources_file(settings.sources_file, tiers=settings.access_tiers):
        registry.register(
            Source(
                id=secrets.token_hex(16),
                name=declared.name,
                type=declared.type,
                root=str(declared.root),
                tier=declared.tier,
                folder_per_tier=declared.folder_per_tier,
                scan_interval_s=declared.scan_interval_s,
                include=declared.include,
                exclude=declared.exclude,
            )
        )
