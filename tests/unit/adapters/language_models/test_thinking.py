from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.language_models.thinking import ThinkingFilter, may_begin_inside
from citewell.domain.errors import LanguageModelError

SHOWN = [
    ("The answer.", "The answer."),
    ("<think>Hmm.</think>\n\nThe answer.", "The answer."),
    ("<thinking>Hmm.</thinking>The answer.", "The answer."),
    ("[THINK]Hmm.[/THINK]The answer.", "The answer."),
    ("First. <think>Hmm.</think>Second.", "First. Second."),
    ("<think>a</think>b<think>c</think>d", "bd"),
    ("<think>a <think> b</think>c", "c"),
    ("<think></think>The answer.", "The answer."),
    ("<think>Hmm, never closed", ""),
    ("Done. <think>Hmm", "Done. "),
    ("a < b and c <thin", "a < b and c <thin"),
    ("x <think", "x <think"),
    ("a </b> [1] [TH", "a </b> [1] [TH"),
    ("", ""),
]
INSIDE = [
    ("Okay, let me see.</think>The answer.", "The answer."),
    ("Hmm.\n</think>\n\n", ""),
    ("a</think>b</think>c", "c"),
    ("a</think>b<think>c</think>d", "bd"),
]


def shown(pieces: list[str], *, hold: bool) -> str:
    thinking = ThinkingFilter(hold=hold)
    return "".join(thinking.feed(piece) for piece in pieces) + thinking.finish()


@pytest.mark.parametrize(("reply", "expected"), SHOWN)
def test_reasoning_is_left_out_wherever_the_pieces_are_cut(reply: str, expected: str) -> None:
    for size in range(1, len(reply) + 1):
        pieces = [reply[start : start + size] for start in range(0, len(reply), size)]
        assert shown(pieces, hold=False) == expected
        assert shown(pieces, hold=True) == expected


@pytest.mark.parametrize(("reply", "expected"), INSIDE)
def test_a_reply_that_begins_inside_shows_what_follows(reply: str, expected: str) -> None:
    assert shown([reply], hold=True) == expected


def test_a_held_reply_is_shown_as_it_comes_once_the_reasoning_is_over() -> None:
    thinking = ThinkingFilter(hold=True)
    assert [thinking.feed(t) for t in ("Hmm", ".</think>", "\nThe ", "answer")] == [
        "",
        "",
        "The ",
        "answer",
    ]
    assert thinking.began_inside


def test_reasoning_that_was_shown_is_an_error_and_is_known_from_then_on() -> None:
    thinking = ThinkingFilter(hold=False)
    assert thinking.feed("Okay, ") == "Okay, "
    with pytest.raises(LanguageModelError, match="began inside its reasoning"):
        thinking.feed("so</think>The answer.")
    assert thinking.began_inside


def test_nothing_is_held_once_the_server_sends_reasoning_apart() -> None:
    thinking = ThinkingFilter(hold=True)
    assert thinking.feed("The ") == ""
    thinking.release()
    assert thinking.feed("answer") == "The answer"


@given(st.text(alphabet="<>/think[]THINK ab\n"), st.lists(st.integers(1, 5)))
def test_cuts_change_nothing(reply: str, sizes: list[int]) -> None:
    pieces = []
    rest = reply
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    assert shown([*pieces, rest], hold=True) == shown([reply], hold=True)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("deepseek-r1:8b", True),
        ("DeepSeek-R1-Distill-Qwen-7B", True),
        ("qwq", True),
        ("Qwen3-4B-Thinking-2507", True),
        ("magistral-small", True),
        ("deepseek-reasoner", True),
        ("qwen2.5:7b", False),
        ("command-r10", False),
        ("llama3.1:8b", False),
    ],
)
def test_models_that_may_begin_inside_are_known_by_name(model: str, expected: bool) -> None:
    assert may_begin_inside(model) is expected
