"""Which words are quoted as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from answering_samples import equal_weights, make_chunk, make_passages
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.quoting.quote import QuoteOptions, choose_quotes
from citewell.answering.quoting.rate_units import RatingOptions
from citewell.domain.passage import VisibleChunk

ONE_QUOTE = QuoteOptions(max_quotes=1)


def ask(
    question: str,
    *chunks: VisibleChunk | str,
    similar: dict[str, float] | None = None,
    options: QuoteOptions | None = None,
) -> list[str]:
    """Return the quoted texts; `similar` gives cosines by a part of the text, otherwise 0.8."""

    def similarities(texts: Sequence[str]) -> list[float] | None:
        if similar is None:
            return None
        return [max((c for part, c in similar.items() if part in t), default=0.8) for t in texts]

    passages = make_passages(
        *(
            make_chunk(chunk, key=key) if isinstance(chunk, str) else chunk
            for key, chunk in enumerate(chunks, 1)
        )
    )
    quotes = choose_quotes(
        question,
        passages,
        term_weights=equal_weights(question),
        similarities=similarities,
        options=options,
    )
    return [quote.text for quote in quotes]


def test_the_sentence_that_holds_the_questions_words_is_quoted():
    text = "Atlas is a product. A trial of Atlas lasts 21 days. It costs nothing."
    assert ask("How long lasts the trial?", text) == ["A trial of Atlas lasts 21 days."]


def test_without_common_words_the_cosine_decides():
    text = "The fee is high. Nine vessels sank. Birds sing."
    assert ask("试用期多长？", text, similar={"vessels": 0.9}) == ["Nine vessels sank."]


def test_a_heading_speaks_for_what_is_below_it():
    text = "## Colours\n\nIt is blue.\n\n## Export limits\n\nIt is 50,000 rows."
    assert ask("What are the export limits?", text) == ["It is 50,000 rows."]


def test_the_path_of_headings_speaks_for_the_chunk():
    colours = make_chunk("It is blue.", key=1, heading_path=("Atlas", "Colours"))
    limits = make_chunk("It is 50,000 rows.", key=2, heading_path=("Atlas", "Export limits"))
    question = "What are the export limits?"
    assert ask(question, colours, limits, options=ONE_QUOTE) == ["It is 50,000 rows."]


LIST = (
    "## Export limits\n\nThe following limits apply to exports:\n\n"
    "- A CSV file holds 50,000 rows.\n- An XLSX file holds 20,000 rows.\n- A user has 10 a day.\n\n"
    "Ask us about more."
)
WHOLE_LIST = LIST[18:].removesuffix("\n\nAsk us about more.")


def test_a_list_that_is_asked_for_is_quoted_whole_with_its_introduction():
    assert ask("Which export limits apply?", LIST) == [WHOLE_LIST]


def test_an_item_that_is_asked_for_is_quoted_alone():
    assert ask("How many rows has an XLSX file?", LIST, options=ONE_QUOTE) == [
        "- An XLSX file holds 20,000 rows."
    ]


def test_a_list_without_introduction_is_quoted_whole_if_its_items_match():
    text = "## Rules\n\n- Do not insult a competitor.\n- Do not copy a competitor.\n- Do not lie."
    assert ask("What must we not do to a competitor?", text) == [
        "- Do not insult a competitor.\n- Do not copy a competitor.\n- Do not lie."
    ]


def test_a_list_that_is_too_long_is_not_quoted_whole():
    items = "\n".join(f"- limit {number} of exports" for number in range(40))
    (quote,) = ask("Which limits of exports?", f"Limits of exports are:\n{items}")
    assert quote == "Limits of exports are:\n" + "\n".join(items.split("\n")[:12])


def test_the_announcement_may_stand_before_another_sentence():
    text = "A ticket is escalated in the following order. Do not skip one.\n\n1. Page.\n2. Call."
    assert ask("How is a ticket escalated?", text) == [text]


TABLE = (
    "| Severity | First response |\n|---|---|\n"
    "| P1 | 15 minutes |\n| P2 | 1 hour |\n| P3 | 8 hours |"
)


def test_a_row_is_found_by_its_words_and_those_of_the_columns():
    quotes = choose_quotes(
        "What is the first response to P2?",
        make_passages(make_chunk(f"The first of May is a holiday.\n\n{TABLE}")),
        term_weights=equal_weights("What is the first response to P2?"),
        similarities=lambda _: None,
        options=ONE_QUOTE,
    )
    assert [(quote.text, quote.header) for quote in quotes] == [
        ("| P2 | 1 hour |", "| Severity | First response |")
    ]


def test_a_row_is_quoted_alone_for_one_word_that_the_others_lack():
    text = "| Plan | Rows |\n|---|---|\n| Free plan | 10 |\n| Paid plan | 99 |\n| Big plan | 999 |"
    assert ask("How many rows has the big plan of ours?", text) == ["| Big plan | 999 |"]


def test_a_table_that_is_asked_for_is_quoted_whole():
    assert ask("What are the first responses by severity?", TABLE) == [TABLE.split("---|\n")[1]]


def test_code_is_quoted_with_the_sentence_that_announces_it():
    text = "Be careful. Find out who holds the connections:\n\n```sql\nSELECT pid\nFROM x;\n```"
    question = "Who holds the connections?"
    assert ask(question, text) == [
        "Find out who holds the connections:\n\n```sql\nSELECT pid\nFROM x;"
    ]


def test_code_that_matches_is_quoted_with_its_announcement():
    text = "Be careful. Find the sessions as follows.\n\n```sql\nSELECT pid\nFROM x;\n```"
    assert ask("SELECT pid", text) == [text.removeprefix("Be careful. ").removesuffix("\n```")]


def test_code_without_an_announcement_is_quoted_alone():
    assert ask("SELECT which pid", "Be careful.\n\n```\nSELECT pid\n```\n\nMore.") == ["SELECT pid"]


def test_an_item_whose_announcement_matches_better_brings_the_list():
    text = "Exports have the following limits for exports.\n\n- Rows of exports: 50.\n- Ten a day."
    assert ask("Which limits for exports?", text) == [text]


def test_a_callout_is_quoted_whole():
    text = "> [!warning] Never all at once\n> Do not restart all pods. A cold start is slow."
    assert ask("Why not restart all pods?", text) == [
        "Do not restart all pods. A cold start is slow."
    ]


def test_short_labelled_paragraphs_are_quoted_together():
    text = "**Symptom:** E-mails are missing.\n\n**Cause:** The token expired."
    assert ask("Why are e-mails missing?", text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "How long is a trial of Atlas?",
        "## A trial of Atlas",
        "- [[Atlas trial]]\n- [A trial of Atlas](https://example.org/)",
        "#atlas/trial #long",
        "How long is a trial of Atlas",
        "> [!note] How long a trial is",
    ],
)
def test_what_only_leads_to_an_answer_is_not_quoted(text: str):
    assert ask("How long is a trial of Atlas?", text) == []


def test_a_sentence_without_links_is_preferred():
    text = "See [[Rules#trial length|the rules]] for the trial.\n\nA trial lasts 21 days."
    assert ask("How long is the trial?", text, options=ONE_QUOTE) == ["A trial lasts 21 days."]


def test_a_lone_line_without_an_end_mark_is_not_preferred():
    text = "Travel Expense Guide, page 2\n\nTravel expenses are paid within 30 days."
    assert ask("When are travel expenses paid?", text, options=ONE_QUOTE) == [
        "Travel expenses are paid within 30 days."
    ]


def test_neighbouring_sentences_become_one_quote():
    text = "A trial lasts 21 days. A trial can be extended. Birds sing."
    assert ask("How does a trial work?", text) == [
        "A trial lasts 21 days. A trial can be extended."
    ]


def test_quotes_stand_in_order_of_their_passages_and_positions():
    first = "One trial lasts 21 days. Birds sing.\n\nA trial costs nothing."
    second = "The trial needs no card."
    assert ask("trial", first, second) == [
        "One trial lasts 21 days.",
        "A trial costs nothing.",
        "The trial needs no card.",
    ]


def test_no_more_is_quoted_than_the_options_allow():
    texts = [f"A trial of product {number} lasts long." for number in range(6)]
    assert len(ask("trial", *texts)) == 3
    assert len(ask("trial", *texts, options=QuoteOptions(max_quotes=5))) == 5
    assert len(ask("trial", *texts, options=QuoteOptions(max_characters=60))) == 1


def test_a_weaker_passage_adds_nothing():
    first = "A trial of the whole product lasts 21 days."
    assert ask("How long lasts a trial of the product?", first, "The product is blue.") == [first]


def test_text_that_two_chunks_share_is_quoted_once():
    text = "A trial lasts 21 days. Birds sing."
    chunk = make_chunk(text)
    overlap = replace(chunk, chunk_id="c2", ordinal=1, content=text[:22], span=(0, 22))
    passage = make_passages(chunk)[0]
    quotes = choose_quotes(
        "trial",
        [replace(passage, chunks=(chunk, overlap))],
        term_weights=equal_weights("trial"),
        similarities=lambda _: None,
    )
    assert [(quote.chunk.chunk_id, quote.text) for quote in quotes] == [
        ("c1", "A trial lasts 21 days.")
    ]


def test_another_language_is_not_passed_over_for_sharing_no_words():
    chinese = "今天的天气很好，我们去公园散步。请问您有什么问题？"
    english = "A trial lasts 21 days."
    similar = {"天气": 0.84, "trial": 0.83}
    assert ask("试用期有多长？", chinese, english, similar=similar, options=ONE_QUOTE) == [english]


def test_another_language_is_quoted_beside_the_answer_only_when_it_is_close():
    chinese = "试用期为二十一天。"
    english = "Birds sing."
    for cosine, expected in ((0.86, [chinese, english]), (0.84, [chinese])):
        similar = {"试用": 0.9, "Birds": cosine}
        assert ask("试用期有多长？", chinese, english, similar=similar) == expected


def texts_compared(question: str, *chunks: VisibleChunk) -> list[str]:
    """Return the texts whose cosine is asked for."""
    compared: list[str] = []

    def similarities(texts: Sequence[str]) -> list[float]:
        compared.extend(texts)
        return [0.8] * len(texts)

    choose_quotes(
        question,
        make_passages(*chunks),
        term_weights=equal_weights(question),
        similarities=similarities,
    )
    return compared


def test_where_words_are_strong_only_the_best_are_compared():
    text = "A trial lasts 21 days. Birds sing. One trial costs nothing."
    assert texts_compared("trial", make_chunk(text)) == [
        "A trial lasts 21 days.",
        "One trial costs nothing.",
    ]


def test_where_words_are_weak_all_are_compared():
    text = "A trial lasts 21 days. Birds sing."
    question = "How much money would another trial of something cost?"
    assert texts_compared(question, make_chunk(text)) == [
        "A trial lasts 21 days.",
        "Birds sing.",
    ]


def test_a_row_is_compared_with_the_names_of_its_columns():
    assert texts_compared("P2", make_chunk(TABLE)) == ["Severity First response P2 1 hour"]


def test_links_are_compared_by_their_labels():
    text = "A [trial](https://example.org/x) of [[Page#h|Atlas]] is in [[Notes]]."
    assert texts_compared("trial", make_chunk(text)) == ["A trial of Atlas is in Notes."]


def test_few_texts_are_compared_and_both_languages_have_their_turn():
    compared: list[str] = []

    def similarities(texts: Sequence[str]) -> list[float]:
        compared.extend(texts)
        return [0.8] * len(texts)

    english = " ".join(f"Word {number} is here." for number in range(50))
    chinese = "".join(f"这是第{number}句。" for number in range(50))
    choose_quotes(
        "第几句？",
        make_passages(make_chunk(english), make_chunk(chinese, key=2)),
        term_weights=equal_weights("第几句？"),
        similarities=similarities,
        options=QuoteOptions(rating=RatingOptions(max_embedded=6)),
    )
    assert [text.isascii() for text in compared] == [False, True, False, True, False, True]


def test_no_passage_gives_no_quote():
    assert ask("trial") == []


_TEXT = st.lists(
    st.sampled_from(
        [
            "",
            "# Trial",
            "A trial is long. Birds sing.",
            "Trial steps:",
            "- trial item",
            "1. step",
            "| trial | b |",
            "|---|---|",
            "> [!tip] trial",
            "> trial said. So",
            "```",
            "**Cause:** a trial.",
            "试用期很长。",
            "Why a trial?",
        ]
    ),
    max_size=12,
).map("\n".join)


@given(st.lists(_TEXT, max_size=4), st.booleans())
def test_quotes_are_apart_in_order_and_the_same_again(texts: list[str], has_embedder: bool):
    chunks = [make_chunk(text, key=key) for key, text in enumerate(texts, 1)]

    def choose() -> list[tuple[int, int, int]]:
        quotes = choose_quotes(
            "How long is a trial?",
            make_passages(*chunks),
            term_weights=equal_weights("How long is a trial?"),
            similarities=lambda t: [0.7 + len(x) % 7 / 50 for x in t] if has_embedder else None,
        )
        return [(quote.chunk.chunk_key, quote.start, quote.end) for quote in quotes]

    places = choose()
    assert places == sorted(places) == choose()
    overlaps = [(a, b) for a, b in pairwise(places) if a[0] == b[0] and a[2] > b[1]]
    assert overlaps == []
    assert len(places) <= 3
