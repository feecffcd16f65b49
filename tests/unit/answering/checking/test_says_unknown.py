"""Sentences in which a model says that the passages do not answer."""

import pytest

from citewell.answering.checking.says_unknown import says_unknown


@pytest.mark.parametrize(
    "sentence",
    [
        "NOT IN PASSAGES",
        "Not in passages.",
        "The passages do not mention the price.",
        "The provided documents don't explicitly state who signs.",
        "The number of staff is not specified in the given passages.",
        "There is no information about parking in the documents.",
        "No price is given.",
        "I don't know the answer.",
        "I cannot find that.",
        "This cannot be determined from the text.",
        "There is not enough information to say.",
        "文中没有提到价格。",
        "根据所给资料无法确定。",
        "我不知道。",
        "Der Preis wird in den Passagen nicht erwähnt.",
        "Die Dokumente enthalten keine Angaben dazu.",
        "Metinde fiyat belirtilmemiştir.",
        "Bu konuda bilgi yok.",
        "В тексте не указана цена.",
    ],
)
def test_silence_of_the_passages_is_recognised(sentence: str) -> None:
    assert says_unknown(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Sales must not mention the roadmap.",
        "Exports are not available on the Starter plan.",
        "No more than ten exports are allowed per day.",
        "The contract does not contain a notice period of less than 30 days.",
        "Passengers do not need a ticket.",
        "Customers cannot download the archive twice.",
        "客户数据不得发送到外部模型。",
        "没有批准不得退款。",
        "Kundendaten dürfen nicht an externe Modelle gesendet werden.",
        "Onay olmadan iade yapılmaz.",
    ],
)
def test_a_negated_fact_is_not_taken_for_silence(sentence: str) -> None:
    assert not says_unknown(sentence)
