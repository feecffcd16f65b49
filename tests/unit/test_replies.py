"""The public JSON objects."""

import json
from dataclasses import asdict, replace

import pytest

from citewell.domain.answer import CANONICAL_ABSTENTION, Answer, Citation, Grounding, Sentence
from citewell.domain.document import DocumentState
from citewell.domain.passage import Passage, SearchResult, VisibleChunk
from citewell.domain.record import DocumentRecord, Failure, RunCounts, RunRecord
from citewell.domain.source import Source, SourceStatus
from citewell.replies import (
    answer_reply,
    citation_reply,
    document_reply,
    passage_reply,
    run_reply,
    search_reply,
    source_reply,
)

CHUNK = VisibleChunk(
    chunk_key=7,
    chunk_id="c" * 32,
    document_key=3,
    document_id="d" * 32,
    ordinal=0,
    content="alpha",
    span=(10, 15),
    header_span=None,
    heading_path=("Guide", "Limits"),
    title="Atlas",
    n_tokens=1,
    page_start=None,
    page_end=None,
    paragraph_start=None,
    paragraph_end=None,
    page_breaks=(),
    tier="employee",
    source_name="handbook",
    source_type="vault",
    relative_path="a/数据.md",
    tags=("area/north",),
    modified_at="2026-01-31T00:00:00.000Z",
)
PASSAGE = Passage(1, CHUNK, "alpha beta", (10, 20), 0.123456, None, None, (CHUNK,))
CITATION = Citation(
    n=1,
    citation_id="c-a-f",
    tag="[s.vault:a.md/Limits]",
    source_name="handbook",
    source_type="vault",
    source_id="a.md",
    location="Limits",
    document_id="d",
    chunk_id="c",
    heading_path=("Guide", "Limits"),
    page=None,
    paragraph=None,
    span=(10, 15),
    quote="alpha",
    tier="employee",
    score=None,
)
RECORD = DocumentRecord(
    key=3,
    id="d",
    source="handbook",
    relative_path="a.pdf",
    title="Atlas",
    type="pdf",
    state=DocumentState.INDEXED,
    tier="employee",
    version="v",
    n_pages=None,
    n_chunks=2,
    n_vectors=1,
    notes=("no text on page 3",),
    failure=None,
)


def test_passage() -> None:
    assert passage_reply(PASSAGE) == {
        "rank": 1,
        "citation_id": f"{'c' * 32}-a-14",
        "content": "alpha beta",
        "source": "handbook",
        "source_name": "handbook",
        "source_type": "vault",
        "relative_path": "a/数据.md",
        "heading_path": ["Guide", "Limits"],
        "heading": "Limits",
        "score": 0.1235,
        "span": [10, 20],
        "tier": "employee",
        "tags": ["area/north"],
        "document_id": "d" * 32,
        "chunk_id": "c" * 32,
        "modified_at": "2026-01-31T00:00:00.000Z",
        "title": "Atlas",
    }


def test_passage_with_pages_without_heading_and_vector() -> None:
    chunk = replace(CHUNK, heading_path=())
    reply = passage_reply(replace(PASSAGE, chunk=chunk, score=None, page_start=2, page_end=3))
    assert {name: reply[name] for name in ("heading", "score", "page_start", "page_end")} == {
        "heading": "",
        "score": None,
        "page_start": 2,
        "page_end": 3,
    }


def test_search() -> None:
    bare = SearchResult(confidence=0.98765, passages=[PASSAGE], is_sufficient=True)
    full = replace(bare, notice="vectors lag", explain={"gate": {}})
    reply = {"confidence": 0.9877, "results": [passage_reply(PASSAGE)]}
    assert search_reply(bare) == reply
    assert search_reply(full) == reply | {"notice": "vectors lag", "explain": {"gate": {}}}


def test_answer_from_memory_says_so() -> None:
    answer = Answer(
        mode="rag",
        confidence=0.5,
        text="alpha [1]",
        sentences=(Sentence("alpha", "quote", (1,)),),
        citations=(CITATION,),
        grounding=Grounding(has_citations=True, citations_valid=True),
    )
    replies = [answer_reply(a, request_id="") for a in (answer, replace(answer, cached=True))]
    assert [reply["cached"] for reply in replies] == [False, True]


def test_answer() -> None:
    answer = Answer(
        mode="rag",
        confidence=0.5,
        text="alpha [1]",
        sentences=(Sentence("alpha", "quote", (1,)),),
        citations=(CITATION,),
        grounding=Grounding(has_citations=True, citations_valid=True),
        timings_ms={"search": 1.26},
    )
    reply = answer_reply(answer, request_id="r")
    assert reply == {
        "mode": "rag",
        "confidence": 0.5,
        "answer": "alpha [1]",
        "sentences": [{"text": "alpha", "kind": "quote", "citations": [1]}],
        "citations": [citation_reply(CITATION)],
        "grounding": {"has_citations": True, "citations_valid": True, "grounded": True},
        "conversation_id": None,
        "request_id": "r",
        "cached": False,
        "timings_ms": {"search": 1.3},
    }
    more = answer_reply(replace(answer, notice="n", trace={"gate": {}}), request_id="r")
    assert more == reply | {"notice": "n", "trace": {"gate": {}}}


