"""Requests and results as MessagePack: a worker is not trusted, so nothing is unpickled.

A hostile file may take over the worker that converts it. What comes back is therefore plain data
whose every type and range is checked here, in the parent, before it becomes one of our objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal, TypeGuard, cast

from citewell.adapters.converters.convert_bytes import convert_bytes
from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.packing import pack, unpack
from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember, PageSpan
from citewell.domain.errors import (
    ConversionError,
    ConversionLimitError,
    DocumentError,
    InvalidDocumentError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)
from citewell.ports.converter import ConversionResult

_ERRORS: dict[str, type[DocumentError]] = {
    error.code: error
    for error in (
        UnsupportedDocumentError,
        ProtectedDocumentError,
        ConversionError,
        ConversionLimitError,
        InvalidDocumentError,
    )
}
_MEMBER_STATES = {
    DocumentState.UNSUPPORTED,
    DocumentState.PROTECTED,
    DocumentState.NO_TEXT,
    DocumentState.EMPTY,
    DocumentState.FAILED,
}
_MAX_LABEL_CHARACTERS = 10_000
_MAX_REASON_CHARACTERS = 1_000
_MAX_JSON_DEPTH = 32


def answer_request(data: bytes, relative_path: str, limits: ConversionLimits) -> bytes:
    """Convert what was asked and return results or the error; runs in the worker.

    The place to do more with a document while it is still in the worker, such as chunking.
    """
    try:
        results = convert_bytes(data, relative_path, limits)
    except MemoryError:
        return _pack_error(ConversionLimitError(memory_limit_message(limits)))
    except DocumentError as error:
        return _pack_error(error)
    except Exception as error:  # noqa: BLE001 - the border of one document: libraries raise anything
        return _pack_error(ConversionError(f"the converter failed with {type(error).__name__}"))
    answer = pack((None, [_pack(result) for result in results]))
    if len(answer) > limits.output_bytes:
        return _pack_error(ConversionLimitError(output_limit_message(limits)))
    return answer


def decode_answer(answer: bytes) -> ConversionResult:
    """Return the checked results that a worker sent; runs in the parent.

    Raises:
        DocumentError: The error that the worker reported.
        ConversionError: The worker sent something that it should not.
    """
    try:
        error, results = cast("list[Any]", unpack(answer))
    except (ValueError, TypeError) as problem:
        raise ConversionError(_MALFORMED) from problem
    if error is not None:
        raise _error_from(error)
    if not _is_list(results) or not results:
        raise ConversionError(_MALFORMED)
    return [_unpack(result) for result in results]


def encode_greeting(*, measures: list[str] | None = None, problem: str = "") -> bytes:
    """Return a worker's first message: what confines it, or why it cannot be confined."""
    return pack((measures or [], problem))


def decode_greeting(greeting: bytes) -> tuple[tuple[str, ...], str]:
    """Return the measures in force and the problem, "" if there is none."""
    measures, problem = cast("list[Any]", unpack(greeting))
    return tuple(str(measure) for measure in measures), str(problem)


def memory_limit_message(limits: ConversionLimits) -> str:
    """Return the message of a conversion that used too much memory."""
    return f"the conversion needed more than {limits.memory_bytes >> 20} MiB of memory"


def output_limit_message(limits: ConversionLimits) -> str:
    """Return the message of a conversion that gave too much text."""
    return f"the conversion gave more than {limits.output_bytes >> 20} MiB of text"


_MALFORMED = "the converter gave a malformed result"


def _pack(result: ConvertedDocument | FailedMember) -> tuple[str, dict[str, Any]]:
    kind = "document" if isinstance(result, ConvertedDocument) else "failed"
    fields = asdict(result)
    if isinstance(result, ConvertedDocument):
        fields["pages"] = [(page.start, page.end) for page in result.pages]
        fields["frontmatter"] = dict(result.frontmatter)
    return kind, fields


