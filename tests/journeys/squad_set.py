"""A small set in SQuAD's layout, written for these tests: six paragraphs on places that are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_ISLAND: list[tuple[str, list[tuple[str, str, list[str]]]]] = [
    (
        (
            "The lighthouse of Orm was first lit in 1871 by the keeper Ada Birk. It burned rape oil"
            " until gas came to the island in 1904."
        ),
        [
            ("lit", "When was the lighthouse of Orm first lit?", ["1871", "in 1871"]),
            ("oil", "What did the lighthouse of Orm burn before gas came?", ["rape oil"]),
        ],
    ),
    (
        (
            "The ferry to Orm carries 40 cars and 300 people. It sails twelve times a day in summer"
            " and five times a day in winter."
        ),
        [("cars", "How many cars does the ferry to Orm carry?", ["40", "40 cars"])],
    ),
    (
        (
            "Orm exports kelp to three countries. The harvest of 2019 reached 3,000 tonnes, the"
            " most ever."
        ),
        [("kelp", "How many tonnes did the kelp harvest of 2019 reach?", ["3,000"])],
    ),
]
_CLOCKS: list[tuple[str, list[tuple[str, str, list[str]]]]] = [
    (
        (
            "The tower clock of Velm was built by Tomas Riel from brass and pear wood. It strikes"
            " every quarter of an hour."
        ),
        [("built", "Who built the tower clock of Velm?", ["Tomas Riel"])],
    ),
    (
        "The workshop in Velm employs nine clockmakers, who repair about 250 watches a year.",
        [("quasar", "Which quasar did Zwicky photograph in Pasadena?", [])],
    ),
    (
        "The museum of Velm shows sundials, hourglasses and the first alarm clock of the town.",
        [("entry", "Who signed the entry INC-98765?", [])],
    ),
]


def write_squad_set(path: Path) -> None:
    """Write the set: five answerable questions, two unanswerable ones."""
    data = [_article("Orm_(island)", _ISLAND), _article("Clocks_of_Velm", _CLOCKS)]
    path.write_text(json.dumps({"version": "t", "data": data}), encoding="utf-8")


def _article(
    title: str, paragraphs: list[tuple[str, list[tuple[str, str, list[str]]]]]
) -> dict[str, Any]:
    return {
        "title": title,
        "paragraphs": [
            {"context": text, "qas": [_question(*question) for question in questions]}
            for text, questions in paragraphs
        ],
    }


def _question(name: str, text: str, answers: list[str]) -> dict[str, Any]:
    return {
        "id": name,
        "question": text,
        "is_impossible": not answers,
        "answers": [{"text": answer, "answer_start": 0} for answer in answers],
    }
