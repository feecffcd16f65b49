"""Opening the parts that a command needs, from its options."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from citewell.bootstrap import Access, Citewell
    from citewell.domain.clearance import Clearance
    from citewell.domain.passage import SearchFilters


_Result = TypeVar("_Result")

COMMAND = ContextVar("COMMAND", default="rag")
"""The command that runs, for messages to others."""


@contextmanager
def opened(
    data_dir: Path | None,
    env_file: Path | None,
    *,
    access: Access = "write",
    overrides: Mapping[str, object] | None = None,
) -> Generator[Citewell]:
    """Yield the wired parts for the settings that the options and the environment give.

    `access` is as in `open_citewell`.
    """
    from citewell.bootstrap import open_citewell
    from citewell.load_settings import load_settings

    given = {"data_dir": data_dir, **(overrides or {})}
    settings = load_settings(given, env_file=env_file)
    with open_citewell(settings, access=access, command=COMMAND.get()) as parts:
        yield parts


def run_answering(parts: Citewell, work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run what asks questions, and close the language model's connections before its loop ends."""
    import asyncio

    async def run() -> _Result:
        try:
            return await work
        finally:
            if parts.language_model is not None:
                await parts.language_model.close()

    return asyncio.run(run())


def owner_clearance(parts: Citewell, as_tier: str | None) -> Clearance:
    """Return what the owner of the data folder may read, narrowed to `as_tier`."""
    from citewell.access.clearance import clearance_of
    from citewell.domain.clearance import Principal

    tiers = parts.settings.access_tiers
    return clearance_of(Principal("owner", tiers[-1]), tiers=tiers, narrowed_to=as_tier)


def filters_from(
    *,
    source: str | None,
    path: str | None,
    tags: Sequence[str] | None,
    types: Sequence[str] | None,
    since: str | None,
    until: str | None,
) -> SearchFilters:
    """Return the filters that the options give; bytes that are not UTF-8 match nothing."""
    from citewell.domain.passage import SearchFilters

    return SearchFilters(
        source=source and _valid(source),
        path_prefix=path and _valid(path),
        tags=tuple(_valid(tag) for tag in tags or ()),
        types=tuple(_valid(file_type) for file_type in types or ()),
        modified_after=since,
        modified_before=until,
    )


def _valid(text: str) -> str:
    """Return text without lone surrogates, which Python makes of bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
