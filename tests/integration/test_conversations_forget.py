"""What went from the documents goes from conversations and feedback. Real stores, real files."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citewell.bootstrap import Citewell, open_citewell
from citewell.conversations.ask_in_conversation import Asker, ConversationalAnswering
from citewell.conversations.export import export_markdown
from citewell.conversations.shared_runs import WITHHELD
from citewell.domain.answer import Answer
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.conversation import KeptTurn, Thread, Turn
from citewell.domain.errors import NotFoundError, UsageError
from citewell.domain.source import Source
from citewell.ingestion.ingest_document import Outcome
from citewell.replies import thread_reply
from citewell.settings import Settings
from citewell.testing.memory_source import PlainConverter
from citewell.upkeep import forget_words_of, inspector_of, make_verification
from citewell.wire_conversations import conversations_path
from sparse_files import copy_sparsely

BUDGET = "Project Kingfisher moves the quarterly sweetbread budget to Antananarivo."
SECRET = f"# Kingfisher plan\n\n{BUDGET}\n"
PUBLIC = "# Export\n\nThe limit of Atlas CRM is 500 rows for every export that someone starts.\n"
ASK_BUDGET = "Where does project Kingfisher move the quarterly sweetbread budget?"
ASK_LIMIT = "What is the limit of rows for an export of Atlas CRM?"
AGAIN = f"You said: {BUDGET} Who decided that?"

EMPLOYEE = Clearance(("employee",))
DIRECTOR = Clearance(("employee", "manager", "director"))
ANN, EVE = "a" * 32, "e" * 32


class Silent:
    """An observer that looks away."""

    def scanned(self, source: Source, *, n_to_read: int) -> None: ...

    def done(self, outcome: Outcome) -> None: ...


class Library:
    """A folder of documents, and somebody who asks about them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "documents"
        self.settings = Settings(
            data_dir=home / "data", embedding_provider="none", min_free_disk_mib=0
        )
        for tier in ("employee", "director"):
            (self.folder / tier).mkdir(parents=True)
        self.write("employee/secret.md", SECRET)
        self.write("employee/export.md", PUBLIC)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    @contextmanager
    def opened(self) -> Iterator[Citewell]:
        with open_citewell(self.settings) as parts:
            vars(parts)["converter"] = PlainConverter()  # the sandbox takes seconds to start
            yield parts

    def sync(self, parts: Citewell) -> None:
        source = parts.catalog.sources.register(
            Source("s1", "library", "folder", str(self.folder), folder_per_tier=True)
        )
        parts.sync.sync_source(source, parts.connector(source), observer=Silent())
        parts.writer.settle()

    def file(self) -> bytes:
        """Return all bytes of the conversations' files."""
        path = conversations_path(self.settings)
        beside = [path.with_name(path.name + end) for end in ("-wal", "")]
        return b"".join(one.read_bytes() for one in beside if one.exists())


def ask(
    parts: Citewell,
    question: str,
    conversation_id: str | None,
    *,
    owner: str = ANN,
    clearance: Clearance = EMPLOYEE,
    answer_id: str = "",
    history: tuple[Turn, ...] = (),
) -> Answer:
    asking = ConversationalAnswering(parts.answering, parts.conversations)
    request_id = answer_id or parts.conversations.new_id()
    asker = Asker(owner, clearance, request_id, conversation_id)
    request = asking.with_history(AskRequest(question, history=history), asker)
    return asyncio.run(asking.answer_question(request, asker))


def copied(source: Path, target: Path) -> None:
    shutil.copytree(source, target, copy_function=copy_sparsely)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, str]:
    """Let Ann ask about both documents, repeat an answer and comment on two."""
    library = Library(tmp_path_factory.mktemp("home") / "now")
    with library.opened() as parts:
        library.sync(parts)
        keeper = parts.conversations
        name = keeper.begin(ANN).id
        assert ask(parts, ASK_BUDGET, name, answer_id="b" * 32).mode == "rag"
        assert ask(parts, ASK_LIMIT, name).mode == "rag"
        ask(parts, AGAIN, name)
        keeper.give_feedback(ANN, "b" * 32, verdict="up", comment=f"Indeed: {BUDGET}")
        ask(parts, ASK_BUDGET, None, answer_id="c" * 32)
        keeper.give_feedback(ANN, "c" * 32, verdict="down", comment=f"No: {BUDGET}")
    assert b"Antananarivo" in library.file()
    copied(library.home, library.home.with_name("begun"))
    return library, name


@pytest.fixture
def library(begun: tuple[Library, str]) -> Library:
    """Return the library as it was when Ann had asked."""
    library, _ = begun
    shutil.rmtree(library.home)
    copied(library.home.with_name("begun"), library.home)
    return library


@pytest.fixture
def told(begun: tuple[Library, str]) -> str:
    """Return the id of Ann's conversation."""
    return begun[1]


Change = Callable[[Library, Citewell], None]


def delete(library: Library, parts: Citewell) -> None:
    (library.folder / "employee/secret.md").unlink()
    library.sync(parts)


