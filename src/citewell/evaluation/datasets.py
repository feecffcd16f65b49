"""Public question sets, in the layouts in which they are published; none ships with Citewell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.domain.errors import UsageError


@dataclass(frozen=True, slots=True)
class SquadQuestion:
    """A question on one paragraph.

    Attributes:
        id: Unique in the set; the same in translations of the set.
        text: As asked.
        answers: Right answers, words of the paragraph; empty if the paragraph has none.
    """

    id: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SquadParagraph:
    """A paragraph and the questions on it."""

    text: str
    questions: tuple[SquadQuestion, ...]


@dataclass(frozen=True, slots=True)
class SquadArticle:
    """An article: paragraphs on one topic, in order."""

    title: str
    paragraphs: tuple[SquadParagraph, ...]


@dataclass(frozen=True, slots=True)
class BeirDocument:
    """A document of a BEIR set."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class BeirSet:
    """A retrieval set in BEIR's layout.

    Attributes:
        documents: By id, in order of the file.
        questions: Text by id; only those that were judged.
        judgements: Grade (1 or more) of each relevant document, by question id and document id.
    """

    documents: Mapping[str, BeirDocument]
    questions: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class FinanceQuestion:
    """A question of FinanceBench on one filing.

    Attributes:
        id: Unique in the set.
        question: As asked.
        answer: Reference answer.
        document: File name of the filing, with `.pdf`.
        pages: Pages that hold the evidence, from 1, ascending.
    """

    id: str
    question: str
    answer: str
    document: str
    pages: tuple[int, ...]


def load_squad(path: Path) -> list[SquadArticle]:
    """Return the articles of one file in SQuAD's layout (1.1, 2.0, XQuAD).

    Raises:
        UsageError: The file cannot be read or has another layout.
    """
    try:
        articles = json.loads(path.read_text(encoding="utf-8"))["data"]
        return [_squad_article(article, n) for n, article in enumerate(articles)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is not a question set in SQuAD's layout: {error}") from error


def load_squad_sets(path: Path) -> dict[str, list[SquadArticle]]:
    """Return the sets of a folder by the names of their files, e.g. `en` for `en.json`.

    A single file is one set. Sets whose questions have the same ids are translations of each other.

    Raises:
        UsageError: There is no such file, or one cannot be read or has another layout.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UsageError(
            f"{path} holds no *.json: give a folder of question sets in SQuAD's layout"
        )
    return {file.stem: load_squad(file) for file in files}


def load_beir(folder: Path, *, split: str = "test") -> BeirSet:
    """Return a set from `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`.

    Raises:
        UsageError: A file cannot be read or has another layout.
    """
    try:
        judgements: dict[str, dict[str, int]] = {}
        lines = (folder / "qrels" / f"{split}.tsv").read_text(encoding="utf-8").splitlines()
        for line in lines[1:]:
            question_id, document_id, grade = line.split("\t")
            if int(grade) > 0:
                judgements.setdefault(question_id, {})[document_id] = int(grade)
        return BeirSet(
            documents={
                row["_id"]: BeirDocument(row.get("title", ""), row["text"])
                for row in _json_lines(folder / "corpus.jsonl")
            },
            questions={
                row["_id"]: row["text"]
                for row in _json_lines(folder / "queries.jsonl")
                if row["_id"] in judgements
            },
            judgements=judgements,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder} is not a set in BEIR's layout: {error}") from error


def load_financebench(folder: Path) -> list[FinanceQuestion]:
    """Return the questions of `questions.jsonl`; the filings lie beside it as PDF.

    Raises:
        UsageError: The file cannot be read or has another layout.
    """
    try:
        return [_finance_question(row) for row in _json_lines(folder / "questions.jsonl")]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder} is not in FinanceBench's layout: {error}") from error


def _squad_article(article: Mapping[str, Any], number: int) -> SquadArticle:
    return SquadArticle(
        title=article.get("title", f"article {number}"),
        paragraphs=tuple(
            SquadParagraph(
                paragraph["context"],
                tuple(
                    SquadQuestion(
                        str(question["id"]),
                        question["question"],
                        tuple(dict.fromkeys(a["text"] for a in question.get("answers", ()))),
                    )
                    for question in paragraph["qas"]
                ),
            )
            for paragraph in article["paragraphs"]
        ),
    )


def _finance_question(row: Mapping[str, Any]) -> FinanceQuestion:
    pages = {int(evidence["evidence_page_num"]) + 1 for evidence in row["evidence"]}
    return FinanceQuestion(
        id=row["financebench_id"],
        question=row["question"],
        answer=row["answer"],
        document=f"{row['doc_name']}.pdf",
        pages=tuple(sorted(pages)),
    )


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
