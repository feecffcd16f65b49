"""`rag ask`: a question, and an answer whose every sentence is cited."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.domain.answer import Answer
    from citewell.domain.ask_request import AskRequest
    from citewell.domain.clearance import Clearance


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    top_k: options.TopK = None,
    as_tier: options.AsTier = None,
    source: options.InSource = None,
    path: options.PathPrefix = None,
    tag: options.Tags = None,
    type_: options.Types = None,
    since: options.Since = None,
    until: options.Until = None,
    fallback: Annotated[
        bool,
        typer.Option(
            "--fallback", help="Let general knowledge answer what the documents do not, and say so."
        ),
    ] = False,
    explain: options.Explain = False,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Answer a question from the indexed documents, or say that they do not answer it.

    Each sentence is shown once it was checked.
    """
    import secrets

    from citewell.cli.output import print_json
    from citewell.cli.session import filters_from, opened, owner_clearance, run_answering
    from citewell.domain.ask_request import AskRequest
    from citewell.replies import answer_reply

    filters = filters_from(
        source=source, path=path, tags=tag, types=type_, since=since, until=until
    )
    with opened(data_dir, env_file, access="search") as parts:
        clearance = owner_clearance(parts, as_tier)
        request = AskRequest(
            question,
            top_k=top_k or parts.settings.rag_top_k,
            filters=filters,
            fallback=fallback,
            explain=explain,
        )
        if as_json:
            answer = run_answering(parts, parts.answering.answer_question(request, clearance))
            print_json(answer_reply(answer, request_id=secrets.token_hex(16)))
        else:
            run_answering(parts, _show_answer(parts, request, clearance))


async def _show_answer(parts: Citewell, request: AskRequest, clearance: Clearance) -> None:
    """Print the sentences as they come, then what they cite."""
    from citewell.cli.output import console, escaped
    from citewell.domain.answer_event import DoneEvent, RetractEvent, SentenceEvent, StatusEvent

    out, said = console(), 0
    with console(stderr=True).status("") as status:
        async with aclosing(parts.answering.stream_answer(request, clearance)) as events:
            async for event in events:
                match event:
                    case StatusEvent():
                        status.update(escaped(event.detail))
                    case SentenceEvent():
                        status.stop()  # it would share its line with the sentence
                        said += 1
                        print_sentence(event.sentence.text, event.sentence.citations)
                    case RetractEvent():
                        if said:
                            out.print("\n[red]What was said so far does not hold[/]: ", end="")
                            out.print(escaped(event.reason) + "\n")
                        said = 0
                    case DoneEvent():
                        status.stop()
                        print_answer(event.answer, n_said=said)


def print_sentence(text: str, citations: tuple[int, ...]) -> None:
    """Print a sentence with its markers."""
    from citewell.cli.output import console, escaped

    marks = "".join(f" [bold cyan]\\[{n}][/]" for n in citations)
    console().print(escaped(text) + marks)


def print_answer(answer: Answer, *, n_said: int = 0) -> None:
    """Print an answer with its citations below, without sentences that were printed already."""
    from citewell.cli.output import console, escaped, one_line

    out = console()
    for sentence in answer.sentences[n_said:]:
        print_sentence(sentence.text, sentence.citations)
    if not answer.sentences:
        out.print(escaped(answer.text))
    if answer.citations:
        out.print()
    for citation in answer.citations:
        place = f"page {citation.page}" if citation.page else " › ".join(citation.heading_path)
        score = "" if citation.score is None else f", similarity {citation.score:.2f}"
        out.print(
            f"[bold cyan]\\[{citation.n}][/] [bold]{escaped(citation.source_id)}[/]"
            f"{' — ' + escaped(one_line(place)) if place else ''}"
            f" [dim]({escaped(citation.source_name)}, {citation.tier}{score})[/]"
        )
    if answer.notice:
        out.print(f"\n[yellow]{escaped(answer.notice)}[/]")
    if answer.trace is not None:
        import json

        out.print_json(json.dumps(answer.trace, ensure_ascii=False))
