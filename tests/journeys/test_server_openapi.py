"""What the OpenAPI document says is what the server does, whatever it is sent."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from running_server import Client, answering_of, parts_of, running
from schemathesis import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from test_search_passages import put_notes

from citewell.testing.memory_index import MemoryIndex
from conftest import World

CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = 12
"""Requests for each route, of each kind: as documented, and against it."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    world = World(tmp_path_factory.mktemp("world"), MemoryIndex(dim=1024))
    put_notes(world)
    with running(parts_of(answering_of(world), world=world)) as client:
        yield client
    world.close()


@pytest.fixture(scope="module")
def document(client: Client) -> dict[str, Any]:
    return client.get("/openapi.json").json()


def operations(document: dict[str, Any]) -> list[APIOperation]:
    schema = schemathesis.openapi.from_dict(document)
    return [found.ok() for found in schema.get_all_operations()]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_whatever_is_sent_gets_what_is_documented(
    client: Client, document: dict[str, Any], mode: GenerationMode
) -> None:
    tried: set[str] = set()
    base_url = str(client.http.base_url)

    def send(case: schemathesis.Case) -> None:
        tried.add(f"{case.method} {case.path}")
        response = case.call(base_url=base_url, headers={"authorization": "Bearer operator-key"})
        case.validate_response(response, checks=CHECKS)

    for operation in operations(document):
        if mode is GenerationMode.NEGATIVE and takes_nothing(operation):
            continue
        settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            database=None,
        )(given(case=operation.as_strategy(generation_mode=mode))(send))()
    assert len(tried) >= (15 if mode is GenerationMode.POSITIVE else 8)


def takes_nothing(operation: APIOperation) -> bool:
    """Return whether there is nothing that a request could say wrongly."""
    return not (operation.body or operation.query or operation.path_parameters)


def test_document_tells_every_status_and_what_each_route_is_for(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            wanted = {"401", "403", "404", "405", "413", "421", "422", "429", "500", "503"}
            assert wanted <= set(operation["responses"]), (method, path)
            assert operation["description"], (method, path)


def test_document_says_how_to_show_a_key(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert document["security"] == [{"key": []}]
    assert document["paths"]["/health/live"]["get"]["security"] == []


def test_examples_of_the_document_work(client: Client, document: dict[str, Any]) -> None:
    for path, body in (
        ("/search", "SearchBody"),
        ("/ask", "AskBody"),
        ("/v1/chat/completions", "ChatBody"),
    ):
        (example,) = document["components"]["schemas"][body]["examples"]
        response: httpx.Response = client.post(path, example)
        assert response.status_code == 200, response.text
