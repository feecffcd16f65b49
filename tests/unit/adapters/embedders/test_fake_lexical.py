from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder, find_tokens
from citewell.domain.errors import ConfigurationError
from citewell.ports.embedder import PassageText

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("fake_lexical_cases.json").read_text(encoding="utf-8")
)


def passage_of(case: dict[str, Any]) -> PassageText:
    fields = case["fields"]
    return PassageText(
        content=fields["content"],
        heading_path=tuple(fields.get("heading_path", ())),
        relative_path=fields.get("relative_path", ""),
        tags=tuple(fields.get("tags", ())),
        links=tuple(fields.get("links", ())),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vector_is_the_one_of_the_contract(case: dict[str, Any]) -> None:
    (vector,) = FakeLexicalEmbedder().embed_passages([passage_of(case)])
    expected = np.zeros(1024)
    for bucket, value in case["nonzero"].items():
        expected[int(bucket)] = value
    np.testing.assert_allclose(vector, expected, atol=1e-7)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_tokens_are_those_of_the_contract(case: dict[str, Any]) -> None:
    assert find_tokens(case["fields"]["content"]) == case["content_tokens"]


def test_a_question_has_content_only() -> None:
    embedder = FakeLexicalEmbedder()
    question = "tier tier data"
    (as_content,) = embedder.embed_passages([PassageText(question, title="not used")])
    np.testing.assert_array_equal(embedder.embed_query(question), as_content)


def test_bigrams_join_adjacent_characters_only() -> None:
    assert find_tokens("工单 升级") == ["工", "单", "工单", "升", "级", "升级"]


def test_another_model_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="must be fake-lexical-v1"):
        FakeLexicalEmbedder(model_name="fake-lexical-v2")


@given(st.text(max_size=200))
def test_a_vector_is_of_unit_length_or_zero(text: str) -> None:
    vector = FakeLexicalEmbedder().embed_query(text)
    expected = 1.0 if find_tokens(text) else 0.0
    np.testing.assert_allclose(np.linalg.norm(vector), expected, atol=1e-6)
