"""What not every server takes, left out once it was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class OptionalFeatures:
    """Remembers which arguments of a request a server refuses, as long as the process runs."""

    def __init__(self, named_as: Mapping[str, tuple[str, ...]]) -> None:
        """Expect that everything is taken.

        Args:
            named_as: Words of a refusal, in lower case, that tell which argument was refused; most
                telling argument first.
        """
        self._named_as = named_as
        self._refused: set[str] = set()

    def is_refused(self, name: str) -> bool:
        """Return whether the server refuses this argument."""
        return name in self._refused

    def kept(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments without those that were refused."""
        return {name: value for name, value in arguments.items() if name not in self._refused}

    def note_refusal(self, body: str, *, sent: Mapping[str, Any]) -> bool:
        """Remember what a reply of status 400 refuses.

        Args:
            body: Of the reply.
            sent: Arguments of the request.

        Returns:
            Whether it was one of these: the request is worth sending without it.
        """
        text = body.lower()
        for name, words in self._named_as.items():
            if name in sent and any(word in text for word in words):
                self._refused.add(name)
                return True
        return False
