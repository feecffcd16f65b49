"""`rag demo` and `rag eval`: what they report, and that they fail when an answer is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import CommandLine, isolate, make_library, run_rag

from citewell.evaluation.questions import load_questions
from citewell.evaluation.samples import questions_path


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """Return notes about tickets, exports and backups."""
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        return make_library(home)


def question(number: int, text: str, **expected: Any) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "corpus": "documents",
        "question": text,
        "expected_mode": "rag",
        "expected_sources": [],
        "answer_facts": [],
        "lang": "en",
        **expected,
    }


ESCALATION = question(
    1,
    "How fast is a P1 ticket escalated to the on-call engineer?",
    expected_sources=["tickets.md"],
    answer_facts=["15 minutes"],
)
NOT_THERE = question(2, "Who works on ticket INC-98765?", expected_mode="no_answer")
MISTAKEN = question(3, "How long are backups kept?", answer_facts=["90 days"])


def write_questions(home: Path, *questions: dict[str, Any]) -> Path:
    path = home / "questions.yaml"
    path.write_text(yaml.safe_dump(list(questions)), encoding="utf-8")
    return path


class TestRun:
    def test_report_counts_what_was_right(self, library: CommandLine, tmp_path: Path) -> None:
        asked = write_questions(tmp_path, ESCALATION, NOT_THERE)
        ended = library.rag("eval", "run", asked, "--out", tmp_path / "report.json", "--json")
        assert (ended.code, ended.err) == (0, "")
        report = ended.json
        assert report.pop("worse") == []
        assert report == json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert (report["answered"], report["abstained"], report["wrong"]) == ([1, 1], [1, 1], [])
        assert report["citations"][0] == report["citations"][1] >= 1
        assert (report["refused_answerable"], report["answered_unanswerable"]) == (0.0, 0.0)
        assert (report["retrieval"]["questions"], report["retrieval"]["mrr"]) == (1.0, 1.0)

    def test_wrong_answer_is_named(self, library: CommandLine, tmp_path: Path) -> None:
        asked = write_questions(tmp_path, ESCALATION, MISTAKEN)
        ended = library.rag("eval", "run", asked)
        assert "answered 1/2, abstained 0/0" in ended.out
        assert "q3" in ended.out
        assert "90 days" in ended.out

    def test_worse_than_the_baseline_is_an_error(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        baseline = tmp_path / "baseline.json"
        good = write_questions(tmp_path, ESCALATION, NOT_THERE)
        library.rag("eval", "run", good, "--out", baseline)
        assert library.rag("eval", "run", good, "--baseline", baseline).code == 0
        bad = write_questions(tmp_path, ESCALATION, NOT_THERE, MISTAKEN)
        ended = library.rag("eval", "run", bad, "--baseline", baseline, "--json")
        assert (ended.code, ended.json["worse"]) == (
            1,
            [
                "answered: 1/2, before 1/1",
                "correct: 1/2, before 1/1",
                "citation_precision: 1/2, before 1/1",
                "wrong_answers: 1/3, before 0/2",
            ],
        )


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any]]:
    """Return how a demo without vectors ended, and what it reported."""
    home = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        monkeypatch.setenv("EMBEDDING_PROVIDER", "none")
        ended = run_rag("demo", "--folder", home / "work", "--json")
    return ended.code, ended.json


class TestDemo:
    """Without vectors some answers are missing, so the demo must say which and fail."""

    def test_wrong_answers_are_named_and_are_an_error(
        self, shown: tuple[int, dict[str, Any]]
    ) -> None:
        code, report = shown
        right, asked = report["answered"]
        asked_for = [q for q in load_questions(questions_path()) if q.expected_mode == "rag"]
        assert asked == len(asked_for)
        assert (code, len(report["wrong"])) == (1, asked - right)
        assert 0 < len(report["wrong"]) < asked / 2
        assert {wrong["id"] for wrong in report["wrong"]} <= {q.id for q in asked_for}

    def test_what_is_not_there_or_deleted_is_not_answered(
        self, shown: tuple[int, dict[str, Any]]
    ) -> None:
        right, asked = shown[1]["abstained"]
        absent = [q for q in load_questions(questions_path()) if q.expected_mode != "rag"]
        assert right == asked > len(absent), "the deleted file is asked about once more"

    def test_every_citation_is_found_in_its_original_file(
        self, shown: tuple[int, dict[str, Any]]
    ) -> None:
        verified, cited = shown[1]["citations"]
        assert verified == cited > 40
