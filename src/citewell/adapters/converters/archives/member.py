"""A file in an archive."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A regular file in an archive.

    Attributes:
        path: Normalised and unique in the archive; never leads outside.
        data: Its content.
    """

    path: str
    data: bytes
