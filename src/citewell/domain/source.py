"""Sources and the items found in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SourceType = Literal["folder", "vault"]
SourceState = Literal["new", "available", "unavailable", "restored"]
WatchMode = Literal["events", "polling"]


@dataclass(frozen=True, slots=True)
class Source:
    """A configured place that holds items.

    Attributes:
        id: Random, stable as long as the source is registered.
        name: Unique, chosen by the operator.
        type: Which connector reads it.
        root: Canonical absolute path of the folder.
        tier: Fixed tier of every item, or None.
        folder_per_tier: The first folder of an item's path names its tier. With neither `tier`
            nor this, items are readable at the highest tier only.
        scan_interval_s: Seconds between full scans.
        include: Glob patterns on relative paths; an item must match one.
        exclude: Glob patterns on relative paths; an item must match none.
    """

    id: str
    name: str
    type: SourceType
    root: str
    tier: str | None = None
    folder_per_tier: bool = False
    scan_interval_s: int = 300
    include: tuple[str, ...] = ("**/*",)
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """How a source stands.

    Attributes:
        state: As of its last scan; `unavailable` when it could not be read, `restored` when it has
            not been scanned since its documents came back from a backup.
        reason: Why it is unavailable, or None.
        watch_mode: How changes become known while a process watches: `events` tell of them at once,
            `polling` compares again and again; None when nobody watches.
        watch_reason: Why it is polled, or None.
    """

    state: SourceState
    reason: str | None = None
    watch_mode: WatchMode | None = None
    watch_reason: str | None = None


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A thing as stored in the source, before its bytes are read.

    Attributes:
        relative_path: Path inside the source with `/`, never `./` or `..`; bytes of a file name
            that are not UTF-8 are written as escapes, so it is always valid text.
        size_bytes: At least 0.
        modified_ns: Last change, nanoseconds since the epoch; a hint only.
        locator: What the connector needs to open it again; opaque to everyone else.
        fingerprint: Differs whenever the content may have changed, without reading it (size,
            modification and change time, inode); "" forces reading.
    """

    relative_path: str
    size_bytes: int
    modified_ns: int
    locator: str
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """Something found in the source that is not offered for ingestion, and why.

    Attributes:
        relative_path: As in `SourceItem`.
        reason: One sentence, e.g. "the link leads outside the source".
        may_hold_items: It is a folder that cannot be listed: what was in it may still be there.
    """

    relative_path: str
    reason: str
    may_hold_items: bool = False
