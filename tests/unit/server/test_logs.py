from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from citewell.domain.ended_trace import EndedTrace
from citewell.server.logs import configure_logs
from citewell.server.metrics import Metrics
from citewell.server.observation import Observation
from citewell.server.request_state import REQUEST, say_in_logs

FORGED = [
    'x\n{"event": "question", "error": null}',
    "x\r\n\r\nforged",
    "\x1b[2J\x1b]0;title\x07",
    "\x00\x7f\x85\u2028\u2029\u202e",
    '", "level": "critical',
    "\ud800",
]


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Log into a text, and leave logging as it was."""
    root, ours = logging.getLogger(), logging.getLogger("citewell")
    before = root.handlers, root.level, ours.level
    stream = io.StringIO()
    configure_logs("info", stream=stream)
    yield stream
    root.handlers, level, our_level = before
    root.setLevel(level)
    ours.setLevel(our_level)
    structlog.reset_defaults()


def told(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


@pytest.mark.parametrize("text", FORGED, ids=ascii)
def test_line_stays_one_line_of_visible_ascii(lines: io.StringIO, text: str) -> None:
    logging.getLogger().handlers[1:] = []  # pytest's own: its workers cannot send half a character
    logging.getLogger("citewell.x").warning("synced %s", text)
    logging.getLogger("elsewhere").warning(text, extra={"name_": text})
    structlog.stdlib.get_logger("citewell.y").info(text, field=text)
    written = lines.getvalue()
    assert written.count("\n") == 3
    assert set(written) <= {"\n", *map(chr, range(0x20, 0x7F))}
    assert [line["event"] for line in told(lines)] == [f"synced {text}", text, text]
    assert {line["level"] for line in told(lines)} == {"warning", "info"}


def fail() -> None:
    try:
        {}["canary-1"]
    except KeyError as error:
        raise ValueError("canary-2") from error


def test_error_is_told_without_its_message(lines: io.StringIO) -> None:
    try:
        fail()
    except ValueError:
        logging.getLogger("citewell.x").exception("it failed")
    assert "canary" not in lines.getvalue()
    (line,) = told(lines)
    errors = line["errors"]
    assert isinstance(errors, list)
    assert [error["type"] for error in errors] == ["ValueError", "KeyError"]
    assert "test_logs.py" in errors[0]["at"][-1]


def test_other_libraries_say_only_what_is_wrong(lines: io.StringIO) -> None:
    logging.getLogger("httpx").info("HTTP Request: GET https://x/?key=canary")
    logging.getLogger("openai").debug("canary")
    logging.getLogger("citewell.x").debug("canary")
    assert lines.getvalue() == ""


def test_object_is_named_by_its_kind_only(lines: io.StringIO) -> None:
    structlog.stdlib.get_logger("citewell.y").info("x", field=ValueError("canary"))
    assert told(lines)[0]["field"] == "ValueError"


def test_request_stands_in_every_line_of_it(lines: io.StringIO) -> None:
    token = REQUEST.set({"request_id": "r1"})
    say_in_logs("route", "POST /ask")
    logging.getLogger("citewell.x").warning("slow")
    REQUEST.reset(token)
    say_in_logs("route", "POST /other")
    logging.getLogger("citewell.x").warning("after")
    during, after = told(lines)
    assert (during["request_id"], during["route"]) == ("r1", "POST /ask")
    assert "request_id" not in after


def test_question_is_one_line(lines: io.StringIO) -> None:
    attributes = {"citewell.mode": "rag", "gen_ai.usage.input_tokens": 7, "gen_ai.other": "x"}
    steps_s = {"search": 0.0123, "chat small": 1.0}
    observation = Observation(Metrics())
    observation.ended(EndedTrace("question", 1.5, attributes, None, steps_s))
    (line,) = told(lines)
    assert {name: value for name, value in line.items() if name != "at"} == {
        "event": "question",
        "level": "info",
        "logger": "citewell.asked",
        "mode": "rag",
        "input_tokens": 7,
        "duration_ms": 1500.0,
        "steps_ms": {"search": 12.3, "chat small": 1000.0},
        "error": None,
    }
