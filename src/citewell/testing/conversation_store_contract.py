"""What every store of conversations must keep; give it the fixtures `store` and `clock`."""

# ruff: noqa: D102, S101 - these are tests: their names state the facts, asserts are their means

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.domain.conversation import (
    CitedChunk,
    Conversation,
    Feedback,
    KeepingLimits,
    KeptTurn,
    Thread,
)
from citewell.domain.errors import UsageError
from citewell.ports.conversation_store import ConversationStore

LIMITS = KeepingLimits(
    max_conversations=3, max_turns=3, max_bytes=40_000, max_age_s=60.0, max_answers=3
)
"""Those of the fixture `store`."""

_START = datetime(2026, 1, 31, 12, tzinfo=UTC)


class SetTime:
    """A clock that a test sets; the fixture `store` tells the time by it."""

    def __init__(self) -> None:
        """Start at some noon."""
        self.now = _START

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def pass_by(self, seconds: float) -> str:
        """Let time pass, and return it as ISO 8601."""
        self.now += timedelta(seconds=seconds)
        return self.iso()

    def iso(self) -> str:
        """Return the time as ISO 8601 in UTC."""
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def cited_turn(
    name: str = "a1", *, at: str = "2026-01-31T12:00:00.000Z", chunk_id: str = "c1"
) -> KeptTurn:
    """Return a turn with every field of its answer filled."""
    citation = Citation(
        n=1,
        citation_id=f"{chunk_id}-0-9",
        tag="[s.vault:a%2Fb.md/Limits]",
        source_name="handbook",
        source_type="vault",
        source_id="a/b.md",
        location="Limits",
        document_id="d1",
        chunk_id=chunk_id,
        heading_path=("Atlas", "Limits"),
        page=3,
        paragraph=2,
        span=(0, 9),
        quote="500 rows,\n导出 “x” \\ \U0001f600",
        tier="staff",
        score=0.87,
        table_header="Rows",
    )
    answer = Answer(
        mode="rag",
        confidence=0.9,
        text="It is 500 rows. [1]",
        sentences=(Sentence("It is 500 rows.", "claim", (1,)),),
        citations=(citation,),
        grounding=Grounding(has_citations=True, citations_valid=True),
        notice="vectors lag",
    )
    return KeptTurn(name, at, ("staff",), "How many rows?", answer)


