"""Questions that are written differently, and questions that ask for something else."""

import pytest

from citewell.answering.remembering.same_question import normalise_question, sense_of

SAME = [
    ("What is the limit?", "what  is the limit"),
    ("What is the limit?", " What is the limit ?\n"),
    ("Which limits apply?", "which limits apply."),
    ("导出限制是多少？", "导出限制是多少?"),
    ("导出限制是多少？", "导出限制是多少"),
    ("Ｅ－４７１１？", "E-4711"),
    ("ｱﾄﾗｽの制限", "アトラスの制限"),
    ("Was kostet der Müller-Plan?", "Was kostet der Mu\u0308ller-Plan"),
    ("Wie lange dauert es?", "Wie lange dauert es."),
    ("İzin süresi nedir?", "I\u0307zin su\u0308resi nedir"),
]

OTHER = [
    ("What must the US do?", "What must the us do?"),
    ("Who audits the WHO?", "Who audits the who?"),
    ("Which Polish rules apply?", "Which polish rules apply?"),
    ("WHO pays?", "who pays?"),
    ("Is 10² enough?", "Is 102 enough?"),
    ("Is ½ enough?", "Is 1⁄2 enough?"),
    ("Is 1½ enough?", "Is 11/2 enough?"),
    ("Is CO₂ measured?", "Is CO2 measured?"),
    ("What is 1.5?", "What is 15?"),
    ("What is Yahoo!", "What is Yahoo"),
    ("What is C#?", "What is C?"),
    ("Is it -5?", "Is it 5?"),
    ("Who leaves?", "Who leaves us?"),
    ("Der Käufer zahlt?", "Den Käufer zahlt?"),
    ("Satıcı alıcıyı öder mi?", "Satıcıyı alıcı öder mi?"),
    ("Kızım nerede?", "Kizim nerede?"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_ways_of_writing_make_no_difference(one: str, other: str) -> None:
    assert normalise_question(one) == normalise_question(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_questions_stay_apart(one: str, other: str) -> None:
    assert normalise_question(one) != normalise_question(other)
    assert sense_of(one) != sense_of(other)


@pytest.mark.parametrize("question", ["?", "...", " ", "？？", "", "!"])
def test_nothing_but_marks_is_no_error(question: str) -> None:
    assert sense_of(question) == normalise_question(question)


def test_normalising_again_changes_nothing() -> None:
    for one, other in (*SAME, *OTHER):
        for question in (one, other):
            once = normalise_question(question)
            assert normalise_question(once) == once
            assert sense_of(sense_of(once)) == sense_of(once)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the limit for exports?", "Please tell me what the limit is"),
        ("Tell me who pays", "Tell me when who pays"),
    ],
)
def test_courtesies_do_not_hide_a_difference(one: str, other: str) -> None:
    assert sense_of(one) != sense_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who pays the seller?", "Could you please tell me who pays seller"),
        ("Why doesn't it start?", "why does not it start"),
        ("Why can it not be exported, please?", "Why can it not be exported?"),
        ("Why cannot it start", "Why can not it start"),
        ("Wann zahlt der Käufer bitte?", "Wann zahlt der Käufer?"),
        ("Lütfen ödeme süresi nedir", "ödeme süresi nedir"),
        ("请问导出限制是多少？", "导出限制是多少？"),
        ("請問，導出限制是多少？", "導出限制是多少"),
        ("For Atlas, which limits apply?", "For Atlas which limits apply?"),
    ],
)
def test_courtesies_and_commas_are_no_part_of_the_sense(one: str, other: str) -> None:
    assert sense_of(one) == sense_of(other)
    assert normalise_question(one) != normalise_question(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("谁批准请假？", "谁批准假？"),
        ("请假要谁批准？", "假要谁批准？"),
        ("Welche Bitte hat er?", "Welche hat er?"),
        ("Is The Sun cited?", "Is Sun cited?"),
        ("What covers plan A?", "What covers plan?"),
        ("Is it allowed?", "Isn't it allowed?"),
        ("What did they pay?", "What do they pay?"),
        ("1,5 Stunden?", "1 5 Stunden?"),
    ],
)
def test_words_that_only_look_like_courtesies_stay(one: str, other: str) -> None:
    assert sense_of(one) != sense_of(other)
