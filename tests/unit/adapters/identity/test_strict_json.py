from __future__ import annotations

import pytest

from citewell.adapters.identity.strict_json import read_object


def test_object_is_read() -> None:
    assert read_object(b'{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1, "a": 1}',
        b'{"a": {"b": 1, "b": 2}}',
        rb'{"a": 1, "\u0061": 2}',
        b"[]",
        b"1",
        b"",
        b"{",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": "\xff"}',
        b'{"a":' + b"[" * 100_000,
    ],
)
def test_anything_doubtful_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_object(data)
