from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_files import make_pdf, make_zip

from citewell.adapters.converters.convert_bytes import convert_bytes
from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.adapters.converters.packing import pack, unpack
from citewell.adapters.converters.wire import (
    answer_request,
    decode_answer,
    decode_greeting,
    encode_greeting,
)
from citewell.domain.errors import (
    ConversionError,
    ConversionLimitError,
    DocumentError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)

LIMITS = ConversionLimits()
MALFORMED = "malformed"


def answer(data: bytes, relative_path: str) -> bytes:
    return answer_request(data, relative_path, LIMITS)


@pytest.mark.parametrize(
    ("data", "relative_path"),
    [
        (b"plain", "a.txt"),
        (b"---\ntags: [a]\nn: {x: [1, 2.5, null, true]}\n---\n# T\n[[L]]\n", "a.md"),
        (make_pdf([[(72, 700, "one")], [], [(72, 700, "two")]], title="Two pages"), "a.pdf"),
        (make_zip({"a.txt": "x", "b.png": b"\x89PNG\r\n\x1a\n\0"}), "a.zip"),
        (b"", "a.txt"),
    ],
)
def test_results_arrive_as_they_were_made(data: bytes, relative_path: str):
    assert decode_answer(answer(data, relative_path), LIMITS) == convert_bytes(
        data, relative_path, LIMITS
    )


@pytest.mark.parametrize(
    ("data", "relative_path", "error"),
    [
        (b"\x89PNG\r\n\x1a\n\0", "a.png", UnsupportedDocumentError),
        (b"-----BEGIN PGP MESSAGE-----", "a.asc", ProtectedDocumentError),
        (b"%PDF-1.4", "a.pdf", ConversionError),
    ],
)
def test_errors_arrive_as_they_were_raised(
    data: bytes, relative_path: str, error: type[DocumentError]
):
    with pytest.raises(error) as raised:
        decode_answer(answer(data, relative_path), LIMITS)

    assert type(raised.value) is error
    assert str(raised.value)


def test_too_long_an_answer_is_an_error_already_in_the_worker():
    limits = ConversionLimits(output_bytes=MIB)

    with pytest.raises(ConversionLimitError, match="more than 1 MiB"):
        decode_answer(answer_request(b"x" * (2 * MIB), "a.txt", limits), LIMITS)


def test_a_surprise_in_a_library_is_a_conversion_error():
    deep = b"<a>" * 100_000

    with pytest.raises(DocumentError):
        decode_answer(answer(b"%PDF-" + deep, "a.pdf"), LIMITS)


def change_document(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return an answer as a worker that was taken over might send it."""
    error, results = unpack(answer(make_pdf([[(72, 700, "one")]]), "a.pdf"))  # type: ignore[misc]
    change(results[0][1])
    return pack((error, results))


@pytest.mark.parametrize(
    "fields",
    [
        {"text": b"bytes"},
        {"text": None},
        {"text": "a\0b"},
        {"text": "a\rb"},
        {"syntax": "html"},
        {"title": 5},
        {"title": "x" * 20_000},
        {"pages": [[0, 9_999]]},
        {"pages": [[2, 1]]},
        {"pages": [[-1, 1]]},
        {"pages": [[0, 3], [1, 3]]},
        {"pages": [[0, True]]},
        {"pages": [[0, 1, 2]]},
        {"pages": [5]},
        {"pages": {"a": 1}},
        {"frontmatter": [1]},
        {"frontmatter": {"a": b"bytes"}},
        {"tags": "abc"},
        {"tags": [1]},
        {"links": None},
        {"notes": [["nested"]]},
        {"converter": 1},
        {"member_path": "../up"},
        {"member_path": "/abs"},
        {"member_path": "a//b"},
        {"member_path": "a/./b"},
    ],
)
def test_a_result_of_the_wrong_shape_is_refused(fields: dict[str, Any]):
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_answer(change_document(lambda document: document.update(fields)), LIMITS)


def test_a_result_without_a_field_is_refused():
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_answer(change_document(lambda document: document.pop("tags")), LIMITS)


def test_front_matter_nested_without_end_is_refused():
    nested: object = 1
    for _ in range(100):
        nested = [nested]

    with pytest.raises(ConversionError, match=MALFORMED):
        decode_answer(change_document(lambda d: d.update({"frontmatter": {"a": nested}})), LIMITS)


@pytest.mark.parametrize(
    "message",
    [
        (None, []),
        (None, None),
        (None, [5]),
        (None, [("document",)]),
        (None, [("failed", {"member_path": "a", "state": "searchable"})]),
        (None, [("failed", {"member_path": "a", "state": "nonsense"})]),
        (("no_such_code", "x"), None),
        (("unsupported", 5), None),
        (([], ""), None),
        ("text", None),
        5,
        (1, 2, 3),
    ],
)
def test_a_message_of_the_wrong_shape_is_refused(message: object):
    with pytest.raises(ConversionError, match=MALFORMED):
        decode_answer(pack(message), LIMITS)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_result_or_a_document_error(data: bytes):
    with pytest.raises(DocumentError):
        decode_answer(data, LIMITS)


_plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_plain)
def test_any_plain_data_is_a_result_or_a_document_error(message: object):
    with pytest.raises(DocumentError):
        decode_answer(pack(message), LIMITS)


def test_a_greeting_tells_measures_or_the_problem():
    assert decode_greeting(encode_greeting(measures=["rlimits"])) == (("rlimits",), "")
    assert decode_greeting(encode_greeting(problem="no filter")) == ((), "no filter")
