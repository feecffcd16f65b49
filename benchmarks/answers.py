"""Time of all but the model in an answer that a language model writes.

    script/bench answers [--chunks 100000] [--clients 2] [--questions 200]

Made text in sentences with numbers, made vectors, as in `search`; the gate lets everything pass. A
scripted model that costs nothing replies to each question with sentences of the passages that it
is given, one of them with another number; each is checked as any other. What is told is the time
that the reader waits, without that in which the model was awaited, the first time and when the same
question comes again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import threading
import time
from pathlib import Path

from typing_extensions import override

from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.ask_request import AskRequest
from citewell.load_settings import load_settings
from citewell.ports.language_model import Prompt
from citewell.remember_answers import open_answer_memory
from citewell.testing.scripted_model import ScriptedModel
from citewell.wire_answers import make_answering
from machine import describe_machine
from search import READER, Corpus, MadeVectors, fill, percentile

_SENTENCE = re.compile(r"[A-Z][^.]+\.")
_WORDS_PER_SENTENCE = 15


class SentenceCorpus(Corpus):
    """Made words in sentences, each with a number."""

    @override
    def words(self, n: int) -> str:
        """Return n words in sentences of fifteen."""
        words = super().words(n).split()
        numbers = self._random.integers(10, 9_999, n)
        starts = range(0, n, _WORDS_PER_SENTENCE)
        return " ".join(
            f"{' '.join(words[i : i + _WORDS_PER_SENTENCE]).capitalize()} {numbers[i]}."
            for i in starts
        )


def write_reply(prompt: Prompt) -> str:
    """Return four sentences of the passages without a word each, and one with another number."""
    passages = prompt.messages[-1].content.partition("\n\nQuestion:")[0]
    sentences = _SENTENCE.findall(passages)[::7][:5]
    said = [re.sub(r"(\w+ \w+ )\w+ ", r"\1", sentence, count=1) for sentence in sentences]
    said[-1:] = [re.sub(r"\d+", "77777", text) for text in said[-1:]]
    return " ".join(f"{text} [{n}]" for n, text in enumerate(said, 1))


def ask(answering, questions: list[str], *, n_clients: int) -> list[dict]:
    """Return for each question how long it took, and the time of its steps, in milliseconds."""
    left = list(questions)
    done: list[dict] = []

    def work() -> None:
        while True:
            try:
                question = left.pop()
            except IndexError:
                return
            started = time.perf_counter()
            answer = asyncio.run(answering.answer_question(AskRequest(question), READER))
            whole_ms = (time.perf_counter() - started) * 1000
            done.append(
                {
                    "mode": answer.mode,
                    "cached": answer.cached,
                    "sentences": len(answer.sentences),
                    "ms": whole_ms - answer.timings_ms.get("model", 0.0),
                    "steps": dict(answer.timings_ms),
                }
            )

    threads = [threading.Thread(target=work) for _ in range(n_clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def summary(done: list[dict]) -> dict:
    """Return percentiles of the whole and medians of the steps."""
    steps = sorted({step for one in done for step in one["steps"]})
    times_ms = [one["ms"] for one in done]
    return {
        "p50_ms": percentile(times_ms, 50),
        "p95_ms": percentile(times_ms, 95),
        "p99_ms": percentile(times_ms, 99),
        "answered": sum(one["mode"] == "rag" for one in done),
        "cached": sum(one["cached"] for one in done),
        "sentences_per_answer": round(sum(one["sentences"] for one in done) / len(done), 2),
        "steps_p50_p95_ms": {
            step: [percentile([one["steps"].get(step, 0.0) for one in done], p) for p in (50, 95)]
            for step in steps
        },
    }


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--questions", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        settings = load_settings(
            {"data_dir": Path(scratch), "sources_file": "", "rag_min_similarity": 0.0}
        )
        with open_citewell(settings) as parts:
            report(parts, arguments)


def report(parts: Citewell, arguments: argparse.Namespace) -> None:
    """Fill, ask twice and print."""
    corpus = SentenceCorpus(parts.embedder.embedder.model.dim)
    fill(parts, corpus, arguments.chunks)
    questions = [corpus.question() for _ in range(arguments.questions)]
    vectors = dict(zip(questions, corpus.vectors(len(questions)), strict=True))
    made = MadeVectors(parts.embedder.embedder, vectors)
    answering = make_answering(
        parts.settings,
        search=parts.search_with(made),
        reader=parts.catalog.passages,
        embedder=parts.embedder.uncached,
        model=ScriptedModel(write_reply, piece_length=400),
        memory=open_answer_memory(parts.settings, parts.catalog, embedder=None, may_write=True),
    )
    ask(answering, questions[:10], n_clients=1)
    asked = questions[10:]
    first = ask(answering, asked, n_clients=arguments.clients)
    again = ask(answering, asked, n_clients=arguments.clients)
    print(
        json.dumps(
            {
                "benchmark": "answers",
                "parameters": vars(arguments),
                "machine": describe_machine(),
                "results": {
                    "chunks": arguments.chunks,
                    "without_model": summary(first),
                    "repeated": summary(again),
                },
            }
        )
    )


if __name__ == "__main__":
    main()
