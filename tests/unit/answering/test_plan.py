"""Compound questions are split, simple ones are not."""

from __future__ import annotations

import asyncio

import pytest

from citewell.answering.plan import Plan, plan_question
from citewell.domain.errors import LanguageModelError
from citewell.testing.scripted_model import ScriptedModel


def plan(question: str, model: ScriptedModel | None = None) -> Plan:
    return asyncio.run(plan_question(question, model=model))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the recycle bin and how do I restore a record?",
            ("What is the recycle bin?", "How do I restore a record?"),
        ),
        (
            "Compare the export limits of Starter and Enterprise.",
            ("What are the export limits of Starter?", "What are the export limits of Enterprise?"),
        ),
        (
            "What are the response times for P1 and P2?",
            ("What are the response times for P1?", "What are the response times for P2?"),
        ),
        (
            "How many vacation days and how many sick days do I get?",
            ("How many vacation days do I get?", "How many sick days do I get?"),
        ),
        (
            "What is the export limit? How long is the download link valid?",
            ("What is the export limit?", "How long is the download link valid?"),
        ),
        (
            "What is SCIM and who can use it?",
            ("What is SCIM?", "Who can use it? (SCIM)"),
        ),
        (
            "Welche Fristen gelten sowohl für P1 als auch für P2?",
            ("Welche Fristen gelten für P1?", "Welche Fristen gelten für P2?"),
        ),
        (
            "Was kostet eine Sandbox und wie lange dauert die Testphase?",
            ("Was kostet eine Sandbox?", "Wie lange dauert die Testphase?"),
        ),
        ("Atlas CRM nedir ve nasıl kurulur?", ("Atlas CRM nedir?", "Nasıl kurulur? (Atlas CRM)")),
        (
            "P1 和 P2 的首次响应时间分别是多少？",
            ("P1 的首次响应时间是多少？", "P2 的首次响应时间是多少？"),
        ),
        ("年假和病假分别有几天？", ("年假有几天？", "病假有几天？")),
        (
            "Atlas CRM 导出有哪些限制，以及如何提高？",
            ("Atlas CRM 导出有哪些限制？", "如何提高？（Atlas CRM 导出 限制）"),
        ),
    ],
)
def test_compound_question_is_split_into_parts_that_stand_by_themselves(question, parts):
    assert plan(question) == Plan(parts, "rule")


@pytest.mark.parametrize(
    "question",
    [
        "Where do I find the terms and conditions?",
        "How large is the budget for research and development?",
        "What is the difference between Starter and Enterprise?",
        "When and where does the kickoff take place?",
        "Which company does ACME plan to acquire, and for what price?",
        'Who wrote "What is Truth? And How Do We Know"?',
        "When the server is down, what should I do?",
        "A customer has just signed. How soon does the kickoff call have to happen?",
        "The trial lasts 21 days, right?",
        "Wer entscheidet, wie Rabatte und Boni genutzt werden?",
        "Ne zaman ve nerede yapılır?",
        "接口返回 ATL-4102，该怎么办？",
        "研发和销售部门的主管是谁？",
        "",
    ],
)
def test_simple_question_stays_as_it_is_and_no_model_is_asked(question):
    assert plan(question, ScriptedModel([])) == Plan((question,), "none")


def test_pasted_text_is_not_split():
    question = "What is this? " * 200

    assert plan(question) == Plan((question,), "none")


def test_many_questions_make_few_parts():
    question = " ".join(f"What is the price of product {n}?" for n in range(9))

    parts = plan(question).sub_questions

    assert len(parts) == 4
    assert parts[0] == "What is the price of product 0?"
    assert "product 8" in parts[3]


def test_what_follows_in_parentheses_goes_with_every_part():
    parts = plan("How long does it last and what does it cost? (trial Atlas CRM)").sub_questions

    assert [part.endswith("(trial Atlas CRM)") for part in parts] == [True, True]


def test_model_may_complete_the_parts():
    model = ScriptedModel(['{"questions": ["What is SCIM?", "Who can use SCIM?"]}'])

    assert plan("What is SCIM and who can use it?", model) == Plan(
        ("What is SCIM?", "Who can use SCIM?"), "model"
    )


@pytest.mark.parametrize(
    "reply",
    [
        '{"questions": ["What is SCIM and who can use it?"]}',
        '{"questions": ["What is SCIM?", "Who can use it?"]}',
        '{"questions": ["What is SCIM?", "Who can use Okta?"]}',
        '{"questions": ["What is SCIM?", "SCIM is a standard."]}',
        '{"questions": ["What is SCIM?", "Who can use SCIM?", "How does SCIM work?"]}',
        '{"questions": "What is SCIM?"}',
        "First question: What is SCIM?",
        LanguageModelError(),
    ],
)
def test_parts_that_a_model_got_wrong_are_made_by_rule(reply):
    question = "What is SCIM and who can use it?"

    assert plan(question, ScriptedModel([reply])) == plan(question)


def test_model_must_say_what_a_part_is_about():
    question = "回收站是什么，记录保留多久？"
    model = ScriptedModel(['{"questions": ["回收站是什么？", "记录保留多久？"]}'])

    assert plan(question, model) == plan(question)
    assert plan(question).sub_questions == ("回收站是什么？", "记录保留多久？（回收站）")
