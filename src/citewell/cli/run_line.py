"""One line about a sync run, for people."""

from __future__ import annotations

from citewell.domain.record import RunRecord

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
    counts = [(name.replace("_", " "), getattr(run.counts, name)) for name in _SHOWN]
    done = ", ".join(f"{n} {name}" for name, n in counts if n)
    return f"{run.trigger} {run.state}{took}: {done or 'nothing to do'}"
