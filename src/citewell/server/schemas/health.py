"""Replies of `/health` and below."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class LiveReply(BaseModel):
    """The process answers."""

    status: Literal["ok"]


class HealthReply(BaseModel):
    """How the parts stand; `details` for operators."""

    status: Literal["ok", "degraded", "unavailable"]
    checks: dict[str, str]
    details: dict[str, Any] | None = None


class ModelReply(BaseModel):
    """Whether a model can be reached; its name for operators."""

    state: Literal["ok", "unavailable", "none", "not_configured"]
    name: str | None = None


class ModelsReply(BaseModel):
    """The embedder and the language model."""

    embedder: ModelReply
    language_model: ModelReply