def test_abstention_is_not_grounded() -> None:
    grounding = Grounding(has_citations=False, citations_valid=True)
    answer = Answer("no_answer", 0.0, CANONICAL_ABSTENTION, (), (), grounding)
    reply = answer_reply(answer, request_id="r")
    assert (reply["answer"], reply["sentences"], reply["citations"], reply["grounding"]) == (
        "I do not know the answer based on indexed documents.",
        [],
        [],
        {"has_citations": False, "citations_valid": True, "grounded": False},
    )


def test_citation() -> None:
    reply = {
        "n": 1,
        "citation_id": "c-a-f",
        "tag": "[s.vault:a.md/Limits]",
        "source": "handbook",
        "source_name": "handbook",
        "source_type": "vault",
        "source_id": "a.md",
        "location": "Limits",
        "document_id": "d",
        "chunk_id": "c",
        "heading": "Limits",
        "heading_path": ["Guide", "Limits"],
        "span": [10, 15],
        "quote": "alpha",
        "tier": "employee",
        "score": None,
    }
    paged = replace(CITATION, page=2, paragraph=3, score=0.98765, table_header="a | b")
    assert citation_reply(CITATION) == reply
    assert citation_reply(paged) == reply | {
        "page": 2,
        "paragraph": 3,
        "score": 0.9877,
        "table_header": "a | b",
    }


def test_document() -> None:
    reply = {
        "id": "d",
        "source": "handbook",
        "relative_path": "a.pdf",
        "title": "Atlas",
        "state": "indexed",
        "tier": "employee",
        "version": "v",
        "chunks": 2,
        "vectors": 1,
        "notes": ["no text on page 3"],
    }
    failure = Failure("convert", "ConversionError", "it is broken", 2, "2026-01-31T00:00:00Z")
    failed = replace(RECORD, state=DocumentState.FAILED, n_pages=4, failure=failure)
    assert document_reply(RECORD) == reply
    assert document_reply(failed) == reply | {
        "state": "failed",
        "pages": 4,
        "failure": {
            "stage": "convert",
            "type": "ConversionError",
            "reason": "it is broken",
            "attempts": 2,
            "next_retry_at": "2026-01-31T00:00:00Z",
        },
    }
    since, until = "2026-01-31T00:00:00Z", "2026-01-31T01:00:00Z"
    missing = replace(RECORD, missing_since=since, held_until=until)
    assert document_reply(missing) == reply | {"missing_since": since, "held_until": until}


def test_run() -> None:
    counts = RunCounts(added=2, failed=1)
    run = RunRecord("r", "handbook", "manual", "running", "2026-01-31T00:00:00Z", None, counts)
    reply = {
        "id": "r",
        "source": "handbook",
        "trigger": "manual",
        "state": "running",
        "started_at": "2026-01-31T00:00:00Z",
        "finished_at": None,
        "duration_s": None,
        **asdict(counts),
    }
    assert run_reply(run) == reply
    assert run_reply(replace(run, error="gone")) == reply | {"error": "gone"}
    ended = run_reply(replace(run, finished_at="2026-01-31T00:01:00.500Z"))
    assert (ended["finished_at"], ended["duration_s"]) == ("2026-01-31T00:01:00.500Z", 60.5)


@pytest.mark.parametrize(("folder_per_tier", "access"), [(True, "folder-per-tier"), (False, None)])
def test_source(folder_per_tier: bool, access: str | None) -> None:
    source = Source("s", "handbook", "folder", "/handbook", folder_per_tier=folder_per_tier)
    reply = {
        "id": "s",
        "name": "handbook",
        "type": "folder",
        "root": "/handbook",
        "tier": None,
        "access": access,
        "scan_interval_s": 300,
        "include": ["**/*"],
        "exclude": [],
        "state": "available",
        "watch": None,
        "last_run": None,
    }
    assert source_reply(source, SourceStatus("available")) == reply
    gone = SourceStatus("unavailable", "r", "polling", "a network file system")
    run = RunRecord("r", "handbook", "manual", "running", "t", None, RunCounts())
    assert source_reply(source, gone, last_run=run) == reply | {
        "state": "unavailable",
        "reason": "r",
        "watch": {"mode": "polling", "reason": "a network file system"},
        "last_run": run_reply(run),
    }


def test_every_reply_is_json() -> None:
    replies = [
        search_reply(SearchResult(1.0, [PASSAGE], is_sufficient=True)),
        citation_reply(CITATION),
        document_reply(RECORD),
    ]
    assert json.loads(json.dumps(replies)) == replies
