"""The tag of a citation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.citing.citation_tag import TagParts, format_tag, parse_tag


def test_a_page_and_paragraph():
    assert format_tag("folder", "guide.pdf", ("12", "3")) == "[s.folder:guide.pdf/12/3]"


def test_reserved_characters_of_path_and_headings_are_encoded():
    tag = format_tag("vault", "a/b: c].md", ("Input/Output", "100 % sure"))
    assert tag == "[s.vault:a%2Fb%3A c%5D.md/Input%2FOutput/100 %25 sure]"


def test_text_above_all_headings_has_an_empty_location():
    assert format_tag("vault", "a.md", ()) == "[s.vault:a.md/]"
    assert parse_tag("[s.vault:a.md/]") == TagParts("vault", "a.md", ())


@pytest.mark.parametrize(
    "tag", ["", "[1]", "[s.vault:a.md]", "s.vault:a.md/1", "[s.:a/1]", "[s.v:a/b]]"]
)
def test_what_is_no_tag_is_refused(tag: str):
    with pytest.raises(ValueError, match="a tag reads"):
        parse_tag(tag)


@given(st.text(), st.lists(st.text(min_size=1)).map(tuple))
def test_parsing_undoes_formatting(source_id: str, location: tuple[str, ...]):
    tag = format_tag("vault", source_id, location)
    assert parse_tag(tag) == TagParts("vault", source_id, location)
    assert tag[1:-1].count("]") == 0
