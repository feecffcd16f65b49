"""Requests and results as MessagePack: a worker is not trusted, so nothing is unpickled.

A hostile file may take over the worker that converts it. What comes back is therefore plain data
whose every type and range is checked here, in the parent, before it becomes one of our objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Literal, TypeGuard, cast

from citewell.adapters.converters.chunk_wire import MALFORMED, decode_chunks, encode_chunks
from citewell.adapters.converters.convert_bytes import convert_bytes, failed_member
from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.packing import pack, unpack
from citewell.adapters.converters.preparation import Prepare
from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember, PageSpan
from citewell.domain.errors import (
    ConversionError,
    ConversionLimitError,
    DocumentError,
    InvalidDocumentError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)
from citewell.domain.prepared import PreparedDocument
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


def answer_request(
    data: bytes,
    relative_path: str,
    limits: ConversionLimits,
    *,
    prepare: Prepare | None = None,
) -> bytes:
    """Convert what was asked and return results or the error; runs in the worker.

    Args:
        data: The content.
        relative_path: Of the item.
        limits: What may be unpacked and given.
        prepare: Cuts and weighs each document; None leaves that to the parent.
    """
    try:
        results: ConversionResult = convert_bytes(data, relative_path, limits)
        _limit_text(results, limits)
        if prepare is not None:
            results = _prepare_all(results, relative_path, prepare)
    except MemoryError:
        return _pack_error(ConversionLimitError(memory_limit_message(limits)))
    except DocumentError as error:
        return _pack_error(error)
    except Exception as error:  # noqa: BLE001 - the border of one document: libraries raise anything
        return _pack_error(ConversionError(f"the converter failed with {type(error).__name__}"))
    answer = pack((None, [_pack(result) for result in results]))
    if len(answer) > limits.answer_bytes:
        return _pack_error(ConversionLimitError(output_limit_message(limits)))
    return answer


def decode_answer(answer: bytes | bytearray, limits: ConversionLimits) -> ConversionResult:
    """Return the checked results that a worker sent; runs in the parent.

    Raises:
        DocumentError: The error that the worker reported.
        ConversionError: The worker sent something that it should not.
    """
    try:
        error, results = cast("list[Any]", unpack(answer))
    except (ValueError, TypeError) as problem:
        raise ConversionError(MALFORMED) from problem
    if error is not None:
        raise _error_from(error)
    if not _is_list(results) or not results:
        raise ConversionError(MALFORMED)
    decoded = [_unpack(result) for result in results]
    _limit_text(decoded, limits)
    return decoded


def encode_greeting(*, measures: list[str] | None = None, problem: str = "") -> bytes:
    """Return a worker's first message: what confines it, or why it cannot be confined."""
    return pack((measures or [], problem))


def decode_greeting(greeting: bytes | bytearray) -> tuple[tuple[str, ...], str]:
    """Return the measures in force and the problem, "" if there is none."""
    measures, problem = cast("list[Any]", unpack(greeting))
    return tuple(str(measure) for measure in measures), str(problem)


def memory_limit_message(limits: ConversionLimits) -> str:
    """Return the message of a conversion that used too much memory."""
    return f"the conversion needed more than {limits.memory_bytes >> 20} MiB of memory"


def output_limit_message(limits: ConversionLimits) -> str:
    """Return the message of a conversion that gave too much text."""
    return f"the conversion gave more than {limits.output_bytes >> 20} MiB of text"


def _limit_text(results: ConversionResult, limits: ConversionLimits) -> None:
    texts = [
        result.text if isinstance(result, ConvertedDocument) else result.document.text
        for result in results
        if not isinstance(result, FailedMember)
    ]
    if sum(len(text.encode("utf-8", "replace")) for text in texts) > limits.output_bytes:
        raise ConversionLimitError(output_limit_message(limits))


def _prepare_all(
    results: ConversionResult, relative_path: str, prepare: Prepare
) -> ConversionResult:
    prepared: list[ConvertedDocument | PreparedDocument | FailedMember] = []
    for result in results:
        if not isinstance(result, ConvertedDocument):
            prepared.append(result)
        elif not result.member_path:
            prepared.append(prepare(result, relative_path))
        else:
            prepared.append(_prepare_member(result, relative_path, prepare))
    return prepared


def _prepare_member(
    member: ConvertedDocument, archive_path: str, prepare: Prepare
) -> PreparedDocument | FailedMember:
    """Prepare one member; whatever goes wrong costs this member only, memory excepted."""
    try:
        return prepare(member, f"{archive_path}/{member.member_path}")
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the border of one member
        return failed_member(member.member_path, error)