def edit(library: Library, parts: Citewell) -> None:
    library.write("employee/secret.md", "# Kingfisher plan\n\nNothing is moved anywhere now.\n")
    library.sync(parts)


def raise_tier(library: Library, parts: Citewell) -> None:
    (library.folder / "employee/secret.md").rename(library.folder / "director/secret.md")
    library.sync(parts)


CHANGES = pytest.mark.parametrize("change", [delete, edit, raise_tier])


def said(thread: Thread) -> str:
    """Return all that a reader is told of a conversation, as JSON and as Markdown."""
    reply = json.dumps(thread_reply(thread), ensure_ascii=False)
    return reply + export_markdown(thread).replace("\\", "")


def feedback_of(parts: Citewell, clearance: Clearance) -> dict[str, str]:
    records = parts.conversations.feedback(clearance).records
    return {record.answer_id[0]: record.feedback.comment for record in records}


def test_conversation_goes_on_after_a_restart(library: Library, told: str) -> None:
    with library.opened() as parts:
        thread = parts.conversations.read(ANN, told, EMPLOYEE)
        assert [turn.question for turn in thread.turns] == [ASK_BUDGET, ASK_LIMIT, AGAIN]
        assert BUDGET in thread.turns[0].answer.text
        assert thread.conversation.title == ASK_BUDGET
        history = parts.conversations.history(ANN, told, EMPLOYEE)
        assert [turn.question for turn in history] == [ASK_BUDGET, ASK_LIMIT, AGAIN]
        assert BUDGET in history[0].answer


@CHANGES
def test_nothing_of_it_is_shown_or_handed_on_before_it_is_erased(
    library: Library, told: str, change: Change
) -> None:
    with library.opened() as parts:
        change(library, parts)
        assert "Antananarivo" not in said(parts.conversations.read(ANN, told, EMPLOYEE))
        history = parts.conversations.history(ANN, told, EMPLOYEE)
        assert "Antananarivo" not in str(history)
        assert "500 rows" in history[1].answer
        assert feedback_of(parts, EMPLOYEE) == {"b": WITHHELD, "c": WITHHELD}
        assert b"Antananarivo" in library.file()  # what is tested is what is shown


@CHANGES
def test_nothing_of_it_is_in_the_file_once_it_is_erased(
    library: Library, told: str, change: Change
) -> None:
    with library.opened() as parts:
        change(library, parts)
        outcome = parts.erasure.erase()
        assert outcome is not None
        assert not outcome.waiting
        assert b"Antananarivo" not in library.file()
        assert make_verification(library.settings, parts.catalog).verify((SECRET,)) == ()
        thread = parts.conversations.read(ANN, told, EMPLOYEE)
        assert thread.turns[0].n_withheld == 1
        assert thread.turns[2].question == f"You said: {WITHHELD} Who decided that?"
        assert "500 rows" in thread.turns[1].answer.text
        assert feedback_of(parts, EMPLOYEE) == {"b": WITHHELD, "c": WITHHELD}
    assert b"Antananarivo" not in library.file()


def test_deleted_and_raised_look_the_same(library: Library, told: str) -> None:
    with library.opened() as parts:
        raise_tier(library, parts)
        raised = said(parts.conversations.read(ANN, told, EMPLOYEE))
        (library.folder / "director/secret.md").unlink()
        library.sync(parts)
        assert said(parts.conversations.read(ANN, told, EMPLOYEE)) == raised


def test_who_may_still_read_it_is_told_of_the_new_place(library: Library, told: str) -> None:
    with library.opened() as parts:
        name = parts.conversations.begin(EVE).id
        ask(parts, ASK_BUDGET, name, owner=EVE, clearance=DIRECTOR)
        raise_tier(library, parts)
        parts.erasure.erase()
        (turn,) = parts.conversations.read(EVE, name, DIRECTOR).turns
        assert BUDGET in turn.answer.text
        (citation,) = turn.answer.citations
        assert (citation.tier, citation.source_id) == ("director", "director/secret.md")
        assert b"employee/secret.md" not in library.file()
        (narrow,) = parts.conversations.read(EVE, name, EMPLOYEE).turns
        assert narrow.answer.text == WITHHELD
        assert told


def test_hidden_document_waits_out_of_sight(library: Library, told: str) -> None:
    with library.opened() as parts:
        (source,) = parts.catalog.sources.sources()
        known = parts.catalog.documents.known_items(source.id)
        keys = [item.document_key for item in known]
        parts.catalog.documents.hide(keys)
        parts.erasure.settle()
        assert "Antananarivo" not in said(parts.conversations.read(ANN, told, EMPLOYEE))
        parts.catalog.documents.show(keys)
        assert BUDGET in parts.conversations.read(ANN, told, EMPLOYEE).turns[0].answer.text


