"""The glossary has every word of the field, each once."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"

REQUIRED = {
    *("source", "connector", "item", "document", "version", "chunk", "passage", "span", "tier"),
    *("clearance", "principal", "leg", "ranking", "score", "answer", "sentence", "citation"),
    *("quote", "abstention", "catalog", "index", "cache"),
}


def words() -> list[str]:
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE
    )
    return rows[1:]


def test_every_required_word_is_explained() -> None:
    assert set(words()) >= REQUIRED


def test_every_word_stands_once() -> None:
    assert sorted(words()) == sorted(set(words()))


def test_every_line_of_the_table_has_a_word_a_meaning_and_words_not_used() -> None:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    assert len(lines) == len(words()) + 2
