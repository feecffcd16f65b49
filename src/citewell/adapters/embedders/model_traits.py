"""What is known of embedding models by name: their prompts and how much they read."""

from __future__ import annotations

from dataclasses import dataclass

_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
_REPRESENT = "Represent this sentence for searching relevant passages: "
_REPRESENT_ZH = "为这个句子生成表示以用于检索相关文章："


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """How a model wants its texts.

    Attributes:
        query_prompt: Stands before a question.
        passage_prompt: Stands before a passage.
        max_tokens: Longest text that the model reads whole, in its own tokens.
        can_shorten: Whether the server takes the wanted dimension as a parameter.
    """

    query_prompt: str = ""
    passage_prompt: str = ""
    max_tokens: int = 512
    can_shorten: bool = False


# From the model cards; the first part that a name contains decides, so variants stand first. A
# limit is the smaller of the model's and of what servers allow by default (Ollama: 2,048 for
# nomic-embed-text, 4,096 tokens of context in general).
_TRAITS: tuple[tuple[str, ModelTraits], ...] = (
    ("nomic-embed-text", ModelTraits("search_query: ", "search_document: ", 2048)),
    ("qwen3-embedding", ModelTraits(_INSTRUCT, max_tokens=4096)),
    ("embeddinggemma", ModelTraits("task: search result | query: ", "title: none | text: ", 2048)),
    ("e5-mistral", ModelTraits(f"{_INSTRUCT} ", max_tokens=4096)),
    ("e5-large-instruct", ModelTraits(f"{_INSTRUCT} ")),
    ("e5-", ModelTraits("query: ", "passage: ")),
    ("mxbai-embed-large", ModelTraits(_REPRESENT)),
    ("snowflake-arctic-embed2", ModelTraits("query: ", max_tokens=4096)),
    ("snowflake-arctic-embed-l-v2", ModelTraits("query: ", max_tokens=4096)),
    ("snowflake-arctic-embed-m-v2", ModelTraits("query: ", max_tokens=4096)),
    ("snowflake-arctic-embed", ModelTraits(_REPRESENT)),
    ("bge-m3", ModelTraits(max_tokens=4096)),
    ("bge-small-zh", ModelTraits(_REPRESENT_ZH)),
    ("bge-base-zh", ModelTraits(_REPRESENT_ZH)),
    ("bge-large-zh", ModelTraits(_REPRESENT_ZH)),
    ("bge-", ModelTraits(_REPRESENT)),
    ("text-embedding-3-", ModelTraits(max_tokens=8191, can_shorten=True)),
    ("text-embedding-ada-002", ModelTraits(max_tokens=8191)),
    ("all-minilm", ModelTraits(max_tokens=256)),
)


def traits_of(model_name: str) -> ModelTraits:
    """Return what is known of a model, whatever folder, tag or case its name carries.

    A model that is not known gets no prompts and 512 tokens.
    """
    name = model_name.lower()
    return next((traits for part, traits in _TRAITS if part in name), ModelTraits())
