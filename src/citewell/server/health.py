"""How the parts stand: states for everyone, counts for operators."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from citewell.access.clearance import clearance_of
from citewell.domain.chunk import SparseVector
from citewell.domain.clearance import Clearance, Principal
from citewell.domain.errors import CitewellError, LanguageModelMissingError
from citewell.domain.errors import SchemaNotInitializedError as NoSchemaError
from citewell.server.threads import in_thread

if TYPE_CHECKING:
    from citewell.ports.embedder import Embedder
    from citewell.ports.index import Index
    from citewell.ports.passage_reader import PassageReader
    from citewell.ports.pending_work import PendingWork
    from citewell.ports.source_registry import SourceRegistry

Status = Literal["ok", "degraded", "unavailable"]
ModelState = Literal["ok", "unavailable", "none", "not_configured"]

_KNOWN_S = 30.0  # how long what was found out about models counts


@dataclass(slots=True)
class Health:
    """Looks how the parts of a server stand.

    Attributes:
        tiers: All tiers, lowest first.
        sources: Tells whether the catalog can be read.
        passages: Tells whether a reader has something to search.
        pending: Tells what lags.
        index: Is asked a trifle.
        embedder: Without its cache; None where search goes by words.
        embedder_notice: Why there is none.
        language_model: Its name; "" where it has none yet, None where answers are quotes.
        can_reach_model: Whether its server answers.
        is_model_configured: Whether a model can be asked; raises where something is not set.
    """

    tiers: tuple[str, ...]
    sources: SourceRegistry
    passages: PassageReader
    pending: PendingWork
    index: Index
    embedder: Embedder | None
    embedder_notice: str
    language_model: str | None
    can_reach_model: Callable[[], Awaitable[bool]]
    is_model_configured: Callable[[], bool]
    _models: tuple[ModelState, ModelState] = ("none", "none")
    _models_until: float = field(default=-1.0)

    def check_parts(self) -> dict[str, str]:
        """Return the state of each part, without anything that depends on documents."""
        checks = {"app": "ok", "database": "ok", "schema": "ok", "index": "ok"}
        try:
            self.sources.sources()
        except NoSchemaError:
            checks["schema"] = "not_initialized"
        except CitewellError:
            checks["database"] = "unavailable"
        lowest = clearance_of(Principal("health", self.tiers[0]), tiers=self.tiers)
        try:
            self.index.search_lexical(lowest, SparseVector((0,), (1.0,)), limit=1)
        except CitewellError:
            checks["index"] = "unavailable"
        return checks

    def check_for(self, clearance: Clearance) -> dict[str, str]:
        """Return the state of each part, and whether this reader has something to search."""
        checks = self.check_parts()
        checks["embedding_config"] = "ok" if self.embedder is not None else "none"
        try:
            n_chunks = self.passages.document_frequencies(clearance, [])[1]
        except CitewellError:
            n_chunks = 0
        checks["retrieval_ready"] = "ready" if n_chunks else "not_ready"
        return checks

    def counts(self, clearance: Clearance) -> dict[str, Any]:
        """Return what operators see besides; chunks are those that may be read."""
        statuses = [
            (source.name, self.sources.status_of(source.id)) for source in self.sources.sources()
        ]
        return {
            "chunks": self.passages.document_frequencies(clearance, [])[1],
            "pending_vectors": self.pending.n_pending_vectors(),
            "sources": [
                {"name": name, "state": status.state, "watch": status.watch_mode}
                for name, status in statuses
            ],
            "embedder": self.embedder.model.key if self.embedder else None,
            "embedder_notice": self.embedder_notice or None,
            "language_model": self.language_model,
        }

    async def check_models(self) -> tuple[ModelState, ModelState]:
        """Return whether the embedder and the language model can be reached, as of lately."""
        if time.monotonic() >= self._models_until:
            self._models = (await in_thread(self._check_embedder), await self._check_model())
            self._models_until = time.monotonic() + _KNOWN_S
        return self._models

    def _check_embedder(self) -> ModelState:
        if self.embedder is None:
            return "none"
        try:
            self.embedder.embed_query("health")
        except CitewellError:
            return "unavailable"
        return "ok"

    async def _check_model(self) -> ModelState:
        if self.language_model is None:
            return "none"
        try:
            self.is_model_configured()
        except LanguageModelMissingError:
            return "not_configured"
        return "ok" if await self.can_reach_model() else "unavailable"


def status_of(checks: dict[str, str]) -> Status:
    """Return what the checks amount to."""
    if checks["database"] != "ok" or checks["schema"] != "ok":
        return "unavailable"
    fine = {"ok", "ready", "not_ready"}
    return "ok" if fine.issuperset(checks.values()) else "degraded"
