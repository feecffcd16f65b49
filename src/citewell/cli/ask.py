"""`rag ask`: a question, and an answer whose every sentence is cited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.domain.answer import Answer


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
    explain: options.Explain = False,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Answer a question from the indexed documents, or say that they do not answer it."""
    import asyncio
    import secrets

    from citewell.cli.output import print_json
    from citewell.cli.session import filters_from, opened, owner_clearance
    from citewell.replies import answer_reply

    filters = filters_from(
        source=source, path=path, tags=tag, types=type_, since=since, until=until
    )
    with opened(data_dir, env_file, access="search") as parts:
        clearance = owner_clearance(parts, as_tier)
        answer = asyncio.run(
            parts.answering.answer_question(
                question,
                clearance,
                top_k=top_k or parts.settings.rag_top_k,
                filters=filters,
                explain=explain,
            )
        )
    if as_json:
        print_json(answer_reply(answer, request_id=secrets.token_hex(16)))
    else:
        print_answer(answer)


def print_answer(answer: Answer) -> None:
    """Print an answer with its citations below."""
    from citewell.cli.output import console, escaped, one_line

    out = console()
    for sentence in answer.sentences:
        marks = "".join(f" [bold cyan]\\[{n}][/]" for n in sentence.citations)
        out.print(escaped(sentence.text) + marks)
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
