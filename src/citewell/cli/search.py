"""`rag search`: the passages that a question finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.domain.passage import Passage, SearchResult


def search(
    query: Annotated[str, typer.Argument(help="Words, a question, or an exact identifier.")],
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
    """List the passages that fit a query best."""
    from citewell.cli.output import print_json
    from citewell.cli.session import filters_from, opened, owner_clearance
    from citewell.replies import search_reply

    filters = filters_from(
        source=source, path=path, tags=tag, types=type_, since=since, until=until
    )
    with opened(data_dir, env_file, access="search") as parts:
        result = parts.search.search_passages(
            query,
            owner_clearance(parts, as_tier),
            top_k=top_k or parts.settings.rag_top_k,
            filters=filters,
            explain=explain,
        )
    if as_json:
        print_json(search_reply(result))
    else:
        _print_result(result)


def _print_result(result: SearchResult) -> None:
    from citewell.cli.output import console, escaped

    out = console()
    for passage in result.passages:
        _print_passage(passage)
    if not result.passages:
        out.print("nothing found")
    out.print(f"[dim]confidence that these answer the question: {result.confidence:.2f}[/]")
    if result.notice:
        out.print(f"[yellow]{escaped(result.notice)}[/]")
    if result.explain is not None:
        import json

        out.print_json(json.dumps(result.explain, ensure_ascii=False))


def _print_passage(passage: Passage) -> None:
    from citewell.cli.output import console, escaped, one_line

    chunk = passage.chunk
    place = " › ".join(chunk.heading_path)
    if passage.page_start is not None:
        last = "" if passage.page_end == passage.page_start else f"-{passage.page_end}"
        place = f"page {passage.page_start}{last}" + (f" — {place}" if place else "")
    score = "no vector yet" if passage.score is None else f"similarity {passage.score:.2f}"
    out = console()
    out.print(
        f"[bold cyan]{passage.rank}.[/] [bold]{escaped(chunk.relative_path)}[/]"
        f"{' — ' + escaped(one_line(place)) if place else ''}"
        f" [dim]({escaped(chunk.source_name)}, {chunk.tier}, {score})[/]"
    )
    out.print(f"   {escaped(one_line(passage.content, width=300))}")