class ConversationStoreContract:
    """Facts about a store with the limits `LIMITS`."""

    def begin(
        self, store: ConversationStore, clock: SetTime, name: str = "t1", owner: str = "ann"
    ) -> Conversation:
        at = clock.iso()
        conversation = Conversation(name, "", at, at, 0)
        assert store.begin(owner, conversation)
        return conversation

    def names(self, store: ConversationStore, owner: str = "ann") -> list[str]:
        return [conversation.id for conversation in store.page(owner, limit=100).conversations]

    def test_conversation_is_kept_word_for_word(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        begun = self.begin(store, clock)
        turn = cited_turn(at=clock.pass_by(1))
        assert store.keep("ann", turn, conversation_id="t1", title="Rows")
        kept = replace(begun, title="Rows", updated_at=turn.at, n_turns=1)
        assert store.find("ann", "t1") == Thread(kept, (turn,))
        assert store.page("ann", limit=5).conversations == [kept]

    def test_conversation_keeps_the_title_that_it_has(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        assert store.rename("ann", "t1", "Mine")
        store.keep("ann", cited_turn(), conversation_id="t1", title="Rows")
        found = store.find("ann", "t1")
        assert found is not None
        assert found.conversation.title == "Mine"

    def test_of_another_owner_is_as_if_it_were_not_there(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(), conversation_id="t1")
        for name in ("t1", "t2"):
            assert store.find("bob", name) is None
            assert store.room_for_turn("bob", name) is None
            assert not store.rename("bob", name, "Bob's")
            assert not store.keep("bob", cited_turn("a2"), conversation_id=name)
            assert not store.delete("bob", name)
        assert not store.give_feedback("bob", "a1", Feedback("up", "", clock.iso()))
        assert self.names(store, "bob") == []
        assert self.names(store) == ["t1"]

    def test_pages_show_every_conversation_once_the_last_used_first(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        for name in ("t1", "t2", "t3"):
            self.begin(store, clock, name)
            clock.pass_by(1)
        store.keep("ann", cited_turn(at=clock.iso()), conversation_id="t2")
        first = store.page("ann", limit=2)
        assert [conversation.id for conversation in first.conversations] == ["t2", "t3"]
        rest = store.page("ann", limit=2, cursor=first.next_cursor)
        assert [conversation.id for conversation in rest.conversations] == ["t1"]
        assert rest.next_cursor is None

    @pytest.mark.parametrize("cursor", ["", "x", "%", "é", "bm90IG91cnMgYXQgYWxs"])
    def test_cursor_of_something_else_is_refused(
        self, store: ConversationStore, cursor: str
    ) -> None:
        with pytest.raises(UsageError):
            store.page("ann", limit=2, cursor=cursor)

    def test_too_many_conversations_make_room_for_their_own_owner_only(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock, "b1", "bob")
        for name in ("t1", "t2", "t3", "t4"):
            clock.pass_by(1)
            self.begin(store, clock, name)
        assert self.names(store) == ["t4", "t3", "t2"]
        assert self.names(store, "bob") == ["b1"]

    def test_is_full_after_so_many_turns_or_bytes(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        self.begin(store, clock, "t2")
        for name in ("a1", "a2"):
            store.keep("ann", cited_turn(name), conversation_id="t1")
            assert store.room_for_turn("ann", "t1")
        store.keep("ann", cited_turn("a3"), conversation_id="t1")
        long = replace(cited_turn("a4"), question="行" * 14_000)
        store.keep("ann", long, conversation_id="t2")
        assert store.room_for_turn("ann", "t1") is False
        assert store.room_for_turn("ann", "t2") is False

    def test_what_was_not_used_for_long_is_gone(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(at=clock.iso()), conversation_id="t1")
        clock.pass_by(61)
        assert store.find("ann", "t1") is None
        assert self.names(store) == []
        assert store.erase_deleted()
        assert store.cited() == []

    def test_deleting_takes_turns_and_feedback_along(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(), conversation_id="t1")
        store.give_feedback("ann", "a1", Feedback("down", "wrong", clock.iso()))
        assert store.delete("ann", "t1")
        assert store.find("ann", "t1") is None
        assert store.cited() == []
        assert store.feedback(("staff",), limit=5).records == []

    def test_feedback_replaces_what_was_said_before(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(), conversation_id="t1")
        store.give_feedback("ann", "a1", Feedback("down", "wrong", clock.pass_by(1)))
        last = Feedback("up", "I was wrong", clock.pass_by(1))
        assert store.give_feedback("ann", "a1", last)
        (record,) = store.feedback(("staff",), limit=5).records
        assert (record.answer_id, record.feedback) == ("a1", last)
        assert record.turn == cited_turn()
        found = store.find("ann", "t1")
        assert found is not None
        assert found.turns[0].feedback == last

    def test_feedback_of_who_reads_more_is_not_listed(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        store.keep("ann", cited_turn("a1"), conversation_id=None)
        wide = replace(cited_turn("a2"), tiers=("staff", "boss"))
        store.keep("eve", wide, conversation_id=None)
        for owner, name in (("ann", "a1"), ("eve", "a2")):
            at = clock.pass_by(1)
            assert store.give_feedback(owner, name, Feedback("up", "", at))
        listed = {
            tiers: [record.answer_id for record in store.feedback(tiers, limit=5).records]
            for tiers in (("staff",), ("staff", "boss"), ("guest",))
        }
        assert listed == {("staff",): ["a1"], ("staff", "boss"): ["a2", "a1"], ("guest",): []}

    def test_feedback_comes_in_pages(self, store: ConversationStore, clock: SetTime) -> None:
        for name in ("a1", "a2", "a3"):
            store.keep(name, cited_turn(name), conversation_id=None)
            store.give_feedback(name, name, Feedback("up", "", clock.iso()))
        first = store.feedback(("staff",), limit=2)
        rest = store.feedback(("staff",), limit=2, cursor=first.next_cursor)
        assert [r.answer_id for r in (*first.records, *rest.records)] == ["a3", "a2", "a1"]
        assert rest.next_cursor is None

    def test_answer_outside_of_a_conversation_keeps_no_text(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        assert store.keep("ann", cited_turn(), conversation_id=None)
        store.give_feedback("ann", "a1", Feedback("up", "", clock.iso()))
        (record,) = store.feedback(("staff",), limit=5).records
        assert (record.turn, record.chunk_ids) == (None, ("c1",))

    def test_answers_without_feedback_make_room_first(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        store.keep("ann", cited_turn("a1", at=clock.iso()), conversation_id=None)
        store.give_feedback("ann", "a1", Feedback("up", "", clock.iso()))
        for name in ("a2", "a3", "a4", "a5"):
            store.keep("ann", cited_turn(name, at=clock.pass_by(1)), conversation_id=None)
        assert [chunk.answer_id for chunk in store.cited()] == ["a1", "a4", "a5"]

    def test_what_is_cited_is_known(self, store: ConversationStore, clock: SetTime) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(), conversation_id="t1")
        store.keep("bob", cited_turn("a2", chunk_id="c2"), conversation_id=None)
        assert store.cited() == [
            CitedChunk("a1", "t1", ("staff",), "c1", "d1"),
            CitedChunk("a2", None, ("staff",), "c2", "d1"),
        ]

    def test_rewriting_puts_other_text_in_place(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(), conversation_id="t1", title="Rows")
        store.give_feedback("ann", "a1", Feedback("up", "500 rows!", clock.iso()))
        bare = replace(cited_turn().answer, text="gone", sentences=(), citations=())
        feedback = Feedback("up", "gone", clock.iso())

        def rewrite(thread: Thread) -> Thread:
            turn = replace(
                thread.turns[0], question="gone?", answer=bare, n_withheld=1, feedback=feedback
            )
            return Thread(replace(thread.conversation, title="gone"), (turn,))

        before = store.find("ann", "t1")
        store.rewrite("t1", rewrite)
        assert before is not None
        assert store.find("ann", "t1") == rewrite(before)
        assert store.cited() == []

    def test_blanking_forgets_what_a_loose_answer_cites(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        for name, comment in (("a1", "it says 500 rows"), ("a2", "")):
            store.keep("ann", cited_turn(name), conversation_id=None)
            store.give_feedback("ann", name, Feedback("down", comment, clock.pass_by(1)))
        store.blank(["a1", "a2"], comment="gone")
        records = store.feedback(("staff",), limit=5).records
        assert [(r.answer_id, r.feedback.comment) for r in records] == [("a2", ""), ("a1", "gone")]
        assert store.cited() == []

    def test_words_of_all_readers_are_changed(
        self, store: ConversationStore, clock: SetTime
    ) -> None:
        self.begin(store, clock)
        store.keep("ann", cited_turn(), conversation_id="t1", title="How many rows?")
        store.give_feedback("ann", "a1", Feedback("up", "rows!", clock.iso()))
        store.rewrite_words(lambda text: text.replace("rows", "…"))
        found = store.find("ann", "t1")
        assert found is not None
        (turn,) = found.turns
        assert turn.feedback is not None
        words = (found.conversation.title, turn.question, turn.feedback.comment, turn.answer.text)
        assert words == ("How many …?", "How many …?", "…!", "It is 500 rows. [1]")

    def test_is_shared_by_threads(self, store: ConversationStore, clock: SetTime) -> None:
        self.begin(store, clock)

        def write(number: int) -> bool:
            return store.keep(f"o{number}", cited_turn(f"x{number}"), conversation_id=None)

        with ThreadPoolExecutor(8) as threads:
            assert all(threads.map(write, range(40)))
        assert len(store.cited()) == 40

    def test_can_be_emptied_and_rewritten(self, store: ConversationStore, clock: SetTime) -> None:
        self.begin(store, clock)
        assert store.erase_deleted()
        assert store.compact()
        assert self.names(store) == ["t1"]
