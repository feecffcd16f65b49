"""Sentences that passages support, and sentences that they do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answering_samples import EMPLOYEE, ListReader, make_chunk, make_passages
from hypothesis import given
from hypothesis import strategies as st

from citewell.answering.citing.cite import cite_quotes, verify_citations
from citewell.answering.verification.translations import Similarities
from citewell.answering.verification.verify_sentence import verify_sentence

LEAVE = make_chunk(
    "Full-time employees receive 25 days of paid leave per year. Unused days expire on "
    "31 March 2026. The head of Finance, Maria Lindqvist, approves trips above EUR 1,200.\n\n"
    "Part-time staff may not carry days over. Requests go to the portal at least two weeks before "
    "the first day off.",
    key=1,
    title="Leave",
)
BACKUP = make_chunk(
    "Backups run every night at 02:30 and are kept for 90 days. The archive holds 5 GB per user. "
    "Nobody restores files without a ticket.",
    key=2,
    title="Backups",
)
PLANS = make_chunk(
    "| Plan | Storage (GB) | Price |\n|---|---|---|\n"
    "| Basic | 5 | EUR 10 |\n| Pro | 50 | EUR 20 |\n",
    key=3,
    title="Plans",
)
RULES = make_chunk(
    "Steps:\n\n- Hamburg office: open until 18:00\n- Munich office: open until 17:00\n", key=4
)
GERMAN = make_chunk(
    "Vollzeitkräfte erhalten 25 Tage bezahlten Urlaub. Der Antrag ist mindestens zwei Wochen vorher"
    " bei Frau Lindqvist einzureichen. Teilzeitkräfte dürfen keine Tage übertragen.",
    key=5,
)
TURKISH = make_chunk(
    "Tam zamanlı çalışanlar yılda 25 gün ücretli izin alır. Yedekler her gece 02.30'da alınır ve "
    "90 gün saklanır. Yarı zamanlı çalışanlar günlerini devredemez.",
    key=6,
)
CHINESE = make_chunk(
    "全职员工每年享有25天带薪年假。差旅费超过1.2万元须由财务主管李明批准。"
    "兼职员工不得结转假期。备份保留90天。",
    key=7,
)
PASSAGES = make_passages(LEAVE, BACKUP, PLANS, RULES, GERMAN, TURKISH, CHINESE)


def is_supported(sentence: str, cited: Sequence[int] = ()) -> bool:
    return verify_sentence(sentence, PASSAGES, cited=cited).is_supported


@pytest.mark.parametrize(
    "sentence",
    [
        "Full-time employees get 25 days of paid leave a year.",
        "Paid leave for full-time employees is twenty-five days per year.",
        "Unused days expire on 2026-03-31.",
        "On March 31, 2026, unused days expire.",
        "Trips above 1200 euros are approved by Maria Lindqvist, the head of Finance.",
        "According to the document, part-time staff cannot carry days over.",
        "Backups run at 2:30 am every night and are kept for 90 days.",
        "The archive holds 5,000 MB per user.",
        "The Pro plan has 50 GB of storage.",
        "The Munich office is open until 5 pm.",
        "Vollzeitkräfte bekommen fünfundzwanzig Tage bezahlten Urlaub.",
        "Mindestens zwei Wochen vorher ist der Antrag bei Frau Lindqvist einzureichen.",
        "Tam zamanlı çalışanların yılda yirmi beş gün ücretli izni vardır.",
        "Yedekler 90 gün boyunca saklanır.",
        "全职员工每年有二十五天带薪年假。",
        "根据文档，差旅费超过12000元须由财务主管李明批准。",
    ],
)
def test_what_a_passage_says_in_other_words_is_supported(sentence: str):
    assert is_supported(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Full-time employees get 26 days of paid leave a year.",
        "Full-time employees get 25 weeks of paid leave a year.",
        "Unused days expire on 30 March 2026.",
        "Unused days expire on 31 March 2025.",
        "Unused days expire on 31 May 2026.",
        "Trips above USD 1,200 are approved by Maria Lindqvist, the head of Finance.",
        "Trips above EUR 12,000 are approved by Maria Lindqvist, the head of Finance.",
        "The head of Finance, Maria Schneider, approves trips above EUR 1,200.",
        "Part-time staff may carry days over.",
        "Full-time employees do not receive 25 days of paid leave per year.",
        "Requests go to the portal at most two weeks before the first day off.",
        "Backups run every night at 03:30 and are kept for 90 days.",
        "The archive holds 5 MB per user.",
        "The Basic plan has 50 GB of storage.",
        "The Pro plan costs EUR 50.",
        "The Munich office is open until 18:00.",
        "Vollzeitkräfte erhalten 28 Tage bezahlten Urlaub.",
        "Vollzeitkräfte erhalten keine 25 Tage bezahlten Urlaub.",
        "Der Antrag ist höchstens zwei Wochen vorher bei Frau Lindqvist einzureichen.",
        "Tam zamanlı çalışanlar yılda 25 hafta ücretli izin alır.",
        "Tam zamanlı çalışanlar yılda 25 gün ücretli izin almaz.",
        "全职员工每年享有35天带薪年假。",
        "全职员工每年不享有25天带薪年假。",
        "差旅费超过1.2亿元须由财务主管李明批准。",
        "Employees may bring their dogs to the office on any day.",
        "The cafeteria serves lunch.",
        "",
        "Yes.",
    ],
)
def test_a_changed_or_foreign_fact_is_not_supported(sentence: str):
    assert not is_supported(sentence)


def test_the_smallest_exact_words_support_a_sentence():
    verdict = verify_sentence("Backups are kept for 90 days.", PASSAGES, cited=[1])
    assert [(s.passage, s.quote.text) for s in verdict.support] == [
        (1, "Backups run every night at 02:30 and are kept for 90 days.")
    ]
    assert verdict.failures == ()


def test_a_row_is_quoted_with_its_column_names():
    verdict = verify_sentence("The Pro plan costs 20 euros.", PASSAGES, cited=[2])
    assert [(s.quote.text, s.quote.header) for s in verdict.support] == [
        ("| Pro | 50 | EUR 20 |", "| Plan | Storage (GB) | Price |")
    ]


def test_a_wrong_marker_is_replaced_by_the_passage_that_supports():
    verdict = verify_sentence("The archive holds 5 GB per user.", PASSAGES, cited=[0])
    assert verdict.is_supported
    assert [s.passage for s in verdict.support] == [1]
    assert verdict.failures == ("passage 1 does not support it",)


def test_a_marker_without_a_passage_is_told():
    verdict = verify_sentence("The archive holds 5 GB per user.", PASSAGES, cited=[41, -1])
    assert verdict.is_supported
    assert verdict.failures == ("there is no passage 42", "there is no passage 0")


def test_two_statements_are_supported_by_two_quotes():
    sentence = "Backups are kept for 90 days; unused days expire on 31 March 2026."
    verdict = verify_sentence(sentence, PASSAGES)
    assert [(s.passage, s.quote.text) for s in verdict.support] == [
        (0, "Unused days expire on 31 March 2026."),
        (1, "Backups run every night at 02:30 and are kept for 90 days."),
    ]


def test_one_wrong_statement_of_two_is_enough_to_fail():
    sentence = "Backups are kept for 90 days; unused days expire on 31 March 2027."
    verdict = verify_sentence(sentence, PASSAGES)
    assert not verdict.is_supported
    assert verdict.failures[0] == "date 31 March 2027 is not in passage 1"


def test_support_can_be_cited():
    verdict = verify_sentence("Backups are kept for 90 days.", PASSAGES)
    _, citations = cite_quotes([support.quote for support in verdict.support])
    assert [citation.quote for citation in citations] == [
        "Backups run every night at 02:30 and are kept for 90 days."
    ]
    assert verify_citations(citations, EMPLOYEE, ListReader(BACKUP)) == []


def test_nothing_is_supported_without_passages():
    verdict = verify_sentence("Backups are kept for 90 days.", [])
    assert (verdict.is_supported, verdict.failures) == (False, ("there is no passage",))


def test_a_translation_is_supported_if_its_meaning_is_near_and_its_facts_are_there():
    passages = make_passages(CHINESE)

    def alike(sentences: Sequence[str], units: Sequence[str]) -> list[list[float]]:
        return [[0.95 if "25" in unit else 0.7 for unit in units] for _ in sentences]

    sentence = "Full-time employees have 25 days of paid annual leave."
    changed = "Full-time employees have 24 days of paid annual leave."
    assert verify_sentence(sentence, passages, similarities=alike).is_supported
    assert not verify_sentence(changed, passages, similarities=alike).is_supported
    assert not verify_sentence(sentence, passages).is_supported


TIMES = make_chunk(
    "| Level | Meaning | First reply | Updates |\n|---|---|---|---|\n"
    "| P1 | all is down | 15 minutes | every 30 minutes |\n"
    "| P2 | something fails, no way around it | 1 hour | every 4 hours |\n",
    key=8,
    title="Levels",
)


def test_a_translated_table_row_is_compared_by_the_cells_that_hold_the_numbers():
    def alike(sentences: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        return [[0.95 if text == "P2: First reply 1 hour" else 0.7 for text in texts]]

    passages = make_passages(TIMES, CHINESE)
    verdict = verify_sentence("P2 工单必须在 1 小时内首次答复。", passages, similarities=alike)
    assert [support.quote.text for support in verdict.support] == [
        "| P2 | something fails, no way around it | 1 hour | every 4 hours |"
    ]
    for wrong in ("P1 工单必须在 1 小时内首次答复。", "P2 工单必须在 15 分钟内首次答复。"):
        assert not verify_sentence(wrong, passages, similarities=alike).is_supported


def test_a_translated_summary_is_supported_by_neighbours_together():
    passages = make_passages(LEAVE, make_chunk("Speak of no rival. Quote no price.", key=9))

    def alike(sentences: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        return [[0.95 if "rival" in text and "price" in text else 0.7 for text in texts]]

    verdict = verify_sentence("不得谈论对手，也不得报价。", passages, similarities=alike)
    assert [s.quote.text for s in verdict.support] == ["Speak of no rival. Quote no price."]


STEPS = make_chunk(
    "Do not skip a step.\n\n"
    "1. The engineer on duty confirms the alarm with the shift lead within 15 minutes.\n"
    "2. The engineer on duty opens the channel and posts the number of the ticket.\n"
    "3. If nobody has answered within 10 minutes, Beacon pages the duty manager.\n"
    "4. The account manager calls the customer and writes every 30 minutes.\n",
    key=10,
)
SUMMARY = (
    "The engineer on duty confirms the alarm with the shift lead within 15 minutes, opens the "
    "channel and posts the number of the ticket, if nobody has answered within 10 minutes, Beacon "
    "pages the duty manager, the account manager calls the customer and writes every 30 minutes."
)


def test_a_sentence_that_strings_steps_together_is_supported_by_each_of_them():
    verdict = verify_sentence(SUMMARY, make_passages(LEAVE, STEPS))
    assert [s.quote.text for s in verdict.support] == [STEPS.content.partition("\n\n")[2].strip()]


@pytest.mark.parametrize(
    ("said", "instead"),
    [("15", "25"), ("10 minutes", "30 minutes"), ("Beacon", "Pager"), ("nobody has", "all have")],
)
def test_one_wrong_step_of_many_is_enough_to_fail(said: str, instead: str):
    passages = make_passages(LEAVE, STEPS)
    assert not verify_sentence(SUMMARY.replace(said, instead), passages).is_supported


def test_steps_in_another_order_are_not_supported():
    clauses = SUMMARY.rstrip(".").split(", ")
    turned = ", ".join([*clauses[2:], *clauses[:2]])
    assert not verify_sentence(turned, make_passages(LEAVE, STEPS)).is_supported


PRICES = "What does the Pro plan cost?"


def test_a_number_alone_is_supported_by_what_the_question_asks_of_it():
    assert verify_sentence("EUR 20", PASSAGES, question=PRICES).is_supported
    for sentence in ("EUR 30", "90 days"):
        assert not verify_sentence(sentence, PASSAGES, question=PRICES).is_supported
    assert not verify_sentence("EUR 20", PASSAGES).is_supported


def test_a_name_that_is_asked_about_may_stand_in_the_section_above():
    scope = make_chunk("These rules apply to staff in Oslo.", key=1, heading_path=("Rules",))
    rule = make_chunk(
        "Staff may work from home 3 days a week.",
        key=2,
        document_id="d1",
        heading_path=("Rules", "Home"),
    )
    passages, question = make_passages(rule, scope), "How many days may staff in Oslo stay home?"
    sentence = "Staff in Oslo may work from home 3 days a week."
    verdict = verify_sentence(sentence, passages, question=question)
    assert [s.quote.text for s in verdict.support] == [rule.content, scope.content]
    for other in ("How many days may staff stay home?", "Is Rome like that?"):
        assert not verify_sentence(sentence, passages, question=other).is_supported
    elsewhere = make_passages(rule, make_chunk(scope.content, key=3, heading_path=("Rules",)))
    assert not verify_sentence(sentence, elsewhere, question=question).is_supported


def test_a_number_of_another_place_in_the_sentence_is_not_supported():
    passages = make_passages(make_chunk("The fund grew from 415 members in 1991 to 587 in 2000."))
    swapped = "The fund grew from 587 members in 1991 to 415 in 2000."
    assert verify_sentence("The fund grew to 587 members in 2000.", passages).is_supported
    assert not verify_sentence(swapped, passages).is_supported


def test_before_in_the_place_of_after_is_not_supported():
    text = "The tests ran before the release, and the report came two days after the audit in May."
    passages = make_passages(make_chunk(text))
    turned = text.replace("after the audit", "before the audit")
    assert verify_sentence(text.replace("two", "2"), passages).is_supported
    assert not verify_sentence(turned, passages).is_supported


def test_a_name_in_the_place_of_another_is_not_supported():
    passages = make_passages(
        make_chunk(
            "Anna Berg sold the Lund office to Erik Holm in 2019. 2018年李明把公司卖给了王芳。"
        )
    )
    assert verify_sentence("In 2019 Anna Berg sold the Lund office.", passages).is_supported
    for sentence in ("Jan Nord sold the Lund office to Erik Holm.", "2018年陈刚把公司卖给了王芳。"):
        assert not verify_sentence(sentence, passages).is_supported


CANTEEN = (
    "The old canteen in Lund was renamed Berg Hall in 2015 after a long debate. "
    "Sven Dahl gave a speech about the canteen in Lund. "
    "The workshop in Lund was closed."
)
CLINIC = "诊所的新院长是周慧敏，副院长是林达。去年诊所搬到了青石街。林达曾在海丰医院工作。"


@pytest.mark.parametrize(
    ("content", "true", "changed"),
    [
        (
            CANTEEN,
            "After a long debate the old canteen in Lund was renamed Berg Hall.",
            "After a long debate the old canteen in Lund was renamed Sven Dahl.",
        ),
        (
            CLINIC,
            "诊所的新任院长是周慧敏，副院长是林达。",
            "诊所的新任院长是欧阳锋，副院长是林达。",
        ),
        (CLINIC, "林达从前在海丰医院工作。", "欧阳在海丰医院工作。"),
        (
            "Geniş salonun kirası önceki yıla göre daha yüksektir.",
            "Geniş salonun kirası, önceki yıla göre daha yüksek.",
            "Geniş salonun kirası önceki yıla göre daha düşüktür.",
        ),
        (
            "Der neue Tarif hat in Kiel den höchsten Preis aller Städte.",
            "In Kiel hat der neue Tarif den höchsten Preis aller Städte.",
            "In Kiel hat der neue Tarif den niedrigsten Preis aller Städte.",
        ),
    ],
)
def test_another_name_of_the_passage_or_an_opposite_is_not_supported(
    content: str, true: str, changed: str
):
    passages = make_passages(make_chunk(content))
    assert verify_sentence(true, passages).is_supported
    assert not verify_sentence(changed, passages).is_supported


def test_clauses_do_not_mend_what_one_unit_denies():
    text = (
        "The harbour office issues permits to visiting boats, although small rowing boats need "
        "none, and it closes after sunset, while the crane crew works until the last boat, which "
        "is unloaded before sunset, has left the basin."
    )
    passages = make_passages(make_chunk(text))
    changed = text.replace("closes after sunset", "closes before sunset")
    assert verify_sentence(text.replace("issues", "gives"), passages).is_supported
    assert not verify_sentence(changed, passages).is_supported


OWN = [
    "Full-time employees receive 25 days of paid leave per year.",
    "Backups run every night at 02:30 and are kept for 90 days.",
    "Der Antrag ist mindestens zwei Wochen vorher bei Frau Lindqvist einzureichen.",
    "Yedekler her gece 02.30'da alınır ve 90 gün saklanır.",
    "全职员工每年享有25天带薪年假。",
    "The archive holds 5 GB per user.",
]


@pytest.mark.parametrize("sentence", OWN)
@given(cited=st.lists(st.integers(-2, 9), max_size=3))
def test_a_passage_supports_its_own_sentences(sentence: str, cited: list[int]):
    assert is_supported(sentence, cited)


@given(days=st.integers(2, 10_000))
def test_another_number_is_never_supported(days: int):
    sentence = f"Full-time employees receive {days} days of paid leave per year."
    assert is_supported(sentence) == (days == 25)
    assert is_supported(f"全职员工每年享有{days}天带薪年假。") == (days == 25)


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_raises(sentence: str, content: str):
    verdict = verify_sentence(sentence, make_passages(make_chunk(content)), cited=[0])
    for support in verdict.support:
        assert support.quote.text in content


def test_a_number_with_other_words_of_the_same_language_is_supported_if_the_meaning_is_near():
    passages = make_passages(
        make_chunk("剩余的年假可以保留到次年 3 月 31 日，逾期作废。", key=11),
        CHINESE,
    )
    sentence = "剩下的假期最晚要在 3 月 31 日用完。"

    def alike(near: float) -> Similarities:
        return lambda _, texts: [[near if "次年" in text else 0.7 for text in texts]]

    assert verify_sentence(sentence, passages, similarities=alike(0.95)).is_supported
    for other in (sentence.replace("31", "30"), "剩下的假期最晚要在年底用完。"):
        assert not verify_sentence(other, passages, similarities=alike(0.95)).is_supported
    assert not verify_sentence(sentence, passages, similarities=alike(0.75)).is_supported
    assert not verify_sentence(sentence, passages).is_supported
