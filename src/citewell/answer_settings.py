"""Settings of search and answers: which language model writes, and what it is given."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr, field_validator

from citewell.setting_fields import SettingGroup, number, setting, switch


class AnswerSettings(SettingGroup):
    """The language model, what a search returns, and when it is enough for an answer."""

    llm_provider: Literal["extractive", "openai-compatible", "ollama", "anthropic"] = setting(
        "extractive", "extractive (or fake, the same), openai-compatible, ollama, anthropic"
    )
    """What writes answers; `extractive` quotes the documents. It needs no model and no network."""

    llm_base_url: str | None = setting(
        None,
        "an http or https URL",
        shown_default="Ollama on this machine, or Anthropic's, with that provider",
    )
    """Where the language model is; mostly it ends in /v1 with `openai-compatible`. Nothing leaves
    the machine unless someone says where to."""

    llm_model: str | None = setting(None, "a name", min_length=1)
    """The provider's name of the language model. There is none that everyone has."""

    llm_api_key: SecretStr | None = setting(None, "a key")
    """Key of the language model; an https address needs one. Models on one's own machine want
    none."""

    llm_fallback_provider: Literal["openai-compatible", "ollama", "anthropic"] | None = setting(
        None, "openai-compatible, ollama, anthropic"
    )
    """A second language model, asked when the first one fails before it has written anything. Text
    goes to one provider only, unless someone names two."""

    llm_fallback_base_url: str | None = setting(
        None,
        "an http or https URL",
        shown_default="Ollama on this machine, or Anthropic's, with that provider",
    )
    """Where the second language model is. Nothing leaves the machine unless someone says where
    to."""

    llm_fallback_model: str | None = setting(None, "a name", min_length=1)
    """The provider's name of the second language model. There is none that everyone has."""

    llm_fallback_api_key: SecretStr | None = setting(None, "a key")
    """Key of the second language model. Models on one's own machine want none."""

    llm_timeout_seconds: float = number(60.0, "seconds", within=(0.1, 3600))
    """How long one call of the language model may take, and a stream until it begins and between
    two pieces. A small model on a processor writes some 30
    tokens a second."""

    llm_temperature: float = number(0.0, "temperature", within=(0, 2))
    """How freely the language model writes. At 0 the same question has the same answer, as far as
    the provider keeps that."""

    llm_max_tokens: int = number(500, "the model's tokens", within=(16, 100_000))
    """Length at which a reply ends. A few sentences of any language; what a small model repeats for
    ever ends too."""

    llm_judges_questions: bool = switch(default=False)
    """Whether the language model is asked about questions that the rules doubt, whether they give
    it orders or abuse. It costs a call for one question in ten; a small model condemned one in
    thirteen of such attacks, and three in twenty-four of such innocent questions."""

    llm_judges_answers: bool = switch(default=False)
    """Whether the language model is also asked of each sentence whether its quotes say it. The
    check by code needs no call; a small model as judge says yes to everything."""

    llm_look_for_servers: bool = switch(default=True)
    """Whether `rag status` looks for model servers on the usual ports of this machine while answers
    are quotes. It takes half a second, and a server that nobody knows of helps nobody."""

    rag_top_k: int = number(5, "passages", within=(1, 20))
    """Passages that a search returns and an answer reads. Enough for a question of two parts, few
    enough to read."""

    rag_min_similarity: float | None = number(None, "cosine similarity", within=(0, 1))
    """If set, replaces the calibrated gate: the best similarity must reach it. What a similarity
    means differs from model to model, and calibration knows."""

    rag_min_confidence: float | None = number(None, "probability", within=(0, 1))
    """Moves the calibrated gate: the confidence that an answer needs. Calibration chose a value for
    each embedder."""

    rag_context_token_budget: int = number(6000, "cl100k tokens", within=(100, 1_000_000))
    """Passages that a language model is given. Fits a window of 8,192 tokens together with question
    and answer."""

    rag_fallback_enabled: bool = switch(default=False)
    """Whether a request may ask for an answer from general knowledge, without citations. Answers
    come from the documents."""

    max_retrieval_attempts: int = number(5, "searches", within=(1, 20))
    """Searches for one question, re-planned ones included. Later ones seldom find more."""

    retry_temperature: float = number(0.4, "temperature", within=(0, 2))
    """How freely the language model plans a further search. At 0 it would plan the one that failed
    again."""

    retrieval_budget_seconds: float = number(20.0, "seconds", within=(0, 3600))
    """After which no further search for a question begins. A reader waits, and a small model on a
    processor plans for some ten seconds."""

    retrieval_budget_tokens: int = number(4000, "the model's tokens", within=(0, 1_000_000))
    """Tokens of the language model after which no further search begins. Some ten plans, prompts
    and replies together."""

    answer_cache_max_entries: int = number(10_000, "answers", within=(0, 1_000_000))
    """Answers of a language model that are remembered for readers of the same tiers; 0 remembers
    none. They take some 10 KB each."""

    answer_cache_max_age_hours: float = number(168.0, "hours", within=(0.01, 87_600))
    """Age from which on a remembered answer is not used. Documents that change end an answer at
    once; in a week a model may have changed under its name."""

    answer_cache_min_similarity: float | None = number(None, "cosine similarity", within=(0, 1))
    """If set, an answer also serves a question that is at least this similar and has the same words
    but for courtesies. Equal questions are sure to ask the same."""

    exact_search: bool = switch(default=False)
    """Compare a question with every vector instead of walking the graph. The graph is much faster
    and misses little; exact search is repeatable."""

    @field_validator("llm_provider", mode="before")
    @classmethod
    def _fake_is_extractive(cls, provider: object) -> object:
        return "extractive" if provider == "fake" else provider
