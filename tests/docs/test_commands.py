"""Commands that the documents tell a reader to run exist."""

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", flags=re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[\s/`])rag ([a-z]+)(?: ([a-z]+))?", flags=re.MULTILINE)
SCRIPT = re.compile(r"\bscript/([a-z]+)\b")


def command_names() -> dict[str, set[str]]:
    """Return each subcommand of `rag` and the names of its own subcommands."""
    if find_spec("citewell.cli.main") is None:
        return {}
    from typer.main import get_command

    group = cast("Any", get_command(import_module("citewell.cli.main").app))
    return {name: set(getattr(found, "commands", ())) for name, found in group.commands.items()}


def told(text: str) -> set[tuple[str, str]]:
    """Return the two words after `rag` in the code of a page."""
    return {found for code in CODE.findall(text) for found in COMMAND.findall(code)}


def unknown_commands(text: str, known: dict[str, set[str]]) -> list[str]:
    return sorted(
        f"rag {first} {second}".strip()
        for first, second in told(text)
        if first not in known or (known[first] and second and second not in known[first])
    )


def test_commands_in_code_are_found_and_judged() -> None:
    text = (
        "A rag doll. `rag db make`, `rag ask`:\n```sh\n.venv/bin/rag search 'x'\nrag db init\n```\n"
    )
    assert told(text) == {("db", "make"), ("ask", ""), ("search", ""), ("db", "init")}
    assert unknown_commands(text, {"db": {"init"}, "ask": set()}) == ["rag db make", "rag search"]


def test_pages_name_only_commands_that_exist() -> None:
    known = command_names()
    wrong = {page.name: unknown_commands(page.read_text("utf-8"), known) for page in PAGES}
    assert {name: commands for name, commands in wrong.items() if commands} == {}


def test_messages_name_only_commands_that_exist() -> None:
    known = command_names()
    files = sorted((ROOT / "src").rglob("*.py"))
    wrong = {path.name: unknown_commands(path.read_text("utf-8"), known) for path in files}
    assert {name: commands for name, commands in wrong.items() if commands} == {}


def test_pages_name_only_scripts_that_exist() -> None:
    named = {name for page in PAGES for name in SCRIPT.findall(page.read_text("utf-8"))}
    assert named - {path.name for path in (ROOT / "script").iterdir()} == set()
