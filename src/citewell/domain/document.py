"""A document: an item of a source as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Span = tuple[int, int]
"""Half-open character range in a document's text, from 0."""

Syntax = Literal["markdown", "plain"]


class DocumentState(StrEnum):
    """What became of an item; names as in the public contract."""

    SEARCHABLE = "searchable"
    INDEXED = "indexed"
    EMPTY = "empty"
    NO_TEXT = "no_text"
    PROTECTED = "protected"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Where one page lies in the text.

    Attributes:
        number: Page number, from 1.
        start: First character.
        end: One past the last character; equal to `start` for a page without text.
    """

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """The text of an item and what the converter learned about it.

    Attributes:
        text: Unicode without NUL, lone surrogates or carriage returns; lines end with a line feed.
        syntax: How to read structure: Markdown blocks, or plain paragraphs.
        title: From metadata or the first heading; "" when there is none (the file name is used).
        pages: In order, numbers from 1 without a gap; empty where pages have no meaning.
        frontmatter: YAML front matter as plain JSON values.
        tags: Without `#`, in order of first occurrence, no repetition.
        links: Targets of wiki links, without alias, in order of first occurrence.
        notes: What the operator should know, e.g. "no text on pages 3-7".
        converter: Name and version of the code that made the text; part of the version.
        member_path: Path inside an archive, "" when the item itself was converted.
    """

    text: str
    syntax: Syntax
    title: str = ""
    pages: tuple[PageSpan, ...] = ()
    frontmatter: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    converter: str = ""
    member_path: str = ""


@dataclass(frozen=True, slots=True)
class FailedMember:
    """A member of an archive that could not be converted.

    Attributes:
        member_path: Path inside the archive.
        state: `unsupported`, `protected`, `no_text`, `empty` or `failed`.
        error_type: Name of the error class.
        reason: One sentence.
    """

    member_path: str
    state: DocumentState
    error_type: str
    reason: str
