"""Which writing system a text is in."""

from __future__ import annotations

import pytest

from citewell.answering.quoting.writing_system import writing_system_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which limits are there?", "latin"),
        ("Größe und Straße", "latin"),
        ("Atlas CRM 导出数据有哪些限制？", "chinese"),
        ("これは Atlas です", "chinese"),
        ("Atlas 는 무엇입니까", "korean"),
        ("Где это в Atlas?", "cyrillic"),
        ("ما هذا؟", "arabic"),
        ("यह क्या है?", "indic"),
        ("นี่คืออะไร", "southeast_asian"),
        ("What does 导出 mean in this table of ours?", "latin"),
        ("| 12 | 3.5 % |", None),
        ("３．５ … ！", None),
        ("", None),
    ],
)
def test_most_letters_decide(text: str, expected: str | None):
    assert writing_system_of(text) == expected
