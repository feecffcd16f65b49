"""Opposites of words with endings."""

from __future__ import annotations

import pytest

from citewell.answering.verification.antonyms import count_antonyms
from citewell.lexical.stems import fold_text, fold_word


@pytest.mark.parametrize(
    ("language", "said", "known"),
    [
        ("de", "niedrigsten", "Die Miete war in Kiel am höchsten."),
        ("de", "verkaufte", "Die Stadt kaufte das Haus."),
        ("de", "Minderheit", "Eine Mehrheiten stimmte zu."),
        ("tr", "düşüktür", "Kira burada daha yüksektir."),
        ("tr", "sonraki", "Önceki toplantı uzun sürdü."),
        ("tr", "zayıf", "Takım çok güçlüydü, rakip güçlü."),
        ("tr", "şekersiz", "Kahve şekerli olarak sunulur."),
        ("tr", "ücretli", "Otopark ücretsizdir."),
    ],
)
def test_a_word_that_is_missing_while_its_opposite_is_there_counts(
    language: str, said: str, known: str
):
    assert count_antonyms((fold_word(said),), fold_text(known), language) == 1


@pytest.mark.parametrize(
    ("language", "said", "known"),
    [
        ("de", "niedrigsten", "Die niedrigste Miete, nicht die höchste."),
        ("de", "Gewinn", "Der Umsatz stieg."),
        ("tr", "düşük", "Kira düşüktür, eskiden yüksekti."),
        ("tr", "öncelikle", "Bu iş sonra yapılır."),
        ("en", "niedrig", "hoch"),
        (None, "düşük", "yüksek"),
    ],
)
def test_another_form_of_the_word_itself_or_another_word_counts_nothing(
    language: str | None, said: str, known: str
):
    assert count_antonyms((fold_word(said),), fold_text(known), language) == 0
