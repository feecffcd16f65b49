"""Links between our pages lead somewhere, and no file names a place on one machine."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[2]
ELSEWHERE = {".git", ".venv", ".hypothesis", ".env", "samples", "build", "dist", "demo-data"}
NOT_TEXT = {".lock", ".pdf", ".docx", ".xlsx", ".pyc", ".npy", ".zip", ".gz", ".png"}
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root)/\w")


def our_files() -> Iterator[Path]:
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") and part.endswith("_cache") for part in parts)
        hidden |= path.name.startswith(".coverage")
        if path.is_file() and not hidden and not ELSEWHERE & set(parts):
            yield path


def prose(page: Path) -> str:
    """Return a page without its code, in which brackets are not links."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    broken: list[str] = []
    for link in LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        target = (page.parent / unquote(path)).resolve() if path else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{page.relative_to(ROOT)}: {link}")
    return broken


def test_relative_links_lead_to_a_file_and_a_heading() -> None:
    pages = [path for path in our_files() if path.suffix == ".md"]
    assert len(pages) > 5
    assert [link for page in pages for link in broken_links(page)] == []


def test_no_file_names_a_place_on_one_machine() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in our_files()
        if path.suffix not in NOT_TEXT
        for found in MACHINE_PATH.finditer(path.read_text("utf-8", errors="replace"))
    ]
    assert named == []


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-\d\d-\d\d-[\w.-]+\.md)\)", (folder / "README.md").read_text())
    written = [path.name for path in folder.glob("[0-9]*.md")]
    assert sorted(listed) == sorted(written)
