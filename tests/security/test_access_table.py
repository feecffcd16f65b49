"""Every route has a row that says who may call it, and the server does what the rows say."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Route
from starlette.testclient import TestClient
from typer.main import get_command

from citewell.cli.main import app, main
from citewell.domain.clearance import Principal, Scope
from citewell.server import access_table
from citewell.server.access_table import ROWS, AccessRow
from citewell.server.app import make_app
from citewell.server.guarded_route import GuardedApp, GuardedRoute
from citewell.server.limits import LimitOptions, QuestionPlaces
from citewell.server.parts import ServerParts
from citewell.server.races import Ending
from citewell.testing.listed_authenticator import ListedAuthenticator

TIERS = ("employee", "director")
SCOPES: tuple[Scope, ...] = ("ask", "sync", "admin")
WIDE = LimitOptions(
    requests_per_minute=10_000,
    questions_per_minute=10_000,
    questions_per_principal=10,
    questions_at_once=10,
    questions_waiting=10,
    waiting_s=1,
)
"""One key for each set of scopes."""
KEYS: dict[str, Principal] = {
    "+".join(sorted(scopes)) or "nothing": Principal(
        "+".join(sorted(scopes)), "director", scopes=frozenset(scopes), kind="key"
    )
    for scopes in (
        (),
        ("ask",),
        ("sync",),
        ("admin",),
        ("ask", "sync"),
        ("ask", "admin"),
        ("sync", "admin"),
        SCOPES,
    )
}


class ReachedError(Exception):
    """A route was let to work with its parts."""


class Anything:
    """Parts of which none can be used: whoever tries has got past the door."""

    def __getattr__(self, name: str) -> Any:
        raise ReachedError

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise ReachedError


def make_server() -> FastAPI:
    """Return a server whose routes reach nothing."""
    authenticator = ListedAuthenticator(KEYS)
    nothing: Any = Anything()
    parts = ServerParts(
        **dict.fromkeys(ServerParts.__dataclass_fields__, nothing)
        | {
            "tiers": TIERS,
            "hosts": frozenset({"testserver"}),
            "origins": frozenset(),
            "top_k": 5,
            "authenticator": authenticator,
            "limits": WIDE,
            "places": QuestionPlaces(WIDE),
            "ending": Ending(authenticator, answer_s=5, shutdown_s=0),
            "heartbeat_s": 10.0,
        }
    )
    return make_app(parts)


def routes_of(routes: list[BaseRoute]) -> Iterator[tuple[str, str]]:
    """Yield method and path of every route, those of included routers too."""
    for route in routes:
        inner = getattr(route, "original_router", None) or getattr(route, "app", None)
        if isinstance(route, Route):
            yield from ((method, route.path) for method in route.methods or () if method != "HEAD")
        elif inner is not None and hasattr(inner, "routes"):
            yield from routes_of(list(inner.routes))
        else:
            raise AssertionError(f"a route of an unknown kind: {route!r}")


def call(client: TestClient, row: AccessRow, key: str | None) -> httpx.Response:
    """Call the route of a row with a body that every route takes or leaves alone."""
    path = row.path.replace("{citation_id}", f"{'0' * 32}-0-5")
    path = path.replace("{", "").replace("}", "")
    headers = {"content-type": "application/json"}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    body = {"query": "q"} if row.path == "/search" else {"question": "q"}
    if row.path.startswith("/v1/"):
        body = {"messages": [{"role": "user", "content": "q"}]}  # type: ignore[dict-item]
    if row.path.startswith("/conversations"):
        body = {"title": "t"}
    if row.path == "/feedback":
        body = {"request_id": "r", "verdict": "up"}
    content = json.dumps(body) if row.method in {"POST", "PUT", "PATCH"} else None
    return client.request(row.method, path, headers=headers, content=content)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_server()) as client:
        yield client


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    routes = set(routes_of(make_server().routes))
    assert routes == {(row.method, row.path) for row in ROWS}
    assert len(routes) > 10


def test_every_path_that_is_described_has_a_row() -> None:
    described = {
        (method.upper(), path)
        for path, methods in make_server().openapi()["paths"].items()
        for method in methods
    }
    elsewhere = {("GET", "/openapi.json"), ("POST", "/mcp")}  # MCP describes its tools itself
    assert described == {(row.method, row.path) for row in ROWS} - elsewhere


def test_route_without_a_row_cannot_be_made() -> None:
    router = APIRouter(route_class=GuardedRoute)
    with pytest.raises(LookupError):
        router.get("/secrets")(lambda: "secret")
    with pytest.raises(LookupError):
        GuardedApp(router, method="GET", path="/secrets")


def test_every_route_asks_the_table() -> None:
    guarded = {(m, r.path) for r in all_routes() for m in r.methods or ()}
    assert guarded == {(row.method, row.path) for row in ROWS} - {("GET", "/openapi.json")}


def all_routes() -> Iterator[Route]:
    """Yield the guarded routes of the server."""

    def walk(routes: list[BaseRoute]) -> Iterator[Route]:
        for route in routes:
            is_guarded = isinstance(getattr(route, "endpoint", None), GuardedApp)
            if isinstance(route, GuardedRoute) or (isinstance(route, Route) and is_guarded):
                yield route
            inner = getattr(route, "original_router", None)
            if inner is not None and not isinstance(route, APIRoute):
                yield from walk(list(inner.routes))

    yield from walk(make_server().routes)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_route_lets_those_in_whom_its_row_names(client: TestClient, row: AccessRow) -> None:
    unknown = replace(row, path="/no/such/route")
    stranger = call(client, row, None)
    if row.scope is None:
        assert stranger.status_code != 401
        return
    wrong = call(client, row, "unknown")
    for refused in (stranger, wrong, call(client, unknown, None)):
        assert refused.status_code == 401
        assert refused.json()["error"] == stranger.json()["error"]
    nothing_there = call(client, unknown, "admin+ask+sync").json()["error"]
    for key, principal in KEYS.items():
        response = call(client, row, key)
        if row.scope in principal.scopes:
            assert response.status_code not in {401, 403, 404, 405, 422}, (key, response.text)
        else:
            assert (response.status_code, response.json()["error"]) == (404, nothing_there)


def test_scope_is_asked_before_anything_of_a_request_is_read(client: TestClient) -> None:
    headers = {"authorization": "Bearer sync", "content-type": "application/json"}
    assert client.post("/ask", content=b"{", headers=headers).status_code == 404
    headers["authorization"] = "Bearer ask"
    assert client.post("/ask", content=b"{", headers=headers).status_code == 422


def test_open_paths_are_those_that_tell_nothing_of_documents() -> None:
    assert access_table.open_paths() == {"/openapi.json", "/health/live", "/health/ready"}


def commands_of(group: Any, before: str = "") -> Iterator[str]:
    """Yield the names of all commands, those of groups too."""
    for name, command in group.commands.items():
        full = f"{before} {name}".strip()
        if not hasattr(command, "commands"):
            yield full
            continue
        if command.invoke_without_command:
            yield full
        yield from commands_of(command, full)


def test_every_command_has_a_row_and_every_row_a_command() -> None:
    assert set(commands_of(get_command(app))) == set(access_table.COMMANDS)


def test_commands_keep_the_data_folder_to_its_owner(tmp_path: Path) -> None:
    env = tmp_path / "settings.env"
    env.write_text("EMBEDDING_PROVIDER=none\n", encoding="utf-8")
    data = tmp_path / "data"
    with pytest.raises(SystemExit) as ended:
        main(["sources", "--json", "--data-dir", str(data), "--env-file", str(env)])
    assert ended.value.code == 0
    assert data.stat().st_mode & 0o777 == 0o700
