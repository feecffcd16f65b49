"""Delete what is gone from its source, without waiting for a sync of the whole source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from citewell.domain.errors import NotFoundError, SourceEmptyError, UsageError
from citewell.domain.record import KnownItem
from citewell.domain.source import Source
from citewell.ingestion.register_source import find_source
from citewell.ports.connector import Connector
from citewell.ports.document_catalog import DocumentCatalog
from citewell.ports.erasure_log import ErasureLog
from citewell.ports.source_registry import SourceRegistry


@dataclass(frozen=True, slots=True)
class ForgottenPath:
    """What was deleted for a path.

    Attributes:
        source: Name of the source.
        n_deleted: Documents that were deleted now, members of archives included; 0 when an earlier
            sync has deleted them.
        texts: All text of the documents that were deleted now.
        paths: Of the items concerned; the path itself when an earlier sync has deleted it.
    """

    source: str
    n_deleted: int
    texts: Sequence[str]
    paths: Sequence[str]


@dataclass(frozen=True, slots=True)
class PathForgetting:
    """The parts that deleting by path needs.

    Attributes:
        registry: Knows the sources.
        documents: From where documents are deleted.
        log: Knows what went before.
        open_connector: Opens what reads a source.
    """

    registry: SourceRegistry
    documents: DocumentCatalog
    log: ErasureLog
    open_connector: Callable[[Source], Connector]

    def forget_path(self, path: str, *, source_name: str | None = None) -> ForgottenPath:
        """Delete the documents at or below a path, and return their text; erasing is another step.

        Args:
            path: As `rag status` and citations show it: relative to the source.
            source_name: Where several sources know the path.

        Raises:
            UsageError: It is still in the source, or several sources know it.
            NotFoundError: Nothing is known of it.
            SourceUnavailableError: Whether it is gone cannot be seen.
        """
        wanted = path.strip("/")
        source, known = self._find(wanted, source_name)
        if known:
            self._refuse_what_is_there(source, wanted, known)
        keys = [item.document_key for item in known]
        texts = self.log.texts_of(keys)
        n_deleted = self.documents.delete(keys) if keys else 0
        paths = [item.relative_path for item in known] or [wanted]
        return ForgottenPath(source.name, n_deleted, texts, paths)

    def _find(self, path: str, source_name: str | None) -> tuple[Source, Sequence[KnownItem]]:
        """Return the only source that knows or knew the path, and the items at or below it."""
        sources = self.registry.sources()
        if source_name is not None:
            sources = [find_source(source_name, self.registry)]
        former = {record.source_id for record in self.log.records_of(path)}
        known = {source: self._known(source, path) for source in sources}
        holding = [source for source in sources if known[source]]
        found = holding or [source for source in sources if source.id in former]
        if len(found) > 1:
            names = ", ".join(source.name for source in found)
            raise UsageError(f"several sources know {path}: choose one of {names} with --source")
        if not found:
            raise NotFoundError(
                f"no document is known at {path}: give the path as `rag status --documents` shows"
                " it. Whether the stores hold anything that no document has, is shown by"
                " `rag forget --verify-all`"
            )
        return found[0], known[found[0]]

    def _known(self, source: Source, path: str) -> Sequence[KnownItem]:
        items = self.documents.known_items(source.id, within=[path])
        if items:
            return items
        above = _above(path)
        for item in self.documents.known_items(source.id, within=above) if above else ():
            if item.relative_path in above:
                raise UsageError(
                    f"{path} is a part of {item.relative_path}: take it out of that file and run"
                    " `rag sync`, or forget the whole file"
                )
        return ()

    def _refuse_what_is_there(self, source: Source, path: str, known: Sequence[KnownItem]) -> None:
        may_hide_it = {*_above(path), *(item.relative_path for item in known)}
        try:
            found = [item.relative_path for item in self.open_connector(source).scan([path])]
        except SourceEmptyError:
            return  # an empty folder does not hold it, and somebody has named it
        there = sorted(may_hide_it.intersection(found))
        if there:
            raise UsageError(
                f"{there[0]} is still in the source {source.name}, so the next sync would bring it"
                " back: remove the file, or leave it out with `exclude` in sources.toml, then try"
                " again"
            )


def _above(path: str) -> list[str]:
    """Return the folders that a path lies in; a folder that cannot be listed may hide it."""
    return [str(folder) for folder in PurePosixPath(path).parents][:-1]
