"""Named places in the work where a test makes a fault happen; in production they do nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Failpoint = Literal[
    "discovered",
    "hidden",
    "erased",
    "opened",
    "half-read",
    "hashed",
    "converted",
    "chunked",
    "staged",
    "lexical-written",
    "committed",
    "old-deleted",
    "embedded",
    "vectors-kept",
    "vectors-recorded",
    "dense-written",
    "flushed",
    "settled",
    "run-recorded",
]
"""What was done last, in the order of a sync; `citewell.testing.failpoints` arms them."""

BackupFailpoint = Literal[
    "snapshot-taken",
    "backup-written",
    "backup-published",
    "backup-recorded",
    "backup-extracted",
    "catalog-set-aside",
    "catalog-replaced",
]
"""The same of a backup and of a restore."""

_on_reach: Callable[[Failpoint | BackupFailpoint], None] | None = None


def reach(failpoint: Failpoint | BackupFailpoint) -> None:
    """Say that a place is reached: nothing happens unless a test has armed it."""
    if _on_reach is not None:
        _on_reach(failpoint)


def watch_failpoints(on_reach: Callable[[Failpoint | BackupFailpoint], None] | None) -> None:
    """Call `on_reach` at every failpoint of this process, in the thread that reaches it.

    Args:
        on_reach: What it raises is raised there; None leaves all failpoints without effect.
    """
    global _on_reach  # noqa: PLW0603 - one for the process, so that no part has to be handed it
    _on_reach = on_reach
