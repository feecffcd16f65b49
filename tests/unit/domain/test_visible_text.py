import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.visible_text import clean_text, unusual_characters


@pytest.mark.parametrize(
    ("text", "cleaned", "n_removed"),
    [
        ("plain\ttext\n", "plain\ttext\n", 0),
        ("a\r\nb\rc\x85d\u2028e\u2029f\fg\vh", "a\nb\nc\nd\ne\nf\ng\nh", 0),
        ("n\0u\0l", "nul", 2),
        ("p\u200ba\u2060s\ufeffs", "pass", 3),
        ("user\u202egnp.exe\u202c", "usergnp.exe", 2),
        ("\u2066hidden\u2069", "hidden", 2),
        ("ok\U000e0041\U000e0042\U000e007f", "ok", 3),
        ("a\ufe01b\U000e0101c", "abc", 2),
        ("soft\u00adhyphen", "softhyphen", 1),
        ("half \ud800 pair", "half  pair", 1),
        ("C1 \x9b31m", "C1 31m", 1),
        ("a\u200cb", "ab", 1),
    ],
)
def test_invisible_characters_are_removed_and_counted(text: str, cleaned: str, n_removed: int):
    assert clean_text(text) == (cleaned, n_removed)


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian needs the non-joiner
        "क्\u200dष",  # Devanagari needs the joiner
        "👩\u200d💻 ❤\ufe0f 1\ufe0f⃣",  # emoji sequences
        "e\u0301 ก็ 한 漢字 ½ €",
    ],
)
def test_what_scripts_and_emoji_need_stays(text: str):
    assert clean_text(text) == (text, 0)


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str):
    once, _ = clean_text(text)

    assert clean_text(once) == (once, 0)


@given(st.text())
def test_clean_text_can_be_encoded_and_has_one_kind_of_line_end(text: str):
    cleaned, _ = clean_text(text)

    cleaned.encode()
    assert not set(cleaned) & {"\0", "\r", "\x85", "\u2028", "\u202e", "\u200b"}


@given(st.text())
def test_unusual_characters_are_all_but_visible_ascii(text: str):
    expected = "".join(c for c in text if not (" " <= c <= "~" or c in "\t\n"))

    assert unusual_characters(text) == expected
