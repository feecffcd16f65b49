"""The sample knowledge bases and the questions about them agree with each other.

Files are read with the standard library and pypdfium2, not with Citewell's converters, so that a
fault of a converter cannot hide a wrong question.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pypdfium2
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
VAULT = SAMPLES / "acme-vault"
TIERS = SAMPLES / "acme-tiers"
ASKED: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "eval" / "questions.yaml").read_text(encoding="utf-8")
)
HARD: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "eval" / "hard-questions.yaml").read_text(encoding="utf-8")
)
HELD_OUT: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "eval" / "paraphrases.yaml").read_text(encoding="utf-8")
)
FOR_DEVELOPMENT: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / "eval" / "paraphrases-dev.yaml").read_text(encoding="utf-8")
)
PARAPHRASES = HELD_OUT + FOR_DEVELOPMENT
QUESTIONS = ASKED + HARD + PARAPHRASES
ANSWERABLE = [question for question in QUESTIONS if question["expected_mode"] == "rag"]
NOTES = sorted(VAULT.rglob("*.md")) + sorted(TIERS.rglob("*.md"))

FIELDS = {
    "id",
    "corpus",
    "lang",
    "question",
    "expected_mode",
    "expected_sources",
    "expected_headings",
    "expected_pages",
    "answer_facts",
    "as_tier",
    "tags",
}
TOPICS = ["p1-escalation", "export-limits", "api-latency", "external-model", "competitors"]
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CJK = re.compile(r"[\u4e00-\u9fff]")
HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
WIKI_LINK = re.compile(r"(!?)\[\[([^\]|#\\]*)(?:#([^\]|\\]+))?(?:\\?\|[^\]]+)?\]\]")


def fold_spaces(text: str) -> str:
    return " ".join(text.split())


def split_note(path: Path) -> tuple[dict[str, Any], str]:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(head), body


def headings_of_note(path: Path) -> list[str]:
    return HEADING.findall(FENCE.sub("", split_note(path)[1]))


def pdf_pages(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as document:
        return [fold_spaces(page.get_textpage().get_text_bounded()) for page in document]


def xml_part(path: Path, name: str) -> ElementTree.Element:
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read(name))


def docx_paragraphs(path: Path) -> list[tuple[str, str]]:
    """Style and text of each paragraph, those in tables included."""
    paragraphs: list[tuple[str, str]] = []
    for paragraph in xml_part(path, "word/document.xml").iter(f"{WORD}p"):
        style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
        name = "" if style is None else style.attrib[f"{WORD}val"]
        paragraphs.append((name, "".join(run.text or "" for run in paragraph.iter(f"{WORD}t"))))
    return paragraphs


def xlsx_sheet_names(path: Path) -> list[str]:
    return [
        sheet.attrib["name"] for sheet in xml_part(path, "xl/workbook.xml").iter(f"{SHEET}sheet")
    ]


def xlsx_cells(path: Path) -> list[str]:
    """Texts and numbers of all sheets; texts may be shared between cells or stand in them."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
        shared = {"xl/sharedStrings.xml"} & set(archive.namelist())
    cells: list[str] = []
    for name in [*sorted(shared), *sorted(names)]:
        root = xml_part(path, name)
        cells += [text.text or "" for text in root.iter(f"{SHEET}t")]
        cells += [
            cell.findtext(f"{SHEET}v") or ""
            for cell in root.iter(f"{SHEET}c")
            if cell.get("t", "n") == "n"
        ]
    return cells


@cache
def text_and_headings(path: Path) -> tuple[str, tuple[str, ...]]:
    match path.suffix:
        case ".md":
            return fold_spaces(split_note(path)[1]), tuple(headings_of_note(path))
        case ".pdf":
            return " ".join(pdf_pages(path)), ()
        case ".docx":
            paragraphs = docx_paragraphs(path)
            headings = tuple(text for style, text in paragraphs if style.startswith("Heading"))
            return fold_spaces(" ".join(text for _, text in paragraphs)), headings
        case ".xlsx":
            return fold_spaces(" ".join(xlsx_cells(path))), tuple(xlsx_sheet_names(path))
        case suffix:
            pytest.fail(f"no reader for {suffix}")


def sources_of(question: dict[str, Any]) -> list[Path]:
    return [SAMPLES / question["corpus"] / name for name in question["expected_sources"]]


def by_id(question: dict[str, Any]) -> str:
    return question["id"]


def test_ids_are_unique_and_fields_are_known() -> None:
    assert [name for name, n in Counter(map(by_id, QUESTIONS)).items() if n > 1] == []
    unknown = {name for question in QUESTIONS for name in question} - FIELDS
    assert unknown == set()


