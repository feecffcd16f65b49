from __future__ import annotations

from dataclasses import replace

from citewell.conversations.redact import redact_thread, said_sentences
from citewell.conversations.shared_runs import WITHHELD
from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.domain.conversation import Conversation, Feedback, KeptTurn, Thread
from citewell.testing.conversation_store_contract import cited_turn

LIMIT = "Exports of Atlas CRM are limited to 500 rows each."
BUDGET = "Project Kingfisher moves the quarterly budget to Antananarivo."


def citation(n: int, quote: str, chunk_id: str, *, path: str = "a.md") -> Citation:
    plain = cited_turn().answer.citations[0]
    return replace(
        plain,
        n=n,
        quote=quote,
        chunk_id=chunk_id,
        source_id=path,
        document_id=path,
        table_header="",
    )


def turn(name: str, question: str, answer: Answer) -> KeptTurn:
    return KeptTurn(name, "2026-01-31T12:00:00.000Z", ("staff",), question, answer)


def answer_of(*parts: tuple[str, Citation]) -> Answer:
    return Answer(
        mode="rag",
        confidence=0.8,
        text=" ".join(f"{text} [{cited.n}]" for text, cited in parts),
        sentences=tuple(Sentence(text, "claim", (cited.n,)) for text, cited in parts),
        citations=tuple(cited for _, cited in parts),
        grounding=Grounding(has_citations=True, citations_valid=True),
        notice="what Antananarivo costs is not said",
    )


def thread_of(*turns: KeptTurn, title: str = "") -> Thread:
    at = turns[0].at
    return Thread(Conversation("t1", title, at, at, len(turns)), turns)


BOTH = answer_of(
    (LIMIT, citation(1, LIMIT, "c1")), (BUDGET, citation(2, BUDGET, "c2", path="k.md"))
)


def without(chunk_id: str, thread: Thread, *, gone: frozenset[str] = frozenset()) -> Thread:
    return redact_thread(
        thread, lambda _, cited: None if cited.chunk_id == chunk_id else cited, gone_documents=gone
    )


def test_what_holds_stays_word_for_word() -> None:
    thread = thread_of(turn("a1", BUDGET, BOTH), title=BUDGET)
    assert without("other", thread) == thread


def test_sentence_quote_and_notice_go_with_their_citation() -> None:
    (shown,) = without("c2", thread_of(turn("a1", "What?", BOTH))).turns
    assert shown.answer == replace(
        BOTH,
        text=f"{LIMIT} [1] {WITHHELD}",
        sentences=(BOTH.sentences[0], Sentence(WITHHELD, "notice", ())),
        citations=BOTH.citations[:1],
        confidence=0.0,
        notice=None,
    )
    assert shown.n_withheld == 1
    assert said_sentences(shown.answer) == BOTH.sentences[:1]


def test_sentence_with_two_citations_goes_with_either() -> None:
    mixed = replace(BOTH, sentences=(Sentence(LIMIT, "claim", (1, 2)),))
    (shown,) = without("c2", thread_of(turn("a1", "What?", mixed))).turns
    assert shown.answer.text == WITHHELD
    assert shown.answer.citations == ()
    assert not shown.answer.grounding.has_citations


def test_comment_goes_with_any_citation() -> None:
    said = replace(turn("a1", "What?", BOTH), feedback=Feedback("up", BUDGET, "2026"))
    (shown,) = without("c2", thread_of(said)).turns
    assert shown.feedback == Feedback("up", WITHHELD, "2026")


def test_later_question_and_title_lose_what_they_repeat() -> None:
    again = turn("a2", f"You said: {BUDGET} Why?", replace(BOTH, sentences=(), citations=()))
    thread = thread_of(turn("a1", "What?", BOTH), again, title=f"On: {BUDGET}")
    shown = without("c2", thread)
    assert shown.turns[1].question == f"You said: {WITHHELD} Why?"
    assert shown.conversation.title == f"On: {WITHHELD}"


def test_names_go_from_questions_only_with_their_document() -> None:
    named = answer_of((BUDGET, citation(1, BUDGET, "c2", path="plans/Kingfisher Budget.md")))
    thread = thread_of(turn("a1", "What does Kingfisher Budget say?", named))
    gone = frozenset({"plans/Kingfisher Budget.md"})
    assert without("c2", thread).turns[0].question == "What does Kingfisher Budget say?"
    assert without("c2", thread, gone=gone).turns[0].question == f"What does {WITHHELD} say?"


def test_redacting_again_changes_nothing() -> None:
    once = without("c2", thread_of(turn("a1", BUDGET, BOTH), title=BUDGET))
    assert without("c2", once) == once
