"""Estimate a text's length in the tokens of a model whose tokenizer is not at hand."""

from __future__ import annotations

import re
from itertools import islice

# Four letters of an English word, or any other visible character, are a token at most in the
# vocabularies in use; scripts that a model knows well need fewer.
_TOKEN = re.compile(r"[A-Za-z]{1,4}|[^\sA-Za-z]")


_N_SPECIAL_TOKENS = 2


def estimate_tokens(text: str) -> int:
    """Return an upper bound for natural text, two special tokens included.

    Too high by half for English and by up to four times for other alphabets; on emoji, rare
    characters and random letters it can be too low.
    """
    return _N_SPECIAL_TOKENS + sum(1 for _ in _TOKEN.finditer(text))


def cut_to_tokens(text: str, max_tokens: int) -> str:
    """Return the beginning of `text` whose estimate is at most `max_tokens`."""
    first_left_out = next(islice(_TOKEN.finditer(text), max_tokens - _N_SPECIAL_TOKENS, None), None)
    return text if first_left_out is None else text[: first_left_out.start()]
