"""How long a remembered answer takes, and how similar questions are that ask for something else.

    script/bench answer_cache [--chunks 20000] [--questions 200] [--entries 10000] [--pairs 500]

A made corpus as in `search`, real embeddings of the questions, and a cache filled to its bound. A
repeat takes the search, the comparison with what the answer was made from, and the check of its
citations; the start of a process and the language model take no part. Every other question is asked
politely, with the setting for similar questions on. The pairs are those of
`tests/security/near_misses.py`; of them and of polite questions the embedder's cosines are told.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from citewell.answering.answer_cache import AnswerMemory, CacheKey
from citewell.answering.place import document_span
from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.domain.passage import SearchResult, VisibleChunk
from citewell.load_settings import load_settings
from citewell.ports.embedder import Embedder
from citewell.remember_answers import open_answer_memory
from machine import describe_machine
from search import READER, Corpus, MadeVectors, fill, percentile

sys.path.append(str(Path(__file__).parents[1] / "tests" / "security"))
MIN_SIMILARITY = 0.95
MODEL = "scripted"


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=500)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        settings = load_settings({"data_dir": Path(scratch), "sources_file": ""}).model_copy(
            update={
                "answer_cache_max_entries": arguments.entries,
                "answer_cache_min_similarity": MIN_SIMILARITY,
            }
        )
        with open_citewell(settings) as parts:
            results = measure(parts, arguments)
    print(
        json.dumps(
            {
                "benchmark": "answer_cache",
                "parameters": vars(arguments),
                "machine": describe_machine(),
                "results": results,
            }
        )
    )


def measure(parts: Citewell, arguments: argparse.Namespace) -> dict[str, object]:
    """Return times of repeats and cosines of pairs."""
    real = parts.embedder.embedder
    assert real is not None
    corpus = Corpus(real.model.dim)
    fill(parts, corpus, arguments.chunks)
    questions = [f"{corpus.question()} {number}" for number in range(arguments.questions)]
    vectors = dict(zip(questions, corpus.vectors(len(questions)), strict=True))
    polite = {f"please tell me {question}": vector for question, vector in vectors.items()}
    made = MadeVectors(real, vectors | polite)
    search = parts.search_with(made)
    memory = open_answer_memory(parts.settings, parts.catalog, embedder=made, may_write=True)
    assert memory is not None
    with closing(memory.cache):
        keep_ms = [
            keep(memory, question, search.search_passages(question, READER))
            for question in questions
        ]
        crowd(memory, search.search_passages(questions[0], READER), arguments)
        equal = [find(memory, question, search.search_passages) for question in questions]
        similar = [find(memory, question, search.search_passages) for question in polite]
    return {
        "entries": arguments.entries,
        "keep_p50_ms": percentile(keep_ms, 50),
        "keep_p95_ms": percentile(keep_ms, 95),
        "repeats": times_of(equal),
        "similar_repeats": times_of(similar),
        "pairs": cosines(real, arguments.pairs),
    }


def key_of(question: str) -> CacheKey:
    """Return the key of a question of the only reader."""
    return CacheKey(question, READER, top_k=5, model=MODEL, version="1")


def keep(memory: AnswerMemory, question: str, found: SearchResult) -> float:
    """Remember an answer, and return the milliseconds that it took."""
    started = time.perf_counter()
    answer = answer_quoting(found.passages[0].chunk)
    if not memory.keep(key_of(question), {question: found}, answer, written_by=MODEL):
        raise RuntimeError("an answer was not remembered")
    return (time.perf_counter() - started) * 1000


def crowd(memory: AnswerMemory, found: SearchResult, arguments: argparse.Namespace) -> None:
    """Fill the cache with answers to other questions."""
    without_vectors = replace(memory, min_similarity=None)
    for number in range(arguments.entries - arguments.questions):
        keep(without_vectors, f"another question {number}", found)


def find(memory: AnswerMemory, question: str, search) -> tuple[float, bool]:
    """Return the milliseconds to an answer, and whether it was remembered."""
    started = time.perf_counter()
    answer = memory.find(key_of(question), lambda text: search(text, READER))
    return (time.perf_counter() - started) * 1000, answer is not None


def times_of(found: list[tuple[float, bool]]) -> dict[str, object]:
    """Return percentiles of the hits, and how many there were."""
    times_ms = [ms for ms, is_hit in found if is_hit]
    return {
        "asked": len(found),
        "hits": len(times_ms),
        "p50_ms": percentile(times_ms, 50),
        "p95_ms": percentile(times_ms, 95),
    }


def cosines(embedder: Embedder, n_pairs: int) -> dict[str, object]:
    """Return how similar near misses and polite repeats are, and how many the words keep apart."""
    from near_misses import near_misses, politely

    from citewell.answering.same_question import sense_of

    pairs = near_misses()[:: max(1, 500 // n_pairs)][:n_pairs]
    near = [float(embed(embedder, p.question) @ embed(embedder, p.other)) for p in pairs]
    polite = [
        float(embed(embedder, p.question) @ embed(embedder, politely(p.language, p.question)))
        for p in pairs
    ]
    return {
        "pairs": len(pairs),
        "near_misses_at_least_0.95": sum(cosine >= MIN_SIMILARITY for cosine in near),
        "near_misses_median": round(float(np.median(near)), 3),
        "of_the_same_sense": sum(sense_of(p.question) == sense_of(p.other) for p in pairs),
        "polite_at_least_0.95": sum(cosine >= MIN_SIMILARITY for cosine in polite),
        "polite_median": round(float(np.median(polite)), 3),
    }


def embed(embedder: Embedder, question: str) -> np.ndarray:
    """Return the vector of a question."""
    return embedder.embed_query(question)


def answer_quoting(chunk: VisibleChunk) -> Answer:
    """Return an answer of one sentence that quotes a chunk."""
    start, end = document_span(chunk, 0, len(chunk.content))
    citation = Citation(
        n=1,
        citation_id=f"{chunk.chunk_id}-{start:x}-{end:x}",
        tag="[s.folder:a.txt/]",
        source_name=chunk.source_name,
        source_type=chunk.source_type,
        source_id=chunk.relative_path,
        location="",
        document_id=chunk.document_id,
        chunk_id=chunk.chunk_id,
        heading_path=chunk.heading_path,
        page=None,
        paragraph=None,
        span=(start, end),
        quote=chunk.content,
        tier=chunk.tier,
        score=None,
    )
    return Answer(
        mode="rag",
        confidence=0.9,
        text=f"{chunk.content} [1]",
        sentences=(Sentence(chunk.content, "claim", (1,)),),
        citations=(citation,),
        grounding=Grounding(has_citations=True, citations_valid=True),
    )


if __name__ == "__main__":
    main()
