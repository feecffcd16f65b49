"""The `rag` command."""

from __future__ import annotations

import sys
from typing import NoReturn

import click
import typer

from citewell.cli import (
    ask,
    db,
    demo,
    embeddings,
    evaluate,
    ingest,
    search,
    sources,
    status,
    sync,
)
from citewell.domain.errors import CitewellError

EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="rag",
    help="Ask your own documents: every sentence of an answer carries a checked citation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo.demo)
app.command("ingest")(ingest.ingest)
app.command("sync")(sync.sync)
app.command("search")(search.search)
app.command("ask")(ask.ask)
app.command("status")(status.status)
app.add_typer(sources.app, name="sources")
app.add_typer(evaluate.app, name="eval")
app.add_typer(db.app, name="db")
app.add_typer(embeddings.app, name="embeddings")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code: 0 ok, 2 usage, 3 credentials, 69, 70 or 75."""
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_run(given))


def _run(arguments: list[str]) -> int:
    try:
        result = app(arguments, standalone_mode=False)
    except CitewellError as error:
        _report(error.code, str(error), as_json="--json" in arguments)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        print("interrupted: what was done so far is kept", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return 0
    except Exception as error:  # noqa: BLE001 - the entry loop: a bug must end in its own exit code
        _report("internal_error", f"{type(error).__name__}: {error}", as_json="--json" in arguments)
        return EXIT_INTERNAL
    return result if isinstance(result, int) else 0


def _report(code: str, message: str, *, as_json: bool) -> None:
    if as_json:
        from citewell.cli.output import print_json

        print_json({"error": {"code": code, "message": message, "details": {}}})
    print(f"rag: {message}", file=sys.stderr)
