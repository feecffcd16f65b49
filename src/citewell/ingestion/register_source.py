"""From a folder that someone names to a registered source."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citewell.domain.errors import UsageError
from citewell.domain.source import Source
from citewell.ports.source_registry import SourceRegistry


def register_folder(
    path: Path,
    registry: SourceRegistry,
    *,
    tiers: Sequence[str],
    name: str | None = None,
    tier: str | None = None,
    folder_per_tier: bool = False,
) -> Source:
    """Register a folder, or update it when its root is known, and return the source.

    A folder that holds `.obsidian` is a vault. A known source keeps its name and access rule where
    none is given.

    Raises:
        UsageError: It is not a readable folder, the tier is unknown, or the name is taken.
    """
    root = _checked_root(path)
    if tier is not None and tier not in tiers:
        raise UsageError(f"unknown tier {tier!r}: this installation has {', '.join(tiers)}")
    if tier is not None and folder_per_tier:
        raise UsageError("--tier and --folder-per-tier exclude each other: keep one")
    known = next((source for source in registry.sources() if source.root == str(root)), None)
    if known is not None and tier is None and not folder_per_tier:
        return registry.register(replace(known, name=name or known.name))
    return registry.register(
        Source(
            id=known.id if known else secrets.token_hex(16),
            name=name or (known.name if known else _free_name(root.name or "root", registry)),
            type="vault" if (root / ".obsidian").is_dir() else "folder",
            root=str(root),
            tier=tier,
            folder_per_tier=folder_per_tier,
        )
    )


def find_source(name: str, registry: SourceRegistry) -> Source:
    """Return the source of that name.

    Raises:
        UsageError: There is none; the message lists those that exist.
    """
    known = registry.sources()
    found = next((source for source in known if source.name == name), None)
    if found is None:
        names = ", ".join(source.name for source in known) or "none: run `rag ingest PATH` first"
        raise UsageError(f"there is no source {name!r}; known: {names}")
    return found


def _checked_root(path: Path) -> Path:
    try:
        str(path).encode()
        root = path.expanduser().resolve()
        exists, is_folder = root.exists(), root.is_dir()
    except UnicodeEncodeError:
        raise UsageError(f"the name of {path} is not valid UTF-8: rename the folder") from None
    except (OSError, RuntimeError) as error:  # too long, links in a circle, an unknown ~user
        raise UsageError(f"{path} cannot be a folder: {error}") from error
    if not exists:
        raise UsageError(f"{path} does not exist: give the path of a folder")
    if not is_folder:
        raise UsageError(f"{path} is not a folder: give the folder that holds it")
    return root


def _free_name(wanted: str, registry: SourceRegistry) -> str:
    taken = {source.name for source in registry.sources()}
    numbered = (f"{wanted}-{n}" for n in range(2, len(taken) + 3))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)
