import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from citewell.answering.output.plain_words import plain_words

LINKABLE = re.compile(
    r"https?:[/\\]{1,2}\w|(?<![a-z])(?:javascript|data):\w|(?<![a-z])www\.\w|\w\.(?:com|example)\b",
    re.IGNORECASE,
)
ELEMENT = re.compile(r"<[/\s]*(?:img|svg|a|script|iframe|b)\b|=|<!", re.IGNORECASE)


def rendered(text: str) -> list[Token]:
    """Return the inline parts as a renderer sees them that allows HTML."""
    blocks = MarkdownIt("commonmark", {"html": True}).parse(text)
    return [part for block in blocks for part in (block.children or [block])]


def active_parts(text: str) -> list[str]:
    """Return what would be a link, an image or HTML, or be linked by a program that likes to."""
    parts = rendered(text)
    active = [part.type for part in parts if part.type in ("link_open", "image")]
    markup = [part.content for part in parts if part.type in ("html_inline", "html_block")]
    active += [content for content in markup if ELEMENT.search(content)]
    active += [
        part.content for part in parts if part.type == "text" and LINKABLE.search(part.content)
    ]
    return active


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "Write to [the portal](https://hr.example/a?b=c).",
            "Write to the portal (`https://hr.example/a?b=c`).",
        ),
        ("![beacon](https://evil.example/x.png)", "beacon (`https://evil.example/x.png`)"),
        ("![](https://evil.example/x.png)", "`https://evil.example/x.png`"),
        ("See <https://evil.example>, now", "See `https://evil.example`, now"),
        ("See https://evil.example/a.", "See `https://evil.example/a`."),
        ("www.evil.example and evil.com/path", "`www.evil.example` and `evil.com/path`"),
        ("[a][b]\n\n[b]: https://evil.example", "[a] [b]\n\n[b] : `https://evil.example`"),
        ("[x](javascript:alert(1))", "x (`javascript:alert(1`))"),
        ('<img src="//evil.example/x">', '< img src="`//evil.example/x`">'),
        ("&#104;ttps://evil.example", "`https://evil.example`"),
        ("https\\://evil.example", "`https://evil.example`"),
        (
            "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07",
            " ]8;;`https://evil.example` click ]8;; ",
        ),
        ("\\href{https://evil.example}{x}", "href{`https://evil.example`}{x}"),
        ("`https://ok.example` stays", "`https://ok.example` stays"),
        ("请看https://evil.example。", "请看`https://evil.example`。"),
        ("_evil.com_ or mail a@evil.com", "_`evil.com`_ or mail `a@evil.com`"),
        ("![[photo.png]]", "[[photo.png]]"),
    ],
)
def test_links_and_images_become_words(text: str, plain: str):
    assert (plain_words(text), active_parts(plain)) == (plain, [])


@pytest.mark.parametrize(
    "text",
    [
        "Node.js 18.2 needs README.md, e.g. for List<String> if a < b.",
        "Use `git clone <url>` (see [2]).",
        "Reise buchen: am 3.12. um 8 Uhr.",
        "请假请找经理。",
        "The file is at C:\\docs\\a.txt",
        "Mail hr@acme",
        "See section [3].",
    ],
)
def test_text_without_links_stays_as_it_is(text: str):
    assert plain_words(text) == text


WORDS = (
    r"! [ ] ( ) < > ` `` \ a evil.com https:// www. javascript: data: img src= &#104;ttps:// &lt;"
    r""" &amp; : / // . svg onload= text [x]: "t" ' * _ # | 请 。 ]( ![ { }"""
)
PIECES = st.sampled_from([*re.split(" ", WORDS), " ", "\n", "\u202e", "\u200b", "\x1b"])


@given(st.lists(PIECES, max_size=25).map("".join))
def test_no_renderer_finds_anything_active_in_plain_words(text: str):
    plain = plain_words(text)

    assert active_parts(plain) == []


@given(st.lists(PIECES, max_size=25).map("".join))
def test_plain_words_stay_plain(text: str):
    plain = plain_words(text)

    assert plain_words(plain) == plain
