"""Quotes to sentences and citations, and their check."""

from __future__ import annotations

from dataclasses import replace

from answering_samples import EMPLOYEE, ListReader, make_chunk
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from citewell.answering.citing.cite import answer_text, cite_quotes, readable_text, verify_citations
from citewell.answering.quoting.quote import Quote
from citewell.answering.quoting.units import quotable_units
from citewell.domain.answer import Citation, Sentence
from citewell.domain.clearance import Clearance
from citewell.domain.passage import VisibleChunk

TEXT = "## Limits\n\nA file holds\n50,000 rows. Ask us.\n\nDo this:\n\n* wait\n* call\n  again\n"
CHUNK = make_chunk(TEXT, start=100, heading_path=("Guide", "Limits"), title="Guide")


def quote_of(chunk: VisibleChunk, first: int, last: int | None = None) -> Quote:
    """Return a quote of the units from `first` to `last`."""
    units = quotable_units(chunk.content)[first : (first if last is None else last) + 1]
    return Quote(chunk=chunk, units=tuple(units), score=1.0, passage_score=0.9)


def test_a_quote_becomes_a_sentence_and_a_citation_of_its_exact_words():
    sentences, citations = cite_quotes([quote_of(CHUNK, 0)])
    assert sentences == (Sentence("A file holds 50,000 rows.", "quote", (1,)),)
    assert citations == (
        Citation(
            n=1,
            citation_id="c1-6f-88",
            tag="[s.vault:notes%2Fa.md/Guide/Limits]",
            source_name="handbook",
            source_type="vault",
            source_id="notes/a.md",
            location="Guide/Limits",
            document_id="d1",
            chunk_id="c1",
            heading_path=("Guide", "Limits"),
            page=None,
            paragraph=None,
            span=(111, 136),
            quote="A file holds\n50,000 rows.",
            tier="employee",
            score=0.9,
        ),
    )


def test_pages_give_the_location():
    chunk = make_chunk(
        "one. \n\nTwo is here.",
        page_start=7,
        page_end=8,
        paragraph_start=3,
        page_breaks=((7, 8),),
        source_type="folder",
        heading_path=("Not used",),
    )
    _, (first, second) = cite_quotes([quote_of(chunk, 0), quote_of(chunk, 1)])
    assert (first.page, first.paragraph, first.location) == (7, 3, "7/3")
    assert (second.page, second.paragraph, second.tag) == (8, 1, "[s.folder:notes%2Fa.md/8/1]")


def test_citations_are_numbered_in_order_and_each_place_is_cited_once():
    other = make_chunk("Other words.", key=2)
    quotes = [quote_of(other, 0), quote_of(CHUNK, 1), quote_of(other, 0)]
    sentences, citations = cite_quotes(quotes)
    assert [(c.n, c.quote) for c in citations] == [(1, "Other words."), (2, "Ask us.")]
    assert [s.citations for s in sentences] == [(1,), (2,)]


def test_the_same_words_in_overlapping_chunks_are_cited_once():
    again = replace(CHUNK, chunk_id="c9", content=TEXT[11:], span=(111, 100 + len(TEXT)))
    _, citations = cite_quotes([quote_of(CHUNK, 1), quote_of(again, 1)])
    assert [(c.chunk_id, c.span) for c in citations] == [("c1", (137, 144))]


def test_nothing_quoted_is_nothing_said():
    assert cite_quotes([]) == ((), ())
    assert answer_text((), ()) == ""


def test_one_item_is_shown_without_its_mark():
    assert readable_text(quote_of(CHUNK, 4)) == "call again"


def test_a_list_is_shown_line_by_line_below_its_introduction():
    assert readable_text(quote_of(CHUNK, 2, 4)) == "Do this:\n- wait\n- call again"


def test_steps_keep_their_numbers():
    assert readable_text(quote_of(make_chunk("1.  wait\n2.  call"), 0, 1)) == "1. wait\n2. call"


def test_rows_stand_below_their_column_names():
    chunk = make_chunk("| Plan | Rows |\n|---|---|\n| Free | 10 |\n| Paid | 99 |")
    quote = quote_of(chunk, 0, 1)
    assert readable_text(quote) == "| Plan | Rows |\n| Free | 10 |\n| Paid | 99 |"
    _, (citation,) = cite_quotes([quote])
    assert citation.table_header == "| Plan | Rows |"
    assert citation.quote == "| Free | 10 |\n| Paid | 99 |"


def test_rows_below_a_repeated_header_are_cited_where_they_stand():
    header, rows = "| A | B |\n|---|---|\n", "| x | y |"
    chunk = make_chunk(header + rows, span=(500, 509), header_span=(100, 120))
    _, (citation,) = cite_quotes([quote_of(chunk, 0)])
    assert (citation.span, citation.quote) == ((500, 509), rows)