def _pack_error(error: DocumentError) -> bytes:
    message = str(error).encode("utf-8", "replace").decode()[:_MAX_REASON_CHARACTERS]
    return pack(((error.code, message), None))


def _error_from(error: object) -> DocumentError:
    if not _is_list(error) or len(error) != 2 or _text(error[0], 100) not in _ERRORS:
        return ConversionError(_MALFORMED)
    return _ERRORS[error[0]](_text(error[1], _MAX_REASON_CHARACTERS))


def _unpack(result: object) -> ConvertedDocument | FailedMember:
    if not _is_list(result) or len(result) != 2 or not isinstance(result[1], dict):
        raise ConversionError(_MALFORMED)
    fields = cast("Mapping[str, Any]", result[1])
    try:
        return _document(fields) if result[0] == "document" else _failed_member(fields)
    except (KeyError, TypeError, ValueError) as problem:
        raise ConversionError(_MALFORMED) from problem


def _document(fields: Mapping[str, Any]) -> ConvertedDocument:
    text = _text(fields["text"], None)
    if "\0" in text or "\r" in text:
        raise ConversionError(_MALFORMED)
    frontmatter = fields["frontmatter"]
    if not isinstance(frontmatter, dict):
        raise ConversionError(_MALFORMED)
    return ConvertedDocument(
        text=text,
        syntax=_syntax(fields["syntax"]),
        title=_text(fields["title"]),
        pages=_pages(fields["pages"], len(text)),
        frontmatter=cast("dict[str, Any]", _json(cast("object", frontmatter), _MAX_JSON_DEPTH)),
        tags=_texts(fields["tags"]),
        links=_texts(fields["links"]),
        notes=_texts(fields["notes"]),
        converter=_text(fields["converter"]),
        member_path=_member_path(fields["member_path"]),
    )


def _failed_member(fields: Mapping[str, Any]) -> FailedMember:
    state = DocumentState(fields["state"])
    if state not in _MEMBER_STATES:
        raise ConversionError(_MALFORMED)
    return FailedMember(
        member_path=_member_path(fields["member_path"]),
        state=state,
        error_type=_text(fields["error_type"], 100),
        reason=_text(fields["reason"], _MAX_REASON_CHARACTERS),
    )


def _text(value: object, max_characters: int | None = _MAX_LABEL_CHARACTERS) -> str:
    if not isinstance(value, str) or (max_characters is not None and len(value) > max_characters):
        raise ConversionError(_MALFORMED)
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not _is_list(value):
        raise ConversionError(_MALFORMED)
    return tuple(_text(item) for item in value)


def _syntax(value: object) -> Literal["markdown", "plain"]:
    if value == "markdown":
        return "markdown"
    if value == "plain":
        return "plain"
    raise ConversionError(_MALFORMED)


def _pages(value: object, text_length: int) -> tuple[PageSpan, ...]:
    """Return the pages if they lie in the text one after the other."""
    if not _is_list(value):
        raise ConversionError(_MALFORMED)
    pages: list[PageSpan] = []
    previous_end = 0
    for number, (start, end) in enumerate(value, 1):
        if not (_is_integer(start) and _is_integer(end)):
            raise ConversionError(_MALFORMED)
        if not previous_end <= start <= end <= text_length:
            raise ConversionError(_MALFORMED)
        pages.append(PageSpan(number, start, end))
        previous_end = end
    return tuple(pages)


def _member_path(value: object) -> str:
    path = _text(value)
    parts = path.split("/")
    if path and ("" in parts or "." in parts or ".." in parts or "\0" in path):
        raise ConversionError(_MALFORMED)
    return path


def _json(value: object, depth: int) -> object:
    """Return a copy of a JSON value; anything else, and endless nesting, is refused."""
    if depth == 0:
        raise ConversionError(_MALFORMED)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if _is_list(value):
        return [_json(item, depth - 1) for item in value]
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {_text(key): _json(item, depth - 1) for key, item in items}
    raise ConversionError(_MALFORMED)


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
