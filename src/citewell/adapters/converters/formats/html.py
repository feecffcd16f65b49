"""HTML to Markdown, without scripts, styles, pictures and embedded data."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from citewell.adapters.converters.encodings.declared import decode_html
from citewell.adapters.converters.formats.markdown_output import tidy_markdown
from citewell.adapters.converters.formats.titles import is_sensible_title
from citewell.adapters.converters.notes import add_notes, hidden_note
from citewell.domain.document import ConvertedDocument

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_DROPPED = ("script", "style", "template", "object", "embed", "canvas", "link", "base")
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)"
    r"|font-size\s*:\s*[01](?:\.\d*)?(?:px|pt|em|rem|%)?\s*(?:;|$)"
    r"|(?<![-\w])color\s*:\s*(?:#fff\b|#ffffff\b|white\b|transparent\b|rgba?\(255,\s*255,\s*255)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)


@cache
def markitdown_name(converter: str) -> str:
    """Return the name of a converter that is built on markitdown."""
    return f"{converter}-1 markitdown-{version('markitdown')}"


def convert_html(data: bytes) -> ConvertedDocument:
    """Return a page as Markdown; hidden text stays, with a note."""
    decoded = decode_html(data)
    return add_notes(convert_html_text(decoded.text), decoded.note)


def convert_html_text(html: str) -> ConvertedDocument:
    """Return decoded HTML as Markdown; nesting too deep for that gives plain paragraphs."""
    soup, n_hidden = _prune(html)
    markdown, title = _to_markdown(soup)
    return ConvertedDocument(
        text=tidy_markdown(markdown),
        syntax="markdown",
        title=title if is_sensible_title(title) else "",
        notes=tuple(filter(None, [hidden_note(n_hidden)])),
        converter=markitdown_name("html"),
    )


def _prune(html: str) -> tuple[BeautifulSoup, int]:
    """Return the parsed page without what is not text, and how many places are hidden."""
    import warnings

    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        soup = BeautifulSoup(html, "html.parser")
    for element in soup.find_all(_DROPPED):
        element.decompose()
    n_hidden = sum(1 for element in soup.find_all(_is_hidden) if element.get_text(strip=True))
    return soup, n_hidden


def _is_hidden(element: Any) -> bool:
    return element.has_attr("hidden") or bool(_HIDDEN_STYLE.search(str(element.get("style", ""))))


def _to_markdown(soup: BeautifulSoup) -> tuple[str, str]:
    converters: Any = import_module("markitdown.converters")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    try:
        return converters.HtmlConverter().convert_string(
            str(soup), strict=True, table_infer_header=True
        ).markdown, title
    except RecursionError:
        body = soup.body or soup
        return body.get_text("\n", strip=True), title
