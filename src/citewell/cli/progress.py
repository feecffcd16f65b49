"""Progress of long work, on standard error and only where someone watches."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from citewell.domain.source import Source
    from citewell.ingestion.ingest_document import Outcome

_TROUBLES = frozenset({"failed", "quarantined", "protected", "unsupported", "no_text"})


class SyncProgress:
    """Shows how a sync goes on and keeps what went wrong."""

    def __init__(self, bar: Progress) -> None:
        """Take the bar to draw on."""
        self._bar = bar
        self._task = bar.add_task("scanning", total=None)
        self.troubles: list[Outcome] = []

    def scanned(self, source: Source, *, n_to_read: int) -> None:
        """Show how many items must be read."""
        self._bar.update(self._task, description=f"reading {source.name}", total=n_to_read)

    def done(self, outcome: Outcome) -> None:
        """Advance by one document."""
        self._bar.advance(self._task)
        if outcome.state.value in _TROUBLES:
            self.troubles.append(outcome)


@contextmanager
def progress_bar(*, quiet: bool = False) -> Generator[Progress]:
    """Yield a progress bar that vanishes when its work is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from citewell.cli.output import console

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console(stderr=True),
        transient=True,
        disable=quiet,
    )
    with bar:
        yield bar


@contextmanager
def status_line(*, quiet: bool = False) -> Generator[Callable[[str], None]]:
    """Yield a function that shows what is being done, on standard error."""
    from citewell.cli.output import console, escaped

    out = console(stderr=True)
    yield lambda text: None if quiet else out.print(f"[dim]{escaped(text)}[/]")
