"""Reading original files again, with code of its own."""

from pathlib import Path

import pytest
from office_files import write_docx
from openpyxl import Workbook

from citewell.evaluation.reopen import Section, letters, reopen

ROOT = Path(__file__).parents[3]
VAULT = ROOT / "samples" / "acme-vault"


def headings_and_text(path: Path) -> list[tuple[tuple[str, ...], str]]:
    return [(s.headings, s.text.strip()) for s in reopen(path) if s.text.strip()]


def test_markdown_is_parted_at_its_headings(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "before\n# One\nalpha\n## *Two* [[Page|three]] ##\nbeta\n```\n# no heading\n```\n# Four\n",
        encoding="utf-8",
    )
    assert headings_and_text(path) == [
        ((), "before"),
        (("One",), "# One\nalpha"),
        (
            ("One", "Two three"),
            "## *Two* [[Page|three]] ##\nbeta\n```\n# no heading\n```",
        ),
        (("Four",), "# Four"),
    ]


def test_heading_that_skips_a_level_stands_below_the_last_higher_one(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# One\n### Three\n## Two\n", encoding="utf-8")
    assert [section.headings for section in reopen(path)][1:] == [
        ("One",),
        ("One", "Three"),
        ("One", "Two"),
    ]


def test_word_is_parted_at_its_headings(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    write_docx(path, [("Heading1", "One"), ("", "alpha"), ("Heading2", "Two"), ("", "beta")])
    assert headings_and_text(path) == [
        (("One",), "One\nalpha"),
        (("One", "Two"), "Two\nbeta"),
    ]


def test_workbook_has_a_section_for_each_sheet(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook = Workbook()
    workbook.active.title = "Prices"
    workbook.active.append(["plan", 12])
    workbook.active.append(["team", 7.5])
    workbook.create_sheet("Limits").append(["rows", 500])
    workbook.save(path)
    assert reopen(path) == [
        Section(("Prices",), None, "plan 12\nteam 7.5"),
        Section(("Limits",), None, "rows 500"),
    ]


def test_pdf_has_a_section_for_each_page() -> None:
    (path,) = VAULT.rglob("*.pdf")
    sections = reopen(path)
    assert [section.page for section in sections] == list(range(1, len(sections) + 1))
    assert all(section.text.strip() for section in sections)
    assert len(sections) > 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("**P1** – 15 min.", "p115min"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "fullwidth"),
        ("工单 升级", "工单升级"),
        ("| a | b |\n|---|---|", "ab"),
        ("…", ""),
    ],
)
def test_letters_leave_out_markup_and_spacing(text: str, kept: str) -> None:
    assert letters(text) == kept
