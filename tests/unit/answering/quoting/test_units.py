"""What a chunk is cut into for quoting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.quoting.units import MAX_CODE, MAX_ITEM, Unit, quotable_units


def cut(content: str) -> list[tuple[str, str]]:
    """Return kind and text of every unit."""
    return [(unit.kind, content[unit.start : unit.end]) for unit in quotable_units(content)]


def numbers_of_blocks(content: str) -> list[int]:
    return [unit.block for unit in quotable_units(content)]


def test_paragraphs_are_cut_into_sentences_without_their_heading():
    content = "## Export limits\n\nA file holds 50,000 rows. Each user\nhas 10 exports.\n\nAsk us."
    assert cut(content) == [
        ("sentence", "A file holds 50,000 rows."),
        ("sentence", "Each user\nhas 10 exports."),
        ("sentence", "Ask us."),
    ]
    assert numbers_of_blocks(content) == [0, 0, 1]


def test_positions_are_those_of_the_content():
    assert quotable_units("# A\n\nOne two.") == [Unit(5, 13, "sentence", "", 0, ("A",))]


def test_underlined_headings_and_rules_are_left_out():
    assert cut("Limits\n======\nOne.\n\nMore\n----\nTwo.\n\n---\n\n* * *\nThree.") == [
        ("sentence", "One."),
        ("sentence", "Two."),
        ("sentence", "Three."),
    ]


def test_units_know_the_headings_above_them_in_the_chunk():
    content = (
        "# Plan\n\nOne.\n\n### A **b** [[Page|c]] #\n\nTwo.\n\n"
        "## D `e`\nThree.\n\nF\n=\n=\n\nG\n==\nFour."
    )
    assert [(content[u.start : u.end], u.headings) for u in quotable_units(content)] == [
        ("One.", ("Plan",)),
        ("Two.", ("Plan", "A b c")),
        ("Three.", ("Plan", "D e")),
        ("F\n=\n=", ("Plan", "D e")),
        ("Four.", ("G",)),
    ]


def test_front_matter_is_left_out():
    assert cut("---\ntitle: A\ntags:\n  - b\n---\n\nText.") == [("sentence", "Text.")]


def test_a_rule_at_the_beginning_is_not_front_matter():
    assert cut("---\nText: yes, it is.\n\nMore.") == [
        ("sentence", "Text: yes, it is."),
        ("sentence", "More."),
    ]


def test_each_item_is_a_unit_with_its_continuation():
    content = "Do this:\n\n1. Page the engineer\n   through Beacon.\n2. Wait. Then call.\n"
    assert cut(content) == [
        ("sentence", "Do this:"),
        ("item", "1. Page the engineer\n   through Beacon."),
        ("item", "2. Wait. Then call."),
    ]
    assert numbers_of_blocks(content) == [0, 1, 1]


def test_nested_and_loose_items_belong_to_one_list():
    content = "- a one\n  - b two\n\n- c three\n\n  its second paragraph\n\nAfter the list."
    assert cut(content) == [
        ("item", "- a one"),
        ("item", "- b two"),
        ("item", "- c three\n\n  its second paragraph"),
        ("sentence", "After the list."),
    ]
    assert numbers_of_blocks(content) == [0, 0, 0, 1]


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "–", "1.", "12)", "(3)", "a)", "（二）", "③"])
def test_marks_of_items(mark: str):
    assert cut(f"{mark} first thing") == [("item", f"{mark} first thing")]


@pytest.mark.parametrize("text", ["三、值班补贴", "1、值班补贴", "2．值班补贴"])
def test_chinese_numbers_of_items(text: str):
    assert cut(text) == [("item", text)]


def test_a_wrapped_line_that_begins_with_a_number_is_no_item():
    assert cut("The result of it is\n3. and not 2. Right.") == [
        ("sentence", "The result of it is\n3. and not 2."),
        ("sentence", "Right."),
    ]


def test_a_long_item_is_cut_into_sentences():
    sentences = [f"This is sentence {letter * 90} of the item." for letter in "abcdefgh"]
    assert cut("- " + " ".join(sentences)) == [
        ("item", "- " + sentences[0]),
        *(("item", sentence) for sentence in sentences[1:]),
    ]


def test_code_inside_an_item_is_a_unit_of_its_own_and_the_list_goes_on():
    content = "1. Run this:\n   ```sh\n   rag sync\n   ```\n   and wait.\n2. Look."
    assert cut(content) == [
        ("item", "1. Run this:"),
        ("code", "rag sync"),
        ("item", "and wait."),
        ("item", "2. Look."),
    ]
    assert numbers_of_blocks(content) == [0, 1, 0, 0]


def test_rows_carry_the_column_names():
    header = "| Plan | Rows |"
    content = f"{header}\n|---|---:|\n| Free | 10 |\n| | |\n| Paid | 99 |"
    assert quotable_units(content) == [
        Unit(27, 40, "row", header, 0),
        Unit(47, 60, "row", header, 0),
    ]


def test_rows_after_a_repeated_header_carry_it():
    content = "| A | B |\n| --- | --- |\n| x | y |"
    assert [(unit.kind, unit.header) for unit in quotable_units(content)] == [("row", "| A | B |")]


def test_rows_of_a_table_without_header_carry_none():
    assert quotable_units("| x | y |\n| z | w |") == [
        Unit(0, 9, "row", "", 0),
        Unit(10, 19, "row", "", 0),
    ]


def test_a_table_without_outer_bars_is_a_table():
    content = "Plans:\n\nPlan | Rows\n--- | ---\nFree | 10\n\nEnd."
    assert cut(content) == [("sentence", "Plans:"), ("row", "Free | 10"), ("sentence", "End.")]
    assert quotable_units(content)[1].header == "Plan | Rows"


def test_code_stands_between_its_fences_and_is_not_read_as_text():
    content = "Run:\n```bash\n# not a heading\n- no item\n\n| no row |\n```\nDone."
    assert cut(content) == [
        ("sentence", "Run:"),
        ("code", "# not a heading\n- no item\n\n| no row |"),
        ("sentence", "Done."),
    ]


def test_a_fence_that_is_never_closed_reaches_to_the_end():
    assert cut("~~~\na = 1\n```\nb = 2") == [("code", "a = 1\n```\nb = 2")]


def test_indented_code_is_one_unit():
    assert cut("Run:\n\n    a = 1. B\n\n    c\n\nDone.") == [
        ("sentence", "Run:"),
        ("code", "a = 1. B\n\n    c"),
        ("sentence", "Done."),
    ]


def test_long_code_is_cut_between_lines():
    lines = [f"line_{number:04d} = {'x' * 80}" for number in range(30)]
    pieces = [text for _, text in cut("```\n" + "\n".join(lines) + "\n```")]
    assert len(pieces) == 4
    assert max(len(piece) for piece in pieces) <= MAX_CODE
    assert "\n".join(pieces).split("\n") == lines


def test_block_quotes_are_read_without_their_marks():
    content = "> One sentence\n> goes on. Another.\n>\n> - an item\n>   goes on"
    assert cut(content) == [
        ("sentence", "One sentence\n> goes on."),
        ("sentence", "Another."),
        ("item", "- an item\n>   goes on"),
    ]


def test_the_title_of_a_callout_is_a_unit_of_its_own():
    content = "> [!warning]- Two people\n> One must not start it.\n\n> [!note]\n> Text."
    assert cut(content) == [
        ("title", "Two people"),
        ("sentence", "One must not start it."),
        ("sentence", "Text."),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "Q: How long does it last?\nA: 21 days. It can be extended.",
        "**Q1:** How long?\n\n**A1:** 21 days.",
        "问：试用期多长？\n答：21 天。",
    ],
)
def test_a_question_stays_with_its_answer(content: str):
    assert cut(content + "\n\nMore text.") == [("pair", content), ("sentence", "More text.")]


def test_each_question_begins_a_new_pair():
    assert cut("Q: One?\nA: Yes.\nQ: Two?\nA: No.") == [
        ("pair", "Q: One?\nA: Yes."),
        ("pair", "Q: Two?\nA: No."),
    ]


def test_a_long_answer_is_cut_after_its_beginning():
    sentences = [f"This is sentence {letter * 90} of the answer." for letter in "abcdefgh"]
    units = cut("Q: What is it?\nA: " + " ".join(sentences))
    assert [kind for kind, _ in units] == ["pair", *["sentence"] * 5]
    assert units[0][1] == "Q: What is it?\nA: " + " ".join(sentences[:3])


def test_rows_of_a_typeset_table_are_units_under_their_years():
    content = (
        "Our significant foreign currency exposures for the fiscal years were as follows:\n"
        "(in millions) 2022 2021\nEuro € 2,487 € 2,209\nYen ¥ 118,456 ¥ 104,829\n"
        "As of December 2, the total amounts of all contracts were $3.25 billion."
    )
    assert [(u.kind, content[u.start : u.end], u.header) for u in quotable_units(content)] == [
        ("sentence", content.splitlines()[0], ""),
        ("row", "Euro € 2,487 € 2,209", "(in millions) 2022 2021"),
        ("row", "Yen ¥ 118,456 ¥ 104,829", "(in millions) 2022 2021"),
        ("sentence", content.splitlines()[4], ""),
    ]


def test_a_short_line_before_a_capital_ends_what_it_belongs_to():
    content = (
        "Foreign Currency Risk\nIn countries outside the United States, we transact business in\n"
        "various currencies. It is hedged."
    )
    assert [text for _, text in cut(content)] == [
        "Foreign Currency Risk",
        "In countries outside the United States, we transact business in\nvarious currencies.",
        "It is hedged.",
    ]


def test_a_line_without_an_end_mark_above_rows_names_their_columns():
    content = (
        "The allowance is paid without receipts.\n\nCity Allowance Hotel limit\n"
        "Lisbon 55 EUR 140 EUR\nShanghai 420 CNY 850 CNY"
    )
    assert [(u.kind, content[u.start : u.end], u.header) for u in quotable_units(content)] == [
        ("sentence", "The allowance is paid without receipts.", ""),
        ("row", "Lisbon 55 EUR 140 EUR", "City Allowance Hotel limit"),
        ("row", "Shanghai 420 CNY 850 CNY", "City Allowance Hotel limit"),
    ]


def test_numbered_headings_of_typeset_pages_are_titles():
    content = (
        "1. Before the trip\n"
        "Every trip is requested in the travel tool before anything is booked.\n\n"
        "2. Trains\n\nBook through the tool."
    )
    assert cut(content) == [
        ("title", "1. Before the trip"),
        ("sentence", "Every trip is requested in the travel tool before anything is booked."),
        ("title", "2. Trains"),
        ("sentence", "Book through the tool."),
    ]


def test_bare_numbers_after_a_colon_are_items():
    content = (
        "Take these steps:\n1 Photograph every receipt; it may be lost once the claim\nis paid.\n"
        "2 Submit."
    )
    assert cut(content) == [
        ("sentence", "Take these steps:"),
        ("item", "1 Photograph every receipt; it may be lost once the claim\nis paid."),
        ("item", "2 Submit."),
    ]


def test_labelled_paragraphs_share_a_block():
    content = "**Symptom:** It stops. Often.\n\n**Cause**: A token\nexpired.\n\nMore."
    assert cut(content) == [
        ("field", "**Symptom:** It stops."),
        ("field", "Often."),
        ("field", "**Cause**: A token\nexpired."),
        ("sentence", "More."),
    ]
    assert numbers_of_blocks(content) == [0, 0, 0, 1]


_LINE = st.one_of(
    st.sampled_from(
        [
            "",
            "# Heading",
            "Title",
            "=====",
            "---",
            "```",
            "~~~ py",
            "    code",
            "- item one. More",
            "  - nested",
            "2. step",
            "   goes on",
            "| a | b |",
            "|---|---|",
            "a | b",
            "> quoted. Text",
            "> [!tip] Named",
            "> - item",
            ">",
            "Q: why?",
            "A: so. Yes",
            "Euro 1,200 1,300 2%",
            "**Cause:** it is. So",
            "1 bare number",
            "2022 2021",
            "A short line",
            "这是第一句。这是第二句！",
            "word " * 200,
        ]
    ),
    st.text(max_size=60).filter(lambda text: "\n" not in text),
)


@given(st.lists(_LINE, max_size=25).map("\n".join))
def test_units_are_in_order_apart_and_trimmed(content: str):
    end = 0
    for unit in quotable_units(content):
        text = content[unit.start : unit.end]
        assert end <= unit.start < unit.end <= len(content)
        assert text == text.strip()
        end = unit.end


@given(st.lists(_LINE, max_size=25).map("\n".join))
def test_units_are_short_enough_to_quote(content: str):
    longest = max((unit.end - unit.start for unit in quotable_units(content)), default=0)
    assert longest <= max(MAX_ITEM, MAX_CODE, *(len(line) for line in content.split("\n")))


_PROSE_LINE = st.sampled_from(
    [
        "",
        "One is here. Two",
        "- item one",
        "  goes on",
        "> said so. Yes",
        "Dr. No. 5",
        "这是。那是！",
        "x",
    ]
)


@given(st.lists(_PROSE_LINE, max_size=25).map("\n".join))
def test_no_letter_of_prose_and_lists_is_lost(content: str):
    quoted = "".join(content[unit.start : unit.end] for unit in quotable_units(content))
    assert [c for c in quoted if c.isalnum()] == [c for c in content if c.isalnum()]


def test_a_line_with_a_number_may_follow_a_table_without_rows() -> None:
    content = "| a | b |\n|---|---|\n1 bare number"
    found = [content[unit.start : unit.end] for unit in quotable_units(content)]
    assert found == ["1 bare number"]
