"""The trace of a search."""

import json
from dataclasses import replace

from visible_reader import visible_chunk

from citewell.domain.chunk import SparseVector
from citewell.ports.index import Candidate
from citewell.retrieval.background import Background
from citewell.retrieval.explain import explain_search
from citewell.retrieval.fuse import LegWeights
from citewell.retrieval.judge_evidence import EvidenceVerdict
from citewell.retrieval.leg_results import LegResults
from citewell.retrieval.neighbours import merge_neighbours
from citewell.retrieval.search_legs import VisibleRanking

CHUNKS = {key: visible_chunk(key) for key in (1, 2, 3)}
FOUND = LegResults(
    query=SparseVector((7,), (2.0,)),
    n_chunks=3,
    lexical=VisibleRanking((Candidate(1, 1.5), Candidate(2, 0.5)), 4),
    dense=VisibleRanking((Candidate(2, 0.9), Candidate(3, 0.1)), 5),
    chunks=CHUNKS,
    cosines={1: 0.2, 2: 0.9, 3: 0.1},
    background=Background(0.1, 0.05, 3),
    vector_share=0.5,
)


def explained(found: LegResults = FOUND) -> dict[str, object]:
    return explain_search(
        found,
        weights=LegWeights(lexical=2.0, dense=20.0, vector_share=0.5),
        ranked=[Candidate(2, 9.0), Candidate(1, 8.0), Candidate(3, 1.0)],
        passages=merge_neighbours([CHUNKS[2], CHUNKS[1]], top_k=2, scores=found.cosines),
        verdict=EvidenceVerdict(0.8, is_sufficient=True, rule="gate", features={"best": 1.0}),
        timings_ms={"search": 1.5},
    )


def test_trace_tells_rank_score_and_outcome_of_every_candidate() -> None:
    candidates = explained()["candidates"]
    assert isinstance(candidates, list)
    names = ("chunk_id", "fused_rank", "lexical_rank", "lexical_score", "dense_rank", "cosine")
    assert [tuple(c[name] for name in names) for c in candidates] == [
        ("c2", 1, 2, 0.5, 1, 0.9),
        ("c1", 2, 1, 1.5, None, 0.2),
        ("c3", 3, None, None, 2, 0.1),
    ]
    assert [(c["passage"], c["outcome"]) for c in candidates] == [
        (1, "kept"),
        (2, "kept"),
        (None, "dropped: ranks too low"),
    ]
    assert [(c["relative_path"], c["heading_path"]) for c in candidates] == [
        (f"{key}.md", ["Heading"]) for key in (2, 1, 3)
    ]


def test_trace_tells_gate_legs_and_timings() -> None:
    trace = explained()
    del trace["candidates"]
    assert trace == {
        "gate": {
            "confidence": 0.8,
            "is_sufficient": True,
            "rule": "gate",
            "features": {"best": 1.0},
        },
        "legs": {
            "lexical_weight": 2.0,
            "dense_weight": 20.0,
            "vector_share": 0.5,
            "stale_lexical_points": 4,
            "stale_dense_points": 5,
        },
        "background": {"mean": 0.1, "spread": 0.05},
        "timings_ms": {"search": 1.5},
    }


def test_trace_without_vectors_is_json_all_the_same() -> None:
    trace = explained(replace(FOUND, cosines={}, background=None, dense=VisibleRanking()))
    assert json.loads(json.dumps(trace))["background"] is None
