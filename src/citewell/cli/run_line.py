"""One line about a sync run, for people."""

from __future__ import annotations

from citewell.domain.record import RunCounts, RunRecord

_SHOWN = (
    "added",
    "updated",
    "moved",
    "deleted",
    "hidden",
    "restored",
    "skipped",
    "failed",
    "chunks_written",
    "embeddings_computed",
    "embeddings_reused",
    "drift_repaired",
)


def run_line(run: RunRecord) -> str:
    """Return what started a run, how it ended, how long it took, and what it did."""
    took = "" if run.duration_s is None else f" in {run.duration_s:.1f} s"
    return f"{run.trigger} {run.state}{took}: {counts_line(run.counts)}"


def counts_line(counts: RunCounts) -> str:
    """Return what a run did."""
    listed = [(name.replace("_", " "), getattr(counts, name)) for name in _SHOWN]
    return ", ".join(f"{n} {name}" for name, n in listed if n) or "nothing to do"
