"""Asking a model for a few short texts about material that it must not obey."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from citewell.answering.prompts.load_prompt import load_prompt
from citewell.answering.reading.json_reply import parse_json_reply
from citewell.domain.errors import LanguageModelError
from citewell.ports.language_model import LanguageModel, Message, Prompt

_TAG_MARKS = re.compile(r"[<>]")
_MAX_TEXTS = 8


async def ask_for_texts(
    model: LanguageModel,
    material: Sequence[tuple[str, str]],
    *,
    prompt: str,
    key: str,
    is_list: bool,
    max_tokens: int,
    temperature: float = 0.0,
) -> list[str] | None:
    """Return the texts that a model wrote, unchecked; None if it failed or wrote something else.

    What is asked here can be done without a model, so a failure is no error.

    Args:
        model: Which is asked once.
        material: Tag and text, in order; a text cannot close its tag.
        prompt: Name of the prompt, which is the fixed part and stands first.
        key: Of the reply's object.
        is_list: Whether the value is a list of texts or one text.
        max_tokens: Of the reply.
        temperature: Of the reply.
    """
    told = "\n".join(f"<{tag}>\n{_TAG_MARKS.sub(' ', text)}\n</{tag}>" for tag, text in material)
    messages = (Message("system", load_prompt(prompt)), Message("user", told))
    try:
        completion = await model.complete(
            Prompt(messages, max_tokens, temperature, _schema(key, is_list=is_list))
        )
    except LanguageModelError:
        return None
    return _texts(parse_json_reply(completion.text), key)


def _schema(key: str, *, is_list: bool) -> Mapping[str, Any]:
    text = {"type": "string"}
    value = {"type": "array", "items": text, "minItems": 1} if is_list else text
    return {
        "type": "object",
        "properties": {key: value},
        "required": [key],
        "additionalProperties": False,
    }


def _texts(reply: Mapping[str, Any] | None, key: str) -> list[str] | None:
    if reply is None:
        return None
    value = reply.get(key)
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    texts = [" ".join(text.split()) for text in values[:_MAX_TEXTS] if isinstance(text, str)]
    return [text for text in texts if text] or None
