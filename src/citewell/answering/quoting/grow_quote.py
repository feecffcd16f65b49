"""Growing the best unit to what a reader needs to understand it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.answering.quoting.rate_units import RatedUnit, leads_on, paragraph_above


@dataclass(frozen=True, slots=True)
class GrowthOptions:
    """How far a quote grows.

    Attributes:
        max_items: Items or rows of a list or table that is quoted whole.
        max_characters: Of a list, table or code that is quoted whole.
        introduction_margin: How far the sentence that introduces a list may score below its best
            item for the list to be quoted whole: then the question asks for the list.
        item_margin: How far items may score below the best one to count as answers too.
        item_share: Share of the items that must be answers for the list to be quoted whole.
        own_share: Share of the question that the best item alone may cover, beyond what most items
            hold, for that; with more, the question asks for the item.
        max_paragraph: Characters of a callout, or of labelled paragraphs, that is quoted whole.
    """

    max_items: int = 12
    max_characters: int = 1_600
    introduction_margin: float = 0.1
    item_margin: float = 0.2
    item_share: float = 0.5
    own_share: float = 0.04
    max_paragraph: int = 600


def grow(best: RatedUnit, units: Sequence[RatedUnit], *, options: GrowthOptions) -> list[RatedUnit]:
    """Return the units to quote together, in order, `best` among them.

    A list or table whose introduction or most of whose items match is quoted whole, with the
    introduction; a sentence that announces a list, table or code is quoted with it; the sentences
    of a callout and short labelled paragraphs stay together.

    Args:
        best: The unit that scored best.
        units: All units of its chunk, in order.
        options: How far.
    """
    return _Growth(units, options).grow(next(i for i, unit in enumerate(units) if unit is best))


class _Growth:
    """The units of one chunk, and what belongs together among them."""

    def __init__(self, units: Sequence[RatedUnit], options: GrowthOptions) -> None:
        self._units = units
        self._plain = [rated.unit for rated in units]
        self._options = options

    def grow(self, place: int) -> list[RatedUnit]:
        best = self._units[place]
        kind = best.unit.kind
        if kind in {"item", "row", "code"}:
            return self._list(place)
        whole = self._block(place)
        if kind == "field" or (kind == "sentence" and self._is_in_callout(place)):
            is_short = _length(whole) <= self._options.max_paragraph
            return whole if is_short else [best]
        return self._announced(place) or [best]

    def _block(self, place: int) -> list[RatedUnit]:
        """Return the units of a unit's block, with code that stands inside a list."""
        block = self._plain[place].block
        places = [i for i, unit in enumerate(self._plain) if unit.block == block]
        return list(self._units[places[0] : places[-1] + 1])

    def _list(self, place: int) -> list[RatedUnit]:
        best = self._units[place]
        items = self._block(place)
        introduction = self._introduction(place)
        if not self._asks_for_all(best, items, introduction):
            return [best]
        first = items[0].place - self._units[0].place
        whole = [*self._units[first if introduction is None else introduction : first], *items]
        return whole if self._fits(whole) else [best]

    def _introduction(self, place: int) -> int | None:
        """Return the index of the sentence that announces the block of a unit, or None."""
        above = paragraph_above(self._plain, place)
        announcing = (
            i
            for i in above
            if self._plain[i].kind != "title" and leads_on(self._plain[i], self._units[i].text)
        )
        return next(announcing, None)

    def _asks_for_all(
        self, best: RatedUnit, items: Sequence[RatedUnit], introduction: int | None
    ) -> bool:
        """Whether the question asks for the list rather than for one of its items."""
        options = self._options
        if introduction is not None:
            if best.unit.kind == "code":
                return True
            if self._units[introduction].score >= best.score - options.introduction_margin:
                return True
        if self._own_share(best, items) > options.own_share:
            return False
        n_answers = sum(1 for item in items if item.score >= best.score - options.item_margin)
        return n_answers >= max(2, options.item_share * len(items))

    def _own_share(self, best: RatedUnit, items: Sequence[RatedUnit]) -> float:
        """Return the share of the question that `best` covers and less than half of the items."""
        holders = Counter(term for item in items for term in item.terms)
        return sum(
            share
            for term, share in best.terms.items()
            if term not in best.context and 2 * holders[term] < len(items)
        )

    def _is_in_callout(self, place: int) -> bool:
        return any(self._plain[i].kind == "title" for i in paragraph_above(self._plain, place))

    def _announced(self, place: int) -> list[RatedUnit]:
        """Return a sentence with the list, table or code that it announces; empty if none."""
        best = self._units[place]
        if not leads_on(best.unit, best.text):
            return []
        following = next(
            (i for i, unit in enumerate(self._plain) if unit.block > best.unit.block), 0
        )
        if not following or place not in paragraph_above(self._plain, following):
            return []
        grown = list(self._units[place:following])
        for rated in self._block(following):
            if not self._fits([*grown, rated]):
                break
            grown.append(rated)
        return grown

    def _fits(self, units: Sequence[RatedUnit]) -> bool:
        options = self._options
        return len(units) <= options.max_items + 1 and _length(units) <= options.max_characters


def _length(units: Sequence[RatedUnit]) -> int:
    return units[-1].unit.end - units[0].unit.start
