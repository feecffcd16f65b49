from __future__ import annotations

import pytest

from citewell.adapters.embedders.model_traits import ModelTraits, traits_of

INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
REPRESENT = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("name", "query_prompt", "passage_prompt"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("text-embedding-nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"{INSTRUCT} ", ""),
        ("Qwen/Qwen3-Embedding-0.6B", INSTRUCT, ""),
        ("qwen3-embedding:0.6b", INSTRUCT, ""),
        ("BAAI/bge-large-en-v1.5", REPRESENT, ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("bge-m3:latest", "", ""),
        ("mxbai-embed-large", REPRESENT, ""),
        ("snowflake-arctic-embed:335m", REPRESENT, ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_a_model_gets_its_prompts(name: str, query_prompt: str, passage_prompt: str) -> None:
    traits = traits_of(name)
    assert (traits.query_prompt, traits.passage_prompt) == (query_prompt, passage_prompt)


def test_an_unknown_model_gets_no_prompts_and_the_usual_limit() -> None:
    assert traits_of("our-own-model") == ModelTraits("", "", 512, can_shorten=False)


def test_only_models_that_shorten_are_sent_a_dimension() -> None:
    assert traits_of("text-embedding-3-large").can_shorten
    assert not traits_of("text-embedding-ada-002").can_shorten
