"""The port through which vectors of text that comes back are remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PromptKind = Literal["passage", "query"]


def text_sha(text: str) -> bytes:
    """Return the SHA-256 of a text, 32 bytes: its name in the cache.

    Lone surrogates count as what they are, so any string has a name.
    """
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class EmbeddingCache(Protocol):
    """A disposable memory of vectors, bounded in size; the least recently used go first.

    It never fails its caller: what cannot be read is a miss, and what cannot be written is not
    remembered; both are logged. Only what serves forgetting reports. Thread-safe, and safe to
    share between processes that are not forks of one another.
    """

    def get(
        self, model_key: str, kind: PromptKind, shas: Sequence[bytes]
    ) -> Mapping[bytes, NDArray[np.float32]]:
        """Return what is remembered of `shas`: `float32[dim]` each, exactly as it was put."""
        ...

    def put(
        self, model_key: str, kind: PromptKind, vectors: Mapping[bytes, NDArray[np.float32]]
    ) -> None:
        """Remember vectors by the SHA-256 of their text; one that is known is replaced."""
        ...

    def forget(self, shas: Sequence[bytes]) -> bool:
        """Erase the entries of these texts, of every model and prompt kind.

        Returns:
            True when the write-ahead log is empty too; False when something else still reads or
            writes the file: call again later.
        """
        ...

    def compact(self) -> bool:
        """Rewrite the file, leaving out what lies between live entries; else as `forget`."""
        ...

    def passage_shas(self) -> Sequence[bytes]:
        """Return the names of all texts of passages that are remembered, of any model.

        Raises:
            UnavailableError: It cannot be read.
        """
        ...

    def close(self) -> None:
        """Release the file; nothing may be called afterwards."""
        ...
