from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.lexical.analyze import analyze, explain_terms, hash_term


def test_hashed_terms_are_the_spelled_terms_with_the_same_frequencies():
    text = "The API returned ERR_CONN-4711 twice: the api ERR_CONN-4711. 使用接口"
    spelled = explain_terms(text)
    assert analyze(text) == {hash_term(term): count for term, count in spelled.items()}


def test_hash_is_crc32_of_utf8():
    assert hash_term("接口") == 0x5951DA65


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("ERR_CONN-4711", {"errconn4711": 1, "err": 1, "conn": 1, "4711": 1}),
        ("v2.3.1", {"v2.3.1": 1, "v2": 1, "2": 1, "3": 1, "1": 1}),
        ("foo_bar", {"foobar": 1, "foo": 1, "bar": 1}),
        ("FooBar", {"foobar": 1, "foob": 1, "foo": 1, "bar": 1}),
        ("APIs", {"api": 1}),
        ("C++", {"c++": 1, "c": 1}),
        ("AT&T", {"at&t": 1, "at": 1, "t": 1}),
        ("e-mail", {"email": 1, "e": 1, "mail": 1}),
        ("_ ____ - . &", {}),
        ("", {}),
    ],
)
def test_identifiers_are_kept_whole_and_in_parts(text: str, terms: dict[str, int]):
    assert explain_terms(text) == terms


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("email", "e-mail"),
        ("err_conn_4711", "ERR-CONN-4711"),
        ("1,200.5", "1.200,5"),
        ("3,5", "3.5"),
        ("1200", "1,200"),
        ("café", "CAFE"),
        ("cafe\u0301", "café"),
        ("ＡＰＩ", "api"),
        ("İstanbul", "istanbul"),
        ("Straße", "STRASSE"),
        ("ёлка", "елка"),
        ("كِتَاب", "كتاب"),
        ("soft\u00adware", "software"),
        ("houses", "house"),
        ("книги", "книга"),
        ("evlerimizden", "evlerinde"),
        ("Wärmedämmung", "Wärmedämmungen"),
        ("٣", "3"),
        ("東京タワー", "東京"),
        ("서울에서", "서울"),
        ("ภาษาไทย", "ภาษา"),
        ("हिन्दी", "हिन्दी,"),
        ("使用API接口", "api"),
    ],
)
def test_spellings_of_one_thing_share_a_term(first: str, second: str):
    assert explain_terms(first).keys() & explain_terms(second).keys()


def test_scripts_without_spaces_give_pairs_and_single_ideographs():
    assert explain_terms("东京塔。在") == {"东": 1, "京": 1, "塔": 1, "在": 1, "东京": 1, "京塔": 1}
    assert explain_terms("のタ") == {"のタ": 1}


def test_no_pair_spans_two_runs():
    assert "京塔" not in explain_terms("东京，塔")


def test_long_runs_keep_one_term_and_short_parts():
    assert explain_terms("a" * 200) == {"a" * 200: 1}
    assert explain_terms("word." * 20) == {"word": 1}


@given(st.text())
def test_any_text_gives_valid_terms_and_the_same_every_time(text: str):
    first = analyze(text)
    assert first == analyze(text)
    assert [i for i, n in first.items() if not (0 <= i < 2**32 and n >= 1)] == []


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_ascii_text_gives_the_same_terms_inside_other_text(text: str):
    with_rest = explain_terms(f"{text} 。")
    assert with_rest == explain_terms(text)


_ODD_CHARACTERS = "aB1.,-_&@/+# \n’“—…™½²é\u0301\u00ad\u200b中のก่\u0e33ĳßİ\u2010क１\ud800한ﬁ－"


@given(st.text(st.sampled_from(_ODD_CHARACTERS) | st.characters(), max_size=30))
def test_terms_do_not_depend_on_characters_elsewhere_in_the_text(text: str):
    """Texts without letters beyond ASCII, or without marks, take shorter roads."""
    with_all_roads = Counter(analyze(f"{text} 中 ก é"))
    with_all_roads.subtract(analyze("中 ก é"))
    assert +with_all_roads == analyze(text)
