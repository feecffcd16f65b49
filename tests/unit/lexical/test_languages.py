from __future__ import annotations

import pytest

from citewell.lexical.languages import guess_language, is_in_other_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The limits of the export are listed in the table.", "en"),
        ("Die Grenzen des Exports stehen in der Tabelle und sind fest.", "de"),
        ("Dışa aktarma sınırları bu tabloda yer alır ve değişmez.", "tr"),
        ("Los límites de la exportación están en la tabla que sigue.", "es"),
        ("Пределы экспорта", "cyrillic"),
        ("导出限制", "han"),
        ("エクスポートの制限", "kana"),
        ("ERR-4711", "latin"),
        ("12", None),
        ("", None),
    ],
)
def test_language_is_named_where_frequent_words_tell(text: str, language: str | None):
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Welche Grenzen hat der Export?", "en"),
        ("Which limits does the export have?", "de"),
        ("Sınır nedir?", "en"),
        ("导出限制是什么？", "en"),
        ("Which limits?", "han"),
        ("导出限制是什么？", "latin"),
        ("Какой предел?", "han"),
    ],
)
def test_question_in_another_language_is_told(question: str, language: str):
    assert is_in_other_language(question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which limits does the export have?", "en"),
        ("Welche Grenzen hat der Export?", "de"),
        ("Atlas CRM export limits", "de"),
        ("导出限制是什么？", "han"),
        ("Which limits?", None),
        ("Which limits?", "latin"),
        ("4711", "han"),
        ("", "en"),
    ],
)
def test_same_language_or_no_evidence_is_not_another(question: str, language: str | None):
    assert not is_in_other_language(question, language)
