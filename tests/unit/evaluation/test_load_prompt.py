from __future__ import annotations

import pytest

from citewell.evaluation.load_prompt import fill_prompt


def test_places_are_filled_in_once() -> None:
    prompt = fill_prompt("judge", quotes="{{statement}}", statement="It rains.")
    assert prompt.count("{{statement}}") == 1
    assert prompt.count("It rains.") == 1


def test_place_without_text_is_an_error() -> None:
    with pytest.raises(KeyError, match="quotes"):
        fill_prompt("judge", statement="It rains.")
