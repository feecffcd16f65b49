"""Which questions lean on what was said."""

from __future__ import annotations

import pytest

from citewell.answering.planning.follow_up import leans_on_history


@pytest.mark.parametrize(
    "question",
    [
        "And in Germany?",
        "What about Enterprise?",
        "Why?",
        "And how far back can the backup go?",
        "And who approves them in China?",
        "Which release introduced it?",
        "What does that cost?",
        "When is it over?",
        "Can they be restored from there?",
        "In Lisbon?",
        "Und in Lissabon?",
        "Was kostet das?",
        "Wer hat ihn genehmigt?",
        "Peki P2 için?",
        "Bu uzatılabilir mi?",
        "Ne kadar sürer?",
        "那 XLSX 呢？",
        "它多久过期？",
        "谁批准？",
        "为什么？",
    ],
)
def test_leaning(question):
    assert leans_on_history(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is Beacon?",
        "What does rhodophyte mean?",
        "Is it allowed to bring a dog to the office?",
        "Does it take long to move a tenant between regions?",
        "Which tickets that were closed this year are kept?",
        "Is there a fee for the migration of a tenant?",
        "Did Ines Carvalho publish her policy in April?",
        "My laptop was stolen. What should I do about it?",
        "And who won the World Cup in 2018?",
        "So what is the mileage allowance for a private car?",
        "那公司食堂中午几点开门营业？",
        "Was ist ein Webhook?",
        "Können Sie mir sagen, wie lange die Testphase dauert?",
        "Gibt es einen Rabatt für Schulen?",
        "Webhook nedir?",
        "Bu yıl kaç gün yıllık izin var?",
        "什么是变更冻结？",
        "今年的奖金池占工资总额的百分之几？",
        "公司食堂中午几点开门？",
    ],
)
def test_standing_by_itself(question):
    assert not leans_on_history(question)


def test_language_of_the_history_tells_what_a_short_question_is_in():
    assert leans_on_history("Sie?", otherwise="de")
