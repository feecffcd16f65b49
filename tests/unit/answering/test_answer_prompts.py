"""The prompts and their placeholders."""

from importlib import resources

import pytest

from citewell.answering.prompts.load_prompt import load_prompt, prompt_text, prompts_version


def test_placeholders_are_filled_with_values_as_they_are() -> None:
    text = load_prompt("fallback", question="What is {{question}}?")
    assert text.endswith("Question: What is {{question}}?")


def test_missing_or_unknown_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="takes"):
        load_prompt("fallback")
    with pytest.raises(ValueError, match="takes"):
        load_prompt("answer", question="x")


def test_every_prompt_says_something_and_the_version_is_a_hash() -> None:
    files = [f.name for f in resources.files("citewell.answering.prompts").iterdir()]
    names = [name.removesuffix(".md") for name in files if name.endswith(".md")]
    assert "answer" in names
    assert min(len(prompt_text(name)) for name in names) > 20
    assert len(prompts_version()) == 16
