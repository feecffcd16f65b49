"""Whether sentences say no more than what they cite, as a language model sees it.

Faithfulness is the share of an answer's statements that the evidence supports (Es et al., RAGAS,
2023). A judge errs: the figure is for comparing runs with the same judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.evaluation.load_prompt import fill_prompt
from citewell.evaluation.verdicts import SentenceState, Verdict
from citewell.ports.language_model import LanguageModel, Message, Prompt

_MAX_TOKENS = 8
_YES = frozenset({"yes", "ja", "evet", "да", "oui", "sí", "si", "true", "supported", "是", "是的"})
_NO = frozenset({"no", "not", "nein", "hayır", "нет", "non", "false", "unsupported", "否", "不是"})
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """What a judge said of claims.

    Attributes:
        n_supported: Claims that it found supported.
        n_judged: Claims of which it said yes or no.
        n_unclear: Claims of which it said neither.
        unsupported: Id of the question and text of each claim that it found not supported.
    """

    n_supported: int
    n_judged: int
    n_unclear: int
    unsupported: tuple[tuple[str, str], ...]


async def judge_faithfulness(verdicts: Sequence[Verdict], judge: LanguageModel) -> Faithfulness:
    """Ask of every claim whether what it cites supports it.

    Sentences that are quotes, word for word, need no judge and are not counted. A claim without a
    citation is not supported, and the judge is not asked.
    """
    n_supported = n_unclear = 0
    unsupported: list[tuple[str, str]] = []
    for verdict in verdicts:
        for sentence in verdict.sentences:
            if sentence.kind != "claim":
                continue
            found = await _is_supported(sentence, judge)
            n_supported += found is True
            n_unclear += found is None
            if found is False:
                unsupported.append((verdict.question.id, sentence.text))
    n_judged = n_supported + len(unsupported)
    return Faithfulness(n_supported, n_judged, n_unclear, tuple(unsupported))


def read_yes_or_no(reply: str) -> bool | None:
    """Return what the first word that is a verdict says, or None where there is none."""
    for word in _WORD.findall(reply.casefold()):
        if word in _YES or word in _NO:
            return word in _YES
    return None


async def _is_supported(sentence: SentenceState, judge: LanguageModel) -> bool | None:
    if not sentence.quotes:
        return False
    content = fill_prompt("judge", quotes="\n".join(sentence.quotes), statement=sentence.text)
    reply = await judge.complete(Prompt((Message("user", content),), max_tokens=_MAX_TOKENS))
    return read_yes_or_no(reply.text)
