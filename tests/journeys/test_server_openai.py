"""The official client of OpenAI asks the documents."""

from collections.abc import Iterator

import openai
import pytest
from running_server import Client, answering_of, parts_of, running
from test_search_passages import put_notes

from citewell.testing.memory_index import MemoryIndex
from conftest import World

QUESTION = {"role": "user", "content": "How fast is a P1 ticket escalated?"}
SAID = "A P1 ticket is escalated within 15 minutes. [1]\n\n[1] employee/tickets.md, Tickets/P1"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    world = World(tmp_path_factory.mktemp("world"), MemoryIndex(dim=1024))
    put_notes(world)
    with running(parts_of(answering_of(world), world=world)) as client:
        yield client
    world.close()


@pytest.fixture
def ai(client: Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=f"{client.http.base_url}/v1", api_key="reader-key", max_retries=0
    ) as ai:
        yield ai


def test_one_model_is_listed(ai: openai.OpenAI) -> None:
    assert [model.id for model in ai.models.list()] == ["citewell"]


def test_completion_cites_in_its_text_and_in_a_field(ai: openai.OpenAI) -> None:
    completion = ai.chat.completions.create(
        model="citewell",
        messages=[QUESTION],
        temperature=0.7,
        user="me",  # type: ignore[list-item]
    )
    assert completion.choices[0].message.content == SAID
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage is not None
    assert completion.usage.total_tokens == 0
    whole = completion.model_extra["citewell"]  # type: ignore[index]
    assert whole["citations"][0]["quote"] == "A P1 ticket is escalated within 15 minutes."


def test_stream_says_the_same(ai: openai.OpenAI) -> None:
    chunks = list(
        ai.chat.completions.create(
            model="citewell",
            messages=[{"role": "system", "content": "Be brief."}, QUESTION],  # type: ignore[list-item]
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    *said, usage = chunks
    assert "".join(chunk.choices[0].delta.content or "" for chunk in said) == SAID
    assert said[-1].choices[0].finish_reason == "stop"
    assert said[-1].model_extra["citewell"]["mode"] == "rag"  # type: ignore[index]
    assert (usage.choices, usage.usage.total_tokens) == ([], 0)  # type: ignore[union-attr]


@pytest.mark.parametrize("stream", [False, True])
def test_what_is_not_readable_is_not_known(ai: openai.OpenAI, client: Client, stream: bool) -> None:
    asked = {"role": "user", "content": "When is the merger with Globex planned?"}

    def said(ai: openai.OpenAI) -> str:
        got = ai.chat.completions.create(model="citewell", messages=[asked], stream=stream)  # type: ignore[call-overload]
        if not stream:
            return got.choices[0].message.content
        return "".join(chunk.choices[0].delta.content or "" for chunk in got)

    assert said(ai) == "I do not know the answer based on indexed documents."
    with openai.OpenAI(base_url=f"{client.http.base_url}/v1", api_key="chief-key") as chief:
        assert said(chief).startswith("The merger with Globex is planned for March. [1]")


def test_earlier_messages_are_history(ai: openai.OpenAI) -> None:
    messages = [
        QUESTION,
        {"role": "assistant", "content": "Within 15 minutes. [1]"},
        {"role": "user", "content": [{"type": "text", "text": "And what is the export limit?"}]},
    ]
    completion = ai.chat.completions.create(model="citewell", messages=messages)  # type: ignore[arg-type]
    assert "The limit is 500 rows." in (completion.choices[0].message.content or "")


def test_errors_are_those_that_the_client_knows(ai: openai.OpenAI, client: Client) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as wrong:
        ai.chat.completions.create(
            model="citewell",
            messages=[{"role": "assistant", "content": "x"}],
        )
    assert wrong.value.code == "invalid_request"
    with (
        openai.OpenAI(base_url=f"{client.http.base_url}/v1", api_key="wrong") as stranger,
        pytest.raises(openai.AuthenticationError) as refused,
    ):
        stranger.models.list()
    assert refused.value.code == "unauthorized"
