"""`rag watch`: follow the sources while they change."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citewell.cli import options

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.domain.source import Source
    from citewell.ingestion.ingest_document import Outcome
    from citewell.ingestion.watch_source import EndedRun
    from citewell.ingestion.watch_sources import SourcesWatch


def watch(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders or vaults to follow; default: every registered source."),
    ] = None,
    tier: Annotated[
        str | None, typer.Option(help="Access tier of these folders; default: the highest.")
    ] = None,
    folder_per_tier: Annotated[
        bool, typer.Option("--folder-per-tier", help="Their first folders are named like tiers.")
    ] = False,
    vectors: Annotated[
        bool, typer.Option(help="Make vectors too; without them search goes by words.")
    ] = True,
    as_json: options.AsJson = False,
    data_dir: options.DataDir = None,
    env_file: options.EnvFile = None,
) -> None:
    """Keep the index up to what the sources hold, until it is stopped (Ctrl-C, SIGTERM)."""
    from citewell.cli.session import opened
    from citewell.ingestion.watch_sources import WatchObservers
    from citewell.live import watch_of

    with opened(data_dir, env_file) as parts:
        sources = _chosen(parts, paths or [], tier=tier, folder_per_tier=folder_per_tier)
        parts.serve_searches()
        told = _Told(as_json=as_json)
        observers = WatchObservers(sync=told, ended=told.ended, trouble=told.trouble)
        watching = watch_of(parts, observers, vectors=vectors)
        told.stop = watching.stop
        with _stopping_on_signals(watching):
            told.begin(sources)
            if vectors and watching.filling is None:
                told.trouble(parts.embedder.reason)
            watching.watch_sources(sources)
        told.stopped()


def _chosen(
    parts: Citewell, paths: Sequence[Path], *, tier: str | None, folder_per_tier: bool
) -> Sequence[Source]:
    """Register the folders that were named and return them; without any, return every source."""
    from citewell.cli.declared_sources import register_declared
    from citewell.domain.errors import UsageError
    from citewell.ingestion.register_source import register_folder

    registry, tiers = parts.catalog.sources, parts.settings.access_tiers
    if not paths and (tier is not None or folder_per_tier):
        raise UsageError("--tier and --folder-per-tier are for folders that are named: name some")
    register_declared(parts)
    named = [
        register_folder(path, registry, tiers=tiers, tier=tier, folder_per_tier=folder_per_tier)
        for path in paths
    ]
    sources = list({source.id: source for source in named}.values()) or registry.sources()
    if not sources:
        raise UsageError("there is no source yet: name a folder, as in `rag watch PATH`")
    return sources


class _Told:
    """Prints what goes on: lines for people, or one JSON object per line.

    Attributes:
        stop: Called when nobody reads the lines any more.
    """

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.stop: Callable[[], None] = lambda: None

    def begin(self, sources: Sequence[Source]) -> None:
        names = [source.name for source in sources]
        self._print(f"watching {', '.join(names)}; Ctrl-C stops", event="watching", sources=names)

    def stopped(self) -> None:
        self._print("stopped: what was done so far is kept", event="stopped")

    def trouble(self, reason: str) -> None:
        self._print(reason, event="trouble", reason=reason)

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """Say nothing: the end of the run tells it."""

    def done(self, outcome: Outcome) -> None:
        """Tell of a document that could not be made searchable."""
        if outcome.reason:
            self._print(
                f"  {outcome.state.value} {outcome.relative_path}: {outcome.reason}",
                event="document",
                relative_path=outcome.relative_path,
                state=outcome.state.value,
                reason=outcome.reason,
            )

    def ended(self, run: EndedRun) -> None:
        from dataclasses import asdict

        from citewell.cli.run_line import counts_line

        line = run.error or counts_line(run.counts)
        self._print(
            f"{run.source.name}: {line}",
            event="run",
            source=run.source.name,
            trigger=run.trigger,
            error=run.error,
            **asdict(run.counts),
        )

    def _print(self, line: str, **fields: Any) -> None:
        import sys

        from citewell.cli.output import plain, print_json

        try:
            if self._as_json:
                print_json(fields)
                sys.stdout.flush()
            else:
                print(plain(line), file=sys.stderr, flush=True)
        except BrokenPipeError:
            self.stop()


@contextmanager
def _stopping_on_signals(watching: SourcesWatch) -> Generator[None]:
    """Let SIGINT and SIGTERM stop the watch after the document at hand; a second one interrupts."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in signals}

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in signals:
            signal.signal(number, _interrupt)
        watching.stop()

    for number in signals:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
