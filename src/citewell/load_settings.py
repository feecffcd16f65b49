"""Read the settings; the only reader of the environment.

A value is taken from the command line, else from the environment, else from `.env`, else it is the
default. A name that is present but empty counts as given and means "unset", so an empty variable
in the environment switches off a line of `.env` (as python-dotenv has it with `override=False`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from citewell.domain.errors import ConfigurationError
from citewell.setting_urls import sqlite_path, sqlite_url
from citewell.settings import Settings, is_secret, shown, texts_about

_PATHS = frozenset({"data_dir", "vault_path", "sources_file", "embedding_cache_dir", "backup_dir"})
_DATABASES = frozenset({"database_url", "test_database_url"})


def load_settings(
    overrides: Mapping[str, object] | None = None,
    *,
    env_file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the settings of this process.

    Relative paths in an env file start from its folder, all others from `folder`.

    Args:
        overrides: From the command line, by name in either case; None means not given.
        env_file: Read instead of the project's `.env`.
        environ: Instead of the environment of the process.
        folder: Instead of the working directory.

    Raises:
        ConfigurationError: A value is not valid, two do not fit together, or `env_file` cannot be
            read. The message names the setting and what is allowed, and never shows a secret.
    """
    environ = os.environ if environ is None else environ
    folder = (folder or Path.cwd()).absolute()
    env_file = folder / env_file if env_file else find_in_project(".env", folder)
    from_file = _read_env_file(env_file, environ) if env_file else {}
    given = {
        **_known(from_file, env_file.parent if env_file else folder),
        **_known(environ, folder),
        **_known(_named(overrides or {}), folder),
    }
    given.setdefault("sources_file", find_in_project("sources.toml", folder))
    try:
        return Settings.model_validate({k: v for k, v in given.items() if v is not None})
    except ValidationError as error:
        raise ConfigurationError(_describe(error, given)) from None


def find_in_project(name: str, folder: Path) -> Path | None:
    """Return the file of this name in `folder` or above it, inside the same repository.

    Above the folder that holds `.git`, and anywhere above when there is none, files belong to
    someone else and are left alone.
    """
    up = [folder, *folder.parents]
    roots = [i for i, parent in enumerate(up) if (parent / ".git").exists()]
    project = up[: roots[0] + 1] if roots else up[:1]
    return next((parent / name for parent in project if (parent / name).is_file()), None)


def _read_env_file(path: Path, environ: Mapping[str, str]) -> dict[str, object]:
    """Read `NAME=value` lines as python-dotenv does, `${OTHER}` included."""
    from dotenv import dotenv_values
    from dotenv.variables import parse_variables

    try:
        with path.open(encoding="utf-8-sig") as stream:
            raw = dotenv_values(stream=stream, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the env file {path} cannot be read: {error}") from error
    values: dict[str, str | None] = {}
    for name, value in raw.items():
        known = {**values, **environ}
        atoms = parse_variables(value or "")
        values[name] = "".join(atom.resolve(known) for atom in atoms)
    return dict(values)


def _named(overrides: Mapping[str, object]) -> dict[str, object]:
    given = {name.upper(): value for name, value in overrides.items() if value is not None}
    unknown = [name for name in given if name.lower() not in Settings.model_fields]
    if unknown:
        raise ConfigurationError(f"there is no setting {unknown[0]}")
    return given


def _known(values: Mapping[str, object], folder: Path) -> dict[str, object]:
    """Return the fields that are named, None for an empty one, paths made absolute."""
    names = [name for name in Settings.model_fields if name.upper() in values]
    return {name: _value(name, values[name.upper()], folder) for name in names}


def _value(name: str, value: object, folder: Path) -> object:
    text = value.strip() if isinstance(value, str) else value
    if text == "":
        return None
    if name in _PATHS and isinstance(text, str | Path):
        return folder / Path(text).expanduser()
    path = sqlite_path(text) if name in _DATABASES and isinstance(text, str) else None
    return sqlite_url(folder / path) if path else text


def _describe(error: ValidationError, given: Mapping[str, object]) -> str:
    """Return one line per wrong setting: name, value unless secret, what is allowed."""
    return "\n".join(dict.fromkeys(_line(detail, given) for detail in error.errors()))


def _line(detail: Mapping[str, Any], given: Mapping[str, object]) -> str:
    reason = detail.get("ctx", {}).get("error")
    if not detail["loc"]:
        return str(reason)
    name = str(detail["loc"][0])
    value = "" if is_secret(name) else f"={shown(name, given.get(name))}"
    because = f" ({reason})" if isinstance(reason, ValueError) else ""
    return f"{name.upper()}{value} is not valid{because}; allowed: {texts_about(name)['allowed']}"
