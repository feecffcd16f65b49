"""Decide whether a title from a file's metadata is one."""

from __future__ import annotations

import re

_FILE_NAME = re.compile(
    r"\.(?:docx?|xlsx?|pptx?|pdf|indd|qxd|tex|dvi|rtf|odt|html?|pub)$", re.IGNORECASE
)
_PLACEHOLDER = re.compile(
    r"^(?:untitled|unknown|no title|document\d*|title|microsoft \w+ - .*|slide \d+|powerpoint "
    r"presentation|doc\d*|page \d+|无标题|無標題|null|none)$",
    re.IGNORECASE,
)
_TWO_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_]|[\u3040-\u9fff\uac00-\ud7a3]")


def is_sensible_title(title: str) -> bool:
    """Return whether a person would call it a title: no file name, no placeholder, has letters."""
    title = title.strip()
    return bool(
        _TWO_LETTERS.search(title)
        and not _FILE_NAME.search(title)
        and not _PLACEHOLDER.match(title)
        and "\ufffd" not in title
    )
