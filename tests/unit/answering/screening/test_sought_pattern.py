"""Patterns that are searched for only where they may match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.screening.phrase_book import phrase_books
from citewell.answering.screening.sought_pattern import SoughtPattern, needed_texts

_READINGS = ("words", "leet", "squeezed")


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("ignor(?:e|ing)", ("ignor",)),
        ("drop|dismiss", ("drop", "dismiss")),
        ("drop|dropped", ("drop",)),
        ("pre-?prompt", ("prompt",)),
        ("colou?r", ("colo",)),
        ("a+bc", ("bc",)),
        ("(?:ab){2}", ("ab",)),
        ("x(?:long|longer)?y{0,3}", ("x",)),
        ("(?P<said>yes|no) indeed", (" indeed",)),
        (r"(?<!\w)(?:show)(?!\w)", ("show",)),
        ("do(?= not)", ("do",)),
        (r"\[/?inst\]", ("inst]",)),
        (r"\bstop\b of[ab]it", ("stop",)),
        ("[]x]yes", ("yes",)),
        (r"\u2192now", ("now",)),
        ("忽略|无视", ("忽略", "无视")),
        (r"a|\w", ()),
        (r"\w+", ()),
        ("a?", ()),
        ("", ()),
    ],
)
def test_what_a_pattern_needs(source: str, needed: tuple[str, ...]) -> None:
    assert needed_texts(source) == needed


@pytest.mark.parametrize("source", ["(?i:a)", "(open", "closed)"])
def test_what_is_not_known_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="in '"):
        needed_texts(source)


@given(st.data())
def test_whatever_a_phrase_matches_holds_what_it_needs(data: st.DataObject) -> None:
    books = [
        book for folder in ("phrases", "verdicts", "abuse_phrases") for book in phrase_books(folder)
    ]
    book = data.draw(st.sampled_from(books))
    reading = data.draw(st.sampled_from(_READINGS))
    source = book.source(data.draw(st.sampled_from(sorted(book.groups))), reading)
    said = data.draw(st.from_regex(re.compile(source)))
    assert SoughtPattern(source).may_match(said)


@given(st.text("abc \n", max_size=20))
def test_matches_are_those_of_the_plain_pattern(text: str) -> None:
    source = r"^a(?:b|cc)|b+c|(?<=c)a{2,3}"
    plain, sought = re.compile(source, re.MULTILINE), SoughtPattern(source)
    spans = [match.span() for match in plain.finditer(text)]
    assert [match.span() for match in sought.finditer(text)] == spans
    first = sought.search(text)
    assert (first.span() if first else None) == (spans[0] if spans else None)


def test_a_text_without_what_is_needed_is_not_searched() -> None:
    assert not SoughtPattern("forget|skip").may_match("what do the rules say?")
