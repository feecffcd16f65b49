"""Render the table of `docs/errors.md` from the code; run as a script, rewrite it."""

from collections.abc import Iterator
from pathlib import Path

from citewell.domain.errors import CitewellError

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


def family(error: type[CitewellError]) -> Iterator[type[CitewellError]]:
    """Yield a class of the tree and all below it, in order of the code."""
    yield error
    for child in error.__subclasses__():
        if child.__module__ == CitewellError.__module__:
            yield from family(child)


def error_rows() -> list[str]:
    """Return one table row per class."""
    return [
        f"| `{error.__name__}` | `{error.code}` | {error.http_status} | {error.exit_code} "
        f"| {'yes' if error.retryable else 'no'} | {(error.__doc__ or '').strip()} |"
        for error in family(CitewellError)
    ]


def rows_on_the_page() -> list[str]:
    """Return the rows as they stand in the page."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| `")]


if __name__ == "__main__":
    kept, rows = PAGE.read_text(encoding="utf-8"), rows_on_the_page()
    head, _, rest = kept.partition("|---|---|---|---|---|---|\n")
    tail = rest.removeprefix("\n".join(rows)).lstrip("\n")
    new = f"{head}|---|---|---|---|---|---|\n" + "\n".join(error_rows()) + "\n"
    PAGE.write_text(f"{new}\n{tail}" if tail else new, encoding="utf-8")
