from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.converters.front_matter import read_front_matter
from citewell.adapters.converters.markdown import convert_markdown
from citewell.domain.document import ConvertedDocument


def convert(text: str) -> ConvertedDocument:
    return convert_markdown(text, relative_path="notes/a.md")


def test_a_note_has_text_title_front_matter_tags_and_links() -> None:
    document = convert(
        "---\n"
        "title: Atlas CRM\n"
        "tags: [product, crm/limits]\n"
        "aliases:\n  - Atlas\n"
        "---\n"
        "# Atlas\n\nSee [[policies/Data|the policy]] #export\n"
    )
    assert document == ConvertedDocument(
        text="# Atlas\n\nSee [[policies/Data|the policy]] #export\n",
        syntax="markdown",
        title="Atlas CRM",
        frontmatter={
            "title": "Atlas CRM",
            "tags": ["product", "crm/limits"],
            "aliases": ["Atlas"],
        },
        tags=("product", "crm/limits", "export"),
        links=("policies/Data",),
        converter=document.converter,
    )
    assert document.converter


def test_text_is_verbatim_behind_the_front_matter() -> None:
    body = "\n\n  # A  \n\n| a |\n\t*b*  \n> [!note]- Callout\n> text &amp; <b>\n\n\n"
    assert convert(body).text == body
    assert convert(f"---\na: 1\n---\n{body}").text == body


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: '  Two   words '\n---\n# Other", "Two words"),
        ("---\ntitle: 2024\n---\n# Other", "2024"),
        ("---\ntitle:\n---\n# Other", "Other"),
        ("---\ntitle: [a]\n---\n# Other", "Other"),
        ("## Second\n\n# First **bold** `code`\n\n# Third", "First bold code"),
        ("Heading\n=======\n", "Heading"),
        ("```\n# code\n```\n\n> # quoted\n", ""),
        ("text only", ""),
    ],
)
def test_title_is_that_of_the_front_matter_or_the_first_heading(text: str, title: str) -> None:
    assert convert(text).title == title


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#start and #middle, then #end.", ("start", "middle", "end")),
        ("#nested/tag/deep #with-dash #with_underscore", ("nested/tag/deep", "with-dash",
                                                          "with_underscore")),
        ("#中文标签，后面 #über #тег #हिन्दी", ("中文标签", "über", "тег", "हिन्दी")),
        ("#1a #2024 #12/34 #v1.2", ("1a", "v1")),
        ("#Same #same #SAME", ("Same",)),
        ("# heading\n##also\n#not heading", ("not",)),
        ("a#b (#c) [x](#d) http://e.org/#f &#35; \\#g", ()),
        ("`#a` ``#b ` `` ```#c``` #d", ("d",)),
        ("```\n#a\n```\n~~~py\n#b\n~~~\n#c", ("c",)),
        ("> ```\n> #a\n> ```\n> #b", ("b",)),
        ("````\n```\n#a\n```\n````\n#b", ("b",)),
        ("```\n#a never closed", ()),
        ("a stray ` backtick #a", ("a",)),
        ("%%#a%% <!-- #b --> #c", ("c",)),
        ("## Title #a\n- #b\n> #c", ("a", "b", "c")),
        ("#a/ #/b #", ("a", "b")),
    ],
)  # fmt: skip
def test_tags_are_found_in_text_only(text: str, tags: tuple[str, ...]) -> None:
    assert convert(text).tags == tags


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: [a, '#b', c/d]", ("a", "b", "c/d")),
        ("tags: a, b c", ("a", "b", "c")),
        ("tag: single", ("single",)),
        ("Tags:\n  - a\n  - 2024\n  - y2024", ("a", "y2024")),
        ("tags:", ()),
        ("tags: {a: 1}", ()),
        ("tags: [[a], null, {b: c}]", ()),
    ],
)
def test_tags_of_the_front_matter_come_first(yaml: str, tags: tuple[str, ...]) -> None:
    assert convert(f"---\n{yaml}\n---\n#z").tags == (*tags, "z")


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[[Page]] and [[path/Page|alias]]", ("Page", "path/Page")),
        ("[[Page#Heading]] [[Page#^block|x]]", ("Page#Heading", "Page#^block")),
        ("![[image.png|300]] ![[Note]]", ("image.png", "Note")),
        ("| [[Page\\|alias]] |", ("Page",)),
        ("[[#Heading]] [[^block]] [[|x]] [[ ]]", ()),
        ("[[Page]] [[Page]]", ("Page",)),
        ("`[[a]]` %%[[b]]%%\n```\n[[c]]\n```\n", ()),
        ("[[a]b]] [[c\nd]]", ()),
        ("[[中文 页面]]", ("中文 页面",)),
    ],
)
def test_links_are_targets_without_alias(text: str, links: tuple[str, ...]) -> None:
    assert convert(text).links == links


