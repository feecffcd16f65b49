"""Who may call what: a row for every route and every tool of MCP. What has no row cannot be called.

Denied looks exactly like absent: whoever lacks the scope of a route is told what one is told who
calls a route that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citewell.domain.clearance import Scope


@dataclass(frozen=True, slots=True)
class AccessRow:
    """Who may call one route or tool.

    Attributes:
        method: Of HTTP; `MCP` for a tool.
        path: With the names of its parameters in braces; of a tool its name.
        scope: That the credential must have; None: no credential is asked for.
        gives: What is given, and to whom more is given than to others.
    """

    method: str
    path: str
    scope: Scope | None
    gives: str


ROWS: tuple[AccessRow, ...] = (
    AccessRow("GET", "/openapi.json", None, "the description of all routes, which is public"),
    AccessRow("GET", "/health/live", None, "that the process answers"),
    AccessRow("GET", "/health/ready", None, "whether it is able to answer; nothing of documents"),
    AccessRow("GET", "/health", "ask", "states as the reader may know them; `admin`: counts too"),
    AccessRow("GET", "/health/models", "ask", "states; `admin`: names and addresses too"),
    AccessRow("GET", "/metrics", "admin", "counts and times of all questions and syncs"),
    AccessRow("POST", "/search", "ask", "passages within the clearance"),
    AccessRow("POST", "/ask", "ask", "an answer from passages within the clearance"),
    AccessRow("POST", "/query", "ask", "the same as `/ask`"),
    AccessRow("POST", "/ask/stream", "ask", "the same as it is made"),
    AccessRow("POST", "/chat", "ask", "the same as it is made"),
    AccessRow("GET", "/sources", "ask", "sources with something readable; `admin`: all, and how"),
    AccessRow("POST", "/sync/{source}", "sync", "begins a sync of any source"),
    AccessRow("GET", "/sync/{source}/history", "sync", "runs of any source, with their counts"),
    AccessRow("GET", "/documents", "ask", "documents within the clearance; `admin`: counts too"),
    AccessRow("GET", "/documents/{document_id}", "ask", "text within the clearance"),
    AccessRow("GET", "/citations/{citation_id}", "ask", "text within the clearance"),
    AccessRow("GET", "/v1/models", "ask", "the name under which OpenAI clients ask"),
    AccessRow("POST", "/v1/chat/completions", "ask", "an answer from within the clearance"),
    AccessRow("POST", "/mcp", "ask", "the tools of MCP"),
    AccessRow("POST", "/conversations", "ask", "a conversation of one's own"),
    AccessRow("GET", "/conversations", "ask", "one's own conversations"),
    AccessRow("GET", "/conversations/{conversation_id}", "ask", "one of one's own, as now visible"),
    AccessRow("PATCH", "/conversations/{conversation_id}", "ask", "renames one of one's own"),
    AccessRow("DELETE", "/conversations/{conversation_id}", "ask", "deletes one of one's own"),
    AccessRow("GET", "/conversations/{conversation_id}/export", "ask", "the same as reading it"),
    AccessRow("POST", "/feedback", "ask", "notes what one says of an answer to oneself"),
    AccessRow("GET", "/feedback", "admin", "what readers said who may read no more than oneself"),
)


TOOLS: tuple[AccessRow, ...] = (
    AccessRow("MCP", "search", "ask", "the same as `POST /search`"),
    AccessRow("MCP", "ask", "ask", "the same as `POST /ask`"),
    AccessRow("MCP", "read_document", "ask", "text within the clearance"),
    AccessRow("MCP", "list_sources", "ask", "names of sources with something readable"),
)
"""Tools of MCP; over HTTP they have the scope of their route, too."""


def tool_row_of(name: str) -> AccessRow:
    """Return the row of a tool.

    Raises:
        LookupError: There is none; nobody may call that tool.
    """
    return _BY_TOOL[name]


COMMANDS: Mapping[str, str] = {
    "demo": "makes a data folder of its own from the samples",
    "serve": "lets callers in as the table of routes has it",
    "mcp": "reads every tier, for an assistant that runs it",
    "ingest": "writes",
    "sync": "writes",
    "watch": "writes",
    "search": "reads every tier, or as `--as` says",
    "ask": "reads every tier, or as `--as` says",
    "forget": "erases",
    "status": "reads counts and settings, without secrets",
    "backup": "copies the catalog",
    "restore": "replaces the catalog",
    "sources": "reads names and rules of all sources",
    "sources add": "writes",
    "sources remove": "erases",
    "eval run": "reads every tier",
    "eval calibrate": "reads public data",
    "db init": "writes the schema",
    "embeddings rebuild": "writes",
    "embeddings warmup": "loads the model",
    "keys create": "lets a caller in",
    "keys list": "lists keys, without secrets",
    "keys revoke": "locks a caller out",
}
"""Commands of `rag` and what they do. All of them are for whoever owns the data folder: it is made
readable and writable for that user of the system alone, and there is no other credential."""


def row_of(method: str, path: str) -> AccessRow:
    """Return the row of a route.

    Raises:
        LookupError: There is none; nobody may call that route.
    """
    return _BY_ROUTE[method, path]


def open_paths() -> frozenset[str]:
    """Return the paths that are open to all."""
    return frozenset(row.path for row in ROWS if row.scope is None)


_BY_TOOL: Mapping[str, AccessRow] = {row.path: row for row in TOOLS}
_BY_ROUTE: Mapping[tuple[str, str], AccessRow] = {(row.method, row.path): row for row in ROWS}
