"""Search latency with made chunks and vectors, the embedding of the question included.

    script/bench search [--chunks 100000] [--clients 2] [--questions 400]

Made text has words of a Zipf distribution, the frequent ones English (from this project's docs, so
that a question has as many tokens as a real one), the rest made of letters; made vectors lie in
clusters. Every question is really embedded (its time counts) and then searched with a made vector
near a cluster. Recall compares the dense leg's first ten with an exact search.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from typing_extensions import override

from citewell.bootstrap import open_citewell
from citewell.domain.chunk import Chunk
from citewell.domain.clearance import Clearance
from citewell.domain.document import ConvertedDocument
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.prepare import Origin, prepare_version
from citewell.load_settings import load_settings
from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText
from machine import describe_machine

CHUNKS_PER_DOCUMENT = 100
WORDS_PER_CHUNK = 120
VOCABULARY = 50_000
CLUSTERS = 400
TIER = "employee"
READER = Clearance((TIER,))


class MadeVectors(Embedder):
    """Embeds for real, to spend the time, and gives a made vector instead."""

    def __init__(self, real: Embedder, questions: dict[str, np.ndarray]) -> None:
        """Take the embedder that costs the time and the vector of each question."""
        self._real = real
        self._questions = questions
        self._other = next(iter(questions.values()))  # for a question that is a part of one
        self.times_ms: list[float] = []

    @property
    @override
    def model(self) -> EmbeddingModel:
        return self._real.model

    @override
    def count_tokens(self, text: str) -> int:
        return self._real.count_tokens(text)

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> np.ndarray:
        return self._real.embed_passages(passages)

    @override
    def embed_query(self, question: str) -> np.ndarray:
        started = time.perf_counter()
        self._real.embed_query(question)
        self.times_ms.append((time.perf_counter() - started) * 1000)
        return self._questions.get(question, self._other)


class Corpus:
    """Made words and vectors, the same for the same seed."""

    def __init__(self, dim: int) -> None:
        """Take the dimension of the vectors."""
        self._random = np.random.default_rng(20260131)
        self._centres = self._unit(self._random.normal(size=(CLUSTERS, dim)))
        letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
        english = english_words()
        lengths = self._random.integers(3, 10, VOCABULARY - len(english))
        made = ["".join(self._random.choice(letters, n)) for n in lengths]
        self._words = np.array([*english, *made])
        self._n_english = len(english)
        weights = 1.0 / np.arange(1, VOCABULARY + 1)
        self._cumulated = np.cumsum(weights / weights.sum())

    def words(self, n: int) -> str:
        """Return n words."""
        drawn = np.searchsorted(self._cumulated, self._random.random(n))
        return " ".join(self._words[np.minimum(drawn, VOCABULARY - 1)])

    def question(self) -> str:
        """Return an English question of ten words, as many tokens as in `eval/questions.yaml`."""
        chosen = self._random.random(7) * self._cumulated[self._n_english - 1]
        words = self._words[np.searchsorted(self._cumulated, chosen)]
        return f"how does {' '.join(words)} work"

    def vectors(self, n: int) -> np.ndarray:
        """Return `float32[n, dim]`, unit length, each near one of the clusters' centres."""
        centres = self._centres[self._random.integers(0, CLUSTERS, n)]
        noise = self._random.normal(size=centres.shape) / np.sqrt(centres.shape[1])
        return self._unit(centres + 0.7 * noise)

    @staticmethod
    def _unit(rows: np.ndarray) -> np.ndarray:
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def english_words() -> list[str]:
    """Return the words of this project's documentation, the most frequent first."""
    docs = Path(__file__).parent.parent / "docs"
    words = Counter[str]()
    for page in sorted(docs.rglob("*.md")):
        words.update(re.findall(r"\b[a-z]{2,12}\b", page.read_text(encoding="utf-8")))
    return [word for word, _ in words.most_common()]


def cut_lines(document: ConvertedDocument) -> list[Chunk]:
    """Return one chunk per line."""
    chunks: list[Chunk] = []
    position = 0
    for ordinal, line in enumerate(document.text.split("\n")):
        span = (position, position + len(line))
        chunks.append(Chunk(ordinal, span, line, (f"Section {ordinal}",), WORDS_PER_CHUNK))
        position += len(line) + 1
    return chunks


