"""The sample knowledge bases and their questions, wherever Citewell is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import citewell
from citewell.domain.errors import ConfigurationError, UsageError

VAULT = "acme-vault"
TIERS = "acme-tiers"


def copy_samples(target: Path) -> dict[str, Path]:
    """Copy both samples into a folder and return the root of each by its name.

    Raises:
        UsageError: The folder holds something else, which would be lost.
    """
    source = _bundled("samples", "samples")
    if target.exists():
        strangers = {entry.name for entry in target.iterdir()} - {VAULT, TIERS}
        if strangers:
            raise UsageError(f"{target} holds {min(strangers)!r}, no sample: name another folder")
        shutil.rmtree(target)
    roots = {name: target / name for name in (VAULT, TIERS)}
    for name, root in roots.items():
        shutil.copytree(source / name, root)
    return roots


def questions_path() -> Path:
    """Return the questions about the samples."""
    return _bundled("questions.yaml", "eval/questions.yaml")


def _bundled(in_package: str, in_repository: str) -> Path:
    """Return what a wheel carries inside the package, and a checkout beside `src`."""
    package = Path(citewell.__file__).parent
    for path in (package / "_bundled" / in_package, package.parents[1] / in_repository):
        if path.exists():
            return path
    raise ConfigurationError(f"this installation lacks {in_repository}: install it anew")
