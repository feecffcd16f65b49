from __future__ import annotations

from pathlib import Path
from typing import Any

import answerers
from answerers import verdicts_on

from citewell.evaluation.against_plain import compare_with_plain
from citewell.evaluation.run_questions import report_verdicts
from citewell.evaluation.write_report import write_report


def make_report(folder: Path) -> dict[str, Any]:
    plain = report_verdicts(verdicts_on(answerers.always_wrong, folder))
    ours = report_verdicts(verdicts_on(answerers.perfect, folder))
    return ours | {
        "answers_by": "scripted",
        "retrieval": {"mrr": 0.9},
        "sample": {"set": "orm", "seed": 3},
        "plain": plain,
        "against_plain": compare_with_plain(ours, plain),
        "faithfulness": {"judge": "scripted", "supported": [1, 2], "unclear": 1},
    }


def test_page_has_the_figures_of_every_system(tmp_path: Path) -> None:
    page = write_report(make_report(tmp_path), ["citewell", "plain"])
    for line in (
        "# Answers of scripted",
        "2 answerable and 2 unanswerable questions (set orm, seed 3).",
        "| | citewell | plain |",
        "| answerable questions answered correctly | 2/2 (100%) | 0/2 (0%) |",
        "| wrong answers, of all questions | 0/4 (0%) | 4/4 (100%) |",
        (
            "Against the same model asked plainly: 0% of its wrong answers (at most 60%), -100.0"
            " points fewer correct ones (at most 5): holds."
        ),
        "Faithfulness as scripted sees it: 1/2 (50%) claims; of 1 it said neither yes nor no.",
        "mrr 0.900",
        "| plain | search | 10 | 10 |",
        "| lit | rag, correct | rag, wrong | + |",
        "| who | no_answer, abstained | rag, wrong |  |",
    ):
        assert line in page.splitlines()


def test_page_of_citewell_alone_leaves_out_what_was_not_asked(tmp_path: Path) -> None:
    report = report_verdicts(verdicts_on(answerers.cites_nothing, tmp_path))
    page = write_report(report | {"answers_by": "x", "retrieval": {}}, ["citewell"])
    assert "2 answerable and 2 unanswerable questions." in page.splitlines()
    assert "plainly" not in page
    assert "Faithfulness" not in page
    assert "| lit | rag, correct | - |" in page.splitlines()
    assert "| citations that support the answer | 0/0 |" in page.splitlines()
