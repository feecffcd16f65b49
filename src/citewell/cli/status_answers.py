"""What `rag status` says of who writes answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citewell.settings import Settings

_N_MODELS = 3


def answers_report(settings: Settings) -> dict[str, Any]:
    """Return who writes answers; while nobody does, model servers on this machine too."""
    from citewell.choose_language_model import choose_language_model, find_model_servers
    from citewell.domain.errors import LanguageModelMissingError

    try:
        model = choose_language_model(settings)
    except LanguageModelMissingError as error:
        return {
            "answers": "none until the language model is set up",
            "language_model": None,
            "language_model_notice": str(error),
        }
    if model is not None:
        return {"answers": f"written by {model.name}", "language_model": model.name}
    servers = find_model_servers(settings)
    return {
        "answers": "quotes from the documents (no language model is connected)",
        "language_model": None,
        "language_model_servers": [asdict(server) for server in servers],
    }


def print_answers(report: dict[str, Any]) -> None:
    """Print that part of the report."""
    from citewell.cli.output import console, escaped

    out = console()
    out.print(f"answers: {escaped(report['answers'])}")
    if notice := report.get("language_model_notice"):
        out.print(f"  [yellow]{escaped(notice)}[/]")
    for server in report.get("language_model_servers", []):
        names = ", ".join(server["models"][:_N_MODELS]) or "no model yet"
        out.print(
            f"  a model server was found ({escaped(names)}): set"
            f" LLM_PROVIDER={server['provider']} LLM_BASE_URL={server['base_url']} LLM_MODEL=…"
        )
