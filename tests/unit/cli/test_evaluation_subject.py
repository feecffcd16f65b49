"""What an evaluation asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewell.cli.evaluation_subject import Subject, sources_subject, squad_subject
from citewell.domain.errors import UsageError
from citewell.evaluation.squad_questions import Sampling


def write_set(path: Path, *, n_answerable: int, n_unanswerable: int) -> Path:
    """Write a set of one article, a paragraph for each question."""
    paragraphs: list[dict[str, Any]] = [
        {
            "context": f"Fact {n}.",
            "qas": [
                {
                    "id": f"q{n}",
                    "question": f"Which fact is {n}?",
                    "answers": [{"text": f"Fact {n}"}] if n < n_answerable else [],
                }
            ],
        }
        for n in range(n_answerable + n_unanswerable)
    ]
    data = [{"title": "Facts", "paragraphs": paragraphs}]
    path.write_text(json.dumps({"data": data}), encoding="utf-8")
    return path


def subject_of(folder: Path, sampling: Sampling, *, limit: int | None = None) -> Subject:
    path = write_set(folder / "facts.json", n_answerable=5, n_unanswerable=2)
    return squad_subject(path, sampling, limit=limit, data_dir=folder, env_file=None)


def kinds(subject: Subject) -> tuple[int, int]:
    n_answerable = sum(question.is_answerable for question in subject.questions)
    return n_answerable, len(subject.questions) - n_answerable


@pytest.mark.parametrize(
    ("limit", "asked"),
    [(None, (5, 2)), (1, (1, 0)), (3, (2, 1)), (4, (2, 2)), (6, (4, 2)), (99, (5, 2))],
)
def test_limit_takes_half_of_each_kind_as_far_as_there_are(
    tmp_path: Path, limit: int | None, asked: tuple[int, int]
) -> None:
    assert kinds(subject_of(tmp_path, Sampling(seed=3), limit=limit)) == asked


def test_counts_go_with_a_limit(tmp_path: Path) -> None:
    assert kinds(subject_of(tmp_path, Sampling(n_answerable=1), limit=4)) == (1, 2)
    assert kinds(subject_of(tmp_path, Sampling(n_answerable=0, n_unanswerable=1))) == (0, 1)


def test_documents_lie_in_a_folder_named_by_their_content(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, Sampling())
    assert subject.documents is not None
    assert subject.data_dir == subject.documents.parent / "data"
    assert subject.documents.parent.parent == tmp_path
    texts = {file.name: file.read_text("utf-8") for file in subject.documents.rglob("*.txt")}
    assert texts == {f"Facts {n + 1:03}.txt": f"Fact {n}." for n in range(7)}
    again = subject_of(tmp_path, Sampling(seed=9))
    assert again.documents == subject.documents


def test_sample_is_described(tmp_path: Path) -> None:
    described = {"set": "facts", "seed": 4, "half": "odd", "answerable": 3, "unanswerable": 2}
    subject = subject_of(tmp_path, Sampling(4, n_answerable=3, half="odd"))
    assert subject.sample == described | {"documents": 7}


def write_questions(path: Path) -> Path:
    entries = [
        {"id": f"q{n}", "lang": "en", "question": "?", "expected_mode": mode}
        for n, mode in enumerate(["rag", "rag", "no_answer", "rag"])
    ]
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_questions_of_a_file_are_all_asked_in_their_order(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.yaml")
    subject = sources_subject(path, Sampling(), limit=None, data_dir=tmp_path, env_file=None)
    assert [question.id for question in subject.questions] == ["q0", "q1", "q2", "q3"]
    assert (subject.sample, subject.documents, subject.data_dir) == (None, None, tmp_path)


def test_questions_of_a_file_are_drawn_too(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.yaml")
    subject = sources_subject(path, Sampling(1), limit=2, data_dir=None, env_file=None)
    assert kinds(subject) == (1, 1)
    assert subject.sample is not None
    assert (subject.sample["set"], subject.sample["seed"]) == ("q", 1)


def test_file_has_no_halves(tmp_path: Path) -> None:
    path = write_questions(tmp_path / "q.yaml")
    with pytest.raises(UsageError, match="--half is for --squad"):
        sources_subject(path, Sampling(half="odd"), limit=None, data_dir=None, env_file=None)
