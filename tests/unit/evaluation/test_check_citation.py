"""A citation against the original file."""

from pathlib import Path
from typing import Any

import pytest
from office_files import write_docx

from citewell.evaluation.check_citation import check_citation
from citewell.evaluation.reopen import reopen

VAULT = Path(__file__).parents[3] / "samples" / "acme-vault"
NOTE = "# One\n\nalpha **beta** gamma.\n\n## Two\n\ndelta epsilon.\n"


def citation(quote: str, *headings: str, file: str = "a.md", **more: object) -> dict[str, Any]:
    return {"source_id": file, "quote": quote, "heading_path": [*headings], **more}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(NOTE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "right",
    [
        citation("alpha beta gamma.", "One"),
        citation("Alpha  beta\ngamma", "One"),
        citation("delta epsilon.", "One", "Two"),
        citation("delta epsilon.", "One"),
        citation("gamma. Two delta", "One"),
        citation("delta", "One", "two"),
        citation("delta"),
    ],
)
def test_quote_that_stands_under_its_headings(root: Path, right: dict[str, Any]) -> None:
    assert check_citation(root, right) is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (citation("alpha", file="b.md"), "there is no file b.md"),
        (citation("alpha", file="."), "there is no file ."),
        (citation("— …", "One"), "the quote has no words"),
        (citation("alpha", "Three"), "there is no heading Three"),
        (citation("alpha", "Two"), "there is no heading Two"),
        (citation("alpha", "One", "Two"), "the quote does not stand under One › Two"),
        (citation("alpha gamma", "One"), "the quote does not stand under One"),
        (citation("zeta"), "the quote does not stand under the file"),
    ],
)
def test_what_is_wrong_is_said(root: Path, wrong: dict[str, Any], said: str) -> None:
    assert check_citation(root, wrong) == said


def test_page_must_be_the_one_on_which_the_quote_starts() -> None:
    (path,) = VAULT.rglob("*.pdf")
    file = path.relative_to(VAULT).as_posix()
    first, second = (" ".join(section.text.split()) for section in reopen(path)[:2])
    inside, over = first[40:120], f"{first[-40:]} {second[:40]}"
    assert check_citation(VAULT, citation(inside, file=file, page=1)) is None
    assert check_citation(VAULT, citation(over, file=file, page=1)) is None
    assert check_citation(VAULT, citation(inside, file=file, page=2)) == (
        "the quote does not start on page 2"
    )
    assert check_citation(VAULT, citation(second[40:120], file=file, page=1)) == (
        "the quote does not start on page 1"
    )
    for page in (0, 99):
        assert check_citation(VAULT, citation(inside, file=file, page=page)) == (
            f"there is no page {page}"
        )


def test_numbers_that_word_makes_for_a_list_need_not_stand_in_the_file(root: Path) -> None:
    items = [("Heading1", "Steps"), ("", "Ask 2 people."), ("", "4. Wait."), ("", "Go.")]
    write_docx(root / "a.docx", items)
    listed = citation("1. Ask 2 people.\n2. Wait.", "Steps", file="a.docx")
    typed = citation("people. 4. Wait. Go.", "Steps", file="a.docx")
    wrong = citation("1. Ask 3 people.", "Steps", file="a.docx")
    assert check_citation(root, typed) is None
    assert check_citation(root, wrong) == "the quote does not stand under Steps"
    write_docx(root / "a.docx", [(style, text.removeprefix("4. ")) for style, text in items])
    assert check_citation(root, listed) is None


def test_file_that_is_no_utf8_is_told(root: Path) -> None:
    (root / "a.md").write_bytes("数据".encode("gb18030"))
    assert check_citation(root, citation("数据")) == "a.md cannot be read again: it is no UTF-8"
