"""Forms of compound questions, and forms that only look like them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.answering.planning.split import MAX_PARTS, split_question


def texts(question: str) -> tuple[str, ...]:
    return tuple(part.text for part in split_question(question))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How long is the trial, what does it include, and can it be extended?",
            (
                "How long is the trial?",
                "What does it include? (trial)",
                "Can it be extended? (trial include)",
            ),
        ),
        (
            "What's a webhook and when is it paused?",
            ("What's a webhook?", "When is it paused? (webhook)"),
        ),
        (
            "What is the hotel limit in Lisbon as well as the daily allowance there?",
            ("What is the hotel limit in Lisbon?", "What is the daily allowance in Lisbon?"),
        ),
        (
            "How do I export a report and import a contact list?",
            ("How do I export a report?", "How do I import a contact list?"),
        ),
        (
            "What are the limits for CSV exports and for XLSX exports?",
            ("What are the limits for CSV exports?", "What are the limits for XLSX exports?"),
        ),
        (
            "I want to know how to merge duplicates and whether a merge can be undone.",
            ("I want to know how to merge duplicates.", "Whether a merge can be undone."),
        ),
        ("Hello, how are you? What is SCIM?", ("Hello, how are you? What is SCIM?",)),
        (
            "Nenne die P1-Reaktionszeit und die P2-Reaktionszeit.",
            ("Nenne die P1-Reaktionszeit.", "Nenne die P2-Reaktionszeit."),
        ),
        (
            "How does Corvia compare to Pipewell in price?",
            ("What is price of Corvia?", "What is price of Pipewell?"),
        ),
        (
            "What are the minimum users of Team and Business respectively?",
            ("What are the minimum users of Team?", "What are the minimum users of Business?"),
        ),
        (
            "P1 ve P2'nin yanıt sürelerini karşılaştır.",
            ("P1 yanıt sürelerini?", "P2'nin yanıt sürelerini?"),
        ),
        ("列出 P1 和 P2 的响应时间。", ("列出 P1 的响应时间。", "列出 P2 的响应时间。")),
        ("试用期多长？能不能延长？", ("试用期多长？", "能不能延长？（试用期）")),
    ],
)
def test_parts(question, parts):
    assert texts(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between the Team and the Business edition?",
        "What was the USSR and the US more worried about?",
        "How do I copy and paste a mapping?",
        "How do I open a report and print it?",
        "Which city lies in both England and Wales?",
        "What happens if a tenant is moved and the archive is still being written?",
        "Is a ticket between P1 and P2 possible?",
        "Which team handles P1 and P2 tickets?",
        "Does a rate lie between P1 and P2?",
        "如果客户问怎么付款，应该怎么回答？",
        "谁能查看和修改工单？",
        "Bosna ve Hersek'te kaç kişi yaşıyor?",
        "Wer entscheidet, wie Land oder Eigentum genutzt werden darf?",
    ],
)
def test_whole(question):
    assert texts(question) == (question,)


@given(st.text(max_size=1_200))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_parts_with_content(question):
    parts = split_question(question)

    assert 1 <= len(parts) <= MAX_PARTS
    assert len(parts) == 1 or all(part.text.strip() for part in parts)
