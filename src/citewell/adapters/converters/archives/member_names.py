"""Names of members: any encoding in, safe relative paths out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewell.adapters.converters.encodings.decode import decode_text
from citewell.domain.document import DocumentState, FailedMember
from citewell.domain.errors import ConversionError, ConversionLimitError, UnsupportedDocumentError
from citewell.domain.visible_text import clean_text

_DRIVE = re.compile(r"^[A-Za-z]:")
_MAX_CHARACTERS = 1_000


def decode_names(names: Sequence[bytes]) -> list[str]:
    """Return names as text; all in one encoding, which is detected from all together."""
    joined = b"\n".join(name.replace(b"\n", b" ") for name in names)
    try:
        decoded = decode_text(joined).text.split("\n")
    except UnsupportedDocumentError:
        decoded = []
    if len(decoded) != len(names):
        return [name.decode("latin-1") for name in names]
    return decoded


def normalise_path(name: str) -> str | None:
    """Return the path with `/`, without `.` and empty parts; None if it leads outside."""
    path = clean_text(name.replace("\\", "/"))[0].replace("\n", " ")
    if path.startswith("/") or _DRIVE.match(path):
        return None
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts or ".." in parts:
        return None
    return "/".join(parts)[:_MAX_CHARACTERS]


def refused_name(name: str) -> FailedMember:
    """Return the entry of a member whose name leads outside; its path is made harmless."""
    cleaned = clean_text(name.replace("\\", "/"))[0].replace("\n", " ")
    parts = [part.replace("..", "%2E%2E") for part in cleaned.split("/")]
    harmless = "/".join(part for part in parts if part not in {"", "."}) or "(no name)"
    return FailedMember(
        member_path=harmless[:_MAX_CHARACTERS],
        state=DocumentState.FAILED,
        error_type=ConversionError.__name__,
        reason="its name leads outside the archive",
    )


def unread_rest(n_members: int, max_members: int) -> FailedMember:
    """Return the one entry that stands for all members beyond the limit."""
    return FailedMember(
        member_path=f"({n_members} further members)",
        state=DocumentState.FAILED,
        error_type=ConversionLimitError.__name__,
        reason=f"{n_members} members were not read: at most {max_members} are",
    )


class UniquePaths:
    """Gives a second member of the same name a path of its own."""

    def __init__(self) -> None:
        """Start with no names."""
        self._seen: dict[str, int] = {}

    def take(self, path: str) -> str:
        """Return `path`, or `path (2)` and so on if it was taken before."""
        count = self._seen.get(path, 0) + 1
        self._seen[path] = count
        if count == 1:
            return path
        stem, dot, suffix = path.rpartition(".")
        numbered = (
            f"{stem} ({count}).{suffix}" if dot and "/" not in suffix else f"{path} ({count})"
        )
        return self.take(numbered)
