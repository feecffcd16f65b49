from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from typing_extensions import override

from citewell.conversations.export import export_markdown
from citewell.domain.answer import Sentence
from citewell.domain.conversation import Conversation, Thread
from citewell.testing.conversation_store_contract import cited_turn

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/?q=1)",
    "[click](javascript:alert(1))",
    "https://evil.example/a",
    "www.evil.example",
    "<https://evil.example>",
    "# heading\n\n- item\n\n    code",
    "a\n\n---\n\nb",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "&lt;b&gt; &#60;i&#62;",
    "\\<b>\\</b>",
    "`code` *em* **strong** ~~gone~~",
    "\x1b[31mred\x07 \u202eevil",
]


def thread_of(text: str) -> Thread:
    turn = cited_turn()
    answer = replace(
        turn.answer,
        sentences=(Sentence(text, "claim", (1,)),),
        citations=(replace(turn.answer.citations[0], quote=text, source_id=text),),
        notice=text,
    )
    turn = replace(turn, question=text, answer=answer)
    return Thread(Conversation("t1", text, turn.at, turn.at, 1), (turn,))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    @override
    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


@pytest.mark.parametrize("attack", ATTACKS, ids=json.dumps)
def test_text_in_an_export_stays_text(attack: str) -> None:
    markdown = export_markdown(thread_of(attack))
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    tags = Tags()
    tags.feed(rendered)
    assert tags.tags <= {"h1", "h2", "p", "ul", "li", "blockquote"}
    assert not set("\x1b\x07\u202e").intersection(markdown)


def test_export_has_question_sentence_citation_and_quote() -> None:
    turn = cited_turn()
    thread = Thread(Conversation("t1", "Rows", turn.at, turn.at, 1), (turn,))
    assert export_markdown(thread).splitlines() == [
        "# Rows",
        "",
        r"Begun 2026-01-31T12:00:00.000Z.",
        "",
        "## How many rows?",
        "",
        "2026-01-31T12:00:00.000Z, rag",
        "",
        r"It is 500 rows\. \[1\]",
        "",
        r"- \[1\] handbook\: a\/b\.md, page 3",
        "   > 500 rows, 导出 “x” \\\\ \U0001f600",
        "",
        "Notice: vectors lag",
    ]
