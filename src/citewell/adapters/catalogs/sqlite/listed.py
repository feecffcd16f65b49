"""Lists of keys or names as one parameter of a statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, String, bindparam, func, select


def listed(name: str) -> Select[Any]:
    """Return the values of a list that a statement is given as `as_list` writes it.

    A list of bound parameters would be put together anew for each run: longer than the run takes.
    """
    return select(func.json_each(bindparam(name, type_=String)).table_valued("value").c.value)


def as_list(values: Sequence[int] | Sequence[str]) -> str:
    """Return a list as the parameter that `listed` reads; of any length."""
    return json.dumps(list(values))
