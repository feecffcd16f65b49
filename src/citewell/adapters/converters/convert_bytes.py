"""The conversion itself: bytes in, documents out; runs in a worker, or anywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from citewell.adapters.converters.archives.budget import UnpackingBudget
from citewell.adapters.converters.archives.member import Member
from citewell.adapters.converters.archives.read_members import ARCHIVE_TYPES, read_members
from citewell.adapters.converters.encodings.clean import clean_document
from citewell.adapters.converters.file_type import recognise
from citewell.adapters.converters.formats.canvas import convert_canvas
from citewell.adapters.converters.formats.delimited import convert_delimited
from citewell.adapters.converters.formats.html import convert_html
from citewell.adapters.converters.formats.mail import convert_mail
from citewell.adapters.converters.formats.notebook import convert_notebook
from citewell.adapters.converters.formats.office import (
    convert_docx,
    convert_epub,
    convert_msg,
    convert_pptx,
)
from citewell.adapters.converters.formats.open_document import convert_open_document
from citewell.adapters.converters.formats.package import check_package
from citewell.adapters.converters.formats.pdf import convert_pdf
from citewell.adapters.converters.formats.plain_text import convert_markdown_bytes, convert_text
from citewell.adapters.converters.formats.spreadsheets import convert_xls, convert_xlsx
from citewell.adapters.converters.formats.xml_text import convert_svg, convert_xml
from citewell.adapters.converters.limits import ConversionLimits
from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember
from citewell.domain.errors import (
    ConversionError,
    DocumentError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)

_Convert = Callable[[bytes, str], ConvertedDocument]


def _without_path(convert: Callable[[bytes], ConvertedDocument]) -> _Convert:
    def convert_ignoring_path(data: bytes, relative_path: str) -> ConvertedDocument:
        del relative_path
        return convert(data)

    return convert_ignoring_path


_CONVERTERS: Mapping[str, _Convert] = {
    "canvas": _without_path(convert_canvas),
    "docx": _without_path(convert_docx),
    "epub": _without_path(convert_epub),
    "html": _without_path(convert_html),
    "mail": _without_path(convert_mail),
    "markdown": convert_markdown_bytes,
    "msg": _without_path(convert_msg),
    "notebook": _without_path(convert_notebook),
    "opendocument": _without_path(convert_open_document),
    "pdf": _without_path(convert_pdf),
    "pptx": _without_path(convert_pptx),
    "svg": _without_path(convert_svg),
    "table": _without_path(convert_delimited),
    "text": convert_text,
    "xls": _without_path(convert_xls),
    "xlsx": _without_path(convert_xlsx),
    "xml": _without_path(convert_xml),
}
_PACKAGES = frozenset({"docx", "xlsx", "pptx", "epub", "opendocument"})


def convert_bytes(
    data: bytes, relative_path: str, limits: ConversionLimits
) -> list[ConvertedDocument | FailedMember]:
    """Convert one item, or every member of an archive.

    A pure function: it opens no file and no connection. Time and memory are limited by whoever
    runs it; what is unpacked is limited here.

    Args:
        data: The content.
        relative_path: Its suffix tells apart kinds of text; signatures in the content win.
        limits: What may be unpacked.

    Returns:
        One document, or one entry per member in order of the archive; never empty.

    Raises:
        DocumentError: The item cannot be converted; the message says why.
    """
    return _convert(data, relative_path, UnpackingBudget(limits), depth=0)


def _convert(
    data: bytes, relative_path: str, budget: UnpackingBudget, *, depth: int
) -> list[ConvertedDocument | FailedMember]:
    if not data:
        return [ConvertedDocument("", "plain", notes=("the file is empty",), converter="none-1")]
    recognised = recognise(data, relative_path)
    if recognised.file_type == "unsupported":
        raise UnsupportedDocumentError(recognised.reason)
    if recognised.file_type == "protected":
        raise ProtectedDocumentError(recognised.reason)
    if recognised.file_type in ARCHIVE_TYPES:
        return _convert_archive(data, relative_path, recognised.file_type, budget, depth=depth)
    if recognised.file_type in _PACKAGES:
        check_package(data, budget.limits)
    try:
        document = _CONVERTERS[recognised.file_type](data, relative_path)
    except RecursionError as error:
        raise ConversionError("the file is nested too deeply to be read") from error
    return [clean_document(document)]


def _convert_archive(
    data: bytes, relative_path: str, file_type: str, budget: UnpackingBudget, *, depth: int
) -> list[ConvertedDocument | FailedMember]:
    budget.enter_archive(depth + 1)
    results: list[ConvertedDocument | FailedMember] = []
    for member in read_members(data, relative_path, file_type, budget):
        if isinstance(member, FailedMember):
            results.append(member)
        else:
            results += _convert_member(member, budget, depth=depth + 1)
    if not results:
        raise ConversionError("the archive is empty")
    return results


def _convert_member(
    member: Member, budget: UnpackingBudget, *, depth: int
) -> list[ConvertedDocument | FailedMember]:
    """Convert one member; whatever goes wrong costs this member only, memory excepted."""
    try:
        results = _convert(member.data, member.path, budget, depth=depth)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the border of one member: libraries raise anything
        return [failed_member(member.path, error)]
    return [
        replace(
            result,
            member_path=f"{member.path}/{result.member_path}"
            if result.member_path
            else member.path,
        )
        for result in results
    ]


def failed_member(member_path: str, error: Exception) -> FailedMember:
    """Return the entry of a member that could not be converted."""
    state = DocumentState.FAILED
    if isinstance(error, UnsupportedDocumentError):
        state = DocumentState.UNSUPPORTED
    elif isinstance(error, ProtectedDocumentError):
        state = DocumentState.PROTECTED
    known = isinstance(error, DocumentError)
    return FailedMember(
        member_path=member_path,
        state=state,
        error_type=type(error).__name__ if known else ConversionError.__name__,
        reason=str(error) if known else f"the converter failed with {type(error).__name__}",
    )
