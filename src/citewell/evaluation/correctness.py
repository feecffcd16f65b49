"""Whether an answer says what it should: pure functions over texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from citewell.evaluation.answer_tokens import answer_tokens, numbers_of

RIGHT_F1 = 0.6
"""Token F1 from which a short answer is right that does not contain a right one: `Comnena` for
`Anna Comnena` (0.67) is, one shared word of three and three (0.33) is not."""
_LONG = 5
_SLACK = 3
_SHARE_OF_LONG = 0.8
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_FRAMING = frozenset(
    {
        *("in", "on", "at", "of", "by", "to", "from", "for", "with", "about", "around", "during"),
        *("since", "until", "between", "because", "and", "or", "as", "is", "was", "were", "are"),
        *("it", "they", "he", "she"),
    }
)
_WORD_START = 5


def token_f1(answer: str, right: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's tokens, in [0, 1].

    SQuAD's measure (Rajpurkar et al., 2016) over the tokens of `answer_tokens`.
    """
    said, wanted = Counter(answer_tokens(answer)), Counter(answer_tokens(right))
    n_shared = (said & wanted).total()
    if not n_shared:
        return 0.0
    precision, recall = n_shared / said.total(), n_shared / wanted.total()
    return 2 * precision * recall / (precision + recall)


def best_f1(answer: str, rights: Sequence[str]) -> float:
    """Return the F1 with the right answer that it comes nearest to; 0 without one."""
    return max((token_f1(answer, right) for right in rights), default=0.0)


def is_exact(answer: str, rights: Sequence[str]) -> bool:
    """Return whether the answer is a right one, token by token (SQuAD's exact match)."""
    said = answer_tokens(answer)
    return any(said == answer_tokens(right) for right in rights)


def contains_fact(answer: str, fact: str) -> bool:
    """Return whether some stretch of the answer has all tokens of a fact.

    The stretch may be a little longer than the fact and the order may differ, as in `30 June 2026`
    and `June 30, 2026`. Words that only frame the fact, such as a leading `in`, may be missing. A
    fact without a token is in every answer.
    """
    wanted = _without_frame(answer_tokens(fact))
    return _most_shared(answer_tokens(answer), wanted, width=len(wanted) + _slack(wanted)) == len(
        wanted
    )


def is_right(answer: str, rights: Sequence[str]) -> bool:
    """Return whether an answer, a word or a sentence, says one of the right answers.

    It does if it contains one; if one of its sentences is near one (`RIGHT_F1`); or if it has most
    of a long one together. In the latter cases all numbers of the right answer must be there.
    """
    return any(contains_fact(answer, right) or _is_near(answer, right) for right in rights)


def says_fact(answer: str, quotes: Sequence[str], fact: str) -> bool:
    """Return whether an answer says a fact that stands in a document in the document's words.

    The answer contains it; or a quote that the answer cites does, and the answer has every number
    of it and half of its words, by their first letters. An answer without any of the fact's
    scripts, so in another language than the document, need not have its words.
    """
    if contains_fact(answer, fact):
        return True
    if not any(contains_fact(quote, fact) for quote in quotes):
        return False
    said, wanted = answer_tokens(answer), _without_frame(answer_tokens(fact))
    if not numbers_of(wanted) <= numbers_of(said):
        return False
    words = [token[:_WORD_START] for token in wanted if token not in numbers_of(wanted)]
    starts = {token[:_WORD_START] for token in said}
    if not _share_a_script(answer, fact):
        return True
    return 2 * sum(word in starts for word in words) >= len(words)


def _is_near(answer: str, right: str) -> bool:
    wanted = answer_tokens(right)
    if not numbers_of(wanted) <= numbers_of(answer_tokens(answer)):
        return False
    if any(token_f1(sentence, right) >= RIGHT_F1 for sentence in _sentences(answer)):
        return True
    if len(wanted) < _LONG:
        return False
    shared = _most_shared(answer_tokens(answer), wanted, width=2 * len(wanted))
    return shared >= _SHARE_OF_LONG * len(wanted)


def _sentences(text: str) -> Iterator[str]:
    yield text
    yield from (part for part in _SENTENCE_END.split(text) if part.strip())


def _without_frame(tokens: list[str]) -> list[str]:
    """Return the tokens without framing words at both ends; all of them if nothing else is left."""
    kept = [n for n, token in enumerate(tokens) if token not in _FRAMING]
    return tokens[kept[0] : kept[-1] + 1] if kept else tokens


def _slack(wanted: Sequence[str]) -> int:
    return 0 if len(wanted) < 2 else _SLACK


def _most_shared(said: Sequence[str], wanted: Sequence[str], *, width: int) -> int:
    """Return how many of the wanted tokens the best stretch of `width` tokens has."""
    counted = Counter(wanted)
    starts = range(max(1, len(said) - width + 1))
    return max((Counter(said[start : start + width]) & counted).total() for start in starts)


def _share_a_script(one: str, other: str) -> bool:
    return bool(_scripts(one) & _scripts(other))


def _scripts(text: str) -> set[str]:
    from citewell.lexical.scripts import dominant_script

    return {dominant_script(text)} - {"none"}
