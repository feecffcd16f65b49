from __future__ import annotations

import asyncio

import pytest
from answerers import LIT, WHO

from citewell.evaluation.ask_plainly import plain_asker, plain_prompt
from citewell.evaluation.questions import Question
from citewell.ports.language_model import Message
from citewell.testing.scripted_model import ScriptedModel

PASSAGES = ["The lighthouse was lit in 1871. {{question}}", "It burned rape oil."]


def test_prompt_is_the_passages_and_then_the_question() -> None:
    prompt = plain_prompt("When was it lit?", PASSAGES)
    assert prompt.messages == (
        Message(
            "user",
            "Answer the question with the passages below. If the passages do not contain the"
            " answer, say that you do not know.\n\n"
            "[1] The lighthouse was lit in 1871. {{question}}\n\n"
            "[2] It burned rape oil.\n\n"
            "Question: When was it lit?",
        ),
    )
    assert (prompt.temperature, prompt.schema) == (0.0, None)


def mode_of(question: Question, said: str) -> str:
    model = ScriptedModel([said])
    reply = asyncio.run(plain_asker(model, lambda _: PASSAGES)(question))
    assert reply["answer"] == said
    assert model.prompts == [plain_prompt(question.question, PASSAGES)]
    return reply["mode"]


@pytest.mark.parametrize(
    ("question", "said", "mode"),
    [
        (LIT, "In 1871.", "rag"),
        (LIT, "I do not know.", "no_answer"),
        (LIT, "In 1871. The passages do not say by whom.", "rag"),
        (LIT, "In 1900. The passages do not say by whom.", "no_answer"),
        (WHO, "Ada Birk.", "rag"),
        (WHO, "Ada Birk, but the passages do not say so.", "no_answer"),
    ],
)
def test_doubts_count_as_abstention_unless_the_answer_is_right(
    question: Question, said: str, mode: str
) -> None:
    assert mode_of(question, said) == mode


def test_tokens_are_those_of_the_model() -> None:
    reply = asyncio.run(plain_asker(ScriptedModel(["In 1871."]), lambda _: PASSAGES)(LIT))
    usage = reply["usage"]
    assert (usage["reply_tokens"], usage["model_calls"]) == (2, 1)
    assert usage["prompt_tokens"] > 20
    assert reply["timings_ms"].keys() == {"generate"}
