"""A server under load: at capacity, at ten times that, and with a hundred askers at once.

    script/bench server [--chunks 100000] [--seconds 60] [--askers 100]

Made text as in `answers`, no language model: answers quote. `rag serve` runs as a process of its
own; what asks it runs here at low priority, over loopback. At capacity as many ask as are answered
at once, each as soon as it has its reply. Then ten times as many questions a second come, whether
or not there are replies; and last a number of askers ask at once, who all find a place.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from answers import SentenceCorpus
from citewell.bootstrap import open_citewell
from citewell.load_settings import load_settings
from machine import describe_machine
from search import fill, percentile

_UNLIMITED = "1000000"
_AT_ONCE = 8
_TIMES = 10
_HEALTH_EVERY_S = 0.5
_PATIENCE_S = 60.0


@dataclass
class Replies:
    """What came back, and how long it took, in milliseconds.

    Attributes:
        answered: Status 200.
        refused: Status 429.
        health: Of `/health/live`.
        statuses: Counts of all, and of what failed.
        seconds: Until the last one.
    """

    answered: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def answered_per_s(self) -> float:
        """Answers in a second."""
        return len(self.answered) / self.seconds

    def summary(self) -> dict:
        """Return counts, rates and percentiles."""
        return {
            "answered_per_s": round(self.answered_per_s, 2),
            "statuses": dict(self.statuses),
            **_percentiles("answered", self.answered),
            **_percentiles("refused", self.refused),
            **_percentiles("health", self.health),
        }


def _percentiles(name: str, times_ms: list[float]) -> dict:
    if not times_ms:
        return {}
    shares = {"p50": 50, "p95": 95, "p99": 99, "max": 100}
    return {f"{name}_{key}_ms": percentile(times_ms, share) for key, share in shares.items()}


class Load:
    """Asks a server."""

    def __init__(self, client: httpx.AsyncClient, questions: list[str]) -> None:
        """Take a client with the server's address, and questions to ask in turn."""
        self._client = client
        self._questions = questions
        self._n_asked = 0

    async def ask(self, replies: Replies) -> None:
        """Ask once."""
        self._n_asked += 1
        question = self._questions[self._n_asked % len(self._questions)]
        started = time.perf_counter()
        try:
            got = await self._client.post("/ask", json={"question": question})
        except httpx.HTTPError as error:
            replies.statuses[type(error).__name__] += 1
            return
        took_ms = (time.perf_counter() - started) * 1000
        replies.statuses[str(got.status_code)] += 1
        if got.status_code == 200:
            replies.answered.append(took_ms)
        elif got.status_code == 429:
            replies.refused.append(took_ms)

    async def keep_asking(self, n_clients: int, seconds: float) -> Replies:
        """Ask with so many clients, each again as soon as it has a reply."""
        replies, started = Replies(), time.perf_counter()

        async def one() -> None:
            while time.perf_counter() < started + seconds:
                await self.ask(replies)

        await asyncio.gather(*(one() for _ in range(n_clients)))
        replies.seconds = time.perf_counter() - started
        return replies

    async def ask_at_rate(self, per_s: float, seconds: float) -> Replies:
        """Ask so often, whether or not there are replies, and look after the server's health."""
        replies, started = Replies(), time.perf_counter()
        health = asyncio.create_task(self._watch_health(replies))
        tasks: list[asyncio.Task[None]] = []
        for number in range(int(per_s * seconds)):
            await asyncio.sleep(max(0.0, started + number / per_s - time.perf_counter()))
            tasks.append(asyncio.create_task(self.ask(replies)))
        await asyncio.gather(*tasks)
        health.cancel()
        replies.seconds = time.perf_counter() - started
        return replies

    async def _watch_health(self, replies: Replies) -> None:
        while True:
            started = time.perf_counter()
            await self._client.get("/health/live")
            replies.health.append((time.perf_counter() - started) * 1000)
            await asyncio.sleep(_HEALTH_EVERY_S)


@contextmanager
def served(data_dir: Path, **limits: str) -> Iterator[tuple[str, psutil.Process]]:
    """Run a server and yield its address and process."""
    environ = {
        **os.environ,
        "DATA_DIR": str(data_dir),
        "RAG_MIN_CONFIDENCE": "0",
        "SERVER_REQUESTS_PER_MINUTE": _UNLIMITED,
        "SERVER_QUESTIONS_PER_MINUTE": _UNLIMITED,
        "SERVER_QUESTIONS_AT_ONCE": str(_AT_ONCE),
        "SERVER_QUESTIONS_PER_PRINCIPAL": "10000",
        **limits,
    }
    rag = Path(sys.executable).with_name("rag")
    command = [rag, "serve", "--no-sync", "--json", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environ, text=True)
    try:
        yield json.loads(process.stdout.readline())["url"], psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=_PATIENCE_S)


def memory_mib(process: psutil.Process) -> float:
    """Return the resident memory of a process and its children."""
    whole = [process, *process.children(recursive=True)]
    return round(sum(each.memory_info().rss for each in whole) / 2**20, 1)


async def overload(url: str, server: psutil.Process, questions: list[str], seconds: float) -> dict:
    """Return what happens at capacity, and at ten times that."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=_PATIENCE_S, limits=limits) as client:
        load = Load(client, questions)
        await load.keep_asking(_AT_ONCE, 5.0)
        at_capacity = await load.keep_asking(_AT_ONCE, seconds / 2)
        before_mib = memory_mib(server)
        over = await load.ask_at_rate(_TIMES * at_capacity.answered_per_s, seconds)
        after_mib = memory_mib(server)
    return {
        "at_capacity": at_capacity.summary(),
        "overload": over.summary(),
        "memory_before_mib": before_mib,
        "memory_after_mib": after_mib,
    }


async def many_askers(url: str, questions: list[str], *, n: int, seconds: float) -> dict:
    """Return what so many askers get who ask all the time."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=_PATIENCE_S, limits=limits) as client:
        replies = await Load(client, questions).keep_asking(n, seconds)
    return replies.summary()


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--askers", type=int, default=100)
    parser.add_argument("--questions", type=int, default=400)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        questions = prepare(Path(scratch), arguments)
        os.nice(15)
        with served(Path(scratch)) as (url, server):
            results = asyncio.run(overload(url, server, questions, arguments.seconds))
        with served(Path(scratch), SERVER_QUESTIONS_WAITING=str(arguments.askers)) as (url, _):
            results["askers"] = asyncio.run(
                many_askers(url, questions, n=arguments.askers, seconds=arguments.seconds)
            )
    document = {"benchmark": "server", "parameters": vars(arguments), "machine": describe_machine()}
    print(json.dumps({**document, "results": {"chunks": arguments.chunks, **results}}))


def prepare(data_dir: Path, arguments: argparse.Namespace) -> list[str]:
    """Fill a data folder and return questions about it."""
    settings = load_settings({"data_dir": data_dir, "sources_file": ""})
    with open_citewell(settings) as parts:
        corpus = SentenceCorpus(parts.embedder.embedder.model.dim)
        fill(parts, corpus, arguments.chunks)
        return [corpus.question() for _ in range(arguments.questions)]


if __name__ == "__main__":
    main()