def test_comments_are_left_out_with_a_note() -> None:
    document = convert("Before %%secret%% after.\n%%\nwhole\nlines\n%%\nEnd. `%%code%%` 100%%\n")
    assert document.text == "Before  after.\nEnd. `%%code%%` 100%%\n"
    assert document.notes == ("left out 2 comments between %%",)


def test_an_unclosed_comment_is_text() -> None:
    assert convert("100%% sure #tag").text == "100%% sure #tag"
    assert convert("100%% sure #tag").tags == ("tag",)


@pytest.mark.parametrize(
    "yaml",
    [
        "title: [unclosed\n\ttabs: yes\ntags: #nope",
        "title: a: b",
        "? [",
        "a: " + "[" * 3000 + "]" * 3000,
        "a: &a [x]\nb: [" + "*a, " * 30 + "]",
        "a: \x07",
        "a: !!python/object/apply:os.system ['true']",
    ],
)
def test_broken_front_matter_loses_nothing(yaml: str) -> None:
    text = f"---\n{yaml}\n---\n# Title\n\ntext #tag\n"
    document = convert(text)
    assert document.text == text
    assert (document.title, document.tags, document.frontmatter) == ("Title", ("tag",), {})
    assert len(document.notes) == 1
    assert document.notes[0].startswith("the front matter was kept as text")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nBetween two rules.\n\n---\n\nText",
        "---\n- a\n- b\n---\nText",
        "--- not front matter\na: 1\n---\n",
        "---\na: 1\nno end",
        "text\n---\na: 1\n---\n",
    ],
)
def test_what_is_no_front_matter_is_text(text: str) -> None:
    document = convert(text)
    assert (document.text, document.frontmatter, document.notes) == (text, {}, ())


def test_empty_front_matter_is_left_out() -> None:
    assert convert("---\n---\ntext").text == "text"
    assert convert("---\n# only a comment\n---\ntext").text == "text"


def test_values_become_plain_json() -> None:
    values = convert(
        "---\n"
        "7: one\ntrue: yes\nnull: x\n2024-01-01: y\n"
        "date: 2024-02-03\nwhen: 2024-02-03T10:20:30Z\n"
        "n: [1, 2.5, .inf, .nan, null, true]\n"
        "set: !!set {b, a}\nbytes: !!binary aGk=\n"
        "---\n"
    ).frontmatter
    assert values == {
        "7": "one",
        "true": True,
        "null": "x",
        "2024-01-01": "y",
        "date": "2024-02-03",
        "when": "2024-02-03T10:20:30+00:00",
        "n": [1, 2.5, "inf", "nan", None, True],
        "set": ["a", "b"],
        "bytes": "hi",
    }
    assert json.loads(json.dumps(values, allow_nan=False)) == values


def test_values_that_cannot_be_stay_strings() -> None:
    values = convert("---\ndate: 2024-02-30\nn: 1\n---\n").frontmatter
    assert values == {"date": "2024-02-30", "n": "1"}


def test_aliases_within_reason_are_resolved() -> None:
    values = read_front_matter("---\na: &x {b: [1]}\nc: *x\nd:\n  <<: *x\n---\n").values
    assert values == {"a": {"b": [1]}, "c": {"b": [1]}, "d": {"b": [1]}}


def test_a_few_lines_cannot_stand_for_gigabytes() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    merges = ["a0: &a0 {x: 1}"] + [
        f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}" for i in range(1, 60)
    ]
    for yaml in ("\n".join(lines), "\n".join(merges)):
        assert read_front_matter(f"---\n{yaml}\n---\n").note.endswith("by aliases")
    wide = "a: [" + "x, " * 20_000 + "]"
    assert read_front_matter(f"---\n{wide}\n---\n").note.endswith("too many values")


@given(st.text(alphabet="-#%`~[]|\\\n ab:<!>/中", max_size=80))
def test_any_note_is_converted_and_loses_comments_only(text: str) -> None:
    document = convert(text)
    left = iter(text)
    assert [character for character in document.text if character not in left] == []
    if not document.frontmatter and "%%" not in text and not text.startswith("---"):
        assert document.text == text


def test_a_note_of_a_vault_is_found_again_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("---\ntags: a\n---\n# Head\n\nA quote, *verbatim*.\n")
    assert convert(path.read_text()).text in path.read_text()
