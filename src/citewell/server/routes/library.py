"""Documents, their text, and what citations point to."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import JSONResponse

from citewell.library.list_documents import MAX_DOCUMENTS, list_documents
from citewell.library.read_document import MAX_CHUNKS, open_citation, read_document
from citewell.server.guarded_route import GuardedRoute
from citewell.server.parts import Asker, Parts
from citewell.server.replies import document_part_reply, excerpt_reply, readable_document_reply
from citewell.server.schemas.error import documented
from citewell.server.schemas.library import DocumentsReply, DocumentTextReply, ExcerptReply
from citewell.server.threads import in_thread

router = APIRouter(route_class=GuardedRoute, tags=["library"])

Id = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("/documents", responses={**documented(), 200: {"model": DocumentsReply}})
async def documents(
    *,
    parts: Parts,
    asker: Asker,
    source: Annotated[str | None, Query(min_length=1, max_length=1000)] = None,
    cursor: Annotated[str | None, Query(min_length=1, max_length=20_000)] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_DOCUMENTS)] = 100,
) -> JSONResponse:
    """List the documents that the caller may see, by source and path."""
    page = await in_thread(
        list_documents,
        parts.library,
        parts.clearance(asker),
        source=source,
        cursor=cursor,
        limit=limit,
    )
    listed = [readable_document_reply(document, asker) for document in page.documents]
    return JSONResponse({"documents": listed, "next_cursor": page.next_cursor})


@router.get(
    "/documents/{document_id}", responses={**documented(), 200: {"model": DocumentTextReply}}
)
async def document(
    *,
    document_id: Id,
    parts: Parts,
    asker: Asker,
    start: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_CHUNKS)] = 100,
) -> JSONResponse:
    """Read a document, some chunks at a time; `next_start` gives the chunks after these."""
    part = await in_thread(
        read_document,
        parts.library,
        parts.passages,
        parts.clearance(asker),
        document_id,
        ordinals=(start, start + limit),
    )
    return JSONResponse(document_part_reply(part, asker))


@router.get("/citations/{citation_id}", responses={**documented(), 200: {"model": ExcerptReply}})
async def citation(citation_id: Id, parts: Parts, asker: Asker) -> JSONResponse:
    """Return what a citation points to, as it stands now."""
    excerpt = await in_thread(open_citation, parts.passages, parts.clearance(asker), citation_id)
    return JSONResponse(excerpt_reply(excerpt))
