"""Reading a model's reply into sentences with their markers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.reading.read_drafts import Draft, DraftReader, cited_numbers, read_drafts

REPLIES = [
    (
        "The desk opens at 9:00 [2]. It closes at 5 p.m. [1, 3] And so on.[2][3]",
        [
            Draft("The desk opens at 9:00.", (2,)),
            Draft("It closes at 5 p.m.", (1, 3)),
            Draft("And so on.", (2, 3)),
        ],
    ),
    (
        "1. First thing. [1]\n2. **Bold** second [passage 4]\n\nNOT IN PASSAGES",
        [
            Draft("First thing.", (1,)),
            Draft("Bold second", (4,)),
            Draft("NOT IN PASSAGES", ()),
        ],
    ),
    (
        "每天最多导出十次[1]。超出时需要分批导出。【2】",
        [Draft("每天最多导出十次。", (1,)), Draft("超出时需要分批导出。", (2,))],
    ),
    ("**Answer:** the shift lead (passages 1 and 2)", [Draft("the shift lead", (1, 2))]),
    (
        "[1] The sky is blue. [2] Grass is green.",
        [Draft("The sky is blue.", (1,)), Draft("Grass is green.", (2,))],
    ),
    (
        "It ended in 1999. [5] The answer: it was room 12. It cost 5 - 6 EUR.",
        [
            Draft("It ended in 1999.", (5,)),
            Draft("The answer: it was room 12.", ()),
            Draft("It cost 5 - 6 EUR.", ()),
        ],
    ),
    (
        "According to the passages, it opens at 9 [1]. The passage states that it closes at 5.",
        [Draft("It opens at 9.", (1,)), Draft("It closes at 5.", ())],
    ),
    ("根据提供的文段，每天十次。【2】", [Draft("每天十次。", (2,))]),
    ("根据表格中的信息，价格是 388 元。", [Draft("价格是 388 元。", ())]),
    ("In the table, the price is 5 EUR.", [Draft("The price is 5 EUR.", ())]),
    ("根据公司规定，年假为 15 天。", [Draft("根据公司规定，年假为 15 天。", ())]),
    (
        "In the text archive, 5 files are kept.",
        [Draft("In the text archive, 5 files are kept.", ())],
    ),
    ("Laut dem Text öffnet es um 9.", [Draft("Öffnet es um 9.", ())]),
    ("## Heading\n- an item [3-5]", [Draft("Heading", ()), Draft("an item", (3, 4, 5))]),
    ("", []),
    (" \n [1] \n---\n", []),
]


@pytest.mark.parametrize(("reply", "drafts"), REPLIES)
def test_reply_becomes_sentences_with_the_numbers_they_cite(
    reply: str, drafts: list[Draft]
) -> None:
    assert read_drafts(reply) == drafts


@pytest.mark.parametrize(("reply", "drafts"), REPLIES)
@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_pieces_of_any_length_give_the_same_sentences(
    reply: str, drafts: list[Draft], length: int
) -> None:
    reader = DraftReader()
    given_out = [
        draft
        for start in range(0, len(reply), length)
        for draft in reader.feed(reply[start : start + length])
    ]
    assert [*given_out, *reader.finish()] == drafts


def test_sentence_is_given_out_when_the_next_has_begun_and_not_before() -> None:
    reader = DraftReader()
    assert reader.feed("It opens at nine. ") == []
    assert reader.feed("[1") == []
    assert reader.feed("] It clo") == [Draft("It opens at nine.", (1,))]
    assert reader.feed("ses at five.") == []
    assert reader.finish() == [Draft("It closes at five.", ())]


def test_json_is_kept_back_as_a_whole() -> None:
    reader = DraftReader()
    assert reader.feed('{"answer": "It opens at nine. It closes') == []
    assert reader.feed(' at five."}') == []
    assert reader.is_structured
    assert reader.rest() == '{"answer": "It opens at nine. It closes at five."}'


def test_range_without_end_names_few_numbers() -> None:
    assert len(cited_numbers("[1-999]")) == 11


@given(st.text(alphabet="ab1.。[]()-*{\n ", max_size=60))
def test_any_text_is_read_and_loses_no_letter(text: str) -> None:
    reader = DraftReader()
    drafts = [draft for c in text for draft in reader.feed(c)]
    left = reader.rest() if reader.is_structured else ""
    drafts += reader.finish()
    said = "".join(draft.text for draft in drafts) + left
    assert sum(map(said.count, "ab")) >= sum(map(text.count, "ab"))
