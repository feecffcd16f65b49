"""The port through which it is told what takes how long: for traces, logs and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol

from typing_extensions import override

Value = str | int | float | bool
"""Of an attribute: a name, count, time or flag; never a text that a reader or a document wrote, nor
a secret."""
Attributes = Mapping[str, Value]


class Span(Protocol):
    """Something that takes time."""

    def begin(
        self, name: str, *, attributes: Attributes | None = None, began_ago_s: float = 0.0
    ) -> Span:
        """Begin a part of it.

        Args:
            name: What is done; one of few.
            attributes: What is known of it.
            began_ago_s: Seconds before now when it began.
        """
        ...

    def end(
        self,
        *,
        attributes: Attributes | None = None,
        error: str | None = None,
        ended_ago_s: float = 0.0,
    ) -> None:
        """End it; nothing may be begun in it afterwards.

        Args:
            attributes: What else is known of it.
            error: Code of the error that ended it, or None.
            ended_ago_s: Seconds before now when it ended.
        """
        ...


class Tracer(Protocol):
    """Told what begins by itself: a question, a sync. Never fails its caller; thread-safe."""

    def begin(
        self,
        name: str,
        *,
        attributes: Attributes | None = None,
        began_ago_s: float = 0.0,
        source_id: str = "",
    ) -> Span:
        """Begin something that is a part of nothing else.

        Args:
            name: What is done; one of few.
            attributes: What is known of it.
            began_ago_s: Seconds before now when it began.
            source_id: Of the source that is synced: what is done for it later may join it.
        """
        ...

    def join(self, source_id: str, name: str, *, attributes: Attributes | None = None) -> Span:
        """Begin a part of the last sync of a source, which may have ended."""
        ...

    def close(self) -> None:
        """Hand on what ended; nothing may be begun afterwards."""
        ...


class UntoldSpan(Span):
    """Tells nobody."""

    @override
    def begin(
        self, name: str, *, attributes: Attributes | None = None, began_ago_s: float = 0.0
    ) -> Span:
        return self

    @override
    def end(
        self,
        *,
        attributes: Attributes | None = None,
        error: str | None = None,
        ended_ago_s: float = 0.0,
    ) -> None:
        """Tell nobody."""


class Untold(Tracer):
    """Tells nobody."""

    @override
    def begin(
        self,
        name: str,
        *,
        attributes: Attributes | None = None,
        began_ago_s: float = 0.0,
        source_id: str = "",
    ) -> Span:
        return UNTOLD_SPAN

    @override
    def join(self, source_id: str, name: str, *, attributes: Attributes | None = None) -> Span:
        return UNTOLD_SPAN

    @override
    def close(self) -> None:
        """Do nothing."""


UNTOLD_SPAN = UntoldSpan()
UNTOLD = Untold()
"""Where nobody is told."""

CURRENT_SPAN: ContextVar[Span] = ContextVar("CURRENT_SPAN", default=UNTOLD_SPAN)
"""Of what goes on in this thread: set and reset within one function that does not yield."""
