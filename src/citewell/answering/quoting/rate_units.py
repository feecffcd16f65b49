"""Rating how well each unit of the passages answers a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from citewell.answering.quoting.units import Unit, quotable_units
from citewell.answering.quoting.writing_system import writing_system_of
from citewell.domain.passage import Passage, VisibleChunk
from citewell.lexical.analyze import analyze

Similarities = Callable[[Sequence[str]], Sequence[float] | None]
"""Cosines of texts with the question, in order; None where there is no embedder."""

_LINK = re.compile(  # without brackets inside, so that time is linear in a row of brackets
    r"!?\[\[(?P<page>[^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|(?P<alias>[^\[\]]*))?\]\]"
    r"|!?\[(?P<label>[^\[\]]*)\]\([^()\s]*\)|https?://\S+|(?<!\S)#[^\W\d][\w/-]*"
)
_WORD = re.compile(r"\w+")
_END_MARK = re.compile(r"[.!?:;。！？：；؟।…][\"'”’»)\]*_`]*\s*\Z")
_LONGEST_FRAGMENT = 80
_LEAST_SPREAD = 0.05  # few or nearly equal units would turn noise into differences
_ANNOUNCEMENT = re.compile(
    r"[:：][*_]*\Z|\b(?:following|as follows|below|folgende[nmrs]?|wie folgt|nachstehend\w*"
    r"|suivant\w*|ci-dessous|siguiente\w*|seguent\w*|seguinte\w*|aşağıda\w*|şu|следующ\w+|ниже)\b"
    r"|如下|以下|下列|下述|次の",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile(r"[?？؟][\"'”’»)\]*_]*\s*\Z")


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """Weights of what speaks for a unit; measured, see the decision on extractive answers.

    Attributes:
        title: Share of a question term's weight that counts when it stands in the title of the
            document.
        heading: The same for the headings above.
        column: The same for the column names of a table.
        introduction: The same for the sentence that introduces a list, table or code.
        neighbour: The same for the sentence before, or the paragraph above a list, table or code.
        fragment: What a lone line without an end mark loses, which is a heading or a page header,
            and what begins inside a sentence.
        link: What a unit loses that is nothing but links: it leads to an answer and holds none.
        similarity: Worth of a cosine that is one standard deviation above another.
        foreign: What a unit in another writing system than the question gets when cosines are
            known: it shares no words with the question, whatever it says.
        foreign_lead: How much more that may be than the best unit in the question's own writing
            system gets by words: a question in words of its own finds few there either.
        rank: Worth of standing in the first passage rather than in one far below.
        strong_words: Score by words from which on units far below the best are not compared.
        embed_margin: How far that is.
        max_embedded: Units whose cosine is taken at most; each costs some 10 ms.
    """

    title: float = 0.25
    heading: float = 0.5
    column: float = 0.8
    introduction: float = 0.6
    neighbour: float = 0.3
    fragment: float = 0.2
    link: float = 0.6
    similarity: float = 0.15
    foreign: float = 0.5
    foreign_lead: float = 0.2
    rank: float = 0.1
    strong_words: float = 0.6
    embed_margin: float = 0.35
    max_embedded: int = 12


@dataclass(slots=True)
class RatedUnit:
    """A unit and what speaks for it.

    Attributes:
        passage: Index of the passage, from 0.
        chunk: That holds it.
        place: Index of the unit among those of its chunk, from 0.
        unit: Where it stands.
        text: As a reader sees it, links without their targets.
        link_share: Share of `text` that is the text of links, in [0, 1].
        is_fragment: Whether it is a lone line without an end mark, or begins inside a sentence.
        terms: Hashed question terms that it holds itself, with their share of the question.
        context: Hashed question terms around it, with the share that counts.
        is_foreign: Whether it is in another writing system than the question.
        is_answer: False for what can only lead to an answer: a question, a link, a title.
        similarity: Cosine with the question, or None.
        score: Higher is better, comparable within one question.
    """

    passage: int
    chunk: VisibleChunk
    place: int
    unit: Unit
    text: str
    link_share: float
    is_fragment: bool
    terms: dict[int, float]
    context: Mapping[int, float]
    is_foreign: bool
    is_answer: bool
    similarity: float | None = None
    score: float = 0.0


def rate_units(
    question: str,
    passages: Sequence[Passage],
    *,
    term_weights: Mapping[int, float],
    similarities: Similarities,
    options: RatingOptions,
) -> list[RatedUnit]:
    """Return the units of the passages with their scores, in order of passage and position.

    The score is the share of the question's weight that the unit covers, itself or by what stands
    around it, plus the weighted cosine. Terms weigh more the fewer units hold them: what tells
    passages apart from the corpus need not tell their sentences apart. Text that two passages share
    is taken from the better one.
    """
    rated = _read_units(passages, term_weights, options)
    weights = _weights_among(rated, term_weights)
    system, asked = writing_system_of(question), _letters(question)
    for unit in rated:
        unit.is_foreign = writing_system_of(unit.text) not in {system, None}
        unit.is_answer = unit.is_answer and _letters(unit.text) != asked
        unit.terms = {term: weights[term] for term in unit.terms}
        unit.score = _lexical_score(unit, weights, options)
    _add_similarities(rated, similarities, options)
    return rated


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _weights_among(
    rated: Sequence[RatedUnit], term_weights: Mapping[int, float]
) -> dict[int, float]:
    """Return each question term's share of the question, in [0, 1].

    Proportional to the given weight times `ln(1 + n / df)` over the n units. Terms that no unit
    holds count too, so that a few chance matches in another language say little.
    """
    frequencies = Counter(term for unit in rated for term in unit.terms)
    n = len(rated)
    weights = {
        term: weight * math.log1p(n / max(frequencies[term], 1))
        for term, weight in term_weights.items()
    }
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def _read_units(
    passages: Sequence[Passage], term_weights: Mapping[int, float], options: RatingOptions
) -> list[RatedUnit]:
    rated: list[RatedUnit] = []
    taken: dict[int, list[tuple[int, int]]] = {}
    for number, passage in enumerate(passages):
        for chunk in passage.chunks:
            spans = taken.setdefault(chunk.document_key, [])
            shift = chunk.span[1] - len(chunk.content)
            units = _ChunkUnits(number, chunk, term_weights=term_weights, options=options)
            fresh = [r for r in units.rated() if not _is_taken(r.unit, shift, spans)]
            spans += [(r.unit.start + shift, r.unit.end + shift) for r in fresh]
            rated += fresh
    return rated


def _is_taken(unit: Unit, shift: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(unit.start + shift < end and start < unit.end + shift for start, end in spans)


class _ChunkUnits:
    """Units of one chunk, with what stands around each."""

    def __init__(
        self,
        passage: int,
        chunk: VisibleChunk,
        *,
        term_weights: Mapping[int, float],
        options: RatingOptions,
    ) -> None:
        self._passage = passage
        self._chunk = chunk
        self._wanted = term_weights.keys()
        self._options = options
        self._units = quotable_units(chunk.content)
        self._shown = [_without_links(self._source(unit)) for unit in self._units]
        self._terms = [self._find(text) for text, _ in self._shown]
        self._found: dict[str, frozenset[int]] = {}

    def rated(self) -> list[RatedUnit]:
        return [
            RatedUnit(
                passage=self._passage,
                chunk=self._chunk,
                place=place,
                unit=unit,
                text=self._shown[place][0],
                link_share=self._shown[place][1],
                is_fragment=self._is_fragment(place),
                terms=dict.fromkeys(self._terms[place], 0.0),
                context=self._context(place),
                is_foreign=False,
                is_answer=is_answer(unit, self._source(unit)),
            )
            for place, unit in enumerate(self._units)
        ]

    def _is_fragment(self, place: int) -> bool:
        unit, text = self._units[place], self._shown[place][0]
        if unit.kind != "sentence":
            return False
        if text[:1].islower():
            return True
        neighbours = self._units[max(place - 1, 0) : place] + self._units[place + 1 : place + 2]
        stands_alone = all(other.block != unit.block for other in neighbours)
        return stands_alone and len(text) <= _LONGEST_FRAGMENT and not _END_MARK.search(text)

    def _source(self, unit: Unit) -> str:
        return self._chunk.content[unit.start : unit.end]

    def _find(self, text: str) -> frozenset[int]:
        return frozenset(self._wanted & analyze(text).keys())

    def _remember(self, text: str) -> frozenset[int]:
        if text not in self._found:
            self._found[text] = self._find(text)
        return self._found[text]

    def _context(self, place: int) -> dict[int, float]:
        """Return the question terms around a unit with the best share that each gets."""
        unit, options, title = self._units[place], self._options, self._chunk.title
        headings = [h for h in (*self._chunk.heading_path, *unit.headings) if h != title]
        sources = [
            (options.title, self._remember(title)),
            (options.heading, self._remember("\n".join(headings))),
            (options.column, self._remember(unit.header)),
        ]
        introduction = self._introduction(place)
        if introduction is not None:
            sources.append((options.introduction, self._terms[introduction]))
        above = paragraph_above(self._units, place)
        if not above and place and self._units[place - 1].block == unit.block:
            above = range(place - 1, place)
        sources += [(options.neighbour, self._terms[i]) for i in above]
        context: dict[int, float] = {}
        for share, terms in sources:
            context.update((term, max(share, context.get(term, 0.0))) for term in terms)
        return context

    def _introduction(self, place: int) -> int | None:
        above = paragraph_above(self._units, place)
        return next((i for i in above if leads_on(self._units[i], self._shown[i][0])), None)


def paragraph_above(units: Sequence[Unit], place: int) -> range:
    """Return the indexes of the paragraph or title just above the block of a unit.

    Empty unless the unit is part of a list, table or code, or stands below a title, and both are
    under the same heading.
    """
    unit = units[place]
    end = place
    while end and units[end - 1].block == unit.block:
        end -= 1
    above = units[end - 1] if end else None
    if above is None or above.headings != unit.headings:
        return range(0)
    is_introduced = above.kind == "sentence" and unit.kind in {"item", "row", "code"}
    if not is_introduced and above.kind != "title":
        return range(0)
    start = end
    while start and units[start - 1].block == above.block:
        start -= 1
    return range(start, end)


def leads_on(unit: Unit, text: str) -> bool:
    """Return whether a unit announces what follows: a title, a colon, "the following"."""
    return unit.kind == "title" or bool(_ANNOUNCEMENT.search(text))


def is_answer(unit: Unit, text: str) -> bool:
    """Return whether a unit can answer: it is no question, no title, and more than links."""
    if unit.kind == "title" or (unit.kind != "pair" and _QUESTION_MARK.search(text)):
        return False
    return bool(_WORD.search(_LINK.sub(" ", text)))


def _without_links(text: str) -> tuple[str, float]:
    """Return a text with the labels of its links in their place, and the labels' share of it."""
    labels: list[str] = []

    def label(match: re.Match[str]) -> str:
        labels.append(match["alias"] or match["page"] or match["label"] or "")
        return labels[-1]

    shown = _LINK.sub(label, text)
    return shown, sum(map(len, labels)) / len(shown) if shown else 1.0


