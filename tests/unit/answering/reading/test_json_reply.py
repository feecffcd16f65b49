from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.reading.json_reply import parse_json_reply

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), VALUES, min_size=1, max_size=4)
JSON_LIKE = st.text(alphabet="{}[]\"'“”\\:,/*\n ab1.-eu`")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Sure, here it is:\n{"a": {"b": [1, 2]}}\nAnything else?', {"a": {"b": [1, 2]}}),
        ('[{"a": 1}, {"b": 2}]', {"a": 1}),
        ("For {x} I say {} and {'ok': True}", {"ok": True}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,], "b": 3,}', {"a": [1, 2], "b": 3}),
        ('{"a": 1 "b": true "c": 2 apples}', {"a": 1, "b": True, "c": "2 apples"}),
        ('{"a": "x" "b": "y"}', {"a": "x", "b": "y"}),
        ('{"a": "x"\n"b": 2}', {"a": "x", "b": 2}),
        ("{a: 1, b: yes, c: None}", {"a": 1, "b": "yes", "c": None}),
        ("{'a': 'it's fine', 'b': -1.5e3}", {"a": "it's fine", "b": -1500.0}),
        ('{"a": "she said "no" twice", "b": 1}', {"a": 'she said "no" twice', "b": 1}),
        ("{“a”: “b”，“c”：“d”}", {"a": "b", "c": "d"}),
        ('{"a"： "b"}', {"a": "b"}),
        ('{"a": "}{", "b": "]["}', {"a": "}{", "b": "]["}),
        ('{"a": "line\nbreak", "b": 1}', {"a": "line\nbreak", "b": 1}),
        (r'{"a": "tab\tquote\" \u00e9 \ud83d\ude00 \x",}', {"a": 'tab\tquote" é 😀 x'}),
        ('{"a": 1, // why\n "b": 2 /* or\nnot */}', {"a": 1, "b": 2}),
        ('{{"a": 1}}', {"a": 1}),
        ('{"a": NaN, "b": 1}', {"a": None, "b": 1}),
    ],
)
def test_an_object_is_read_as_it_was_meant(reply: str, expected: dict[str, Any]) -> None:
    assert parse_json_reply(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"verdict": "yes", "parts": ["a", "b"], "why": "beca', ("yes", ["a", "b"], "beca")),
        ('{"verdict": "yes", "parts": ["a", "b', ("yes", ["a", "b"], None)),
        ('{"verdict": "yes", "parts": ["a",', ("yes", ["a"], None)),
        ('{"verdict": "yes", "parts":', ("yes", None, None)),
        ('{"verdict": "yes", "par', ("yes", None, None)),
        ('{"verdict": "yes", "parts": ["a"}', ("yes", ["a"], None)),
    ],
)
def test_what_a_cut_left_is_kept(reply: str, expected: tuple[Any, ...]) -> None:
    found = parse_json_reply(reply) or {}
    assert tuple(found.get(name) for name in ("verdict", "parts", "why")) == expected


@pytest.mark.parametrize("reply", ["", "yes", "{", "{}", "} {", "[1, 2]", "{x}", '{"a"}', "{\\"])
def test_a_reply_without_an_object_gives_none(reply: str) -> None:
    assert parse_json_reply(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"a":' * 50_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        '{"a":' + "[" * 300 + "]" * 300 + "}",
        '{"a":' + "[" * 300 + "]" * 300 + ",}",
    ],
)
def test_a_reply_that_is_too_deep_gives_none(reply: str) -> None:
    assert parse_json_reply(reply) is None


@pytest.mark.parametrize("begin", ["{", '{"', "{'", '{a:"', '{"a":"\\', "{/*", "{x} ", '{" '])
def test_a_long_hostile_reply_is_read_in_one_go(begin: str) -> None:
    found = parse_json_reply(begin * 10_000)
    assert found is None or isinstance(found, dict)


@given(OBJECTS)
def test_valid_json_is_read_as_it_is(value: dict[str, Any]) -> None:
    assert parse_json_reply(f"Here: {json.dumps(value)} Done.") == value


@given(st.text() | JSON_LIKE)
def test_no_text_raises(text: str) -> None:
    for reply in (text, "{" + text, '{"a": ' + text, '{"a": "' + text + '"}'):
        found = parse_json_reply(reply)
        assert found is None or (isinstance(found, dict) and found)


@given(OBJECTS, st.data())
def test_every_cut_of_valid_json_keeps_only_keys_of_it(
    value: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text)))
    found = parse_json_reply(text[:cut]) or {}
    assert set(found) <= set(value)
