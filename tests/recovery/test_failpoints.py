"""Whatever fails wherever, one more sync makes everything as if nothing had happened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from recovering import (
    OUTLIVED,
    TIERS,
    TOLD,
    fork_server,
    in_process,
    move_source,
    run_and_meet,
    run_to_the_end,
    snapshot,
    visible_texts,
)

from citewell.domain.failpoints import Failpoint, reach
from citewell.testing.failpoints import FAILPOINTS, FAULTS, Fault, armed

DOCUMENTS = {
    "employee/alpha.md": "# Alpha\n\nThe plan alpha is for all.\n\n# More\n\nalpha again\n",
    "employee/other.md": "# Other\n\nNothing that changes: gamma.\n",
    "manager/beta.md": "# Beta\n\nThe salary beta is for managers.\n",
    "director/gamma.md": "# Gamma\n\nThe plan of the year is for directors.\n",
}


def create(docs: Path) -> None:
    (docs / "director/new.md").write_text("# New\n\nA secret salary, new this year.\n")


def edit(docs: Path) -> None:
    (docs / "employee/alpha.md").write_text("# Alpha\n\nThe plan is another one: beta.\n")


def delete(docs: Path) -> None:
    (docs / "manager/beta.md").unlink()


def rename(docs: Path) -> None:
    (docs / "employee/alpha.md").rename(docs / "employee/renamed.md")


def raise_tier(docs: Path) -> None:
    (docs / "employee/alpha.md").rename(docs / "director/alpha.md")


OPERATIONS = (create, edit, delete, rename, raise_tier)
NOT_MET = {
    "delete": {"opened", "half-read", "hashed", "converted", "chunked", "staged"}
    | {"lexical-written", "committed", "old-deleted"}
    | {"embedded", "vectors-kept", "vectors-recorded", "dense-written"},
    "rename": {"converted", "chunked", "staged", "lexical-written", "committed", "old-deleted"}
    | {"embedded", "vectors-kept", "vectors-recorded", "dense-written", "erased"},
    "create": {"erased"},
    "edit": {"erased"},
}
NOT_MET["raise_tier"] = NOT_MET["rename"]
NOT_MET["rename"] = NOT_MET["rename"] | {"flushed", "settled"}
"""Failpoints that an operation has no reason to reach."""


ENDS = {"kill": {-9}, "cancel": {TOLD}, "raise": {TOLD, OUTLIVED}}
"""How a process may end at a fault: what only looks for a move takes an error for "no move"."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a world in step with its folder."""
    home = tmp_path_factory.mktemp("built")
    for path, text in DOCUMENTS.items():
        (home / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (home / "docs" / path).write_text(text)
    assert in_process(fork_server(), run_to_the_end, home) == 0
    return home


@pytest.fixture(scope="module")
def fresh(
    built: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Callable[[Path], None]], dict[str, Any]]:
    """Return what a world is like that was built after an operation, from nothing."""

    @cache
    def build(operation: Callable[[Path], None]) -> dict[str, Any]:
        home = tmp_path_factory.mktemp("fresh")
        shutil.copytree(built / "docs", home / "docs", copy_function=shutil.copy2)
        operation(home / "docs")
        assert in_process(fork_server(), run_to_the_end, home) == 0
        return snapshot(home)

    return build


def files_of(docs: Path) -> dict[str, str]:
    return {str(path.relative_to(docs)): path.read_text() for path in docs.rglob("*.md")}


def readable(
    before: dict[str, str], after: dict[str, str], *, tier: str, is_hidden: bool
) -> list[str]:
    """Return the files whose text a tier may read: those of now, and those of before.

    Once what went is hidden, of those of before only the ones that were edited where they lie.
    """
    tiers = TIERS[: TIERS.index(tier) + 1]
    old = {path: text for path, text in before.items() if not is_hidden or path in after}
    return [
        text for path, text in (*after.items(), *old.items()) if path.partition("/")[0] in tiers
    ]


def cases() -> list[Any]:
    return [
        pytest.param(operation, failpoint, fault, id=f"{operation.__name__}-{failpoint}-{fault}")
        for operation in OPERATIONS
        for failpoint in FAILPOINTS
        if failpoint not in NOT_MET[operation.__name__]
        for fault in FAULTS
    ]


@pytest.mark.parametrize(("operation", "failpoint", "fault"), cases())
def test_one_sync_later_everything_is_as_if_built_anew(
    built: Path,
    fresh: Callable[[Callable[[Path], None]], dict[str, Any]],
    tmp_path: Path,
    operation: Callable[[Path], None],
    failpoint: Failpoint,
    fault: Fault,
) -> None:
    for name in ("docs", "data"):
        shutil.copytree(built / name, tmp_path / name, copy_function=shutil.copy2)
    move_source(tmp_path)
    before = files_of(tmp_path / "docs")
    operation(tmp_path / "docs")
    server = fork_server()
    ended = in_process(server, run_and_meet, tmp_path, failpoint, fault, 1)
    assert ended in ENDS[fault], "the failpoint was not reached"
    after = files_of(tmp_path / "docs")
    for tier in TIERS:
        allowed = readable(before, after, tier=tier, is_hidden=failpoint != "discovered")
        for text in visible_texts(tmp_path, tier):
            assert any(text in whole for whole in allowed), f"{tier} may not read: {text}"
    assert in_process(server, run_to_the_end, tmp_path) == 0
    assert snapshot(tmp_path) == fresh(operation)


def test_unarmed_failpoints_do_nothing(built: Path, tmp_path: Path) -> None:
    for name in ("docs", "data"):
        shutil.copytree(built / name, tmp_path / name, copy_function=shutil.copy2)
    move_source(tmp_path)
    assert in_process(fork_server(), run_to_the_end, tmp_path) == 0
    assert snapshot(tmp_path) == snapshot(built)


def test_fault_happens_at_the_nth_time_only() -> None:
    met: list[str] = []
    with armed("staged", lambda: met.append("met"), nth=2) as reached:
        for name in ("staged", "committed", "staged", "staged"):
            reach(name)
    reach("staged")
    assert (met, reached) == (["met"], ["staged", "committed", "staged", "staged"])
