"""Prompts of the evaluation: files beside this one, with places to fill in."""

from __future__ import annotations

import re
from importlib import resources

_PLACE = re.compile(r"\{\{(\w+)\}\}")


def fill_prompt(name: str, **texts: str) -> str:
    """Return the prompt `prompts/<name>.md` with each `{{place}}` filled in, once.

    Raises:
        KeyError: A place has no text.
    """
    package = resources.files("citewell.evaluation.prompts")
    template = (package / f"{name}.md").read_text(encoding="utf-8")
    return _PLACE.sub(lambda place: texts[place[1]], template).strip()
