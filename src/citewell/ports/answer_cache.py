"""The port through which answers that were checked are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from citewell.domain.answer import Answer


@dataclass(frozen=True, slots=True)
class AnswerName:
    """Under which an answer is remembered: hashes of 32 bytes.

    Attributes:
        exact: Of all that must be the same for the answer to be used again.
        alike: The same, with the question reduced to what must be the same in a similar one.
        reader: Of the clearance.
    """

    exact: bytes
    alike: bytes
    reader: bytes


@dataclass(frozen=True, slots=True)
class PastSearch:
    """A search that an answer was made from.

    Attributes:
        question: What was searched for.
        evidence: Hash of all that it found.
    """

    question: str
    evidence: bytes


@dataclass(frozen=True, slots=True)
class UsedChunk:
    """A chunk that a search for an answer found, cited or not.

    Attributes:
        document_id: Of its document.
        chunk_key: The catalog's key.
        tier: Of its document.
    """

    document_id: str
    chunk_key: int
    tier: str


@dataclass(frozen=True, slots=True, eq=False)
class RememberedAnswer:
    """An answer, and what it was made from.

    Attributes:
        answer: As it was given; without timings, usage and trace.
        searches: All of them, each once.
        used: What they found, each once.
        vector: Of the question, `float32[dim]` of unit length, where it may be used for similar
            questions; else None.
    """

    answer: Answer
    searches: tuple[PastSearch, ...]
    used: tuple[UsedChunk, ...]
    vector: NDArray[np.float32] | None = None


class AnswerCache(Protocol):
    """A disposable memory of answers, bounded by age and, for each reader, by number.

    One reader's answers never make room for another's, so that nobody sees by what is remembered
    how much others ask.

    It never fails its caller: what cannot be read is a miss, and what cannot be written is not
    remembered; both are logged. Only what serves forgetting reports. Thread-safe, and safe to
    share between processes that are not forks of one another.
    """

    def get(self, exact: bytes) -> RememberedAnswer | None:
        """Return the answer of this name, unless it is too old."""
        ...

    def get_alike(self, alike: bytes) -> Sequence[RememberedAnswer]:
        """Return the answers of this name that have a vector and are not too old, newest first."""
        ...

    def put(self, name: AnswerName, remembered: RememberedAnswer) -> None:
        """Remember an answer; one of the same exact name is replaced, and too many go, old first.

        An answer that uses no chunk is not remembered: nobody would know when to forget it.
        """
        ...

    def remove(self, exact: bytes) -> None:
        """Delete the answer of this name, if there is one."""
        ...

    def forget(self, document_ids: Sequence[str]) -> bool:
        """Erase the answers that used any of these documents.

        Returns:
            True when the write-ahead log is empty too; False when something else still reads or
            writes the file: call again later.
        """
        ...

    def compact(self) -> bool:
        """Rewrite the file, leaving out what lies between live entries; else as `forget`."""
        ...

    def used_chunks(self) -> Sequence[UsedChunk]:
        """Return what the answers use, each once; the chunk key 0 for one that does not say.

        Raises:
            UnavailableError: It cannot be read.
        """
        ...

    def close(self) -> None:
        """Release the file; nothing may be called afterwards."""
        ...
