"""What a caller shows to be let in."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Credential:
    """What came with one request.

    Attributes:
        bearer: The key or token of the `Authorization` header, without `Bearer`; None without that
            header. It is never printed.
        is_local: Whether the connection comes from this machine and nobody forwarded it.
    """

    bearer: str | None = field(repr=False)
    is_local: bool
