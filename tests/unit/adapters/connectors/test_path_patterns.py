from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.connectors.patterns import PathPatterns, is_hidden


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("**/*", ["a", "a/b", "a\nb/c d"], []),
        ("**", ["a", "a/b/c"], []),
        ("*.md", ["a.md", "x/y/a.md"], ["a.mdx", "A.MD", "a/b.txt"]),
        ("/*.md", ["a.md"], ["x/a.md"]),
        ("notes/*.md", ["notes/a.md"], ["notes/x/a.md", "x/notes/a.md"]),
        ("notes/**", ["notes/a", "notes/x/a"], ["notes", "note/a"]),
        ("notes", ["notes", "notes/a", "x/notes/y/a"], ["note", "notes.md"]),
        ("notes/", ["notes/a", "x/notes/a"], ["notes.md"]),
        ("a/**/b.md", ["a/b.md", "a/x/y/b.md"], ["b.md", "a/xb.md"]),
        ("**/b/**", ["b/c", "x/b/c/d"], ["b", "xb/c"]),
        ("?.md", ["a.md", "空.md"], ["ab.md"]),
        ("[a-c].md", ["b.md"], ["d.md"]),
        ("[!a-c].md", ["d.md"], ["b.md"]),
        ("a[.md", ["a[.md"], ["a.md"]),
        ("a+(b)|.md", ["a+(b)|.md"], ["ab.md"]),
        ("./a.md", ["a.md"], ["b.md", "x/a.md"]),
    ],
)
def test_patterns_match_paths(pattern: str, matching: list[str], others: list[str]) -> None:
    patterns = PathPatterns(include=[pattern], exclude=[])
    assert [path for path in [*matching, *others] if patterns.offers(path)] == matching


def test_an_item_matches_an_include_and_no_exclude() -> None:
    patterns = PathPatterns(include=["*.md", "*.txt"], exclude=["drafts/**", "*.secret.md"])
    paths = ["a.md", "b.txt", "c.pdf", "drafts/a.md", "x/drafts/a.md", "x/a.secret.md"]
    assert [path for path in paths if patterns.offers(path)] == ["a.md", "b.txt", "x/drafts/a.md"]


def test_without_an_include_nothing_is_offered() -> None:
    assert not PathPatterns(include=[], exclude=[]).offers("a.md")


def test_an_excluded_folder_is_skipped() -> None:
    patterns = PathPatterns(include=["**/*"], exclude=["drafts", "old/*"])
    folders = ["drafts", "x/drafts", "old", "old/a", "new"]
    assert [f for f in folders if patterns.skips_folder(f)] == ["drafts", "x/drafts", "old/a"]


@pytest.mark.parametrize(
    "name",
    [
        ".git", ".obsidian", ".trash", ".env", "~$report.docx", ".~lock.report.odt#",
        "notes.md~", ".notes.md.swp", "notes.swp", ".DS_Store", "Thumbs.db", "DESKTOP.INI",
    ],
)  # fmt: skip
def test_hidden_and_temporary_names_are_left_out(name: str) -> None:
    assert is_hidden(name)


@pytest.mark.parametrize("name", ["a.md", "~a.md", "a~b.md", "swp", "two..dots", "a.swpx", "$a"])
def test_other_names_are_not(name: str) -> None:
    assert not is_hidden(name)


@given(st.text(alphabet="ab[]!-?*/.\\^$(\n", max_size=12), st.text(alphabet="ab[/-\n", max_size=8))
def test_any_pattern_can_be_asked(pattern: str, path: str) -> None:
    assert PathPatterns(include=[pattern], exclude=[]).offers(path) in {True, False}


@given(st.text(alphabet="abc[]!-?*.\\^$(\n空", min_size=1, max_size=12))
def test_a_pattern_without_wildcards_matches_itself(name: str) -> None:
    literal = name.replace("*", "").replace("?", "").replace("[", "")
    assert PathPatterns(include=[f"x/{literal}"], exclude=[]).offers(f"x/{literal}") or not literal
