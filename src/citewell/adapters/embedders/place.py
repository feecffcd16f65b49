"""Embed only what has text, and put the vectors back in their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def embed_where_text(
    texts: Sequence[str], *, dim: int, embed: Callable[[list[str]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return `float32[n_texts, dim]`: the rows of `embed`, and zero rows for blank texts.

    Args:
        texts: Cleaned; a text of white space only is blank.
        dim: Length of the vectors.
        embed: Called once with the texts that are not blank, if there are any.
    """
    vectors = np.zeros((len(texts), dim), dtype=np.float32)
    filled = [row for row, text in enumerate(texts) if text.strip()]
    if filled:
        vectors[filled] = embed([texts[row] for row in filled])
    return vectors
