"""Estimate a prompt's length in the tokens of a model whose tokenizer is not at hand."""

from __future__ import annotations

import math
import re

from citewell.domain.errors import PromptTooLongError
from citewell.ports.language_model import Prompt

# Vocabularies that are larger than that of cl100k_base make fewer tokens, smaller ones (32,000 of
# Llama 2 and Mistral) about a quarter more of English text. The template around a message takes
# some more.
_UPPER_PER_CL100K = 1.25
_UPPER_PER_MESSAGE = 12

# No tokenizer joins words, nor numbers, and two characters of Chinese, Japanese or Korean only if
# they are a frequent word. Two tokens of a word are the rule outside of English.
_WORD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER = re.compile(r"\d+")
_LOWER_PER_WIDE = 0.45

_SMALLEST_WINDOW = 8_192
_WINDOW_UNIT = 1_024
_NEAR = 8


def upper_bound(prompt: Prompt) -> int:
    """Return how many tokens the prompt takes at most, for text in a language, not for noise."""
    from citewell.ingestion.tokens import count_tokens

    n_tokens = sum(count_tokens(message.content) for message in prompt.messages)
    return math.ceil(_UPPER_PER_CL100K * n_tokens) + _UPPER_PER_MESSAGE * len(prompt.messages)


def lower_bound(prompt: Prompt) -> int:
    """Return how many tokens the prompt takes at least."""
    return sum(_lower_bound_of(message.content) for message in prompt.messages)


def window_for(n_tokens: int) -> int:
    """Return a window that holds them: 8,192 or a power of two above.

    The default passages take 6,000 tokens. A server loads the model anew for another window, so
    there are few of them.
    """
    return max(_SMALLEST_WINDOW, 2 ** math.ceil(math.log2(max(1, n_tokens))))


def check_not_cut(prompt: Prompt, n_counted: int | None, *, window: int | None = None) -> None:
    """Raise if the server's count shows that it cut the prompt.

    A count below what the prompt takes at least has two reasons. Either the prompt was cut; what is
    left fills the window, or half of it. Or the server counted only what its cache did not hold
    (Ollama before 0.2 and in 0.30.0; of late it counts all).

    Args:
        prompt: What was sent.
        n_counted: Tokens of the prompt as the server says; None or 0 tells nothing.
        window: What the server was asked for, and can give, if known. In a prompt that fits it,
            only a count that looks like a window is believed to be one.

    Raises:
        PromptTooLongError: It was cut.
    """
    if not n_counted or n_counted >= lower_bound(prompt):
        return
    n_units = round(n_counted / _WINDOW_UNIT)
    looks_like_a_window = n_units > 0 and abs(n_counted - n_units * _WINDOW_UNIT) <= _NEAR
    if looks_like_a_window or (window is not None and upper_bound(prompt) > window):
        raise PromptTooLongError(
            f"the server cut the prompt to {n_counted} tokens: raise the window of the model there,"
            " or lower RAG_CONTEXT_TOKEN_BUDGET"
        )


def _lower_bound_of(text: str) -> int:
    n_wide = len(_WIDE.findall(text))
    n_words = len(_WORD.findall(_WIDE.sub(" ", text)))
    return n_words + len(_NUMBER.findall(text)) + int(_LOWER_PER_WIDE * n_wide)
