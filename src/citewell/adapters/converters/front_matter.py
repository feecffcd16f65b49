"""Read the YAML front matter of a note as plain JSON values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, cast

import yaml

# Far above any real note; what is larger is text.
_MAX_LENGTH = 64 * 1024
_MAX_DEPTH = 32
# Each pair of aliases can double what the others stand for, so ten multiply it by 32 at most.
_MAX_ALIASES = 10
_MAX_VALUES = 10_000

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_NOT_TEXT = re.compile(r"[\ud800-\udfff\0]")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stood before the text of a note.

    Attributes:
        values: Plain JSON values; empty without valid front matter.
        end: Where the text starts, in characters; 0 if front matter is missing or broken.
        note: What was wrong with it, or "".
        kept_end: Where broken front matter ends that is kept in the text; else 0.
    """

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    end: int = 0
    note: str = ""
    kept_end: int = 0


_Mapping = Mapping[Any, Any]


class _UnreadableError(ValueError):
    pass


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter at the start of a note.

    Dates become ISO strings; keys become strings. Aliases, depth and size are bounded, so that a
    few lines cannot stand for gigabytes. A block that is no mapping is text between two rules.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end(), _MAX_LENGTH) if opening else None
    if not opening or not closing:
        return FrontMatter()
    try:
        value = _load(text[opening.end() : closing.start()])
        if value is None:
            return FrontMatter(end=closing.end())
        if not isinstance(value, dict):
            return FrontMatter()
        return FrontMatter(_Plain().mapping(cast("_Mapping", value), 0), closing.end())
    except _UnreadableError as error:
        note = f"the front matter was kept as text: {error}"
        return FrontMatter(note=note, kept_end=closing.end())


def _load(source: str) -> object:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    strings = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        _check_events(source, loader)
        try:
            return yaml.load(source, loader)  # noqa: S506 - a safe loader
        except (ValueError, OverflowError):  # such as the 30th of February
            return yaml.load(source, strings)  # noqa: S506 - makes strings only
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" in line {mark.line + 2}" if mark else ""
        raise _UnreadableError(f"it is not valid YAML{line}") from error
    except (TypeError, RecursionError, UnicodeError, AttributeError) as error:
        raise _UnreadableError("it is not valid YAML") from error


def _check_events(source: str, loader: type[Any]) -> None:
    depth = n_aliases = 0
    for event in _events(source, loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            n_aliases += 1
        if depth > _MAX_DEPTH or n_aliases > _MAX_ALIASES:
            raise _UnreadableError("it is nested too deeply or repeats itself by aliases")


def _events(source: str, loader: type[Any]) -> Iterable[object]:
    return cast("Any", yaml).parse(source, loader)  # the stub leaves the type of events open


class _Plain:
    """Turns YAML values into JSON values, a bounded number of them."""

    def __init__(self) -> None:
        self._left = _MAX_VALUES

    def mapping(self, value: _Mapping, depth: int) -> dict[str, Any]:
        return {_key(self._value(k, depth)): self._value(v, depth + 1) for k, v in value.items()}

    def _value(self, value: object, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            raise _UnreadableError("it holds too many values")
        if isinstance(value, dict):
            return self.mapping(cast("_Mapping", value), depth)
        if isinstance(value, set):
            value = sorted(cast("set[object]", value), key=str)
        if isinstance(value, list | tuple):
            return [self._value(entry, depth + 1) for entry in cast("Iterable[object]", value)]
        return _scalar(value)


def _key(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _scalar(value: object) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return _NOT_TEXT.sub("\ufffd", text)
