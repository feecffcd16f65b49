"""`rag demo`: the samples, every question about them, and what makes answers trustworthy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citewell.bootstrap import Citewell
    from citewell.evaluation.questions import Question
    from citewell.evaluation.verdicts import Verdict

_Shown = Literal["all", "wrong", "nothing"]
"""Which verdicts are printed."""
_FORGOTTEN = "policies/Travel Expense Guide.pdf"
_SETTINGS = {"database_url": "", "sources_file": "", "access_tiers": "employee,manager,director"}
"""The demo has a catalog of its own, and the tiers of its samples, whatever the settings say."""


def demo(
    folder: Annotated[
        Path | None, typer.Option(help="Where to work; default: a folder of the user's cache.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show only what is wrong, and the last line.")
    ] = False,
    as_json: options.AsJson = False,
) -> int:
    """Ingest the samples, ask every question about them, and check every citation."""
    import shutil

    from citewell.cli.output import print_json
    from citewell.cli.session import opened, run_answering
    from citewell.evaluation.questions import load_questions
    from citewell.evaluation.samples import TIERS, VAULT, copy_samples, questions_path
    from citewell.evaluation.verdicts import tally_verdicts

    work = (folder or _default_folder()).absolute()
    roots = copy_samples(work / "samples")
    data = work / "demo-data"  # no name that a folder of the user's own would have
    shutil.rmtree(data, ignore_errors=True)
    overrides = {"embedding_cache_dir": work / "embedding-cache", **_SETTINGS}
    show = not (quiet or as_json)
    shown: _Shown = "nothing" if as_json else "wrong" if quiet else "all"
    with opened(data, None, overrides=overrides) as parts:
        _ingest(parts, roots[VAULT], tier="employee", show=show)
        _ingest(parts, roots[TIERS], tier=None, show=show)
        questions = load_questions(questions_path())
        verdicts = run_answering(parts, _ask_all(parts, questions, roots, shown=shown))
        forgotten = run_answering(parts, _forget_a_file(parts, verdicts, roots, shown=shown))
    if show:
        _show_same_question_as_two_readers(verdicts)
        _show_page_of_a_citation(verdicts, roots)
    tally = tally_verdicts([*verdicts, *forgotten])
    if as_json:
        print_json(
            {
                "answered": tally.answered,
                "abstained": tally.abstained,
                "citations": tally.citations,
                "wrong": [
                    {"id": v.question.id, "problems": list(v.problems)}
                    for v in (*verdicts, *forgotten)
                    if v.problems
                ],
            }
        )
    else:
        print(tally.line)
    return 0 if tally.is_perfect else 1


def _default_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("citewell", appauthor=False) / "demo"


def _ingest(parts: Citewell, root: Path, *, tier: str | None, show: bool) -> None:
    from citewell.cli.run_sync import fill_vectors, sync_sources
    from citewell.ingestion.register_source import register_folder

    source = register_folder(
        root,
        parts.catalog.sources,
        tiers=parts.settings.access_tiers,
        tier=tier,
        folder_per_tier=tier is None,
    )
    sync_sources(parts, [source], quiet=not show)
    fill_vectors(parts, quiet=not show)


async def _ask_all(
    parts: Citewell, questions: Sequence[Question], roots: dict[str, Path], *, shown: _Shown
) -> list[Verdict]:
    from citewell.cli.ask_question import reply_to
    from citewell.evaluation.verdicts import judge_question

    verdicts: list[Verdict] = []
    for question in questions:
        verdict = await judge_question(question, lambda q: reply_to(parts, q), roots=roots)
        verdicts.append(verdict)
        if shown == "all" or (shown == "wrong" and verdict.problems):
            _show_verdict(verdict)
    return verdicts


async def _forget_a_file(
    parts: Citewell, verdicts: Sequence[Verdict], roots: dict[str, Path], *, shown: _Shown
) -> list[Verdict]:
    """Delete a file, sync, and ask again what only that file answered."""
    from dataclasses import replace

    from citewell.cli.output import console, escaped
    from citewell.cli.run_sync import erase_deleted, sync_sources
    from citewell.evaluation.samples import VAULT
    from citewell.ingestion.register_source import find_source

    only_there = [v.question for v in verdicts if v.question.expected_sources == (_FORGOTTEN,)]
    (roots[VAULT] / _FORGOTTEN).unlink()
    if shown == "all":
        console().print(f"\n[bold]Deleted {escaped(_FORGOTTEN)}; asking again[/]")
    sync_sources(parts, [find_source(VAULT, parts.catalog.sources)], quiet=shown != "all")
    erase_deleted(parts, quiet=shown != "all")
    again = [replace(question, expected_mode="no_answer") for question in only_there]
    return await _ask_all(parts, again, roots, shown=shown)


def _show_verdict(verdict: Verdict) -> None:
    from citewell.cli.output import console, escaped, one_line

    out = console()
    question = verdict.question
    who = f" (as {question.as_tier})" if question.as_tier else ""
    mark = "[red]wrong[/]" if verdict.problems else "[green]right[/]"
    out.print(f"\n[bold]{escaped(question.question)}[/]{who} {mark}")
    out.print(escaped(verdict.reply["answer"]))
    for citation in verdict.reply["citations"]:
        place = f"page {citation['page']}" if "page" in citation else citation["heading"]
        out.print(
            f"  [cyan]\\[{citation['n']}][/] {escaped(citation['source_id'])}"
            f" — {escaped(one_line(place))}"
        )
    for problem in verdict.problems:
        out.print(f"  [red]{escaped(problem)}[/]")


def _show_same_question_as_two_readers(verdicts: Sequence[Verdict]) -> None:
    from citewell.cli.output import console, escaped

    by_text: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.question.as_tier:
            by_text.setdefault(verdict.question.question, []).append(verdict)
    pairs = [asked for asked in by_text.values() if len(asked) > 1]
    if not pairs:
        return
    console().print("\n[bold]The same question, two readers[/]")
    console().print(escaped(pairs[0][0].question.question))
    for verdict in pairs[0]:
        tier = verdict.question.as_tier
        console().print(f"  as {tier}: {escaped(verdict.reply['answer'])}")


def _show_page_of_a_citation(verdicts: Sequence[Verdict], roots: dict[str, Path]) -> None:
    """Open the page that a PDF citation names, from the original file as it was shipped."""
    from citewell.cli.output import console, escaped, one_line
    from citewell.evaluation.reopen import reopen
    from citewell.evaluation.samples import copy_samples

    paged = [c for verdict in verdicts for c in verdict.reply["citations"] if "page" in c]
    if not paged:
        return
    cited: dict[str, Any] = paged[0]
    fresh = copy_samples(next(iter(roots.values())).parent)
    page = reopen(fresh[cited["source_name"]] / cited["source_id"])[int(cited["page"]) - 1]
    console().print(f"\n[bold]Page {page.page} of {escaped(cited['source_id'])}[/]")
    console().print(escaped(one_line(page.text, width=400)))
    console().print(f"it is cited with: {escaped(one_line(cited['quote']))}\n")
