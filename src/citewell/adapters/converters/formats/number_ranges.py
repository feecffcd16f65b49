"""Say which numbers, briefly."""

from __future__ import annotations

from collections.abc import Sequence


def describe_ranges(noun: str, numbers: Sequence[int]) -> str:
    """Return e.g. `page 3` or `pages 3-7, 9`.

    Args:
        noun: In the singular; an "s" is added for more than one number.
        numbers: Ascending, not empty.
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    spelled = ", ".join(
        str(first) if first == last else f"{first}-{last}" for first, last in ranges
    )
    return f"{noun}{'s' if len(numbers) > 1 else ''} {spelled}"
