from __future__ import annotations

import pytest

from citewell.lexical.scripts import dominant_script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Which limits?", "latin"),
        ("Größe", "latin"),
        ("Предел API", "cyrillic"),
        ("Atlas 有哪些导出限制", "han"),
        ("Atlas の制限", "kana"),
        ("한국어", "hangul"),
        ("حد التصدير", "arabic"),
        ("ภาษาไทย", "thai"),
        ("सीमा", "indic"),
        ("όριο", "greek"),
        ("גבול", "hebrew"),
        ("12 + 4", "none"),
        ("№ 12", "none"),
        ("", "none"),
    ],
)
def test_script_of_most_letters_is_named(text: str, script: str):
    assert dominant_script(text) == script
