from __future__ import annotations

from pathlib import Path
from typing import Any

from citewell.cli.status_answers import answers_report
from citewell.load_settings import load_settings


def report(tmp_path: Path, **environ: str) -> dict[str, Any]:
    settings = {"LLM_LOOK_FOR_SERVERS": "false"} | environ
    return answers_report(load_settings(environ=settings, folder=tmp_path))


def test_quotes_are_said_to_be_quotes(tmp_path: Path) -> None:
    assert report(tmp_path) == {
        "answers": "quotes from the documents (no language model is connected)",
        "language_model": None,
        "language_model_servers": [],
    }


def test_the_language_model_is_named(tmp_path: Path) -> None:
    assert report(tmp_path, LLM_PROVIDER="ollama", LLM_MODEL="m") == {
        "answers": "written by ollama:m",
        "language_model": "ollama:m",
    }


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    said = report(tmp_path, LLM_PROVIDER="ollama")
    assert said["language_model"] is None
    assert said["language_model_notice"].startswith("LLM_PROVIDER needs LLM_MODEL")
