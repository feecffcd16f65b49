from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewell.adapters.conversation_stores.sqlite_conversations import SqliteConversations
from citewell.ports.conversation_store import ConversationStore
from citewell.testing.conversation_store_contract import (
    LIMITS,
    ConversationStoreContract,
    SetTime,
)


@pytest.fixture
def clock() -> SetTime:
    return SetTime()


class TestSqliteConversations(ConversationStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path, clock: SetTime) -> Iterator[ConversationStore]:
        store = SqliteConversations(tmp_path / "c.sqlite3", limits=LIMITS, now=clock)
        yield store
        store.close()
