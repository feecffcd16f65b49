"""Choosing the quotes that answer a question best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citewell.answering.quoting.grow_quote import GrowthOptions, grow
from citewell.answering.quoting.rate_units import RatedUnit, RatingOptions, Similarities, rate_units
from citewell.answering.quoting.units import Unit
from citewell.domain.passage import Passage, VisibleChunk


@dataclass(frozen=True, slots=True)
class QuoteOptions:
    """How much is quoted.

    Attributes:
        max_quotes: At most; more reads as a search result, not as an answer.
        max_characters: Of all quotes together; the first quote stays whole whatever its length.
        margin: How far below the best score a further quote may lie.
        margin_beside_list: The same once a list, table or code is quoted whole: it answers alone.
        margin_across: The same for a quote in another writing system than the best one's: it was
            found by its cosine alone.
        sibling_margin: The same for a second item of a list beside the one that answers.
        row_margin: The same for a second row of a table; its words tell a row from its siblings.
        rating: What speaks for a unit.
        growth: What is quoted around a unit.
    """

    max_quotes: int = 3
    max_characters: int = 900
    margin: float = 0.25
    margin_beside_list: float = 0.1
    margin_across: float = 0.15
    sibling_margin: float = 0.12
    row_margin: float = 0.04
    rating: RatingOptions = field(default_factory=RatingOptions)
    growth: GrowthOptions = field(default_factory=GrowthOptions)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of one chunk that are quoted together.

    Attributes:
        chunk: That holds them.
        units: In order, at least one; what lies between two of them is white space, marks of block
            quotes or code, or a heading.
        score: Of its best unit; comparable within one question only.
        passage_score: Cosine of the passage in [0, 1], or None.
    """

    chunk: VisibleChunk
    units: tuple[Unit, ...]
    score: float
    passage_score: float | None

    @property
    def start(self) -> int:
        """First character in the chunk's content."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """One past the last character in the chunk's content."""
        return self.units[-1].end

    @property
    def text(self) -> str:
        """The exact words."""
        return self.chunk.content[self.start : self.end]

    @property
    def header(self) -> str:
        """Column names above the quoted table rows, or ""."""
        return next((unit.header for unit in self.units if unit.header), "")


def choose_quotes(
    question: str,
    passages: Sequence[Passage],
    *,
    term_weights: Mapping[int, float],
    similarities: Similarities,
    options: QuoteOptions | None = None,
) -> list[Quote]:
    """Return the quotes that answer best, by rank of their passage, then by position.

    Args:
        question: As asked.
        passages: Best first.
        term_weights: Weight of each of the question's hashed terms, above 0.
        similarities: Called at most once, with the texts of a few units.
        options: How much is quoted.

    Returns:
        Quotes that do not overlap; empty if the passages hold nothing but headings, questions and
        links. The same input gives the same quotes.
    """
    options = options or QuoteOptions()
    rated = rate_units(
        question,
        passages,
        term_weights=term_weights,
        similarities=similarities,
        options=options.rating,
    )
    chosen = sorted(_choose(rated, options), key=lambda units: _place(units[0]))
    return [
        Quote(
            chunk=units[0].chunk,
            units=tuple(rated.unit for rated in units),
            score=max(rated.score for rated in units),
            passage_score=passages[units[0].passage].score,
        )
        for units in chosen
    ]


def _place(rated: RatedUnit) -> tuple[int, int, int]:
    return rated.passage, rated.chunk.ordinal, rated.unit.start


def _choose(rated: Sequence[RatedUnit], options: QuoteOptions) -> list[list[RatedUnit]]:
    """Return groups of units, each within one chunk and in order; the best group first."""
    answers = sorted((unit for unit in rated if unit.is_answer), key=lambda unit: -unit.score)
    chosen: list[list[RatedUnit]] = []
    margin = options.margin
    for best in answers:
        if best.score < answers[0].score - margin:
            break
        is_across = best.is_foreign != answers[0].is_foreign
        if is_across and best.score < answers[0].score - options.margin_across:
            continue
        if any(_stands_back(best, group, options) for group in chosen):
            continue
        siblings = [unit for unit in rated if unit.chunk is best.chunk]
        group = grow(best, siblings, options=options.growth)
        _add(group, chosen, siblings, options)
        if len(group) > 1 and group[-1].unit.kind in {"item", "row", "code"}:
            margin = min(margin, options.margin_beside_list)
    return chosen


def _stands_back(unit: RatedUnit, group: Sequence[RatedUnit], options: QuoteOptions) -> bool:
    """Whether a unit is quoted already, or its list is: as far as is fit, or by a better item."""
    if any(unit is other for other in group):
        return True
    if unit.chunk is not group[0].chunk or unit.unit.block != group[-1].unit.block:
        return False
    is_full = len(group) > options.growth.max_items
    best_score = max(other.score for other in group)
    margins = {"item": options.sibling_margin, "row": options.row_margin}
    margin = margins.get(unit.unit.kind)
    if margin is None:
        return False
    return is_full or unit.score < best_score - margin


def _add(
    group: list[RatedUnit],
    chosen: list[list[RatedUnit]],
    siblings: Sequence[RatedUnit],
    options: QuoteOptions,
) -> None:
    """Add a group if there is room, joined with what it touches in the same block."""
    touched = [other for other in chosen if _are_neighbours(group, other)]
    if len(chosen) - len(touched) >= options.max_quotes:
        return
    places = [siblings.index(unit) for part in (group, *touched) for unit in part]
    joined = list(siblings[min(places) : max(places) + 1])
    if touched and len(joined) > options.growth.max_items + 1:
        return
    others = [other for other in chosen if not any(other is part for part in touched)]
    if chosen and sum(map(_length, (*others, joined))) > options.max_characters:
        return
    chosen[:] = [*others, joined]


def _are_neighbours(a: Sequence[RatedUnit], b: Sequence[RatedUnit]) -> bool:
    """Whether two groups share units, or follow each other within one block."""
    if a[0].chunk is not b[0].chunk:
        return False
    first, second = (a, b) if a[0].place <= b[0].place else (b, a)
    gap = second[0].place - first[-1].place
    return gap <= 0 or (gap == 1 and first[-1].unit.block == second[0].unit.block)


def _length(group: Sequence[RatedUnit]) -> int:
    return group[-1].unit.end - group[0].unit.start
