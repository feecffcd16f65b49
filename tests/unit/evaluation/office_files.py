"""Word files with just what a test needs."""

from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

_DOCUMENT = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body>{}</w:body></w:document>"
)
_STYLE = '<w:pPr><w:pStyle w:val="{}"/></w:pPr>'


def write_docx(path: Path, paragraphs: Sequence[tuple[str, str]]) -> None:
    """Write paragraphs, each a style (or "") and a text."""
    body = "".join(
        f"<w:p>{_STYLE.format(style) if style else ''}<w:r><w:t>{text}</w:t></w:r></w:p>"
        for style, text in paragraphs
    )
    with ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", _DOCUMENT.format(body))
