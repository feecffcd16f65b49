"""Reading a reply that came as JSON although prose was asked for."""

from __future__ import annotations

from typing import Any, cast

from citewell.answering.reading.json_reply import parse_json_reply
from citewell.answering.reading.read_drafts import (
    Draft,
    cited_numbers,
    read_drafts,
    without_markers,
)

_TEXT_KEYS = ("answer", "response", "text", "content", "sentence", "sentences", "answers", "result")
_CITED_KEYS = ("citations", "citation", "passages", "passage", "sources", "source")


def drafts_of_structured_reply(text: str) -> list[Draft]:
    """Return the sentences in a reply of JSON: those under a name such as `answer`.

    What stands under other names is not shown, and a reply without any such name has no sentence.
    """
    reply = parse_json_reply(text)
    return [] if reply is None else _drafts_of(reply)


def _drafts_of(value: object) -> list[Draft]:
    if isinstance(value, str):
        return read_drafts(value)
    if isinstance(value, list):
        return [draft for item in cast("list[Any]", value) for draft in _drafts_of(item)]
    if not isinstance(value, dict):
        return []
    entries = cast("dict[str, Any]", value)
    texts = [entries[key] for key in _TEXT_KEYS if key in entries]
    cited = _numbers_under(entries)
    return [
        draft if draft.cited or not cited else Draft(without_markers(draft.text), cited)
        for text in texts
        for draft in _drafts_of(text)
    ]


def _numbers_under(entries: dict[str, Any]) -> tuple[int, ...]:
    for key in _CITED_KEYS:
        if key in entries:
            return cited_numbers(f"[{str(entries[key]).strip('[]')}]")
    return ()
