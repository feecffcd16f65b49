"""Writing small documents into a catalog and reading what is visible."""

from datetime import UTC, datetime

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.domain.chunk import Chunk
from citewell.domain.clearance import Clearance
from citewell.domain.document import ConvertedDocument
from citewell.domain.record import StagedVersion
from citewell.domain.source import Source, SourceItem
from citewell.ingestion.prepare import Origin, prepare_version
from citewell.lexical.analyze import analyze

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
ALL = Clearance(("employee", "manager", "director"))
EMPLOYEE = Clearance(("employee",))
SOURCE = Source("s1", "handbook", "folder", "/handbook")


def cut(document: ConvertedDocument) -> list[Chunk]:
    """One chunk per part between bars."""
    chunks: list[Chunk] = []
    position = 0
    for ordinal, part in enumerate(document.text.split("|")):
        span = (position, position + len(part))
        chunks.append(Chunk(ordinal, span, part, ("Heading",), len(part.split())))
        position += len(part) + 1
    return chunks


def origin(path: str, tier: str = "employee", **more: object) -> Origin:
    item = SourceItem(path, 10, 1_767_225_600_000_000_000, "", "fingerprint")
    return Origin("s1", item, tier, "sha", "recipe", **more)  # type: ignore[arg-type]


def put(
    catalog: SqliteCatalog,
    text: str,
    path: str = "a.md",
    tier: str = "employee",
    tags: tuple[str, ...] = (),
) -> StagedVersion:
    document = ConvertedDocument(text=text, syntax="plain", title="Title", tags=tags)
    version, _ = prepare_version(document, origin(path, tier), chunk_document=cut)
    staged = catalog.documents.stage(version)
    catalog.documents.switch(staged, version)
    return staged


def texts(catalog: SqliteCatalog, clearance: Clearance) -> list[str]:
    found = catalog.passages.visible_chunks(clearance, range(1, 100)).values()
    return [c.content for c in sorted(found, key=lambda c: (c.relative_path, c.ordinal))]


def statistics(catalog: SqliteCatalog, clearance: Clearance, word: str) -> tuple[int, int]:
    term = min(analyze(word))
    frequencies, n_chunks = catalog.passages.document_frequencies(clearance, [term])
    return frequencies.get(term, 0), n_chunks
