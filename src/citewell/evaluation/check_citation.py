"""Checking a citation against the original file, not against what was made of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.evaluation.reopen import Section, letters, reopen

_LIST_NUMBER = re.compile(r"(?m)^\s*\d+[.)]\s")


def check_citation(root: Path, citation: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a citation, or None when the file bears it out.

    The quote must stand on the page that the citation names, or under its headings; letters and
    digits are compared, since markup and white space differ between a file and its text.

    Args:
        root: Folder of the source.
        citation: As in the public reply.
    """
    path = root / citation["source_id"]
    if not path.is_file():
        return f"there is no file {citation['source_id']}"
    try:
        sections = reopen(path)
    except UnicodeDecodeError:
        return f"{citation['source_id']} cannot be read again: it is no UTF-8"
    quotes = [citation["quote"]]
    if path.suffix.lower() == ".docx":
        quotes.append(_LIST_NUMBER.sub("", citation["quote"]))  # Word counts when it shows a list
    problems = [_check_quote(sections, citation, letters(quote)) for quote in quotes]
    return None if None in problems else problems[0]


def _check_quote(
    sections: Sequence[Section], citation: Mapping[str, Any], quote: str
) -> str | None:
    if not quote:
        return "the quote has no words"
    if "page" in citation:
        return _check_page(sections, citation["page"], quote)
    return _check_headings(sections, citation["heading_path"], quote)


def _check_page(sections: Sequence[Section], page: int, quote: str) -> str | None:
    """A quote starts on its page; it may go on on the next one."""
    if not 1 <= page <= len(sections):
        return f"there is no page {page}"
    here = letters(sections[page - 1].text)
    following = letters(sections[page].text) if page < len(sections) else ""
    at = (here + following).find(quote)
    if 0 <= at < len(here):
        return None
    return f"the quote does not start on page {page}"


def _check_headings(
    sections: Sequence[Section], heading_path: Sequence[str], quote: str
) -> str | None:
    wanted = [letters(heading) for heading in heading_path]
    inside = [
        section
        for section in sections
        if [letters(heading) for heading in section.headings][: len(wanted)] == wanted
    ]
    if not inside:
        return f"there is no heading {' › '.join(heading_path)}"
    if quote in "".join(letters(section.text) for section in inside):
        return None
    return f"the quote does not stand under {' › '.join(heading_path) or 'the file'}"