def test_code_keeps_its_lines():
    assert readable_text(quote_of(make_chunk("```\na\n  b\n```"), 0)) == "```\na\n  b\n```"
    assert readable_text(quote_of(make_chunk("```\na\n```"), 0)) == "`a`"


def test_marks_of_block_quotes_are_not_shown():
    assert readable_text(quote_of(make_chunk("> One\n> two. Three."), 0, 1)) == "One two. Three."


def test_chinese_lines_and_sentences_are_joined_without_a_space():
    assert readable_text(quote_of(make_chunk("这是第\n一句。\n这是第二句。"), 0, 1)) == (
        "这是第一句。这是第二句。"
    )


def test_each_quote_is_a_paragraph_and_claims_share_a_line():
    sentences = [
        Sentence("One.", "quote", (1,)),
        Sentence("Two.", "quote", (2,)),
        Sentence("Three.", "claim", (1, 2)),
        Sentence("Four.", "claim", (3,)),
        Sentence("Five is not known.", "notice", ()),
    ]
    _, (citation,) = cite_quotes([quote_of(CHUNK, 0)])
    citations = [citation, replace(citation, n=2)]
    assert answer_text(sentences, citations) == (
        "One. [1]\n\nTwo. [2]\n\nThree. [1][2] Four. Five is not known."
    )


def test_a_citation_holds_for_whom_its_chunk_is_visible_unchanged():
    _, citations = cite_quotes([quote_of(CHUNK, 0), quote_of(CHUNK, 2, 4)])
    assert verify_citations(citations, EMPLOYEE, ListReader(CHUNK)) == []


def test_a_citation_does_not_hold_for_another_clearance():
    _, citations = cite_quotes([quote_of(CHUNK, 0)])
    assert verify_citations(citations, Clearance(("public",)), ListReader(CHUNK)) == [*citations]


def test_a_citation_does_not_hold_even_if_the_reader_forgets_the_clearance():
    class CarelessReader(ListReader):
        @override
        def find_chunk(self, clearance: Clearance, chunk_id: str) -> VisibleChunk | None:
            return CHUNK

    _, citations = cite_quotes([quote_of(CHUNK, 0)])
    assert verify_citations(citations, Clearance(("public",)), CarelessReader()) == [*citations]


def test_a_citation_of_what_is_gone_or_changed_does_not_hold():
    _, citations = cite_quotes([quote_of(CHUNK, 0)])
    now = {
        "deleted": ListReader(),
        "edited": ListReader(replace(CHUNK, content=TEXT.replace("50", "60"))),
        "shortened": ListReader(replace(CHUNK, content=TEXT[:20], span=(100, 120))),
        "in another document": ListReader(replace(CHUNK, document_id="d2")),
    }
    failures = {name: verify_citations(citations, EMPLOYEE, reader) for name, reader in now.items()}
    assert failures == {name: [*citations] for name in now}


def test_a_citation_of_a_document_that_was_raised_does_not_hold_for_anyone():
    _, citations = cite_quotes([quote_of(CHUNK, 0)])
    raised = ListReader(replace(CHUNK, tier="director"))
    director = Clearance(("employee", "director"))
    assert verify_citations(citations, EMPLOYEE, raised) == [*citations]
    assert verify_citations(citations, director, raised) == [*citations]


def test_words_or_span_that_were_tampered_with_do_not_hold():
    _, (citation,) = cite_quotes([quote_of(CHUNK, 0)])
    forged = [
        replace(citation, quote="A file holds\n60,000 rows."),
        replace(citation, span=(112, 137)),
        replace(citation, span=(0, 25)),
        replace(citation, chunk_id="c2"),
    ]
    assert verify_citations(forged, EMPLOYEE, ListReader(CHUNK)) == forged


_CONTENT = st.lists(
    st.sampled_from(
        ["", "# H", "One is. Two is.", "- item", "| a | b |", "> said. So", "```", "这是。那是。"]
    ),
    min_size=1,
    max_size=12,
).map("\n".join)


@given(_CONTENT, st.integers(0, 1000))
def test_every_quote_is_the_documents_text_at_its_span(content: str, start: int):
    chunk = make_chunk(content, start=start)
    document = "x" * start + content
    n_units = len(quotable_units(content))
    _, citations = cite_quotes([quote_of(chunk, i) for i in range(n_units)])
    assert [document[slice(*c.span)] for c in citations] == [c.quote for c in citations]
    assert verify_citations(citations, EMPLOYEE, ListReader(chunk)) == []
