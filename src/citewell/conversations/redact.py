"""A conversation without what its reader may not read now.

citations as they stand now ─► sentences without those that lost one ─► words that repeat them
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from citewell.answering.citing.cite import answer_text
from citewell.conversations.shared_runs import WITHHELD, SharedRuns
from citewell.domain.answer import Answer, Citation, Grounding, Sentence
from citewell.domain.conversation import KeptTurn, Thread

Recheck = Callable[[KeptTurn, Citation], Citation | None]
"""Returns a citation of a turn as it stands now, or None where it does not hold."""

_PLACEHOLDER = Sentence(WITHHELD, "notice", ())


def redact_thread(
    thread: Thread, recheck: Recheck, *, gone_documents: Collection[str] = ()
) -> Thread:
    """Return a conversation in which nothing rests on what does not hold now.

    A sentence goes with any of its citations, and a comment with any of its answer's. Questions and
    the title lose what they repeat of the quotes and sentences that went: a follow-up question
    often quotes the answer before it.

    Args:
        thread: The conversation.
        recheck: Says how a citation stands now.
        gone_documents: Ids of documents that are no more: the names of their files and headings go
            from questions and title too.
    """
    checked = [_check_turn(turn, recheck, gone_documents) for turn in thread.turns]
    runs = SharedRuns(text for _, gone in checked for text in gone)
    turns = tuple(turn for turn, _ in checked)
    if not runs:
        return replace(thread, turns=turns)
    title = runs.without(thread.conversation.title)
    return replace(
        thread,
        conversation=replace(thread.conversation, title=title),
        turns=tuple(replace(turn, question=runs.without(turn.question)) for turn in turns),
    )


def said_sentences(answer: Answer) -> tuple[Sentence, ...]:
    """Return the sentences of an answer without placeholders of those that went."""
    return tuple(sentence for sentence in answer.sentences if sentence != _PLACEHOLDER)


def _check_turn(
    turn: KeptTurn, recheck: Recheck, gone_documents: Collection[str]
) -> tuple[KeptTurn, tuple[str, ...]]:
    """Return a turn as it may be shown, and the texts that went."""
    before = turn.answer.citations
    now = {
        citation.n: found for citation in before if (found := recheck(turn, citation)) is not None
    }
    gone = [citation for citation in before if citation.n not in now]
    if not gone:
        citations = tuple(now.values())
        if citations == before:
            return turn, ()
        return replace(turn, answer=replace(turn.answer, citations=citations)), ()
    answer = _without(turn.answer, tuple(now.values()), {citation.n for citation in gone})
    feedback = turn.feedback
    if feedback is not None and feedback.comment:
        feedback = replace(feedback, comment=WITHHELD)
    redacted = replace(
        turn, answer=answer, n_withheld=turn.n_withheld + len(gone), feedback=feedback
    )
    nameless = [citation for citation in gone if citation.document_id in gone_documents]
    return redacted, (*_texts_gone(turn.answer, answer, gone), *_names_gone(answer, nameless))


def _without(answer: Answer, citations: Sequence[Citation], gone: set[int]) -> Answer:
    """Return an answer without the sentences that rest on citations that went, and its notice."""
    sentences = [
        _PLACEHOLDER if gone.intersection(sentence.citations) else sentence
        for sentence in answer.sentences
    ]
    joined = tuple(
        sentence
        for number, sentence in enumerate(sentences)
        if sentence != _PLACEHOLDER or number == 0 or sentences[number - 1] != _PLACEHOLDER
    )
    used = {n for sentence in joined for n in sentence.citations}
    kept = tuple(citation for citation in citations if citation.n in used)
    return replace(
        answer,
        text=answer_text(joined, kept) or WITHHELD,
        sentences=joined,
        citations=kept,
        grounding=Grounding(has_citations=bool(kept), citations_valid=True),
        confidence=0.0,
        notice=None,
        trace=None,
    )


def _texts_gone(before: Answer, after: Answer, gone: Sequence[Citation]) -> Iterator[str]:
    """Yield the quotes and sentences that went."""
    for citation in gone:
        yield from (citation.quote, citation.table_header)
    kept = set(after.sentences)
    yield from (sentence.text for sentence in before.sentences if sentence not in kept)
    yield before.notice or ""


def _names_gone(after: Answer, gone: Sequence[Citation]) -> Iterator[str]:
    """Yield the names of files and headings that no other citation of the answer has."""
    names = {name for citation in gone for name in _names_of(citation)}
    yield from sorted(names.difference(*map(_names_of, after.citations)))


def _names_of(citation: Citation) -> set[str]:
    path = PurePosixPath(citation.source_id)
    return {citation.source_id, path.name, path.stem, *citation.heading_path}
