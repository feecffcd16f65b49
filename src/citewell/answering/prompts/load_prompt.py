"""Reading the prompts and filling in their placeholders."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib import resources

_FOLDER = "citewell.answering.prompts"
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def load_prompt(name: str, **values: str) -> str:
    """Return the text of `prompts/<name>.md` with `{{placeholder}}` replaced.

    A value is put in as it is: what looks like a placeholder in it stays.

    Args:
        name: Without `.md`.
        values: By placeholder; exactly those that the prompt has.

    Raises:
        ValueError: A placeholder has no value, or a value no placeholder.
    """
    text = _read(name)
    wanted = set(_PLACEHOLDER.findall(text))
    if wanted != values.keys():
        raise ValueError(f"the prompt {name} takes {sorted(wanted)}, not {sorted(values)}")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def prompt_text(name: str) -> str:
    """Return what `prompts/<name>.md` tells a model, without its placeholders."""
    return _PLACEHOLDER.sub("", _read(name))


@cache
def prompts_version() -> str:
    """Return a hash over all prompts: answers of another version are not comparable."""
    files = sorted(
        (file for file in resources.files(_FOLDER).iterdir() if file.name.endswith(".md")),
        key=lambda file: file.name,
    )
    texts = [f"{file.name}\0{file.read_text('utf-8')}" for file in files]
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


@cache
def _read(name: str) -> str:
    return (resources.files(_FOLDER) / f"{name}.md").read_text("utf-8").strip()
