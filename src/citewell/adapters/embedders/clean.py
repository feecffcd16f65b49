"""Text that every embedder can take."""

from __future__ import annotations


def clean_text(text: str) -> str:
    """Return `text` without what breaks embedders.

    A NUL ends the string in C libraries: it becomes a space. A lone surrogate cannot be written as
    UTF-8: it becomes U+FFFD. Everything else stays as it is.
    """
    if "\0" in text:
        text = text.replace("\0", " ")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(
            "\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text
        )
    return text
