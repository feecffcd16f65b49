"""Text that is safe on a terminal, and JSON that any output takes."""

import io
import json
from contextlib import redirect_stdout

import pytest

from citewell.cli.output import console, escaped, one_line, plain, print_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("alpha\tbeta\ngamma", "alpha\tbeta\ngamma"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x00b\x7fc\x9bd\re", "a\\x00b\\x7fc\\x9bd\\x0de"),
        ("admin\u202egnp.exe", "admin\\x202egnp.exe"),
        ("a\u2066b\u200f\u061c", "a\\x2066b\\x200f\\x61c"),
        ("数据 é 😀", "数据 é 😀"),
    ],
)
def test_control_and_direction_characters_are_shown(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_text_is_not_read_as_markup() -> None:
    out = io.StringIO()
    text = "[bold]alpha[/bold] [/] [link=http://a]b[/link] :smile: \\[c]"
    with redirect_stdout(out):
        console().print(escaped(text), emoji=False)
    assert out.getvalue() == f"{text}\n"


def test_start_of_a_text_is_shown_on_one_line() -> None:
    assert one_line("alpha\n  beta\t gamma") == "alpha beta gamma"
    assert one_line("x" * 20, width=10) == "x" * 9 + "…"


def test_json_is_one_line_as_written() -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        print_json({"a": "数据\n"})
    assert out.getvalue() == '{"a": "数据\\n"}\n'


@pytest.mark.parametrize(("encoding", "text"), [("ascii", "数据"), ("utf-8", "\udcff")])
def test_json_is_ascii_where_the_output_takes_nothing_else(encoding: str, text: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    with redirect_stdout(out):
        print_json({"a": text})
    out.flush()
    assert raw.getvalue().isascii()
    assert json.loads(raw.getvalue()) == {"a": text}
