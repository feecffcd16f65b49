"""Further queries for what a search did not find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citewell.answering.planning.ask_model import ask_for_texts
from citewell.answering.planning.words import (
    Word,
    content_words,
    language_of,
    names,
    occurs_in,
    tokens,
)
from citewell.ports.language_model import LanguageModel

MAX_QUERIES = 3
MAX_QUERY_CHARACTERS = 200
_MAX_QUERY_WORDS = 16
_MAX_MATERIAL_CHARACTERS = 1_000
_MAX_REPLY_TOKENS = 150
_KNOWN_SHARE = 0.5
_NOT_FOUND = re.compile(
    r"\A\W*(?:the|these|provided|given|passages?|documents?|texts?|sources?|contexts?|do|does|not|"
    r"don't|doesn't|say|mention|state|contain|specify|provide|include|any|no|information|details?|"
    r"about|on|is|are|there|die|der|das|dokumente?|passagen?|texte?|sagen|enthalten|enthält|"
    r"nicht|keine?|angaben?|informationen?|zu|über|belgeler\w*|metinler\w*|\s|[,.:])+\b|"
    r"\A[文档段落资料内容上述提供的中]*(?:没有|未|并未)(?:提到|提及|说明|包含|给出)?(?:关于|有关)?",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"https?:|www\.|[<>{}\[\]`|]|\b(?:ignore|disregard|system|assistant|instructions?|prompt|answer:|"
    r"you must|pretend)\b|忽略|无视|指令|系统提示",
    re.IGNORECASE,
)


async def replan_question(
    question: str,
    *,
    missing: Sequence[str],
    tried: Sequence[str],
    model: LanguageModel | None,
    temperature: float,
) -> tuple[str, ...]:
    """Return other queries for what is missing.

    Args:
        question: The whole question.
        missing: Sub-questions without enough evidence, or what a model said is not there; empty
            means all of the question.
        tried: Queries that need not be tried again.
        model: May propose other words; None leaves it to the rule.
        temperature: Of the model; above 0 a further attempt differs from the last one.

    Returns:
        At most `MAX_QUERIES`, each of at most `MAX_QUERY_CHARACTERS`, none of them tried; empty
        when there is nothing else to try.
    """
    wanted = [text for text in missing if text.strip()] or [question]
    proposed: list[str] = []
    if model is not None:
        proposed = await _ask_model(question, wanted, tried, model, temperature=temperature)
    known = {_folded(text) for text in tried}
    kept: list[str] = []
    for query in (*proposed, *_variants(question, wanted)):
        if _folded(query) and _folded(query) not in known and len(kept) < MAX_QUERIES:
            known.add(_folded(query))
            kept.append(query)
    return tuple(kept)


async def _ask_model(
    question: str,
    wanted: Sequence[str],
    tried: Sequence[str],
    model: LanguageModel,
    *,
    temperature: float,
) -> list[str]:
    """Return the queries of a model that could be ones for this question."""
    lists = (("question", [question]), ("missing", wanted), ("tried", tried))
    material = [(tag, "\n".join(texts)[:_MAX_MATERIAL_CHARACTERS]) for tag, texts in lists]
    texts = await ask_for_texts(
        model,
        material,
        prompt="replan",
        key="queries",
        is_list=True,
        max_tokens=_MAX_REPLY_TOKENS,
        temperature=temperature,
    )
    asked = " ".join((question, *wanted))
    return [text for text in texts or () if _is_query(text, asked)]


def _is_query(text: str, asked: str) -> bool:
    """Return whether a text is a short query about what was asked, and orders nothing."""
    if len(text) > MAX_QUERY_CHARACTERS or len(tokens(text)) > _MAX_QUERY_WORDS:
        return False
    if _COMMAND.search(text) and not _COMMAND.search(asked):
        return False
    words = content_words(text, language_of(text, otherwise=language_of(asked)))
    n_known = sum(occurs_in(word, asked) for word in words)
    has_strange_name = any(not occurs_in(word, asked) for word in names(words))
    return bool(words) and not has_strange_name and n_known >= _KNOWN_SHARE * len(words)


def _variants(question: str, wanted: Sequence[str]) -> Iterator[str]:
    """Yield what is missing in content words only, then each name with what is asked about it."""
    everything = content_words(question, language_of(question))
    for text in wanted:
        stripped = _NOT_FOUND.sub("", text) or text
        words = content_words(stripped, language_of(stripped, otherwise=language_of(question)))
        yield _query(words)
        named = names(words)
        attribute = [word for word in words if not word.is_name]
        if not named:
            yield _query([*names(everything), *words])
        elif len(named) > 1:
            for name in named:
                yield _query([name, *attribute])
        yield _query(attribute)


def _query(words: Sequence[Word]) -> str:
    texts = list(dict.fromkeys(word.text for word in words))
    query = " ".join(texts)
    while len(query) > MAX_QUERY_CHARACTERS:
        texts.pop()
        query = " ".join(texts)
    return query


def _folded(text: str) -> str:
    return " ".join(sorted({match.group().casefold() for match in re.finditer(r"\w+", text)}))
