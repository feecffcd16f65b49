"""Words of content, names, and whether they occur in another text."""

from __future__ import annotations

import pytest

from citewell.answering.planning.words import (
    content_words,
    is_alike,
    language_of,
    names,
    occurs_in,
    size_of,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Which export limits are there?", "en"),
        ("Wie lange dauert das?", "de"),
        ("Deneme süresi ne kadar?", "tr"),
        ("导出 CSV 有哪些限制？", "zh"),
        ("P2?", "en"),
    ],
)
def test_language(text, language):
    assert language_of(text) == language


def test_text_that_tells_nothing_is_in_the_language_that_was_spoken():
    assert language_of("P2?", otherwise="tr") == "tr"
    assert language_of("P2?", otherwise="zh") == "en"


def test_words_of_form_are_left_out():
    words = content_words("Which export limits does Atlas CRM have for CSV?", "en")

    assert [word.text for word in words] == ["export", "limits", "Atlas", "CRM", "CSV"]
    assert [word.text for word in names(words)] == ["Atlas", "CRM", "CSV"]


def test_chinese_content_is_cut_at_words_of_form():
    words = content_words("Atlas CRM 的回收站保留多少天？", "zh")

    assert [word.text for word in words] == ["Atlas", "CRM", "回收站保留"]
    assert size_of(words) == 4.5


def test_spans_point_into_the_text():
    text = "Ask Ines Carvalho's deputy"

    assert [text[w.start : w.end] for w in content_words(text, "en")] == [
        "Ask",
        "Ines",
        "Carvalho",
        "deputy",
    ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("limit", "limits", True),
        ("Kündigungsfrist", "Kündigungsfristen", True),
        ("sınırlarını", "sınırları", True),
        ("2024", "2025", False),
        ("P1", "P2", False),
        ("Corvia", "Corsica", False),
    ],
)
def test_forms_of_one_word_are_alike(one, other, expected):
    assert is_alike(one, other) is expected


def test_chinese_run_occurs_if_most_of_it_does():
    (word,) = content_words("回收站保留", "zh")

    assert occurs_in(word, "记录在回收站里保留 30 天")
    assert not occurs_in(word, "记录在收件箱里保留 30 天")
