"""Jupyter notebooks: text and code cells."""

from __future__ import annotations

import io

from citewell.adapters.converters.encodings.decode import decode_text
from citewell.adapters.converters.formats.html import markitdown_name
from citewell.adapters.converters.formats.markdown_output import tidy_markdown
from citewell.adapters.converters.notes import add_notes
from citewell.domain.document import ConvertedDocument


def convert_notebook(data: bytes) -> ConvertedDocument:
    """Return the cells as Markdown; a file that is no notebook as plain text."""
    from markitdown import StreamInfo
    from markitdown.converters import IpynbConverter

    decoded = decode_text(data)
    stream = io.BytesIO(decoded.text.encode("utf-8", "replace"))
    try:
        result = IpynbConverter().convert(stream, StreamInfo(extension=".ipynb", charset="utf-8"))
        markdown = tidy_markdown(result.markdown)
    except (MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - broken JSON or an unknown layout, in many kinds
        markdown, title = "", ""
    else:
        title = str(result.title or "")
    if markdown:
        name = markitdown_name("notebook")
        document = ConvertedDocument(markdown, "markdown", title=title, converter=name)
    else:
        document = ConvertedDocument(
            decoded.text,
            "plain",
            notes=("not a notebook of a known layout, read as text",),
            converter="text-1",
        )
    return add_notes(document, decoded.note)
