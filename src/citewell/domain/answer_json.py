"""Remembered answers as JSON text, and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from citewell.domain.answer import Answer, Citation, Grounding, Sentence


def answer_as_json(answer: Answer) -> str:
    """Return an answer without its timings, usage and trace; text stands in it as it is.

    Raises:
        ValueError: It holds lone surrogates, which no file can hold.
    """
    values = asdict(answer)
    for name in ("timings_ms", "usage", "trace", "cached"):
        del values[name]
    text = json.dumps(values, ensure_ascii=False)
    text.encode()
    return text


def answer_of_json(text: str) -> Answer:
    """Return the answer that `answer_as_json` wrote.

    Raises:
        ValueError: It is something else.
    """
    try:
        values: dict[str, Any] = json.loads(text)
        values["sentences"] = tuple(_sentence(sentence) for sentence in values["sentences"])
        values["citations"] = tuple(_citation(citation) for citation in values["citations"])
        values["grounding"] = Grounding(**values["grounding"])
        return Answer(**values)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("this is not an answer") from error


def _sentence(values: dict[str, Any]) -> Sentence:
    values["citations"] = tuple(values["citations"])
    return Sentence(**values)


def _citation(values: dict[str, Any]) -> Citation:
    start, end = values["span"]
    values["span"] = (start, end)
    values["heading_path"] = tuple(values["heading_path"])
    return Citation(**values)
