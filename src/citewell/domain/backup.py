"""What is known of a backup."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CatalogContents:
    """How much a catalog holds.

    Attributes:
        n_sources: Registered sources.
        n_documents: Documents, hidden ones and members of archives included.
        n_chunks: Their chunks.
    """

    n_sources: int
    n_documents: int
    n_chunks: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself.

    Attributes:
        made_at: When, ISO 8601 in UTC.
        version: Of Citewell.
        series: Of which data folder it is; the same for all backups of one, also after a restore.
        contents: What its catalog holds.
        size_bytes: Of its catalog.
        sha256: Hex digest of its catalog.
    """

    made_at: str
    version: str
    series: str
    contents: CatalogContents
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file.

    Attributes:
        path: Of the file.
        manifest: What it says of itself.
    """

    path: Path
    manifest: Manifest
