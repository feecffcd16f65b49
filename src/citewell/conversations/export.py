"""A conversation as a Markdown text; what readers and documents wrote stays text in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.domain.answer import Citation
from citewell.domain.conversation import KeptTurn, Thread
from citewell.domain.visible_text import clean_text

_MEANS_SOMETHING = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&$:=@/])")


def export_markdown(thread: Thread) -> str:
    """Return a conversation, already redacted for its reader, as Markdown.

    No text of it becomes a link, an image, HTML or a heading, whatever renders it.
    """
    title = _inert(thread.conversation.title) or "Conversation"
    lines = [f"# {title}", "", f"Begun {thread.conversation.created_at}.", ""]
    for turn in thread.turns:
        lines += _turn_lines(turn)
    return "\n".join(lines)


def _turn_lines(turn: KeptTurn) -> Iterator[str]:
    yield from (f"## {_inert(turn.question)}", "", f"{turn.at}, {turn.answer.mode}", "")
    for sentence in turn.answer.sentences:
        marks = "".join(f" \\[{n}\\]" for n in sentence.citations)
        yield from (f"{_inert(sentence.text)}{marks}", "")
    if not turn.answer.sentences:
        yield from (_inert(turn.answer.text), "")
    for citation in turn.answer.citations:
        yield from (_citation_line(citation), f"   > {_inert(citation.quote)}", "")
    if turn.answer.notice:
        yield from (f"Notice: {_inert(turn.answer.notice)}", "")


def _citation_line(citation: Citation) -> str:
    place = f"page {citation.page}" if citation.page else " › ".join(citation.heading_path)
    named = f"{citation.source_name}: {citation.source_id}"
    return f"- \\[{citation.n}\\] {_inert(f'{named}, {place}' if place else named)}"


def _inert(text: str) -> str:
    """Return text on one line, every character that Markdown or HTML gives a meaning escaped."""
    cleaned, _ = clean_text(text)
    return _MEANS_SOMETHING.sub(r"\\\1", " ".join(cleaned.split()))
