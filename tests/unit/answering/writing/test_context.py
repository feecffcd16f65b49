"""What a language model is given to read."""

from dataclasses import replace

from answering_samples import make_chunk, make_passages

from citewell.answering.writing.context import TRUNCATED, assemble_context, context_text
from citewell.ingestion.tokens import count_tokens


def test_block_has_four_labelled_lines() -> None:
    chunk = make_chunk("The desk opens at nine.", heading_path=("Desk", "Hours"))
    (block,) = assemble_context(make_passages(chunk), token_budget=100)
    assert block.text == (
        "[1] source: notes/a.md\n"
        "heading: Desk › Hours\n"
        "score: 0.9000\n"
        "content: The desk opens at nine."
    )


def test_passage_without_heading_or_score_shows_its_title_and_zero() -> None:
    (passage,) = make_passages(make_chunk("Open.", title="Opening\nhours"))
    (block,) = assemble_context([replace(passage, score=None)], token_budget=100)
    assert block.text.split("\n")[1:3] == ["heading: Opening hours", "score: 0.0000"]


def test_passages_come_in_order_of_rank_and_then_of_source_heading_and_ordinal() -> None:
    chunks = [
        make_chunk("d", key=1, source_name="wiki"),
        make_chunk("c", key=2, ordinal=1, heading_path=("B",)),
        make_chunk("b", key=3, ordinal=0, heading_path=("B",)),
        make_chunk("a", key=4, ordinal=5, heading_path=("A",)),
    ]
    same_rank = [replace(passage, rank=1) for passage in make_passages(*chunks)]
    blocks = assemble_context(same_rank, token_budget=1_000)
    assert [block.passage.content for block in blocks] == ["a", "b", "c", "d"]
    assert [block.number for block in blocks] == [1, 2, 3, 4]


def test_same_text_under_the_same_heading_stands_once() -> None:
    twice = make_passages(make_chunk("Open.", key=1), make_chunk("Open.", key=2))
    assert len(assemble_context(twice, token_budget=1_000)) == 1
    elsewhere = make_passages(
        make_chunk("Open.", key=1), make_chunk("Open.", key=2, heading_path=("Shop",))
    )
    assert len(assemble_context(elsewhere, token_budget=1_000)) == 2


def test_block_that_does_not_fit_is_skipped_for_a_smaller_one() -> None:
    passages = make_passages(
        make_chunk("small", key=1), make_chunk("large " * 300, key=2), make_chunk("tiny", key=3)
    )
    blocks = assemble_context(passages, token_budget=120)
    assert [(block.number, block.passage.chunk.chunk_id) for block in blocks] == [
        (1, "c1"),
        (2, "c3"),
    ]
    assert count_tokens(context_text(blocks)) <= 120 + len(blocks)


def test_first_block_that_is_too_big_alone_is_cut_and_marked() -> None:
    passages = make_passages(make_chunk("word " * 300, key=1), make_chunk("tiny", key=2))
    (block,) = assemble_context(passages, token_budget=60)
    assert block.text.endswith(f"word {TRUNCATED}")
    assert 50 <= count_tokens(block.text) <= 60
