"""Settings of ingestion: chunks, conversion, backups, sync and forgetting."""

from __future__ import annotations

from pathlib import Path

from citewell.setting_fields import SettingGroup, number, setting


class IngestionSettings(SettingGroup):
    """How files are read, cut, watched, backed up and forgotten."""

    chunk_target_tokens: int = number(400, "cl100k tokens", within=(20, 8000))
    """Size that chunks aim at. A few paragraphs: precise to cite, and read whole by the default
    embedder."""

    chunk_max_tokens: int = number(1200, "cl100k tokens", within=(20, 8000))
    """Size that no chunk exceeds; an embedder with a smaller limit lowers it. Keeps most tables and
    lists whole."""

    chunk_overlap_tokens: int = number(80, "cl100k tokens", within=(0, 4000))
    """Text that neighbours of one section share. About three sentences of context."""

    conversion_workers: int = number(2, "processes", within=(1, 64))
    """Processes that convert files. Two keep a small machine busy and leave it usable."""

    conversion_memory_mib: int = number(1024, "MiB", within=(256, 65_536))
    """Memory at which a conversion is ended. Real files need less; a hostile one of a few KiB asks
    for more than any machine has."""

    conversion_timeout_seconds: float = number(60.0, "seconds", within=(1, 3600))
    """Time after which a conversion is ended. A thousand pages of PDF take some ten seconds."""

    conversion_output_mib: int = number(64, "MiB", within=(1, 1024))
    """Text that one file may become. A thousand pages are some four MiB."""

    max_file_mib: int = number(512, "MiB", within=(1, 16_384))
    """Largest file that is read. A file is held in memory, and larger ones are recordings and disk
    images."""

    min_free_disk_mib: int = number(512, "MiB", within=(0, 1_048_576))
    """Free space on the disk of `DATA_DIR` below which ingestion pauses. A full disk ends the
    process that holds the index."""

    backup_dir: Path = setting(
        Path(), "a folder that can be made and written", shown_default="`DATA_DIR` + `-backups`"
    )
    """Folder of the backups. It stays when the data folder goes; one on another disk is better."""

    backup_keep: int = number(7, "backups", within=(1, 1000))
    """Backups of this data folder that are kept; older ones are deleted. With one a day, a week: so
    long backups hold what was deleted since."""

    sync_settle_seconds: float = number(1.0, "seconds", within=(0, 60))
    """How long a file must rest before it is read: no write, no other size. Editors and copies
    pause for less, and an edit is still found within a few seconds."""

    watch_poll_seconds: float = number(5.0, "seconds", within=(0.1, 3600))
    """How often a folder is listed where the file system does not tell of changes, as on network
    drives. Ten thousand files are listed in a fraction of a second."""

    mass_deletion_share: float = number(0.5, "share of a source's documents", within=(0, 1))
    """When more than this share is missing at once, the documents are hidden, but not erased before
    someone confirms or a later scan agrees; 1: never. A disk that is gone takes most of them."""

    mass_deletion_min_documents: int = number(20, "documents", within=(0, 1_000_000))
    """Sources of at most so many documents have no mass deletion. In a small folder half is soon
    deleted on purpose."""

    mass_deletion_hold_seconds: int = number(3600, "seconds", within=(0, 2_592_000))
    """How long after a mass deletion a scan that agrees erases the documents. An hour is enough to
    plug a disk in again, and short for what was meant to go."""

    erase_after_seconds: float = number(180.0, "seconds", within=(0, 300))
    """How long a live process lets deletions gather before it erases them from every store. Nobody
    can read them meanwhile, and stores are rewritten once for many; the bound keeps ten minutes."""
