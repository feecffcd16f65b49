"""Read `sources.toml`, in which an operator declares sources.

```toml
[[source]]
name = "handbook"
type = "folder"
root = "handbook"              # relative to this file
access = "folder-per-tier"     # or: tier = "employee"; with neither, the highest tier reads it
scan_interval_s = 300
include = ["**/*"]
exclude = ["drafts/**"]
```
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from citewell.domain.errors import ConfigurationError
from citewell.domain.source import SourceType

_KEYS = ("name", "type", "root", "tier", "access", "scan_interval_s", "include", "exclude")
_LATER_TYPES = ("notion", "web", "confluence")
_HEADER = re.compile(r"^\s*\[\[\s*source\s*\]\]")
_NAME = re.compile(r"[^\W_][\w .-]{0,63}")
_LONGEST_INTERVAL_S = 86_400


@dataclass(frozen=True, slots=True)
class SourceDeclaration:
    """A source as declared, not yet registered.

    Attributes:
        name: Unique in its file.
        type: Which connector reads it.
        root: Absolute and resolved; it need not exist now.
        tier: Fixed tier of every item, or None.
        folder_per_tier: The first folder of an item's path names its tier. With neither `tier`
            nor this, items are readable at the highest tier only.
        scan_interval_s: Seconds between full scans, in [1, 86_400].
        include: Glob patterns on relative paths; an item must match one.
        exclude: Glob patterns on relative paths; an item must match none.
    """

    name: str
    type: SourceType
    root: Path
    tier: str | None = None
    folder_per_tier: bool = False
    scan_interval_s: int = 300
    include: tuple[str, ...] = ("**/*",)
    exclude: tuple[str, ...] = ()


def read_sources_file(path: Path, *, tiers: Sequence[str]) -> list[SourceDeclaration]:
    """Return the declared sources in order of the file.

    Args:
        path: A TOML file; relative roots start from its folder.
        tiers: The access tiers that exist.

    Raises:
        ConfigurationError: The file cannot be read or a declaration is not valid. The message
            names the file, the line, the wrong value and what is allowed.
    """
    tables, lines = _read_tables(path)
    declarations: list[SourceDeclaration] = []
    for table, line in zip(tables, lines, strict=True):
        try:
            declaration = _declare(table, folder=path.absolute().parent, tiers=tiers)
            _check_distinct(declaration, declarations)
        except ValueError as error:
            raise ConfigurationError(f"{path}, source at line {line}: {error}") from None
        declarations.append(declaration)
    return declarations


def _read_tables(path: Path) -> tuple[list[dict[str, object]], list[int]]:
    """Return the `[[source]]` tables and the line from 1 at which each begins."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    for key, value in content.items():
        entries = cast("list[object]", value) if isinstance(value, list) else [None]
        if key != "source" or not all(isinstance(entry, dict) for entry in entries):
            raise ConfigurationError(f"{path}: {key!r} is not valid; write [[source]] tables")
    tables = cast("list[dict[str, object]]", content.get("source", []))
    lines = [n for n, line in enumerate(text.splitlines(), start=1) if _HEADER.match(line)]
    return tables, lines if len(lines) == len(tables) else [1] * len(tables)


def _declare(
    table: Mapping[str, object], *, folder: Path, tiers: Sequence[str]
) -> SourceDeclaration:
    for key in table:
        if key not in _KEYS:
            raise ValueError(f"{key!r} is unknown; allowed: {', '.join(_KEYS)}")
    tier, folder_per_tier = _access_rule(table, tiers)
    return SourceDeclaration(
        name=_name(table),
        type=_type(table),
        root=(folder / Path(_text(table, "root")).expanduser()).resolve(),
        tier=tier,
        folder_per_tier=folder_per_tier,
        scan_interval_s=_interval(table),
        include=_patterns(table, "include", default=("**/*",)),
        exclude=_patterns(table, "exclude", default=()),
    )


def _text(table: Mapping[str, object], key: str) -> str:
    if key not in table:
        raise ValueError(f"{key} is missing")
    value = table[key]
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(f"{key}={value!r} is not valid; allowed: a text that is not empty")
    return value


def _name(table: Mapping[str, object]) -> str:
    name = _text(table, "name")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"name={name!r} is not valid; allowed: at most 64 letters, digits, spaces, '.', '-' "
            "and '_', beginning with a letter or digit"
        )
    return name


def _type(table: Mapping[str, object]) -> SourceType:
    name = _text(table, "type")
    if name in _LATER_TYPES:
        raise ValueError(f"type={name!r} comes in a later version; allowed: folder, vault")
    if name not in {"folder", "vault"}:
        raise ValueError(f"type={name!r} is unknown; allowed: folder, vault")
    return cast("SourceType", name)


def _access_rule(table: Mapping[str, object], tiers: Sequence[str]) -> tuple[str | None, bool]:
    if "access" in table and "tier" in table:
        raise ValueError("tier and access exclude each other: keep one")
    if "access" in table and table["access"] != "folder-per-tier":
        raise ValueError(f"access={table['access']!r} is unknown; allowed: folder-per-tier")
    tier = _text(table, "tier") if "tier" in table else None
    if tier is not None and tier not in tiers:
        raise ValueError(f"tier={tier!r} is unknown; allowed: {', '.join(tiers)}")
    return tier, "access" in table


def _interval(table: Mapping[str, object]) -> int:
    value = table.get("scan_interval_s", 300)
    if type(value) is not int or not 1 <= value <= _LONGEST_INTERVAL_S:
        raise ValueError(
            f"scan_interval_s={value!r} is not valid; "
            f"allowed: a whole number of seconds in [1, {_LONGEST_INTERVAL_S}]"
        )
    return value


def _patterns(
    table: Mapping[str, object], key: str, *, default: tuple[str, ...]
) -> tuple[str, ...]:
    value = table.get(key, default)
    patterns = cast("Sequence[object]", value) if isinstance(value, list | tuple) else [None]
    texts = tuple(pattern for pattern in patterns if isinstance(pattern, str) and pattern)
    if len(texts) != len(patterns) or (key == "include" and not texts):
        raise ValueError(f"{key}={value!r} is not valid; allowed: a list of glob patterns")
    return texts


def _check_distinct(new: SourceDeclaration, earlier: Sequence[SourceDeclaration]) -> None:
    for other in earlier:
        if new.name.casefold() == other.name.casefold():
            raise ValueError(f"name={new.name!r} stands twice; each source needs its own")
        if new.root == other.root:
            raise ValueError(f"root={str(new.root)!r} is already the root of {other.name!r}")
