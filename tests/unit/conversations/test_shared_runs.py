from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.inspectors.text_marks import TextMarks
from citewell.conversations.shared_runs import WITHHELD, SharedRuns

SECRET = "Project Kingfisher moves the quarterly budget to Antananarivo."


def test_run_that_a_text_shares_is_withheld_whatever_its_case() -> None:
    asked = "Is it true that project kingfisher moves the QUARTERLY budget to Rome?"
    assert SharedRuns([SECRET]).without(asked) == f"Is it true that {WITHHELD}Rome?"


def test_ideographs_are_withheld() -> None:
    runs = SharedRuns(["项目翠鸟将季度预算转移到塔那那利佛的新办公室"])
    assert runs.without("听说季度预算转移到塔那那利佛的新办公室吗?") == f"听说{WITHHELD}吗?"


def test_short_text_is_withheld_where_all_of_it_stands() -> None:
    runs = SharedRuns(["Kingfisher plan", "atlas"])
    assert runs.without("the Kingfisher plan and atlas") == f"the {WITHHELD} and atlas"


def test_other_words_stay() -> None:
    words = "What is the budget for travel in the next quarter?"
    assert SharedRuns([SECRET]).without(words) == words


def test_nothing_to_find_changes_nothing() -> None:
    assert not SharedRuns(["", "short"])
    assert SharedRuns(["", "short"]).without("short") == "short"


def test_white_space_of_another_kind_does_not_hide_a_run() -> None:
    asked = SECRET.replace(" ", "\n")
    assert SharedRuns([SECRET]).without(asked) == WITHHELD


_TEXTS = st.text(st.sampled_from("aAbİßé中 \n\U0001f600"), min_size=0, max_size=80)


@given(text=_TEXTS, before=_TEXTS, after=_TEXTS, start=st.integers(0, 40), size=st.integers(1, 60))
def test_look_into_the_files_finds_nothing_in_what_is_left(
    text: str, before: str, after: str, start: int, size: int
) -> None:
    left = SharedRuns([text]).without(before + text[start : start + size] + after)
    for part in left.split(WITHHELD):
        assert TextMarks([text.strip()]).find(part.encode()) is None
