"""The `rag` command."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer

from citewell.cli import (
    ask,
    backup,
    db,
    demo,
    embeddings,
    evaluate,
    forget,
    ingest,
    keys,
    mcp,
    restore,
    search,
    serve,
    sources,
    status,
    sync,
    watch,
)
from citewell.cli.session import COMMAND
from citewell.domain.errors import CitewellError, UsageError

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
app.command("watch")(watch.watch)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("search")(search.search)
app.command("ask")(ask.ask)
app.command("forget")(forget.forget)
app.command("status")(status.status)
app.command("backup")(backup.backup)
app.command("restore")(restore.restore)
app.add_typer(sources.app, name="sources")
app.add_typer(keys.app, name="keys")
app.add_typer(evaluate.app, name="eval")
app.add_typer(db.app, name="db")
app.add_typer(embeddings.app, name="embeddings")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code: 0 ok, 2 usage, 3 credentials, 69, 70 or 75."""
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_run(given))


def _run(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    COMMAND.set(" ".join(["rag", *arguments[:1]]))
    try:
        result = app(arguments, prog_name="rag", standalone_mode=False)
        sys.stdout.flush()
    except CitewellError as error:
        _report(error.code, str(error), as_json=as_json)
        return error.exit_code
    except typer.TyperException as error:
        _report(UsageError.code, error.format_message(), as_json=as_json)
        return UsageError.exit_code
    except (BrokenPipeError, SystemExit):
        # Nobody reads the rest. Typer and Rich turn a broken pipe into SystemExit.
        _discard_output()
        return 0
    except (KeyboardInterrupt, typer.Abort):
        result = EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the entry loop: a bug must end in its own exit code
        _report("internal_error", f"{type(error).__name__}: {error}", as_json=as_json)
        return EXIT_INTERNAL
    if result == EXIT_INTERRUPTED:
        print("interrupted: what was done so far is kept", file=sys.stderr)
    return result if isinstance(result, int) else 0


def _report(code: str, message: str, *, as_json: bool) -> None:
    if as_json:
        from citewell.cli.output import error_object, print_json

        print_json(error_object(code, message))
    print(message if message.startswith("Usage:") else f"rag: {message}", file=sys.stderr)


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter can end without a complaint."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
