"""The tag that names a citation's place, `[s.<source_type>:<source_id>/<location>]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

_RESERVED = re.compile(r"[%/\]:\x00-\x1f\x7f]")
_TAG = re.compile(r"\[s\.([^:/\]]+):([^:/\]]*)/([^:\]]*)\]")


@dataclass(frozen=True, slots=True)
class TagParts:
    """What a tag says.

    Attributes:
        source_type: `folder` or `vault`.
        source_id: The document's relative path.
        location: Page and paragraph from 1, or the heading path; empty for text above all headings.
    """

    source_type: str
    source_id: str
    location: tuple[str, ...]


def format_tag(source_type: str, source_id: str, location: Sequence[str]) -> str:
    """Return the tag.

    `/ ] : %` and control characters of the source id and of each part of the location are
    percent-encoded; the slashes between the parts stay.
    """
    encoded = "/".join(_encode(part) for part in location)
    return f"[s.{source_type}:{_encode(source_id)}/{encoded}]"


def parse_tag(tag: str) -> TagParts:
    """Return what `format_tag` was given.

    Raises:
        ValueError: It is not a tag.
    """
    match = _TAG.fullmatch(tag)
    if not match:
        raise ValueError("a tag reads [s.<source_type>:<source_id>/<location>]")
    source_type, source_id, location = match.groups()
    parts = tuple(unquote(part) for part in location.split("/")) if location else ()
    return TagParts(source_type, unquote(source_id), parts)


def _encode(text: str) -> str:
    return _RESERVED.sub(lambda match: f"%{ord(match[0]):02X}", text)
