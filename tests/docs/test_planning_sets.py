"""The sets that plans and rewritten questions are measured on name what there is."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
VAULT = ROOT / "samples" / "acme-vault"
DIALOGUES = yaml.safe_load((ROOT / "eval" / "dialogues.yaml").read_text("utf-8"))
PLANNING = yaml.safe_load((ROOT / "eval" / "planning.yaml").read_text("utf-8"))


def test_dialogues_expect_documents_and_headings_of_the_sample():
    named = {source for entry in DIALOGUES for source in entry["expected_sources"]}
    headings = {
        line.lstrip("# ").strip()
        for path in VAULT.rglob("*.md")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("#")
    }
    strange = {
        heading
        for entry in DIALOGUES
        if all(source.endswith(".md") for source in entry["expected_sources"])
        for heading in entry["expected_headings"]
    } - headings

    assert {source for source in named if not (VAULT / source).is_file()} == set()
    assert strange == set()


def test_dialogues_are_told_apart_and_enough():
    ids = [entry["id"] for entry in DIALOGUES]

    assert len(set(ids)) == len(ids) >= 40
    assert {entry["lang"] for entry in DIALOGUES} == {"en", "zh", "de", "tr"}


def test_plans_have_both_halves_of_every_language():
    for kind, n in (("simple", 100), ("compound", 60)):
        halves = {(entry["lang"], entry.get("held_out", False)) for entry in PLANNING[kind]}

        assert len(PLANNING[kind]) >= n
        assert len(halves) == 8


def test_parts_name_words_of_their_question():
    missing = [
        (entry["question"], word)
        for entry in PLANNING["compound"]
        for words in entry["parts"]
        for word in words
        if word.casefold() not in entry["question"].casefold()
    ]

    assert missing == []
