"""`rag ask` with a language model behind real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from command_line import FAKE, CommandLine, isolate, make_library

from citewell.domain.answer import CANONICAL_ABSTENTION
from citewell.testing.language_model_server import LanguageModelServer, Reply
from citewell.testing.language_model_wire import WrittenReply

QUESTION = "To whom is a P1 ticket escalated?"
QUOTE = "A P1 ticket is escalated to the on-call engineer in 15 minutes."
SAID = "A P1 ticket is escalated to the on-call engineer within 15 minutes."


def write(text: str) -> WrittenReply:
    words = text.split(" ")
    return WrittenReply([*(f"{word} " for word in words[:-1]), words[-1]], 10)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, tmp_path_factory.mktemp("home"))
        made = make_library(tmp_path_factory.mktemp("library"), FAKE)
        assert made.rag("ingest", made.documents).code == 0
        yield made


@pytest.fixture
def server() -> Iterator[LanguageModelServer]:
    with LanguageModelServer(lambda _: write(f"{SAID} It costs 5 EUR [1].")) as running:
        yield running


def connected(server: LanguageModelServer | str) -> dict[str, str]:
    url = server if isinstance(server, str) else server.url
    return FAKE | {
        "LLM_PROVIDER": "openai-compatible",
        "LLM_BASE_URL": f"{url}/v1",
        "LLM_MODEL": "small",
        "LLM_API_KEY": "none",
        "ANSWER_CACHE_MAX_ENTRIES": "0",
    }


def test_only_the_sentence_that_holds_is_shown(
    library: CommandLine, server: LanguageModelServer
) -> None:
    reply = library.rag("ask", QUESTION, "--json", settings=connected(server)).json
    assert reply["answer"] == f"{SAID} [1]"
    assert [(s["kind"], s["citations"]) for s in reply["sentences"]] == [("claim", [1])]
    assert [(c["source_id"], c["quote"]) for c in reply["citations"]] == [("tickets.md", QUOTE)]
    assert reply["grounding"]["grounded"]
    assert reply["usage"]["model_calls"] == 1
    assert reply["usage"]["prompt_tokens"] == 10
    (request,) = server.requests
    assert QUOTE in str(request.body["messages"])
    assert request.body["temperature"] == 0


def test_text_shows_the_sentence_and_below_it_what_it_cites(
    library: CommandLine, server: LanguageModelServer
) -> None:
    ended = library.rag("ask", QUESTION, settings=connected(server))
    assert (ended.code, ended.err) == (0, "")
    sentence, citation = [line for line in ended.out.splitlines() if line]
    assert sentence == f"{SAID} [1]"
    assert citation.startswith("[1] tickets.md — Tickets (documents, ")


def test_trace_tells_every_step(library: CommandLine, server: LanguageModelServer) -> None:
    reply = library.rag("ask", QUESTION, "--json", "--explain", settings=connected(server)).json
    trace = reply["trace"]
    assert trace["screen"]["verdict"] == "clean"
    assert trace["rewrite"] == {"question": QUESTION, "by": "none"}
    assert trace["plan"] == {"sub_questions": [QUESTION], "by": "none"}
    assert trace["searches"][0]["query"] == QUESTION
    assert trace["searches"][0]["gate"]["is_sufficient"]
    assert trace["prompt"]["tokens"] > 50
    assert trace["prompt"]["passages"][0]["source_id"] == "tickets.md"
    assert [s["outcome"] for s in trace["sentences"]] == ["kept", "unsupported"]
    assert "5" in str(trace["sentences"][1]["reasons"])


def test_server_that_is_not_there_leaves_quotes_and_says_so(library: CommandLine) -> None:
    reply = library.rag("ask", QUESTION, "--json", settings=connected("http://127.0.0.1:9")).json
    assert [s["kind"] for s in reply["sentences"]] == ["quote"]
    assert reply["notice"].startswith("the passages are quoted: ")


def test_refused_key_ends_the_command_and_names_the_setting(
    library: CommandLine, server: LanguageModelServer
) -> None:
    server.queue(Reply(401, {"error": {"message": "bad key"}}))
    ended = library.rag("ask", QUESTION, settings=connected(server))
    assert ended.code == 69
    assert "LLM_API_KEY" in ended.err


def test_question_that_nothing_answers_is_not_sent(
    library: CommandLine, server: LanguageModelServer
) -> None:
    settings = connected(server) | {"MAX_RETRIEVAL_ATTEMPTS": "1"}
    reply = library.rag("ask", "Who painted the ceiling?", "--json", settings=settings).json
    assert (reply["mode"], reply["answer"]) == ("no_answer", CANONICAL_ABSTENTION)
    assert server.requests == []


def test_missing_address_is_said(library: CommandLine) -> None:
    ended = library.rag("ask", QUESTION, settings=FAKE | {"LLM_PROVIDER": "openai-compatible"})
    assert ended.code == 2
    assert "LLM_BASE_URL" in ended.err


def test_same_question_again_asks_the_model_once(
    library: CommandLine, server: LanguageModelServer
) -> None:
    settings = connected(server) | {"ANSWER_CACHE_MAX_ENTRIES": "10"}
    first, second = (library.rag("ask", QUESTION, "--json", settings=settings).json for _ in "12")
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["answer"] == second["answer"]
    assert [request.body["stream"] for request in server.requests] == [True]
