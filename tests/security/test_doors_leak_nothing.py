"""Over every door a reader gets what the rules give it, and nothing else.

The worlds, readers, doors and questions are drawn by lot; `script/security` runs many thousands.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator

import pytest
from served_world import DOORS, ServedWorld, readable, served_world, visible_canaries
from tiered_worlds import TIERS

from citewell.server import access_table

_TRIALS_PER_WORLD = 40


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[ServedWorld]:
    seed = request.config.getoption("--seed") or secrets.randbelow(2**32)
    sys.stdout.write(f"worlds: --seed {seed}\n")
    with served_world(tmp_path_factory.mktemp("served"), seed=seed) as world:
        yield world


def test_every_route_of_a_reader_is_a_door_here() -> None:
    wanted = {(row.method, row.path) for row in access_table.ROWS if row.scope in {"ask", None}}
    assert {(door.method, door.path) for door in DOORS} == wanted


def test_questions_at_every_door_find_text(world: ServedWorld) -> None:
    world.clear()
    world.put("0.md", f"salary forecast of the board {world.canary()}", "employee")
    world.settle()
    canary = f"qz{world.n_canaries}x"
    asking = [door for door in DOORS if door.body and door.body("") != door.body("salary")]
    for door in asking:
        reply = world.ask(door, "employee", "salary forecast of the board", ids={})
        assert (reply.status, canary in reply.text) == (200, True), (door, reply.text)
    assert len(asking) == 8


def test_no_door_gives_what_the_reference_hides(
    world: ServedWorld, request: pytest.FixtureRequest
) -> None:
    n_trials = request.config.getoption("--leak-trials")
    assert try_doors(world, n_trials) > n_trials / 10, "hardly any reply had text in it"


def try_doors(world: ServedWorld, n_trials: int) -> int:
    """Ask so many times, fail on a leak, and return how many replies had text in them."""
    n_found = 0
    for trial in range(n_trials):
        if trial % _TRIALS_PER_WORLD == 0:
            fill(world)
        n_found += try_a_door(world)
    return n_found


def fill(world: ServedWorld) -> None:
    """Make a new world: documents of all tiers, some edited, deleted, moved, hidden, unfinished."""
    draw = world.draw
    world.clear()
    for number in range(draw.randint(6, 18)):
        world.put(f"{world.canary()}/{number}.md", world.text(), draw.choice(TIERS))
    of_all = f"{world.canary()}/all.md"
    world.put(of_all, world.text(), "employee")  # so that there is something for everyone
    world.settle()
    for tier in TIERS:
        world.converse(tier)
    for path in draw.sample(sorted(world.documents.keys() - {of_all}), k=5):
        match draw.choice(["edit", "delete", "move", "stage", "hide"]):
            case "edit":
                world.put(path, world.text(), draw.choice(TIERS))
            case "delete":
                world.delete(path)
            case "hide":
                world.hide(path)
            case "move":
                world.move(path, draw.choice(TIERS))
            case _:
                world.stage(path, world.text(), draw.choice(TIERS))
    if draw.random() < 0.9:  # else the index lags behind the catalog
        world.settle()


def try_a_door(world: ServedWorld) -> bool:
    """Ask once, fail on a leak, and return whether the reply had text of documents in it."""
    draw = world.draw
    door, tier = draw.choice(DOORS), draw.choice(TIERS)
    document_id, chunk_id, path = draw.choice(world.ids())
    any_canary = f"qz{draw.randint(1, world.n_canaries)}x"
    question = draw.choice([world.question(), any_canary, path, f"{world.question()} {any_canary}"])
    as_tier = draw.choice([None, None, *TIERS]) if door.body else None
    owner = draw.choice(TIERS)  # of the conversation, often another one
    ids = {
        "document": document_id,
        "chunk": chunk_id,
        "conversation": world.conversations[owner],
    }
    reply = world.ask(door, tier, question, ids=ids, narrowed_to=as_tier)
    allowed = frozenset[str]()
    if as_tier is None or as_tier in readable(tier):
        allowed = visible_canaries(world, as_tier or tier)
    assert reply.canaries <= allowed, (door.path, tier, question, reply.text)
    assert reply.status < 500, (door.path, tier, question, reply.text)
    if door.takes == "conversation" and owner != tier:
        assert reply.status == 404, (door.path, tier, owner, reply.text)
    if door.path == "/search" and question in allowed and reply.status == 200:
        assert question in reply.canaries or is_in_title(world, question), (tier, question)
    return bool(reply.canaries)


def is_in_title(world: ServedWorld, canary: str) -> bool:
    return any(canary in path for path in world.documents)


def test_a_hidden_id_is_answered_like_one_that_never_was(world: ServedWorld) -> None:
    fill(world)
    hidden = [
        {"document": document_id, "chunk": chunk_id}
        for document_id, chunk_id, path in world.ids()
        if path in world.documents and world.documents[path].tier not in readable("employee")
    ]
    absent = {"document": "0" * 32, "chunk": "0" * 32}
    for door in DOORS:
        if door.takes:
            nothing = world.ask(door, "employee", "", ids=absent)
            assert nothing.status == 404
            for ids in hidden:
                assert world.ask(door, "employee", "", ids=ids).masked == nothing.masked
