"""What a reader asks."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.domain.conversation import Turn
from citewell.domain.passage import SearchFilters


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question, and how it is to be answered.

    Attributes:
        question: As asked; at most 8,000 characters.
        top_k: Passages per search, in [1, 20].
        filters: What the search is narrowed to.
        history: What was said before, oldest first; a client's own, not trusted.
        fallback: Whether general knowledge may answer what the documents do not.
        explain: Whether to add the trace.
    """

    question: str
    top_k: int = 5
    filters: SearchFilters = field(default_factory=SearchFilters)
    history: tuple[Turn, ...] = ()
    fallback: bool = False
    explain: bool = False
