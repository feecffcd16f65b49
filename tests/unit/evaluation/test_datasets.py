from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citewell.domain.errors import UsageError
from citewell.evaluation.datasets import (
    BeirDocument,
    BeirSet,
    FinanceQuestion,
    SquadArticle,
    SquadParagraph,
    SquadQuestion,
    load_beir,
    load_financebench,
    load_squad,
    load_squad_sets,
)

SQUAD = {
    "data": [
        {
            "title": "Bees",
            "paragraphs": [
                {
                    "context": "Bees make honey.",
                    "qas": [
                        {
                            "id": "q1",
                            "question": "What do bees make?",
                            "answers": [{"text": "honey"}, {"text": "honey"}],
                        },
                        {"id": "q2", "question": "What do they sing?", "answers": []},
                    ],
                }
            ],
        }
    ]
}
ARTICLE = SquadArticle(
    "Bees",
    (
        SquadParagraph(
            "Bees make honey.",
            (
                SquadQuestion("q1", "What do bees make?", ("honey",)),
                SquadQuestion("q2", "What do they sing?", ()),
            ),
        ),
    ),
)


def test_squad_keeps_questions_without_an_answer(tmp_path: Path):
    file = tmp_path / "en.json"
    file.write_text(json.dumps(SQUAD), encoding="utf-8")
    assert load_squad(file) == [ARTICLE]


def test_sets_are_named_after_their_files(tmp_path: Path):
    for name in ("en", "de"):
        (tmp_path / f"{name}.json").write_text(json.dumps(SQUAD), encoding="utf-8")
    assert load_squad_sets(tmp_path) == {"de": [ARTICLE], "en": [ARTICLE]}
    assert load_squad_sets(tmp_path / "en.json") == {"en": [ARTICLE]}


def test_beir_keeps_judged_questions_and_grades_above_zero(tmp_path: Path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t0\n", encoding="utf-8"
    )
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "T", "text": "one"}\n{"_id": "d2", "text": "two"}\n\n',
        encoding="utf-8",
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "q"}\n{"_id": "2", "text": "r"}\n', encoding="utf-8"
    )
    assert load_beir(tmp_path) == BeirSet(
        documents={"d1": BeirDocument("T", "one"), "d2": BeirDocument("", "two")},
        questions={"1": "q"},
        judgements={"1": {"d1": 2}},
    )


def test_financebench_pages_count_from_one(tmp_path: Path):
    row = {
        "financebench_id": "f1",
        "question": "How much?",
        "answer": "10",
        "doc_name": "ACME_2022",
        "evidence": [{"evidence_page_num": 4}, {"evidence_page_num": 0}, {"evidence_page_num": 4}],
    }
    (tmp_path / "questions.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert load_financebench(tmp_path) == [
        FinanceQuestion("f1", "How much?", "10", "ACME_2022.pdf", (1, 5))
    ]


@pytest.mark.parametrize("load", [load_squad, load_squad_sets, load_beir, load_financebench])
def test_other_layouts_are_refused_by_name(tmp_path: Path, load: Callable[[Path], object]):
    (tmp_path / "questions.jsonl").write_text("[1]\n", encoding="utf-8")
    with pytest.raises(UsageError, match=tmp_path.name):
        load(tmp_path)


def test_file_of_another_layout_is_refused(tmp_path: Path):
    (tmp_path / "en.json").write_text('{"data": 5}', encoding="utf-8")
    with pytest.raises(UsageError, match="SQuAD"):
        load_squad_sets(tmp_path)
