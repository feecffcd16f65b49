"""Which words are certainly names."""

from __future__ import annotations

import pytest

from citewell.answering.verification.names import find_names


@pytest.mark.parametrize(
    ("text", "language", "certain"),
    [
        ("Reichenbacher gewann das Turnier.", "de", ["Reichenbacher"]),
        ("Der Händler gewann das Turnier.", "de", []),
        ("Händler gewannen das Turnier.", "de", []),
        ("Das Turnier gewann die NATO.", "de", ["NATO"]),
        ("Whitcombe turnuvayı kazandı.", "tr", ["Whitcombe"]),
        ("Turnuvayı dün Serhat kazandı.", "tr", ["Serhat"]),
        ("Sabah turnuva başladı.", "tr", []),
        ("Visitors met Serhat.", "en", ["Serhat"]),
    ],
)
def test_a_subject_without_article_or_foreign_letters_make_a_name(
    text: str, language: str, certain: list[str]
):
    assert [name.text for name in find_names(text, language) if name.is_certain] == certain
