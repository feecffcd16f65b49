"""The real command line, in this process, on folders of its own."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import sys
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citewell.cli.main import _run
from citewell.settings import Settings
from sparse_files import copy_sparsely

NOTES = {
    "tickets.md": "# Tickets\n\nA P1 ticket is escalated to the on-call engineer in 15 minutes.\n",
    "export.md": "# Export\n\nThe limit of Atlas CRM is 500 rows.\n\n# Errors\n\nE-4711: full.\n",
    "backup.txt": "Backups are kept for 35 days and restored on request.\n",
}
QUIET = {"LLM_LOOK_FOR_SERVERS": "false"}
FAKE = {"EMBEDDING_PROVIDER": "fake", "CONVERSION_WORKERS": "1", **QUIET}
NO_EMBEDDER = {"EMBEDDING_PROVIDER": "none", "CONVERSION_WORKERS": "1", **QUIET}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """What it printed, which must be one JSON object on one line."""
        (line,) = self.out.splitlines()
        return json.loads(line)


class CommandLine:
    """Runs `rag` on one data folder, with settings from an env file."""

    def __init__(self, home: Path, settings: dict[str, str] = FAKE) -> None:
        self.home = home
        self.data = home / "data"
        self.documents = home / "documents"
        self.settings = settings

    def rag(self, *arguments: str | Path, settings: dict[str, str] | None = None) -> Ended:
        """Run a command with the options that every command has."""
        return run_rag(*arguments, *self._common(settings))

    def arguments(self, *arguments: str | Path) -> list[str]:
        """Return the arguments of a command with those that every command has."""
        return [*map(str, arguments), *self._common(None)]

    def command(self, *arguments: str | Path) -> list[str]:
        """Return what runs a command in a process of its own."""
        entry = "from citewell.cli.main import main; main()"
        return [sys.executable, "-c", entry, *self.arguments(*arguments)]

    def write(self, name: str, text: str) -> None:
        path = self.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def found(self, question: str = "P1 ticket", *more: str) -> list[dict[str, Any]]:
        """Return what a search finds; it must work."""
        ended = self.rag("search", question, "--json", *more)
        assert (ended.code, ended.err) == (0, "")
        return ended.json["results"]

    def copy_to(self, home: Path, *, with_documents: bool = False) -> CommandLine:
        """Return the same with a data folder of its own; the documents stay where they are.

        With the documents, their source is the copied folder.
        """
        home.mkdir(exist_ok=True)
        shutil.copytree(self.data, home / "data", copy_function=copy_sparsely)
        copy = CommandLine(home, self.settings)
        if not with_documents:
            copy.documents = self.documents
            return copy
        shutil.copytree(self.documents, copy.documents)
        with closing(sqlite3.connect(copy.data / "catalog.sqlite3")) as connection, connection:
            connection.execute("UPDATE sources SET root = ?", (str(copy.documents),))
        return copy

    def _common(self, settings: dict[str, str] | None) -> list[str]:
        lines = [f"{name}={value}" for name, value in (self.settings | (settings or {})).items()]
        path = self.home / "settings.env"
        path.write_text("\n".join(lines), encoding="utf-8")
        return ["--data-dir", str(self.data), "--env-file", str(path)]


def run_rag(*arguments: str | Path) -> Ended:
    """Run a command."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = _run([str(argument) for argument in arguments])
    return Ended(code, out.getvalue(), err.getvalue())


def isolate(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep the settings of whoever runs the tests out."""
    monkeypatch.chdir(folder)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def make_library(home: Path, settings: dict[str, str] = FAKE) -> CommandLine:
    """Return a data folder into which the notes were ingested."""
    made = CommandLine(home, settings)
    for name, text in NOTES.items():
        made.write(name, text)
    ended = made.rag("ingest", made.documents, "--tier", "employee", "--json")
    assert (ended.code, ended.json["added"], ended.err) == (0, len(NOTES), "")
    return made
