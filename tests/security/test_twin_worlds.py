"""Two worlds that differ only above the reader's clearance answer with the same bytes.

Ids and times are masked. `script/security` compares many thousands of worlds.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator

import pytest
from served_world import DOORS, Reply, ServedWorld, readable, served_world
from tiered_worlds import TIERS

_QUESTIONS = 1


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[ServedWorld]:
    seed = request.config.getoption("--seed") or secrets.randbelow(2**32)
    sys.stdout.write(f"worlds: --seed {seed}\n")
    with served_world(tmp_path_factory.mktemp("twins"), seed=seed) as world:
        yield world


def test_nothing_that_changes_above_the_reader_changes_what_it_gets(
    world: ServedWorld, request: pytest.FixtureRequest
) -> None:
    compare_many(world, request.config.getoption("--twin-worlds"))


def compare_many(world: ServedWorld, n_worlds: int) -> None:
    """Fail on a difference in any of so many worlds."""
    for _ in range(n_worlds):
        compare_twins(world)


def compare_twins(world: ServedWorld) -> None:
    """Compare what a reader gets before and after hidden documents changed."""
    draw = world.draw
    tier = draw.choice(TIERS[:-1])
    above = [each for each in TIERS if each not in readable(tier)]
    world.clear()
    for number in range(draw.randint(3, 9)):
        world.put(f"{number}.md", world.text(), draw.choice(readable(tier)))
    for number in range(draw.randint(0, 6)):
        world.put(f"above/{number}.md", world.text(), draw.choice(above))
    world.settle()
    world.converse(tier)
    questions = [world.question() for _ in range(_QUESTIONS)]
    before = all_replies(world, tier, questions)
    for _ in range(draw.randint(1, 4)):
        change_above(world, above)
    world.settle()
    after = all_replies(world, tier, questions)
    for name, reply in before.items():
        assert after[name].masked == reply.masked, (name, tier)


def change_above(world: ServedWorld, above: list[str]) -> None:
    """Add, edit, delete or move one document that the reader may not see."""
    draw = world.draw
    hidden = sorted(path for path, each in world.documents.items() if each.tier in above)
    action = draw.choice(["add", "stage", *(["edit", "delete", "move"] if hidden else [])])
    match action:
        case "add":
            world.put(f"above/{world.canary()}.md", world.text(), draw.choice(above))
        case "stage":
            world.stage(f"above/{world.canary()}.md", world.text(), draw.choice(above))
        case "edit":
            world.put(draw.choice(hidden), world.text(), draw.choice(above))
        case "delete":
            world.delete(draw.choice(hidden))
        case _:
            world.move(draw.choice(hidden), draw.choice(above))


def all_replies(world: ServedWorld, tier: str, questions: list[str]) -> dict[str, Reply]:
    """Return what a reader gets at every door, with ids of documents that it may see."""
    conversation = world.conversations.get(tier, "")
    ids = {
        path: {"document": document_id, "chunk": chunk_id, "conversation": conversation}
        for document_id, chunk_id, path in world.ids()
    }
    seen = ids["0.md"]
    return {
        f"{door.method} {door.path} {question}": world.ask(door, tier, question, ids=seen)
        for door in DOORS
        for question in (questions if door.body else [""])
    }


def test_a_reader_of_all_tiers_sees_the_change(world: ServedWorld) -> None:
    world.clear()
    world.put("0.md", "salary forecast", "employee")
    world.settle()
    before = all_replies(world, "director", ["salary"])
    world.put("above/1.md", f"salary of the board {world.canary()}", "director")
    world.settle()
    after = all_replies(world, "director", ["salary"])
    changed = {name for name in before if before[name].masked != after[name].masked}
    assert {"POST /search salary", "POST /ask salary"} <= changed
