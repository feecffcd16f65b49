"""The port through which the files of the stores are looked into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.domain.erasure import Finding, Store
from citewell.ports.index import Leg


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a look into all files showed.

    Attributes:
        findings: What should not be there, whatever the catalog says.
        slots: Chunk keys of all points in the files of each tier and leg, deleted ones included,
            ascending.
    """

    findings: tuple[Finding, ...]
    slots: Mapping[tuple[str, Leg], Sequence[int]]


class StoreInspector(Protocol):
    """Decodes the files of the stores with code of its own, not with what wrote them.

    What has a form that is not known is a finding, never taken for empty. Nothing may write to the
    stores meanwhile.
    """

    def has_remains(self, store: Store) -> bool:
        """Return whether a store's file holds something that belongs to no row of it."""
        ...

    def inspect(self, texts: Sequence[str] = ()) -> Inspection:
        """Look into every file of the data folder.

        Args:
            texts: What must not be found anywhere but in rows of live documents; a text of fewer
                than 12 bytes is not looked for.

        Raises:
            UnavailableError: The files cannot be looked into.
        """
        ...
