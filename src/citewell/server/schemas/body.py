"""What all bodies of requests have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, model_validator


class Body(BaseModel):
    """A JSON object whose fields have exactly the types that are documented, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _is_unicode(cls, value: Any) -> Any:
        if has_lone_surrogates(value):
            raise ValueError("a text is not valid Unicode")
        return value


def has_lone_surrogates(value: object) -> bool:
    r"""Return whether a JSON value holds half a character: JSON may write it as `\ud800`."""
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return any(has_lone_surrogates(part) for pair in pairs for part in pair)
    if isinstance(value, Sequence):
        return any(has_lone_surrogates(part) for part in cast("Sequence[object]", value))
    return False
