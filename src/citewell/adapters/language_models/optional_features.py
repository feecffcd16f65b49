"""What not every OpenAI-compatible server takes, left out once it was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.ports.language_model import Prompt

# Words of a refusal that tell what was refused, in lower case, most telling first. A server that
# wants `max_completion_tokens` names both.
_NAMED_AS = {
    "max_tokens": ("max_completion_tokens",),
    "stream_options": ("stream_options", "include_usage"),
    "response_format": (
        "response_format",
        "json_schema",
        "schema",
        "grammar",
        "structured output",
        "guided",
    ),
    "temperature": ("temperature",),
}


class OptionalFeatures:
    """Remembers what a server refuses, for as long as the process runs."""

    def __init__(self) -> None:
        """Expect that everything is taken."""
        self._refused: set[str] = set()

    def arguments(self, prompt: Prompt, *, stream: bool) -> dict[str, Any]:
        """Return the arguments of a request, in the SDK's names, without what was refused."""
        arguments: dict[str, Any] = {
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
        }
        if stream:
            arguments["stream_options"] = {"include_usage": True}
        if prompt.schema is not None:
            arguments["response_format"] = _response_format(prompt.schema)
        kept = {name: value for name, value in arguments.items() if name not in self._refused}
        if "max_tokens" in self._refused:
            kept["max_completion_tokens"] = prompt.max_tokens
        return kept

    def note_refusal(self, body: str, *, sent: Mapping[str, Any]) -> bool:
        """Remember what a reply of status 400 refuses.

        Args:
            body: Of the reply.
            sent: Arguments of the request.

        Returns:
            Whether it was one of these: the request is worth sending without it.
        """
        text = body.lower()
        for name, words in _NAMED_AS.items():
            if name in sent and any(word in text for word in words):
                self._refused.add(name)
                return True
        return False


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
    }
