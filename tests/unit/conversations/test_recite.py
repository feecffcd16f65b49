from __future__ import annotations

from dataclasses import replace

from citewell.conversations.recite import recite
from citewell.domain.passage import VisibleChunk
from model_answers import answer_quoting

CHUNK = VisibleChunk(
    chunk_key=1,
    chunk_id="c1",
    document_key=1,
    document_id="d1",
    ordinal=0,
    content="Exports hold 500 rows.",
    span=(10, 32),
    header_span=None,
    heading_path=("Limits",),
    title="Atlas",
    n_tokens=5,
    page_start=None,
    page_end=None,
    paragraph_start=None,
    paragraph_end=None,
    page_breaks=(),
    tier="staff",
    source_name="handbook",
    source_type="vault",
    relative_path="a.md",
    tags=(),
    modified_at="2026-01-31T12:00:00.000Z",
)
(CITATION,) = answer_quoting(CHUNK).citations


def test_citation_follows_its_chunk_to_another_place_path_and_tier() -> None:
    moved = replace(
        CHUNK, span=(40, 62), relative_path="b/c.md", tier="guest", source_type="folder"
    )
    assert recite(CITATION, moved) == replace(
        CITATION,
        citation_id="c1-28-3e",
        tag="[s.folder:b%2Fc.md/Limits]",
        source_type="folder",
        source_id="b/c.md",
        span=(40, 62),
        tier="guest",
    )


def test_citation_of_a_page_follows_to_another_page() -> None:
    paged = replace(CHUNK, page_start=7, page_end=7, paragraph_start=2, paragraph_end=2)
    found = recite(CITATION, paged)
    assert found is not None
    assert (found.page, found.paragraph, found.location) == (7, 2, "7/2")


def test_citation_does_not_hold_without_its_chunk_or_words() -> None:
    assert recite(CITATION, None) is None
    assert recite(CITATION, replace(CHUNK, document_id="d2")) is None
    assert recite(CITATION, replace(CHUNK, chunk_id="c2")) is None
    assert recite(CITATION, replace(CHUNK, content="Exports hold 600 rows.")) is None
