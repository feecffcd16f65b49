"""How settings are declared: their default, what is allowed, their unit and their range."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class SettingGroup(BaseModel):
    """Settings that belong together; `citewell.settings` composes the groups."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )


def setting(
    default: object, allowed: str, *, shown_default: str = "", unit: str = "", **limits: Any
) -> Any:
    """Declare a setting; `allowed` completes "allowed: …", `shown_default` is for the docs."""
    texts: dict[str, Any] = {"allowed": allowed, "unit": unit, "shown_default": shown_default}
    return Field(default, json_schema_extra=texts, **limits)


def number(default: float | None, unit: str, *, within: tuple[float, float]) -> Any:
    """Declare a number with its unit and its range, both ends included."""
    low, high = within
    kind = "a whole number" if isinstance(default, int) else "a number"
    return setting(
        default, f"{kind} in [{low}, {high}]", unit=unit, ge=low, le=high, allow_inf_nan=False
    )


def switch(*, default: bool) -> Any:
    """Declare a setting that is on or off."""
    return setting(default, "true or false")


def split_names(value: object) -> object:
    """Turn "a, b" into ("a", "b"); leave anything else to the validation."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value
