"""Telling how long a search takes, and each of its parts."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from citewell.domain.errors import error_code
from citewell.domain.passage import SearchResult
from citewell.ports.tracer import CURRENT_SPAN, Span, Tracer, Value


@contextmanager
def told_search(span: Span | Tracer) -> Generator[list[SearchResult]]:
    """Tell of a search as a part of `span`; its result is put into what is yielded."""
    found: list[SearchResult] = []
    attributes = {"gen_ai.operation.name": "retrieval"}
    with _told(span.begin("search", attributes=attributes), found):
        yield found


@contextmanager
def told_part(name: str, attributes: Mapping[str, Value] | None = None) -> Generator[None]:
    """Tell of a part of the search that goes on in this thread."""
    with _told(CURRENT_SPAN.get().begin(name, attributes=attributes), []):
        yield


@contextmanager
def _told(span: Span, found: list[SearchResult]) -> Generator[None]:
    token = CURRENT_SPAN.set(span)
    error: str | None = None
    try:
        yield
    except BaseException as failure:
        error = error_code(failure)
        raise
    finally:
        CURRENT_SPAN.reset(token)
        span.end(attributes=_attributes(found), error=error)


def _attributes(found: list[SearchResult]) -> dict[str, Value]:
    return {
        name: value
        for result in found
        for name, value in (
            ("citewell.passages", len(result.passages)),
            ("citewell.sufficient", result.is_sufficient),
        )
    }
