"""Whether what a sentence says of a table row stands in that row, and in the right column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from citewell.answering.verification.evidence import EvidenceUnit
from citewell.answering.verification.facts import Facts, read_facts
from citewell.answering.verification.measures import measure_named
from citewell.answering.verification.quantities import Quantity
from citewell.answering.verification.words import ContentWord, content_words, searchable, share_of


def misplaced_words(words: Sequence[ContentWord], units: Sequence[EvidenceUnit]) -> Iterator[str]:
    """Yield words of a sentence that stand in another row or item of the same table or list.

    A row that lacks what tells it from its neighbours is about something else.
    """
    if any(unit.unit.kind not in {"row", "item"} for unit in units):
        return
    own = [*(unit.folded for unit in units), *(searchable(unit.around) for unit in units)]
    for word in words:
        is_beside = any(share_of(word, text) == 1.0 for unit in units for text in unit.siblings)
        if is_beside and not any(share_of(word, text) for text in own):
            yield f"word {word.text}"


def misplaced_numbers(claim: Facts, units: Sequence[EvidenceUnit]) -> Iterator[str]:
    """Yield numbers that stand in a column that the sentence does not name, though it names one."""
    for unit in units:
        cells = row_cells(unit)
        named = [bool(_names(head, claim.text)) for head, _ in cells]
        for quantity in claim.quantities:
            if _is_misplaced(quantity, cells, named):
                number = claim.text[quantity.start : quantity.end]
                yield f"number {number} in the column that is named"


def cells_with_numbers(claim: Facts, unit: EvidenceUnit) -> str:
    """Return the first cell of a row and those with numbers of a sentence, under their names.

    The other cells say other things. The unit's text if it is no row, or no cell holds a number.
    """
    cells = row_cells(unit)
    values = [value for quantity in claim.quantities for value in quantity.values]
    told = [f"{head} {cell}" for head, cell in cells[1:] if values and _holds(cell, values)]
    return f"{cells[0][1]}: {'; '.join(told)}" if told else unit.text


def _is_misplaced(
    quantity: Quantity, cells: Sequence[tuple[str, str]], named: Sequence[bool]
) -> bool:
    """Whether a number stands in a column that is not named, or not of its unit."""
    holds = [_holds(cell, quantity.values) for _, cell in cells]
    if not any(holds):
        return False
    numbers = [_has_number(cell) for _, cell in cells]
    is_named = _meet(named, holds)
    if _meet(named, numbers) and not is_named:
        return True
    units = [_has_unit(f"{head} {cell}", quantity) for head, cell in cells]
    return any(units) and not _meet(units, holds)


def _meet(a: Sequence[bool], b: Sequence[bool]) -> bool:
    """Whether both are true in one column."""
    return any(left and right for left, right in zip(a, b, strict=True))


def _has_unit(text: str, quantity: Quantity) -> bool:
    if quantity.measure is None:
        return False
    names = re.findall(r"[^\W\d_]+|[%°$€£¥₺]", text)
    measures = [measure for name in names if (measure := measure_named(name))]
    return any(measure.dimension == quantity.measure.dimension for measure in measures)


def row_cells(unit: EvidenceUnit) -> list[tuple[str, str]]:
    """Return the column names of a table row with its cells; empty unless they fit each other."""
    if unit.unit.kind != "row" or "|" not in unit.unit.header:
        return []
    heads = _split(unit.unit.header.splitlines()[0])
    cells = _split(unit.chunk.content[unit.unit.start : unit.unit.end])
    return list(zip(heads, cells, strict=True)) if len(heads) == len(cells) else []


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _names(head: str, text: str) -> bool:
    """Whether a text has a word of a column's name."""
    folded = searchable(text)
    return any(share_of(word, folded) for word in content_words(head))


def _has_number(cell: str) -> bool:
    return bool(read_facts(cell).numbers)


def _holds(cell: str, values: Sequence[float]) -> bool:
    return not read_facts(cell).numbers.isdisjoint(values)
