"""Candidates that a question's words cannot match, because they are in another language.

In a corpus of several languages the lexical leg finds only what is in the question's, and a passage
in another one would lose by the mere lack of shared words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citewell.domain.chunk import SparseVector
from citewell.lexical.analyze import analyze
from citewell.lexical.languages import guess_language, is_in_other_language
from citewell.lexical.scripts import dominant_script
from citewell.ports.index import Candidate

_WORD = re.compile(r"[\w./-]+")
FOREIGN_SHARE = 0.9
"""What a passage in another language counts of the best lexical score. On corpora of mixed
languages the answer in another language came first for .595 of the questions instead of .450, one
in the question's own for .965 instead of .976; corpora of one language do not change."""

N_EXAMINED = 30
"""Candidates whose language is looked at, the most similar ones: 0.1 ms each, and no other could
come first for its similarity."""


def foreign_candidates(question: str, texts: Mapping[int, str]) -> frozenset[int]:
    """Return the keys of the texts that are in another language than the question.

    Languages are told by script and frequent words; a text that could be in the question's is not
    foreign.
    """
    language_of = {key: guess_language(text) for key, text in texts.items()}
    foreign = {
        language: is_in_other_language(question, language) for language in set(language_of.values())
    }
    return frozenset(key for key, language in language_of.items() if foreign[language])


def foreign_score(question: str, query: SparseVector, lexical: Sequence[Candidate]) -> float:
    """Return what a passage in another language counts in the lexical leg, at least 0."""
    if not lexical:
        return 0.0
    return FOREIGN_SHARE * lexical[0].score * language_bound_share(question, query)


def language_bound_share(question: str, query: SparseVector) -> float:
    """Return the share of a question's weight that only text in its own language can match.

    Numbers, identifiers and names in another script are the same in every language: a passage that
    lacks them lacks them in any language.

    Returns:
        In [0, 1]; 0 for a question without terms.
    """
    whole = sum(query.values)
    if not whole > 0:
        return 0.0
    script = dominant_script(question)
    portable = " ".join(word for word in _WORD.findall(question) if _is_portable(word, script))
    terms = analyze(portable)
    weights = zip(query.indices, query.values, strict=True)
    return 1.0 - sum(weight for term, weight in weights if term in terms) / whole


def _is_portable(word: str, script: str) -> bool:
    return any(c.isdigit() for c in word) or dominant_script(word) not in {script, "none"}
