"""Convert a Markdown file or Obsidian note."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from citewell.adapters.converters.front_matter import read_front_matter
from citewell.adapters.converters.note_marks import clean_tag, find_marks
from citewell.domain.document import ConvertedDocument, Span
from citewell.ingestion.outline import outline_blocks

_CONVERTER = "markdown-1"

# A first heading further down is no title.
_TITLE_WITHIN = 20_000


def convert_markdown(text: str, *, relative_path: str) -> ConvertedDocument:
    """Return a note with its front matter, tags and wiki links.

    The document's text is the file's, character by character, from the end of the front matter on,
    so quotes are found in the file; only comments between `%%` are left out, which are private.
    Front matter that cannot be read stays in the text, with a note.

    Args:
        text: Of the file, without byte order mark; lines end with a line feed.
        relative_path: Of the file; not used for the title.
    """
    del relative_path
    front_matter = read_front_matter(text)
    body = text[front_matter.end :]
    marks = find_marks(body, start=front_matter.kept_end)
    body = _without(body, marks.comments)
    notes = [front_matter.note] if front_matter.note else []
    if marks.comments:
        notes.append(f"left out {len(marks.comments)} comments between %%")
    return ConvertedDocument(
        body,
        "markdown",
        title=_title(front_matter.values, body),
        frontmatter=front_matter.values,
        tags=_distinct([*_front_matter_tags(front_matter.values), *marks.tags]),
        links=tuple(dict.fromkeys(marks.links)),
        notes=tuple(notes),
        converter=_CONVERTER,
    )


def _without(text: str, spans: Iterable[Span]) -> str:
    """Leave out comments, and the line of one that has a line for itself."""
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts.append(text[position:start])
        alone = text[start - 1 : start] in {"", "\n"} and text[end : end + 1] == "\n"
        position = end + 1 if alone else end
    return "".join([*parts, text[position:]])


def _title(front_matter: Mapping[str, Any], body: str) -> str:
    title = front_matter.get("title")
    if isinstance(title, str | int | float) and str(title).strip():
        return " ".join(str(title).split())
    for block in outline_blocks(body[:_TITLE_WITHIN], "markdown"):
        if block.kind == "heading" and block.level == 1 and block.title:
            return block.title
    return ""


def _front_matter_tags(front_matter: Mapping[str, Any]) -> Iterable[str]:
    for key, value in front_matter.items():
        if key.lower() not in {"tags", "tag"}:
            continue
        for entry in _entries(value):
            if isinstance(entry, str | int) and (tag := clean_tag(str(entry))):
                yield tag


def _entries(value: object) -> Sequence[object]:
    if isinstance(value, list):
        return cast("list[object]", value)
    return value.replace(",", " ").split() if isinstance(value, str) else [value]


def _distinct(tags: Iterable[str]) -> tuple[str, ...]:
    """Keep the first of tags that differ only in case, as Obsidian does."""
    distinct: dict[str, str] = {}
    for tag in tags:
        distinct.setdefault(tag.casefold(), tag)
    return tuple(distinct.values())