def _lexical_score(rated: RatedUnit, weights: Mapping[int, float], options: RatingOptions) -> float:
    own = sum(rated.terms.values())
    around = sum(
        share * weights[term] for term, share in rated.context.items() if term not in rated.terms
    )
    position = options.rank / (1 + rated.passage)
    lost = options.link * rated.link_share + options.fragment * rated.is_fragment
    return own + around + position - lost


def _add_similarities(
    rated: Sequence[RatedUnit], similarities: Similarities, options: RatingOptions
) -> None:
    """Add weighted cosines to the best units; the others get the lowest of them."""
    candidates = _candidates(rated, options)
    found = similarities([_compared(unit) for unit in candidates]) if candidates else None
    if found is None:
        return
    for unit, similarity in zip(candidates, found, strict=True):
        unit.similarity = similarity
    worth = options.similarity / _spread(candidates)
    own = [unit.score for unit in rated if not unit.is_foreign]
    foreign = min(options.foreign, max(own, default=0.0) + options.foreign_lead)
    lowest, highest = min(found), max(found)
    for unit in rated:
        similarity = lowest if unit.similarity is None else unit.similarity
        unit.score += worth * (similarity - highest) + foreign * unit.is_foreign


def _compared(rated: RatedUnit) -> str:
    """Return the text whose cosine is taken: a row needs the names of its columns."""
    if rated.unit.kind != "row":
        return rated.text
    return " ".join(f"{rated.unit.header} {rated.text}".replace("|", " ").split())


def _candidates(rated: Sequence[RatedUnit], options: RatingOptions) -> list[RatedUnit]:
    """Return the units to embed, the best of both writing systems by turns.

    Between units of another writing system than the question words do not choose.
    """
    best_first = sorted((unit for unit in rated if unit.is_answer), key=lambda unit: -unit.score)
    if not best_first:
        return []
    best_score = best_first[0].score
    least = best_score - options.embed_margin if best_score >= options.strong_words else -math.inf
    turns = zip_longest(
        (unit for unit in best_first if not unit.is_foreign and unit.score >= least),
        (unit for unit in best_first if unit.is_foreign),
    )
    mixed = [unit for turn in turns for unit in turn if unit is not None]
    return mixed[: options.max_embedded]


def _spread(units: Sequence[RatedUnit]) -> float:
    """Return the standard deviation of the cosines around the mean of their writing system."""
    deviations: list[float] = []
    for is_foreign in (False, True):
        group = [unit.similarity or 0.0 for unit in units if unit.is_foreign == is_foreign]
        mean = sum(group) / max(len(group), 1)
        deviations += [similarity - mean for similarity in group]
    variance = sum(deviation**2 for deviation in deviations) / len(deviations)
    return max(math.sqrt(variance), _LEAST_SPREAD)
