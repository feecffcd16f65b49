"""Join characters that a server cut into two pieces."""

from __future__ import annotations

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")


class WholeCharacters:
    r"""Passes text on; half of a pair (`"\ud83d"`) waits for the other half."""

    def __init__(self) -> None:
        """Begin a reply."""
        self._half = ""

    def feed(self, text: str) -> str:
        """Return the whole characters; a half that has no other becomes U+FFFD."""
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return _joined(text[: len(text) - len(self._half)])

    def finish(self) -> str:
        """Return what is left at the end."""
        return _joined(self._half)


def _joined(text: str) -> str:
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