@pytest.mark.parametrize("question", QUESTIONS, ids=by_id)
def test_values_are_those_of_the_format(question: dict[str, Any]) -> None:
    assert question["corpus"] in {"acme-vault", "acme-tiers"}
    assert question["expected_mode"] in {"rag", "no_answer", "refused"}
    assert question.get("as_tier", "employee") in {"employee", "manager", "director"}
    assert ("as_tier" in question) == (question["corpus"] == "acme-tiers")
    assert question["lang"] == ("zh" if CJK.search(question["question"]) else "en")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", question["id"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=by_id)
def test_every_expected_source_exists_and_holds_every_fact(question: dict[str, Any]) -> None:
    assert question["expected_sources"] != []
    assert question["answer_facts"] != []
    missing = [
        (path.name, fact)
        for path in sources_of(question)
        for fact in question["answer_facts"]
        if fact not in text_and_headings(path)[0]
    ]
    assert missing == []


@pytest.mark.parametrize("question", ANSWERABLE, ids=by_id)
def test_every_expected_heading_or_page_exists(question: dict[str, Any]) -> None:
    headings = {name for path in sources_of(question) for name in text_and_headings(path)[1]}
    assert [name for name in question.get("expected_headings", []) if name not in headings] == []
    assert question.get("expected_headings") or question.get("expected_pages")


@pytest.mark.parametrize("question", [q for q in ANSWERABLE if "expected_pages" in q], ids=by_id)
def test_facts_stand_on_the_expected_page(question: dict[str, Any]) -> None:
    (path,) = sources_of(question)
    pages = pdf_pages(path)
    found = [
        number
        for number, text in enumerate(pages, start=1)
        if set(question["answer_facts"]) == {f for f in question["answer_facts"] if f in text}
    ]
    assert set(question["expected_pages"]) <= set(found)


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q["expected_mode"] != "rag"], ids=by_id
)
def test_questions_without_answer_expect_nothing(question: dict[str, Any]) -> None:
    assert question["expected_sources"] == []
    assert {"expected_headings", "expected_pages", "answer_facts"} & question.keys() == set()


def test_a_tier_never_expects_a_source_above_itself() -> None:
    order = ["employee", "manager", "director"]
    too_high = [
        question["id"]
        for question in ANSWERABLE
        if question["corpus"] == "acme-tiers"
        for name in question["expected_sources"]
        if order.index(name.split("/")[0]) > order.index(question["as_tier"])
    ]
    assert too_high == []


def test_five_main_questions_are_asked_in_both_languages() -> None:
    keys = {question["id"] for question in ASKED if "key" in question["tags"]}
    assert keys == {f"key-{topic}-{lang}" for topic in TOPICS for lang in ("en", "zh")}


def test_there_are_enough_questions_of_each_kind() -> None:
    answerable = [question for question in ASKED if question["expected_mode"] == "rag"]
    others = [question for question in answerable if "key" not in question["tags"]]
    refused = [q for q in ASKED if q["expected_mode"] == "no_answer" and "as_tier" not in q]
    tags = Counter(tag for question in answerable for tag in question["tags"])
    assert len(others) >= 14
    assert len(refused) >= 10
    assert {question["lang"] for question in refused} == {"en", "zh"}
    wanted = {"pdf", "docx", "xlsx", "table", "code", "identifier", "number", "date", "callout"}
    assert wanted - tags.keys() == set()
    languages = {question["lang"] for question in others if "cross-lingual" in question["tags"]}
    assert languages == {"en", "zh"}


def original_of(paraphrase: dict[str, Any]) -> dict[str, Any]:
    (name,) = (tag[3:] for tag in paraphrase["tags"] if tag.startswith("of:"))
    return next(question for question in ASKED if question["id"] == name)


def words_of(text: str) -> set[str]:
    """Words, and pairs of ideographs."""
    pairs = [text[n : n + 2] for n in range(len(text)) if CJK.match(text[n])]
    return {*re.findall(r"[a-z0-9]{2,}", text.lower()), *pairs}


@pytest.mark.parametrize("asked", [HELD_OUT, FOR_DEVELOPMENT], ids=["held out", "development"])
def test_paraphrases_are_twenty_in_both_languages(asked: list[dict[str, Any]]) -> None:
    modes = Counter(question["expected_mode"] for question in asked)
    assert modes == {"rag": 14, "no_answer": 6}
    for mode in modes:
        of_mode = Counter(q["lang"] for q in asked if q["expected_mode"] == mode)
        assert min(of_mode["en"], of_mode["zh"]) >= 2


