"""A real server in a thread, on the small world of the journeys."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx

from citewell.adapters.conversation_stores.sqlite_conversations import SqliteConversations
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.answering.answer_question import Answering
from citewell.conversations.keep_conversations import Conversations
from citewell.domain.clearance import Principal
from citewell.ingestion.watch_source import SyncRequest
from citewell.load_settings import load_settings
from citewell.ports.passage_reader import PassageReader
from citewell.retrieval.assess import CalibratedJudge, load_gate
from citewell.retrieval.background import BackgroundSampler
from citewell.retrieval.search_legs import SearchLegs
from citewell.retrieval.search_passages import PassageSearch
from citewell.server.app import make_app
from citewell.server.health import Health
from citewell.server.limits import LimitOptions, QuestionPlaces
from citewell.server.parts import ServerParts
from citewell.server.races import Ending
from citewell.server.serve import CitewellServer, config_for, listen
from citewell.testing.listed_authenticator import ListedAuthenticator
from citewell.testing.memory_index import MemoryIndex
from citewell.wire_answers import make_answering
from conftest import TIERS, World

JUDGE = CalibratedJudge(load_gate(FakeLexicalEmbedder().model.key))
EVERYTHING = frozenset({"ask", "sync", "admin"})
PRINCIPALS = {
    "reader-key": Principal("reader", "employee", kind="key", credential_id="k1"),
    "chief-key": Principal("chief", "director", kind="key", credential_id="k2"),
    "operator-key": Principal(
        "operator", "director", scopes=EVERYTHING, kind="key", credential_id="k3"
    ),
}
LIMITS = LimitOptions(
    requests_per_minute=10_000,
    questions_per_minute=10_000,
    questions_per_principal=100,
    questions_at_once=4,
    questions_waiting=100,
    waiting_s=30,
)


def answering_of(world: World) -> Answering:
    """Return what answers from a world, with quotes."""
    search = PassageSearch(
        reader=world.catalog.passages,
        legs=SearchLegs(world.catalog.passages, world.index, exact=True),
        embedder=world.embedder,
        vectors=world.vectors,
        background=BackgroundSampler(world.catalog.passages, world.vectors),
        judge=JUDGE,
    )
    return make_answering(
        load_settings(environ={}, folder=Path("/")),
        search=search,
        reader=world.catalog.passages,
        embedder=world.embedder,
        model=None,
    )


class ListedSyncs:
    """Remembers which syncs were asked for, and says of each that it has begun and ended."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, SyncRequest]] = []
        self.error: Exception | None = None

    def __call__(self, source_id: str, request: SyncRequest) -> None:
        if self.error is not None:
            raise self.error
        self.asked.append((source_id, request))
        run_id = f"run-{len(self.asked)}"
        request.begun.set_result(run_id)
        request.ended.set_result(run_id)


def library_parts(world: World) -> dict[str, Any]:
    """Return the parts that show documents and sources of a world."""
    catalog = world.catalog
    return {
        "passages": catalog.passages,
        "library": catalog.library,
        "sources": catalog.sources,
        "runs": catalog.runs,
        "health": Health(
            tiers=TIERS,
            sources=catalog.sources,
            passages=catalog.passages,
            pending=catalog.pending,
            index=world.index,
            embedder=world.embedder,
            embedder_notice="",
            language_model=None,
            can_reach_model=_nobody_there,
            is_model_configured=lambda: False,
        ),
    }


async def _nobody_there() -> bool:
    return False


def _conversations_of(answering: Answering) -> Conversations:
    """Return conversations that are kept in memory; what answers may be no whole answering."""
    reader = getattr(answering, "reader", None)
    return Conversations(SqliteConversations(Path(":memory:")), cast("PassageReader", reader))


def parts_of(
    answering: Answering,
    *,
    world: World | None = None,
    authenticator: ListedAuthenticator | None = None,
    limits: LimitOptions = LIMITS,
    shutdown_s: float = 0.0,
    **more: Any,
) -> ServerParts:
    """Return the parts of a server."""
    authenticator = authenticator or ListedAuthenticator(PRINCIPALS)
    parts: dict[str, Any] = {
        "tiers": TIERS,
        "hosts": frozenset({"127.0.0.1"}),
        "origins": frozenset({"https://chat.example.com"}),
        "top_k": 5,
        "authenticator": authenticator,
        "searching": lambda: answering.search,
        "answering": lambda: answering,
        "passages": None,
        "library": None,
        "sources": None,
        "runs": None,
        "health": None,
        "syncs": ListedSyncs(),
        "conversations": _conversations_of(answering),
        "limits": limits,
        "places": QuestionPlaces(limits),
        "ending": Ending(authenticator, answer_s=60, shutdown_s=shutdown_s, ask_again_s=0.1),
    }
    return ServerParts(**(parts | (library_parts(world) if world else {}) | more))


@dataclass
class Client:
    """Calls a running server as one principal."""

    http: httpx.Client
    server: CitewellServer
    closing: ExitStack

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return self.http.post(path, json=body, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.http.get(path, **more)

    def events(self, path: str, body: Any) -> list[tuple[str, Any]]:
        """Return the events of a stream, comments as `("", text)`."""
        with self.http.stream("POST", path, json=body) as response:
            assert response.status_code == 200, response.read()
            return list(parse_events(response.iter_lines()))

    def as_(self, key: str | None) -> "Client":
        """Return the same as another principal."""
        headers = {"authorization": f"Bearer {key}"} if key else {}
        http = httpx.Client(base_url=self.http.base_url, headers=headers, timeout=60)
        return Client(self.closing.enter_context(http), self.server, self.closing)


def parse_events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield name and data of each server-sent event."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        elif line.startswith(":"):
            yield "", line


@contextmanager
def running_world(folder: Path, fill: Callable[[World], None]) -> Iterator[Client]:
    """Serve a world of its own while it is entered."""
    world = World(folder, MemoryIndex(dim=1024))
    fill(world)
    with running(parts_of(answering_of(world), world=world)) as client:
        yield client
    world.close()


@contextmanager
def running(parts: ServerParts, key: str | None = "operator-key") -> Iterator[Client]:
    """Serve in a thread while it is entered."""
    sockets = listen("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    begun = threading.Event()
    config = config_for(make_app(parts), shutdown_s=1)
    server = CitewellServer(config, stopping=parts.ending.stopping, begun=begun.set)
    thread = threading.Thread(target=server.run, args=[sockets])
    thread.start()
    assert begun.wait(30)
    closing = ExitStack()
    try:
        nobody = closing.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}"))
        yield Client(nobody, server, closing).as_(key)
    finally:
        closing.close()
        server.should_exit = True
        thread.join()
        for socket in sockets:
            socket.close()