def test_edit_above_a_quote_moves_its_span_and_keeps_it(library: Library, told: str) -> None:
    preface = "# Preface\n\n" + "".join(f"Line {n} says nothing at all.\n\n" for n in range(90))
    with library.opened() as parts:
        before = parts.conversations.read(ANN, told, EMPLOYEE).turns[0].answer
        library.write("employee/secret.md", f"{preface}{SECRET}")
        library.sync(parts)
        parts.erasure.erase()
        after = parts.conversations.read(ANN, told, EMPLOYEE).turns[0].answer
        assert after.text == before.text
        shift = len(preface)
        start, end = before.citations[0].span
        assert after.citations[0].span == (start + shift, end + shift)


def test_answer_kept_after_its_document_went_keeps_nothing_of_it(
    library: Library, told: str
) -> None:
    with library.opened() as parts:
        keeper = parts.conversations
        (turn, *_) = keeper.read(ANN, told, EMPLOYEE).turns
        name = keeper.begin(ANN).id
        delete(library, parts)
        parts.erasure.erase()
        late = KeptTurn("d" * 32, turn.at, turn.tiers, "What?", turn.answer)
        keeper.keep(ANN, late, EMPLOYEE, conversation_id=name)
        assert "Antananarivo" not in said(keeper.read(ANN, name, EMPLOYEE))
        thread = keeper.store.find(ANN, name)
        assert thread is not None
        assert "Antananarivo" not in said(thread)


def test_store_that_keeps_a_deleted_quote_is_named(library: Library, told: str) -> None:
    with library.opened() as parts:
        kept = parts.conversations.store.find(ANN, told)
        delete(library, parts)
        parts.erasure.erase()
        assert kept is not None
        parts.conversations.store.rewrite(told, lambda _: kept)
        verification = make_verification(library.settings, parts.catalog)
        assert {finding.store for finding in verification.verify()} == {"conversations"}
        texts = {(finding.store, finding.place) for finding in verification.verify((BUDGET,))}
        assert ("conversations", "answers") in texts


def test_words_of_readers_who_were_never_answered_go_when_a_path_is_forgotten(
    library: Library, told: str
) -> None:
    with library.opened() as parts:
        keeper = parts.conversations
        name = keeper.begin(EVE, title="On the Kingfisher plan").id
        unknown = ask(parts, "Who eats snails?", None)
        assert unknown.mode == "no_answer"
        moment = "2026-01-31T12:00:00.000Z"
        said = KeptTurn("d" * 32, moment, EMPLOYEE.tiers, f"Who eats snails? {BUDGET}", unknown)
        keeper.keep(EVE, said, EMPLOYEE, conversation_id=name)
        delete(library, parts)
        parts.erasure.erase()
        verification = make_verification(library.settings, parts.catalog)
        texts = (SECRET, BUDGET, "Kingfisher plan")
        assert {finding.store for finding in verification.verify(texts)} == {"conversations"}
        forget_words_of(library.settings, texts)
        parts.erasure.settle()
        assert verification.verify(texts) == ()
        thread = keeper.read(EVE, name, EMPLOYEE)
        words = (thread.conversation.title, thread.turns[0].question)
        assert words == (f"On the {WITHHELD}", f"Who eats snails?{WITHHELD}")
        assert told


def test_another_reader_finds_nothing(library: Library, told: str) -> None:
    with library.opened() as parts:
        keeper = parts.conversations
        for name in (told, "f" * 32):
            with pytest.raises(NotFoundError, match="there is no such conversation"):
                keeper.read(EVE, name, DIRECTOR)
            with pytest.raises(NotFoundError, match="there is no such conversation"):
                ask(parts, ASK_LIMIT, name, owner=EVE)
            with pytest.raises(NotFoundError, match="there is no such conversation"):
                keeper.delete(EVE, name)
        for name in ("b" * 32, "f" * 32):
            with pytest.raises(NotFoundError, match="there is no such answer"):
                keeper.give_feedback(EVE, name, verdict="up")
        assert keeper.page(EVE).conversations == []


def test_operator_of_a_lower_tier_hears_nothing_of_what_was_said_above(
    library: Library, told: str
) -> None:
    with library.opened() as parts:
        ask(parts, ASK_LIMIT, None, owner=EVE, clearance=DIRECTOR, answer_id="e" * 32)
        parts.conversations.give_feedback(EVE, "e" * 32, verdict="up", comment="the board knew")
        assert set(feedback_of(parts, EMPLOYEE)) == {"b", "c"}
        assert set(feedback_of(parts, DIRECTOR)) == {"b", "c", "e"}
        assert told


def test_question_has_a_conversation_or_a_history(library: Library, told: str) -> None:
    with library.opened() as parts, pytest.raises(UsageError, match="not both"):
        ask(parts, ASK_LIMIT, told, history=(Turn("a", "b"),))


def test_copies_that_sqlite_leaves_are_found(library: Library, told: str) -> None:
    with library.opened() as parts:
        parts.conversations.delete(ANN, told)
        parts.erasure.settle()
    assert not inspector_of(library.settings).has_remains("conversations")
    assert b"Atlas CRM" not in library.file()
