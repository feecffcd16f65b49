from dataclasses import replace

from citewell.domain.passage import VisibleChunk
from citewell.retrieval.neighbours import merge_neighbours

TEXT = "one two three four five six"
CHUNK = VisibleChunk(
    chunk_key=1,
    chunk_id="c1",
    document_key=1,
    document_id="d1",
    ordinal=0,
    content=TEXT[0:13],
    span=(0, 13),
    header_span=None,
    heading_path=("A",),
    title="T",
    n_tokens=3,
    page_start=1,
    page_end=1,
    paragraph_start=1,
    paragraph_end=1,
    page_breaks=(),
    tier="employee",
    source_name="s",
    source_type="folder",
    relative_path="a.md",
    tags=(),
    modified_at="2026-01-31T00:00:00.000Z",
)
NEXT = replace(CHUNK, chunk_key=2, ordinal=1, content=TEXT[8:18], span=(8, 18), page_end=2)
APART = replace(CHUNK, chunk_key=3, ordinal=2, content=TEXT[19:], span=(19, 27))
ELSEWHERE = replace(CHUNK, chunk_key=9, document_key=2, ordinal=1)


def test_overlapping_neighbours_become_one_passage_at_the_better_rank() -> None:
    passages = merge_neighbours([NEXT, ELSEWHERE, CHUNK], top_k=2, scores={1: 0.5, 2: 0.4, 9: 0.9})
    assert [(p.rank, p.chunk.chunk_key, p.score) for p in passages] == [(1, 2, 0.5), (2, 9, 0.9)]
    assert (passages[0].content, passages[0].span) == (TEXT[0:18], (0, 18))
    assert (passages[0].page_start, passages[0].page_end) == (1, 2)
    assert [chunk.chunk_key for chunk in passages[0].chunks] == [1, 2]


def test_chunk_between_two_passages_joins_them_at_the_better_rank() -> None:
    passages = merge_neighbours([APART, ELSEWHERE, CHUNK, NEXT], top_k=3, scores={})
    assert [[c.chunk_key for c in p.chunks] for p in passages] == [[1, 2, 3], [9]]
    assert (passages[0].chunk, passages[0].rank, passages[0].span) == (APART, 1, (0, 27))
    assert passages[0].content.split() == TEXT.split()


def test_gap_between_neighbours_keeps_positions() -> None:
    (passage,) = merge_neighbours([NEXT, APART], top_k=5, scores={})
    assert len(passage.content) == passage.span[1] - passage.span[0]
    assert passage.content.split() == TEXT[8:].split()


def test_repeated_table_header_is_not_merged_into_the_text() -> None:
    header = replace(NEXT, content="| h |\n" + NEXT.content, header_span=(0, 5))
    (passage,) = merge_neighbours([CHUNK, header], top_k=5, scores={})
    assert passage.content == TEXT[0:18]


def test_chunks_of_other_sections_and_documents_stay_apart() -> None:
    section = replace(NEXT, heading_path=("B",))
    passages = merge_neighbours([CHUNK, section, ELSEWHERE], top_k=5, scores={})
    assert [p.chunk.chunk_key for p in passages] == [1, 2, 9]


def test_chunks_beyond_top_k_serve_for_merging_only() -> None:
    passages = merge_neighbours([CHUNK, ELSEWHERE, NEXT], top_k=1, scores={})
    assert [[c.chunk_key for c in p.chunks] for p in passages] == [[1, 2]]


def test_passage_without_vector_has_no_score() -> None:
    (passage,) = merge_neighbours([CHUNK], top_k=1, scores={})
    assert passage.score is None


def test_score_is_clamped_to_unit_range() -> None:
    passages = merge_neighbours([CHUNK, ELSEWHERE], top_k=2, scores={1: -0.2, 9: 1.0001})
    assert [p.score for p in passages] == [0.0, 1.0]