def _pack(
    result: ConvertedDocument | PreparedDocument | FailedMember,
) -> tuple[str, dict[str, Any]]:
    if isinstance(result, FailedMember):
        return "failed", asdict(result)
    if isinstance(result, ConvertedDocument):
        return "document", _pack_document(result)
    return "prepared", _pack_document(result.document) | encode_chunks(result)


def _pack_document(document: ConvertedDocument) -> dict[str, Any]:
    packed = {field.name: getattr(document, field.name) for field in fields(document)}
    packed["pages"] = [(page.start, page.end) for page in document.pages]
    packed["frontmatter"] = dict(document.frontmatter)
    return packed


def _pack_error(error: DocumentError) -> bytes:
    message = str(error).encode("utf-8", "replace").decode()[:_MAX_REASON_CHARACTERS]
    return pack(((error.code, message), None))


def _error_from(error: object) -> DocumentError:
    if not _is_list(error) or len(error) != 2 or _text(error[0], 100) not in _ERRORS:
        return ConversionError(MALFORMED)
    return _ERRORS[error[0]](_text(error[1], _MAX_REASON_CHARACTERS))


def _unpack(result: object) -> ConvertedDocument | PreparedDocument | FailedMember:
    if not _is_list(result) or len(result) != 2 or not isinstance(result[1], dict):
        raise ConversionError(MALFORMED)
    packed = cast("Mapping[str, Any]", result[1])
    try:
        if result[0] == "prepared":
            return decode_chunks(packed, _document(packed))
        return _document(packed) if result[0] == "document" else _failed_member(packed)
    except (KeyError, TypeError, ValueError) as problem:
        raise ConversionError(MALFORMED) from problem


def _document(packed: Mapping[str, Any]) -> ConvertedDocument:
    text = _text(packed["text"], None)
    if "\0" in text or "\r" in text:
        raise ConversionError(MALFORMED)
    frontmatter = packed["frontmatter"]
    if not isinstance(frontmatter, dict):
        raise ConversionError(MALFORMED)
    return ConvertedDocument(
        text=text,
        syntax=_syntax(packed["syntax"]),
        title=_text(packed["title"]),
        pages=_pages(packed["pages"], len(text)),
        frontmatter=cast("dict[str, Any]", _json(cast("object", frontmatter), _MAX_JSON_DEPTH)),
        tags=_texts(packed["tags"]),
        links=_texts(packed["links"]),
        notes=_texts(packed["notes"]),
        converter=_text(packed["converter"]),
        member_path=_member_path(packed["member_path"]),
    )


def _failed_member(packed: Mapping[str, Any]) -> FailedMember:
    state = DocumentState(packed["state"])
    if state not in _MEMBER_STATES:
        raise ConversionError(MALFORMED)
    return FailedMember(
        member_path=_member_path(packed["member_path"]),
        state=state,
        error_type=_text(packed["error_type"], 100),
        reason=_text(packed["reason"], _MAX_REASON_CHARACTERS),
    )


def _text(value: object, max_characters: int | None = _MAX_LABEL_CHARACTERS) -> str:
    if not isinstance(value, str) or (max_characters is not None and len(value) > max_characters):
        raise ConversionError(MALFORMED)
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not _is_list(value):
        raise ConversionError(MALFORMED)
    return tuple(_text(item) for item in value)


def _syntax(value: object) -> Literal["markdown", "plain"]:
    if value == "markdown":
        return "markdown"
    if value == "plain":
        return "plain"
    raise ConversionError(MALFORMED)


def _pages(value: object, text_length: int) -> tuple[PageSpan, ...]:
    """Return the pages if they lie in the text one after the other."""
    if not _is_list(value):
        raise ConversionError(MALFORMED)
    pages: list[PageSpan] = []
    previous_end = 0
    for number, (start, end) in enumerate(value, 1):
        if not (_is_integer(start) and _is_integer(end)):
            raise ConversionError(MALFORMED)
        if not previous_end <= start <= end <= text_length:
            raise ConversionError(MALFORMED)
        pages.append(PageSpan(number, start, end))
        previous_end = end
    return tuple(pages)


def _member_path(value: object) -> str:
    path = _text(value)
    parts = path.split("/")
    if path and ("" in parts or "." in parts or ".." in parts or "\0" in path):
        raise ConversionError(MALFORMED)
    return path


def _json(value: object, depth: int) -> object:
    """Return a copy of a JSON value; anything else, and endless nesting, is refused."""
    if depth == 0:
        raise ConversionError(MALFORMED)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if _is_list(value):
        return [_json(item, depth - 1) for item in value]
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {_text(key): _json(item, depth - 1) for key, item in items}
    raise ConversionError(MALFORMED)


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