def percentile(times_ms: list[float], share: float) -> float:
    """Return a percentile in milliseconds."""
    return round(float(np.percentile(times_ms, share)), 2)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--questions", type=int, default=400)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        settings = load_settings({"data_dir": Path(scratch), "sources_file": ""})
        with open_citewell(settings) as parts:
            report(parts, arguments)


def fill(parts, corpus: Corpus, n_chunks: int) -> None:
    """Write made documents into catalog, vector store and index."""
    parts.writer.settle()  # a new index asks for what the catalog holds now
    source = parts.catalog.sources.register(Source("made", "made", "folder", "/made", tier=TIER))
    for number in range(n_chunks // CHUNKS_PER_DOCUMENT):
        text = "\n".join(corpus.words(WORDS_PER_CHUNK) for _ in range(CHUNKS_PER_DOCUMENT))
        moment = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1e9)
        item = SourceItem(f"{number:06}.txt", len(text), moment, "", "f")
        origin = Origin(source.id, item, TIER, f"{number:064}", "made")
        document = ConvertedDocument(text=text, syntax="plain")
        version, terms = prepare_version(document, origin, chunk_document=cut_lines)
        staged = parts.catalog.documents.stage(version)
        parts.writer.catch_up(dict(zip(staged.chunk_keys, terms, strict=True)))
        parts.catalog.documents.switch(staged, version)
        parts.vectors.put(staged.chunk_keys, corpus.vectors(CHUNKS_PER_DOCUMENT))
        parts.catalog.pending.vectors_made(staged.chunk_keys)
        parts.writer.catch_up()
    parts.writer.settle()
    parts.index.optimize()


def report(parts, arguments: argparse.Namespace) -> None:
    """Fill, search and print."""
    corpus = Corpus(parts.embedder.embedder.model.dim)
    started = time.perf_counter()
    fill(parts, corpus, arguments.chunks)
    fill_s = time.perf_counter() - started
    questions = [corpus.question() for _ in range(arguments.questions)]
    vectors = dict(zip(questions, corpus.vectors(len(questions)), strict=True))
    made = MadeVectors(parts.embedder.embedder, vectors)
    search = parts.search_with(made)
    for question in questions[:20]:
        search.search_passages(question, READER)
    made.times_ms.clear()
    times_ms = run_clients(search, questions, n_clients=arguments.clients)
    print(
        json.dumps(
            {
                "benchmark": "search",
                "parameters": vars(arguments),
                "machine": describe_machine(),
                "results": {
                    "chunks": arguments.chunks,
                    "p50_ms": percentile(times_ms, 50),
                    "p95_ms": percentile(times_ms, 95),
                    "p99_ms": percentile(times_ms, 99),
                    "embedding_p50_ms": percentile(made.times_ms, 50),
                    "embedding_p95_ms": percentile(made.times_ms, 95),
                    "recall_vs_exact": recall(parts.index, list(vectors.values())),
                    "fill_s": round(fill_s, 1),
                },
            }
        )
    )


def run_clients(search, questions: list[str], *, n_clients: int) -> list[float]:
    """Search from several threads at once and return the time of each search."""
    times_ms: list[float] = []

    def client(own: list[str]) -> None:
        for question in own:
            started = time.perf_counter()
            search.search_passages(question, READER)
            times_ms.append((time.perf_counter() - started) * 1000)

    threads = [
        threading.Thread(target=client, args=(questions[n::n_clients],)) for n in range(n_clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times_ms


def recall(index, vectors: list[np.ndarray]) -> float:
    """Return the share of the exact first ten that the graph finds."""
    shares = []
    for vector in vectors:
        exact = {c.chunk_key for c in index.search_dense(READER, vector, limit=10, exact=True)}
        found = {c.chunk_key for c in index.search_dense(READER, vector, limit=10)}
        shares.append(len(exact & found) / len(exact))
    return round(float(np.mean(shares)), 4)


if __name__ == "__main__":
    main()