@pytest.mark.parametrize("paraphrase", PARAPHRASES, ids=by_id)
def test_paraphrase_has_the_answer_of_its_original_and_other_words(
    paraphrase: dict[str, Any],
) -> None:
    original = original_of(paraphrase)
    for field in ("corpus", "expected_mode", "as_tier"):
        assert paraphrase.get(field) == original.get(field)
    for field in ("expected_sources", "expected_headings", "expected_pages"):
        assert set(paraphrase.get(field, [])) <= set(original.get(field, []))
    words, before = words_of(paraphrase["question"]), words_of(original["question"])
    assert len(words & before) < 0.5 * len(words | before)


def test_held_out_paraphrases_ask_what_those_for_development_do_not() -> None:
    held_out, others = ({original_of(q)["id"] for q in qs} for qs in (HELD_OUT, FOR_DEVELOPMENT))
    assert (len(held_out), len(others)) == (20, 20)
    assert held_out & others == set()


def test_tier_questions_differ_only_in_who_asks_and_what_comes_back() -> None:
    def tier_tag(question: dict[str, Any]) -> str:
        return next((tag for tag in question["tags"] if tag.startswith("tier:")), "")

    asked = sorted((q for q in QUESTIONS if tier_tag(q)), key=tier_tag)
    groups = {tag: list(group) for tag, group in groupby(asked, key=tier_tag)}
    silent = 0
    for group in groups.values():
        modes = {question["as_tier"]: question["expected_mode"] for question in group}
        assert len({question["question"] for question in group}) == 1
        assert modes["director"] == "rag"
        silent += modes["employee"] == "no_answer"
    assert silent >= 4
    assert len(groups) > silent


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_front_matter_parses_and_names_title_owner_and_date(path: Path) -> None:
    front, body = split_note(path)
    assert {"title", "tags", "owner", "updated"} - front.keys() == set()
    assert front["updated"].year == 2026
    assert front["tags"] != []
    assert len(HEADING.findall(body)) >= 3


def test_every_wiki_link_leads_to_a_note_and_heading() -> None:
    notes = sorted(VAULT.rglob("*.md"))
    by_name = {path.stem: path for path in notes}
    by_name |= {path.relative_to(VAULT).with_suffix("").as_posix(): path for path in notes}
    assert len({path.stem for path in notes}) == len(notes)
    links = [
        (path, target, heading)
        for path in notes
        for _, target, heading in WIKI_LINK.findall(split_note(path)[1])
    ]
    broken = [
        (path.name, target, heading)
        for path, target, heading in links
        if target not in by_name or (heading and heading not in headings_of_note(by_name[target]))
    ]
    assert len(links) > 40
    assert broken == []


def test_vault_has_both_languages_and_all_document_types() -> None:
    shares = {
        path: len(CJK.findall(text)) / len(text)
        for path in VAULT.rglob("*.md")
        for text in [split_note(path)[1]]
    }
    assert sum(share > 0.4 for share in shares.values()) >= 4
    assert sum(share < 0.02 for share in shares.values()) >= 8
    assert (VAULT / ".obsidian" / "app.json").is_file()
    files = [path for path in VAULT.rglob("*") if path.suffix in {".pdf", ".docx", ".xlsx"}]
    assert sorted(path.suffix for path in files) == [".docx", ".pdf", ".xlsx"]
    assert len(pdf_pages(next(VAULT.rglob("*.pdf")))) == 3


@pytest.mark.parametrize(
    "pattern",
    [
        r"\[\[[^\]#|]+#[^\]|]+\]\]",
        r"\[\[[^\]|]+/[^\]|]+\|[^\]]+\]\]",
        r"!\[\[[^\]]+\]\]",
        r"^> \[!\w+\]",
        r"%%.+%%",
        r"(?<!\S)#\w+/\w+",
        r"^\|(?: ?-+ ?\|)+|^\|(?:---\|)+$",
        r"^1\. .+\n2\. ",
        r"^```\w+\n",
    ],
)
def test_vault_uses_the_syntax_of_obsidian(pattern: str) -> None:
    texts = [split_note(path)[1] for path in VAULT.rglob("*.md")]
    assert any(re.search(pattern, text, re.MULTILINE) for text in texts)


def test_each_tier_has_two_to_four_notes() -> None:
    counts = Counter(path.parent.name for path in TIERS.rglob("*.md"))
    assert counts == {"employee": 3, "manager": 3, "director": 3}
