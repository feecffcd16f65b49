"""Tell what a file is from its first bytes, and from its name where the bytes are text."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

FileType = str
"""A key of the converters, e.g. `pdf`, `docx`, `zip`, `text`; or `unsupported`."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is.

    Attributes:
        file_type: Which converter reads it.
        reason: For `unsupported` and `protected`: one sentence.
    """

    file_type: FileType
    reason: str = ""


_OCR = "{}: text in pictures is not read yet (no OCR)"
_MEDIA = "{}: sound and video are not transcribed"
_OLD_OFFICE = "{}: save it as {} to have it read"
_PACKED = "{} archive: unpack it or pack it as zip to have it read"
_PROGRAM = "{}: a program, not a document"
_DATABASE = "{}: a database, not a document"

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n", _OCR.format("PNG image")),
    (0, b"\xff\xd8\xff", _OCR.format("JPEG image")),
    (0, b"BM", _OCR.format("BMP image")),
    (0, b"GIF87a", _OCR.format("GIF image")),
    (0, b"GIF89a", _OCR.format("GIF image")),
    (0, b"II*\0", _OCR.format("TIFF image")),
    (0, b"MM\0*", _OCR.format("TIFF image")),
    (8, b"WEBP", _OCR.format("WebP image")),
    (4, b"ftyphei", _OCR.format("HEIC image")),
    (4, b"ftypavif", _OCR.format("AVIF image")),
    (0, b"8BPS", _OCR.format("Photoshop image")),
    (0, b"AT&TFORM", _OCR.format("DjVu scan")),
    (0, b"\0\0\1\0", _OCR.format("icon")),
    (0, b"fLaC", _MEDIA.format("FLAC audio")),
    (0, b"OggS", _MEDIA.format("Ogg audio or video")),
    (0, b"ID3", _MEDIA.format("MP3 audio")),
    (0, b"\xff\xfb", _MEDIA.format("MP3 audio")),
    (8, b"WAVE", _MEDIA.format("WAV audio")),
    (8, b"AVI ", _MEDIA.format("AVI video")),
    (0, b"\x1a\x45\xdf\xa3", _MEDIA.format("Matroska or WebM video")),
    (4, b"ftyp", _MEDIA.format("MP4 audio or video")),
    (0, b"7z\xbc\xaf\x27\x1c", _PACKED.format("7z")),
    (0, b"Rar!\x1a\x07", _PACKED.format("RAR")),
    (0, b"\x28\xb5\x2f\xfd", _PACKED.format("zstd")),
    (0, b"MSCF", _PACKED.format("Cabinet")),
    (0, b"\x1f\x9d", _PACKED.format("compress (.Z)")),
    (0, b"\x7fELF", _PROGRAM.format("Linux binary")),
    (0, b"MZ", _PROGRAM.format("Windows binary")),
    (0, b"\xca\xfe\xba\xbe", _PROGRAM.format("Java or Mac binary")),
    (0, b"\0asm", _PROGRAM.format("WebAssembly")),
    (0, b"SQLite format 3\0", _DATABASE.format("SQLite")),
    (4, b"Standard Jet DB", _DATABASE.format("Access")),
    (4, b"Standard ACE DB", _DATABASE.format("Access")),
    (0, b"!BDN", "Outlook data file (.pst): export its messages to have them read"),
    (0, b"\xff\x57\x50\x43", _OLD_OFFICE.format("WordPerfect document", ".docx")),
    (0, b"\xe4\x52\x5c\x7b", "OneNote section: export its pages to have them read"),
)
_TEXT_MAGIC: tuple[tuple[bytes, Recognised], ...] = (
    (b"{\\rtf", Recognised("unsupported", _OLD_OFFICE.format("RTF document", ".docx"))),
    (b"-----BEGIN PGP MESSAGE", Recognised("protected", "the file is encrypted with PGP")),
)
_PACKED_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x1f\x8b", "gzip"),
    *(
        (0, b"BZh%d%b" % (level, start), "bzip2")
        for level in range(1, 10)
        for start in (b"1AY&SY", b"\x17rE8P\x90")
    ),
    (0, b"\xfd7zXZ\0", "xz"),
    (257, b"ustar", "tar"),
)

_TEXT_TYPES = {
    **dict.fromkeys(("md", "markdown", "mdx", "mkd", "mdown"), "markdown"),
    **dict.fromkeys(("html", "htm", "xhtml", "html5", "shtml"), "html"),
    **dict.fromkeys(("csv", "tsv"), "table"),
    **dict.fromkeys(("xml", "rss", "atom", "docbook", "fb2", "dita"), "xml"),
    "eml": "mail",
    "mht": "mail",
    "mhtml": "mail",
    "mbox": "mbox",
    "ipynb": "notebook",
    "canvas": "canvas",
    "svg": "svg",
}
_HTML_START = re.compile(
    rb"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)
_XML_START = re.compile(rb"\s*<\?xml[\s]")
_SVG_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE svg.{0,2000}?>\s*)?<svg[\s>]", re.IGNORECASE | re.DOTALL
)
_HEAD_BYTES = 4_096


def recognise(data: bytes, relative_path: str) -> Recognised:
    """Return what the file is; the content decides where it has a signature, else the suffix."""
    head = data[:_HEAD_BYTES]
    if head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and suffix_of(relative_path) == "pdf"):
        return Recognised("pdf")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _recognise_zip(data)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _recognise_compound_file(data)
    if suffix_of(relative_path) in {"gpg", "pgp"}:
        return Recognised("protected", "the file is encrypted with PGP")
    return _recognise_signature(head) or Recognised(_text_type(head, suffix_of(relative_path)))


def _recognise_signature(head: bytes) -> Recognised | None:
    for offset, magic, reason in _MAGIC:
        # Text can begin with the letters of a signature, but not hold a NUL besides.
        if head.startswith(magic, offset) and (b"\0" in head or not magic.isascii()):
            return Recognised("unsupported", reason)
    for offset, magic, file_type in _PACKED_MAGIC:
        if head.startswith(magic, offset):
            return Recognised(file_type)
    for magic, recognised in _TEXT_MAGIC:
        if head.startswith(magic):
            return recognised
    return None


def suffix_of(relative_path: str) -> str:
    """Return the suffix in lower case without its dot and stray blanks, or ""."""
    return PurePosixPath(relative_path.strip()).suffix.lower().lstrip(".")


def _text_type(head: bytes, suffix: str) -> FileType:
    file_type = _TEXT_TYPES.get(suffix, "text")
    if file_type == "xml" and _SVG_START.match(head):
        return "svg"
    if file_type != "text" or suffix in {"txt", "text", "log"}:
        return file_type
    if _HTML_START.match(head):
        return "html"
    return "xml" if _XML_START.match(head) else "text"


_OFFICE_MARKERS = (
    ("xl/workbook.bin", Recognised("unsupported", _OLD_OFFICE.format("binary workbook", ".xlsx"))),
    ("visio/", Recognised("unsupported", _OLD_OFFICE.format("Visio drawing", ".pdf"))),
    ("word/", Recognised("docx")),
    ("xl/", Recognised("xlsx")),
    ("ppt/", Recognised("pptx")),
    ("FixedDoc", Recognised("unsupported", _OLD_OFFICE.format("XPS document", ".pdf"))),
)
_ZIP_MIME_TYPES = {
    b"application/epub+zip": Recognised("epub"),
    b"application/vnd.oasis.opendocument.text": Recognised("opendocument"),
    b"application/vnd.oasis.opendocument.spreadsheet": Recognised("opendocument"),
    b"application/vnd.oasis.opendocument.presentation": Recognised("opendocument"),
    b"application/vnd.sun.xml.writer": Recognised("opendocument"),
    b"application/vnd.sun.xml.impress": Recognised("opendocument"),
    b"application/vnd.sun.xml.calc": Recognised("opendocument"),
}
_ZIP_UNSUPPORTED = (
    ("Index/Document.iwa", _OLD_OFFICE.format("Apple Pages, Numbers or Keynote file", ".pdf")),
    ("Index/Presentation.iwa", _OLD_OFFICE.format("Apple Keynote file", ".pdf")),
    ("buildVersionHistory.plist", _OLD_OFFICE.format("Apple iWork file", ".pdf")),
    ("index.apxl", _OLD_OFFICE.format("Apple Keynote file", ".pdf")),
    ("index.xml.gz", _OLD_OFFICE.format("Apple iWork file", ".pdf")),
    ("META-INF/MANIFEST.MF", _PROGRAM.format("Java archive")),
)


def _recognise_zip(data: bytes) -> Recognised:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()[:2_000]
            mime_type = _mime_type_of(archive, names)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return Recognised("zip")
    for known, recognised in _ZIP_MIME_TYPES.items():
        if mime_type.startswith(known):
            return recognised
    if "content.xml" in names and "META-INF/manifest.xml" in names:
        return Recognised("opendocument")
    if "[Content_Types].xml" in names:
        return _recognise_office(names)
    for marker, reason in _ZIP_UNSUPPORTED:
        if any(name.startswith(marker) for name in names):
            return Recognised("unsupported", reason)
    return Recognised("zip")


def _recognise_office(names: list[str]) -> Recognised:
    for prefix, recognised in _OFFICE_MARKERS:
        if any(name.startswith(prefix) for name in names):
            return recognised
    return Recognised("unsupported", "an Office file of an unknown kind")


def _mime_type_of(archive: zipfile.ZipFile, names: list[str]) -> bytes:
    if "mimetype" not in names or archive.getinfo("mimetype").file_size > 200:
        return b""
    return archive.read("mimetype").strip()


_COMPOUND_FILES: tuple[tuple[str, Recognised], ...] = (
    ("EncryptedPackage", Recognised("protected", "the office file needs a password")),
    ("EncryptedSummary", Recognised("protected", "the office file needs a password")),
    (
        "\x09DRMContent",
        Recognised("protected", "the office file is protected by rights management"),
    ),
    ("__properties_version1.0", Recognised("msg")),
    ("Workbook", Recognised("xls")),
    ("Book", Recognised("xls")),
    ("WordDocument", Recognised("unsupported", _OLD_OFFICE.format("Word 97 document", ".docx"))),
    (
        "PowerPoint Document",
        Recognised("unsupported", _OLD_OFFICE.format("PowerPoint 97 presentation", ".pptx")),
    ),
    ("VisioDocument", Recognised("unsupported", _OLD_OFFICE.format("Visio drawing", ".pdf"))),
    ("Quill", Recognised("unsupported", _OLD_OFFICE.format("Publisher document", ".pdf"))),
)


def _recognise_compound_file(data: bytes) -> Recognised:
    olefile: Any = import_module("olefile")

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            entries = file.listdir(streams=True, storages=True)
            names: set[str] = {entry[0].lower() for entry in entries}
    except Exception:  # noqa: BLE001 - olefile raises anything on a damaged file
        return Recognised("unsupported", "a damaged Office 97 file")
    for name, recognised in _COMPOUND_FILES:
        if name.lower() in names:
            return recognised
    return Recognised("unsupported", "an Office 97 file of an unknown kind")
