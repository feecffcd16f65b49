"""A world of documents in tiers behind the doors that readers use, and what a reader gets there."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from tiered_worlds import TIERS, cut_at_bars

from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.clearance import Principal
from citewell.domain.document import ConvertedDocument
from citewell.domain.record import NewVersion, StagedVersion
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.prepare import Origin, prepare_version
from citewell.load_settings import load_settings
from citewell.server.app import make_app
from citewell.server.wire import wire_server
from citewell.testing.listed_authenticator import ListedAuthenticator

SOURCE = "s1"
_MANY = 1_000_000
_WORDS = [
    *("invoice", "ticket", "latency", "escalation", "customer", "export", "limit", "contract"),
    *("engineer", "region", "backup", "restore", "password", "refund", "salary", "merger"),
    *("board", "forecast", "plan", "数据", "导出", "限制", "支持"),
]
CANARY = re.compile(r"qz\d+x")
"""A word that stands in one chunk, one title or one path, and nowhere else."""
_ID = re.compile(r"\b[0-9a-f]{32}\b")
_TIMINGS = re.compile(r'"timings_ms": ?\{[^{}]*\}|"created": ?\d+')
_ACCEPTED = "application/json, text/event-stream"
_HEADERS = ("content-type", "retry-after", "www-authenticate", "allow")


@dataclass(frozen=True, slots=True)
class Door:
    """One way in.

    Attributes:
        method: Of HTTP.
        path: As the access table has it.
        takes: Which id stands in the path: `document`, `chunk`, `conversation`, or "" for none.
        body: Made of a question, or None.
    """

    method: str
    path: str
    takes: str = ""
    body: Any = None


def _asked(question: str) -> dict[str, Any]:
    return {"question": question, "top_k": 20}


def _called(tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


DOORS: tuple[Door, ...] = (
    Door("GET", "/openapi.json"),
    Door("GET", "/health"),
    Door("GET", "/health/live"),
    Door("GET", "/health/models"),
    Door("GET", "/health/ready"),
    Door("POST", "/search", body=lambda question: {"query": question, "top_k": 20}),
    Door("POST", "/ask", body=_asked),
    Door("POST", "/query", body=_asked),
    Door("POST", "/ask/stream", body=_asked),
    Door("POST", "/chat", body=_asked),
    Door("GET", "/sources"),
    Door("GET", "/documents"),
    Door("GET", "/documents/{document_id}", takes="document"),
    Door("GET", "/citations/{citation_id}", takes="chunk"),
    Door("GET", "/v1/models"),
    Door(
        "POST",
        "/v1/chat/completions",
        body=lambda question: {"messages": [{"role": "user", "content": question}]},
    ),
    Door("POST", "/mcp", body=lambda question: _called("search", query=question, top_k=20)),
    Door("POST", "/mcp", body=lambda question: _called("ask", question=question)),
    Door("POST", "/mcp", body=lambda _: _called("list_sources")),
    Door("POST", "/conversations"),
    Door("GET", "/conversations"),
    Door("GET", "/conversations/{conversation_id}", takes="conversation"),
    Door("GET", "/conversations/{conversation_id}/export", takes="conversation"),
    Door("PATCH", "/conversations/{conversation_id}"),
    Door("DELETE", "/conversations/{conversation_id}"),
    Door("POST", "/feedback"),
)
"""Every route that somebody with the scope `ask` may call, and those that are open to all."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reader got.

    Attributes:
        status: Of HTTP.
        headers: Those that say something of the reply.
        text: The body.
    """

    status: int
    headers: tuple[str, ...]
    text: str

    @property
    def canaries(self) -> frozenset[str]:
        """The canaries in it."""
        return frozenset(CANARY.findall(self.text))

    @property
    def masked(self) -> tuple[int, tuple[str, ...], str]:
        """All of it, without ids (which are drawn by lot) and times."""
        return self.status, self.headers, _ID.sub("", _TIMINGS.sub("", self.text))


@dataclass
class Written:
    """A document as the test wrote it."""

    key: int
    path: str
    text: str
    tier: str


@dataclass
class ServedWorld:
    """A data folder that is served, whose documents the test writes as it likes.

    Attributes:
        parts: Of the data folder.
        documents: That are live, by path.
        hidden: That are kept, and shown to nobody.
        n_canaries: Made so far.
        conversations: Id of one, by the tier of the reader whose it is.
    """

    parts: Citewell
    client: httpx.AsyncClient
    loop: asyncio.Runner
    draw: random.Random
    documents: dict[str, Written] = field(default_factory=dict[str, Written])
    hidden: list[Written] = field(default_factory=list[Written])
    n_canaries: int = 0
    conversations: dict[str, str] = field(default_factory=dict[str, str])

    def canary(self) -> str:
        """Return a word that stands nowhere yet."""
        self.n_canaries += 1
        return f"qz{self.n_canaries}x"

    def text(self) -> str:
        """Return one to three chunks, parted by bars, each with a canary of its own."""
        return "|".join(
            " ".join([*self.draw.choices(_WORDS, k=self.draw.randint(2, 12)), self.canary()])
            for _ in range(self.draw.randint(1, 3))
        )

    def question(self) -> str:
        """Return a question of one to four words."""
        return " ".join(self.draw.choices(_WORDS, k=self.draw.randint(1, 4)))

    def put(self, path: str, text: str, tier: str) -> None:
        """Add a document, or a new version of it."""
        staged, version = self.stage(path, text, tier)
        self.parts.catalog.documents.switch(staged, version)
        self.documents[path] = Written(staged.document_key, path, text, tier)

    def stage(self, path: str, text: str, tier: str) -> tuple[StagedVersion, NewVersion]:
        """Store a version that nobody may see yet."""
        document = ConvertedDocument(text=text, syntax="plain", title=f"Title of {path}")
        version, _ = prepare_version(
            document, Origin(SOURCE, _item(path), tier, "sha", "recipe"), chunk_document=cut_at_bars
        )
        return self.parts.catalog.documents.stage(version), version

    def delete(self, path: str) -> None:
        """Delete a document."""
        self.parts.catalog.documents.delete([self.documents.pop(path).key])

    def move(self, path: str, tier: str) -> None:
        """Give a document another tier."""
        written = self.documents[path]
        self.parts.catalog.documents.move(written.key, _item(path), tier=tier)
        written.tier = tier

    def clear(self) -> None:
        """Delete everything."""
        everything = [*self.documents.values(), *self.hidden]
        self.parts.catalog.documents.delete([each.key for each in everything])
        self.documents.clear()
        self.hidden.clear()
        self.settle()

    def settle(self) -> None:
        """Bring index and vectors up to the catalog."""
        filling = self.parts.vector_filling
        assert filling is not None
        filling.fill_vectors(progress=lambda _: None)
        self.parts.writer.settle()

    def hide(self, path: str) -> None:
        """Take a document away for as long as its source cannot be read."""
        self.parts.catalog.documents.hide([self.documents[path].key])
        self.hidden.append(self.documents.pop(path))

    def ask(
        self,
        door: Door,
        tier: str,
        question: str,
        *,
        ids: Mapping[str, str],
        narrowed_to: str | None = None,
    ) -> Reply:
        """Return what a reader of a tier gets at a door; `narrowed_to` is what it reads as."""
        path = re.sub(r"\{[^}]*\}", ids.get(door.takes, ""), door.path)
        body = door.body(question) if door.body else None
        if body and narrowed_to:
            place = body["params"]["arguments"] if "params" in body else body
            place["tier"] = narrowed_to
        shown = {"authorization": f"Bearer {tier}", "accept": _ACCEPTED}
        got = self.loop.run(self.client.request(door.method, path, json=body, headers=shown))
        headers = tuple(f"{name}: {got.headers.get(name)}" for name in _HEADERS)
        return Reply(got.status_code, headers, got.text)

    def converse(self, tier: str) -> None:
        """Let a reader of a tier begin a conversation and ask a few questions in it."""
        headers = {"authorization": f"Bearer {tier}"}
        begun = self.loop.run(self.client.post("/conversations", json={}, headers=headers))
        name = self.conversations[tier] = begun.json()["id"]
        for _ in range(3):
            asked = {**_asked(self.question()), "conversation_id": name}
            reply = self.loop.run(self.client.post("/ask", json=asked, headers=headers))
            assert reply.status_code == 200, reply.text

    def ids(self) -> list[tuple[str, str, str]]:
        """Return document, whole citation and path of all stored chunks, hidden ones too."""
        query = """
            SELECT documents.id,
                chunks.id || printf('-%x-%x', chunks.span_start, chunks.span_end),
                documents.relative_path
            FROM chunks JOIN documents ON documents.key = chunks.document_key ORDER BY chunks.key
        """
        connection = sqlite3.connect(self.parts.settings.catalog_path)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


def readable(tier: str) -> tuple[str, ...]:
    """Return the tiers that a reader of a tier may read."""
    return TIERS[: TIERS.index(tier) + 1]


def visible_canaries(world: ServedWorld, tier: str) -> frozenset[str]:
    """Return the canaries that a reader may see, by what the test wrote: the reference."""
    return frozenset(
        canary
        for each in world.documents.values()
        if each.tier in readable(tier)
        for canary in CANARY.findall(f"{each.path} {each.text}")
    )


@contextmanager
def served_world(folder: Path, *, seed: int) -> Iterator[ServedWorld]:
    """Serve an empty data folder, and close it."""
    settings = load_settings(
        {
            "data_dir": folder / "data",
            "access_tiers": ",".join(TIERS),
            "embedding_provider": "fake",
            "exact_search": "true",
            "server_requests_per_minute": str(_MANY),
            "server_questions_per_minute": str(_MANY),
        },
        environ={},
        folder=folder,
    )
    readers = ListedAuthenticator(
        {tier: Principal(f"reader-{tier}", tier, frozenset({"ask"}), "key") for tier in TIERS}
    )
    with open_citewell(settings, access="write", command="rag serve") as parts:
        parts.index.flush = lambda: None  # type: ignore[method-assign]  # it need not last
        parts.catalog.sources.register(Source(SOURCE, "world", "folder", "/world"))
        app = make_app(wire_server(parts, readers, hosts=["world"]))
        with asyncio.Runner() as loop:
            transport = httpx.ASGITransport(app, client=("10.0.0.7", 4711))
            client = httpx.AsyncClient(transport=transport, base_url="http://world", timeout=60)
            stopping, lasting = loop.run(_begin(app))
            try:
                yield ServedWorld(parts, client, loop, random.Random(seed))
            finally:
                stopping.set()
                loop.run(_end(client, lasting))


async def _begin(app: FastAPI) -> tuple[asyncio.Event, asyncio.Task[None]]:
    """Start an application in a task that lasts until the event is set."""
    started, stopping = asyncio.Event(), asyncio.Event()

    async def last() -> None:
        async with app.router.lifespan_context(app):
            started.set()
            await stopping.wait()

    lasting = asyncio.create_task(last())
    await started.wait()
    return stopping, lasting


async def _end(client: httpx.AsyncClient, lasting: asyncio.Task[None]) -> None:
    await client.aclose()
    await lasting


def _item(path: str) -> SourceItem:
    return SourceItem(path, 1, 1_767_225_600_000_000_000, path, "fingerprint")
