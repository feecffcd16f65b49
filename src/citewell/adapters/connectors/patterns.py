"""Glob patterns on relative paths, and the names that are never offered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate

# Lock and scratch files of editors, and what file managers leave behind.
_TEMPORARY = re.compile(
    r"~\$.*|\.~lock\..*#|.*~|.*\.sw[a-p]|\.DS_Store|Thumbs\.db|desktop\.ini",
    re.IGNORECASE | re.DOTALL,
)


class PathPatterns:
    """Decides which paths of a source are offered.

    `*` and `?` stand for characters of one name, `**` for any number of folders, `[…]` for one of
    several characters. A pattern without `/` applies to names in every folder, one that starts
    with `/` to the root. A pattern that matches a folder applies to all that lies in it. Case
    matters.
    """

    def __init__(self, *, include: Sequence[str], exclude: Sequence[str]) -> None:
        """Take patterns; a path must match one of `include` and none of `exclude`."""
        self._includes_all = any(pattern in {"**", "**/*"} for pattern in include)
        self._include = [_compile(pattern) for pattern in include]
        self._exclude = [_compile(pattern) for pattern in exclude]

    def offers(self, path: str) -> bool:
        """Return whether an item is offered."""
        if not self._includes_all and not any(p.fullmatch(path) for p in self._include):
            return False
        return not self._exclude or not any(p.fullmatch(path) for p in self._exclude)

    def skips_folder(self, path: str) -> bool:
        """Return whether all that lies in a folder is excluded."""
        return any(p.fullmatch(path) for p in self._exclude)


def is_hidden(name: str) -> bool:
    """Return whether a file or folder is left out of every source without a word.

    Names that start with a dot (`.git`, `.obsidian`, `.trash`, `.env`) are configuration, history
    and secrets; lock and scratch files of editors come and go.
    """
    return name.startswith(".") or _TEMPORARY.fullmatch(name) is not None


def _compile(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix(".") if pattern.startswith("./") else pattern
    is_anchored = "/" in pattern.rstrip("/")
    names = pattern.strip("/").split("/")
    names = names if is_anchored else ["**", *names]
    regex = "".join(_translate(name, is_last=i == len(names) - 1) for i, name in enumerate(names))
    # What matches a folder matches all below it.
    return re.compile(rf"(?s:{regex}(?:/.*)?)")


def _translate(name: str, *, is_last: bool) -> str:
    if name == "**":
        return ".+" if is_last else "(?:[^/]+/)*"
    inner = "".join(_translate_part(part) for part in re.split(r"(\[[^\]/]+\]|[*?])", name))
    return inner if is_last else inner + "/"


def _translate_part(part: str) -> str:
    if part == "*":
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if part.startswith("[") and part.endswith("]") and len(part) > 2:
        # `translate` knows the syntax of sets; it gives `(?s:…)\Z`.
        return translate(part).removeprefix("(?s:").removesuffix(r")\Z")
    return re.escape(part)
