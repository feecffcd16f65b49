"""Each condition of access, taken away, turns an oracle of the doors red."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from served_world import ServedWorld, served_world
from sqlalchemy import ColumnElement, and_, func, select
from test_doors_leak_nothing import try_doors
from test_twin_worlds import compare_many
from tiered_worlds import TIERS

from citewell.adapters.catalogs.sqlite import passages
from citewell.adapters.catalogs.sqlite.listed import listed
from citewell.adapters.catalogs.sqlite.schema import (
    chunks,
    documents,
    term_frequencies,
    tier_statistics,
)
from citewell.adapters.conversation_stores.sqlite_conversations import SqliteConversations
from citewell.conversations import keep_conversations
from citewell.domain.answer import Citation
from citewell.domain.clearance import Clearance, Principal
from citewell.domain.conversation import Thread
from citewell.server import parts

_TRIALS = 600
_WORLDS = 60
_IS_LIVE = documents.c.is_live
_IS_CURRENT = chunks.c.generation == documents.c.generation
_IS_READABLE = documents.c.tier.in_(listed("tiers"))


def without(*conditions: ColumnElement[bool]) -> Callable[[], ColumnElement[bool]]:
    return lambda: and_(*conditions)


def everything(principal: Principal, **_: object) -> Clearance:
    return Clearance(TIERS)


def not_narrowed(principal: Principal, **_: object) -> Clearance:
    return Clearance(TIERS[: TIERS.index(principal.tier) + 1])


def as_it_was(citation: Citation, _chunk: object) -> Citation:
    return citation


def of_anybody(store: SqliteConversations, _owner: str, conversation_id: str) -> Thread | None:
    with store._reading() as connection:
        return store._thread(connection, "? = '' AND id = ?", "", conversation_id)


LEAKS = {
    "the tier": (passages, "visible", without(_IS_LIVE, _IS_CURRENT)),
    "the version": (passages, "visible", without(_IS_LIVE, _IS_READABLE)),
    "whether it is live": (passages, "visible", without(_IS_CURRENT, _IS_READABLE)),
    "the clearance of who asks": (parts, "clearance_of", everything),
    "the narrower tier": (parts, "clearance_of", not_narrowed),
    "the check of old citations": (keep_conversations, "recite", as_it_was),
    "the owner of a conversation": (SqliteConversations, "find", of_anybody),
}
HINTS = {
    "the tier of term statistics": (
        passages,
        "_FREQUENCIES",
        select(term_frequencies.c.term, func.sum(term_frequencies.c.n_chunks))
        .where(term_frequencies.c.term.in_(listed("terms")))
        .group_by(term_frequencies.c.term),
    ),
    "the tier of the number of chunks": (
        passages,
        "_N_CHUNKS",
        select(func.coalesce(func.sum(tier_statistics.c.n_chunks), 0)),
    ),
}


@pytest.mark.parametrize("condition", LEAKS)
def test_a_missing_condition_leaks_text(
    condition: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert_goes_red(LEAKS[condition], lambda w: try_doors(w, _TRIALS), monkeypatch, tmp_path)


@pytest.mark.parametrize("condition", HINTS)
def test_a_missing_condition_shows_in_what_a_reader_gets(
    condition: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert_goes_red(HINTS[condition], lambda w: compare_many(w, _WORLDS), monkeypatch, tmp_path)


def assert_goes_red(
    mutation: tuple[Any, str, object],
    oracle: Callable[[ServedWorld], object],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> None:
    monkeypatch.setattr(*mutation)
    with served_world(folder, seed=1) as world, pytest.raises(AssertionError):
        oracle(world)
