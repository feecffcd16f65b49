"""How long a remembered answer takes, and how similar questions are that ask for something else.

    script/bench answer_cache [--chunks 20000] [--questions 100] [--entries 2000] [--pairs 500]

A made corpus as in `search`, among it one fact for each question, which is embedded for real. A
model that replies at once writes the facts; then every question is asked again, and once more
politely, with the setting for similar questions on. Times are those of the whole of answering: the
screen, the searches, the comparison with what the answer was made from, the check of its citations.
The start of a process takes no part. The pairs are those of `tests/security/near_misses.py`; of
them and of polite questions the embedder's cosines are told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from citewell.answering.answer_question import Answering
from citewell.answering.remembering.answer_cache import AnswerMemory, CacheKey
from citewell.answering.remembering.same_question import sense_of
from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.answer import Answer
from citewell.domain.ask_request import AskRequest
from citewell.domain.document import ConvertedDocument
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.prepare import Origin, prepare_version
from citewell.load_settings import load_settings
from citewell.ports.embedder import Embedder, PassageText
from citewell.ports.language_model import Prompt
from citewell.remember_answers import open_answer_memory
from citewell.testing.scripted_model import ScriptedModel
from citewell.wire_answers import make_answering
from machine import describe_machine
from search import READER, TIER, Corpus, cut_lines, fill, percentile

sys.path.append(str(Path(__file__).parents[1] / "tests" / "security"))
MIN_SIMILARITY = 0.95
MODEL = "scripted"
_TEAM = re.compile(r"team [A-Z][a-z]+-[0-9]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer, the milliseconds to it, and those in which a processor worked in this process."""

    answer: Answer
    elapsed_ms: float
    cpu_ms: float


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--entries", type=int, default=2_000)
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
    """Return times of first answers and repeats, and cosines of pairs."""
    embedder = parts.embedder.embedder
    assert embedder is not None
    fill(parts, Corpus(embedder.model.dim), arguments.chunks)
    facts = [
        f"The travel allowance of team Kestrel-{1000 + 7 * number} is {20 + number} days."
        for number in range(arguments.questions)
    ]
    write_facts(parts, facts, embedder)
    memory = open_answer_memory(parts.settings, parts.catalog, embedder=embedder, may_write=True)
    assert memory is not None
    try:
        answering = make_answering(
            parts.settings,
            search=parts.search,
            reader=parts.catalog.passages,
            embedder=parts.embedder.uncached,
            model=ScriptedModel(lambda prompt: fact_asked_for(prompt, facts), name=MODEL),
            memory=memory,
        )
        questions = [
            f"How many days is the travel allowance of {_TEAM.findall(fact)[0]}?" for fact in facts
        ]
        first = [ask(answering, question) for question in questions]
        crowd(memory, parts, first, arguments.entries)
        equal = [ask(answering, question) for question in questions]
        similar = [ask(answering, f"Please tell me {question}") for question in questions]
    finally:
        memory.close()
    return {
        "first": times_of(first),
        "repeats": times_of(equal),
        "similar_repeats": times_of(similar),
        "pairs": cosines(embedder, arguments.pairs),
    }


def write_facts(parts: Citewell, facts: Sequence[str], embedder: Embedder) -> None:
    """Add a document of one chunk for each fact."""
    source = parts.catalog.sources.register(Source("facts", "facts", "folder", "/facts", tier=TIER))
    for number, fact in enumerate(facts):
        item = SourceItem(f"{number}.txt", len(fact), 1_767_225_600_000_000_000, "", "f")
        origin = Origin(source.id, item, TIER, f"fact{number}", "made")
        document = ConvertedDocument(text=fact, syntax="plain", title="Allowances")
        version, terms = prepare_version(document, origin, chunk_document=cut_lines)
        staged = parts.catalog.documents.stage(version)
        parts.writer.catch_up(dict(zip(staged.chunk_keys, terms, strict=True)))
        parts.catalog.documents.switch(staged, version)
        vectors = embedder.embed_passages([PassageText(fact, title="Allowances")])
        parts.vectors.put(staged.chunk_keys, vectors)
        parts.catalog.pending.vectors_made(staged.chunk_keys)
        parts.writer.catch_up()
    parts.writer.settle()


def fact_asked_for(prompt: Prompt, facts: Sequence[str]) -> str:
    """Write the fact about the team that the question names, where the passages have it."""
    text = prompt.messages[-1].content
    named: list[str] = _TEAM.findall(text)
    for fact in facts:
        team = _TEAM.findall(fact)[0]
        if fact in text and named.count(team) > 1:  # in a passage, and in the question
            return f"{fact} [1]"
    return "NOT IN PASSAGES"


def ask(answering: Answering, question: str) -> Asked:
    """Return an answer, and how long it took."""
    started, started_cpu = time.perf_counter(), time.process_time()
    answer = asyncio.run(answering.answer_question(AskRequest(question), READER))
    elapsed, cpu = time.perf_counter() - started, time.process_time() - started_cpu
    return Asked(answer, elapsed * 1000, cpu * 1000)


def crowd(memory: AnswerMemory, parts: Citewell, asked: list[Asked], n_entries: int) -> None:
    """Fill the cache with answers to other questions."""
    answer = next(one.answer for one in asked if one.answer.mode == "rag")
    found = parts.search.search_passages(answer.citations[0].quote, READER)
    plain = replace(memory, min_similarity=None)
    for number in range(n_entries - len(asked)):
        question = f"another question {number}"
        key = CacheKey(question, READER, top_k=5, model=MODEL, version="other")
        if not plain.keep(key, {question: found}, answer, written_by=MODEL):
            raise RuntimeError("an answer was not remembered")


def times_of(asked: list[Asked]) -> dict[str, object]:
    """Return percentiles, how many were answered, and how many of them from memory."""
    times_ms = [one.elapsed_ms for one in asked]
    return {
        "asked": len(asked),
        "answered": sum(one.answer.mode == "rag" for one in asked),
        "remembered": sum(one.answer.cached for one in asked),
        "p50_ms": percentile(times_ms, 50),
        "p95_ms": percentile(times_ms, 95),
        "cpu_p50_ms": percentile([one.cpu_ms for one in asked], 50),
    }


def cosines(embedder: Embedder, n_pairs: int) -> dict[str, object]:
    """Return how similar near misses and polite repeats are, and how many the words keep apart."""
    from near_misses import near_misses, politely

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


if __name__ == "__main__":
    main()
