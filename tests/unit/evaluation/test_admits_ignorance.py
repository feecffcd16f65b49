from __future__ import annotations

import pytest

from citewell.evaluation.admits_ignorance import admits_ignorance


@pytest.mark.parametrize(
    "text",
    [
        "I do not know.",
        "I don't know the answer based on the given passages.",
        "The passages do not mention who painted the church.",
        "The provided text doesn’t specify the year.",
        "None of the passages contain the answer.",
        "There is no information about the price in the passages.",
        "It is not mentioned which duke it was.",
        "That isn't stated.",
        "It cannot be determined from the text.",
        "I can't find the answer.",
        "I am unable to answer.",
        "There is not enough information to say.",
        "The year is unknown.",
        "Sorry, this is beyond me.",
        "The ferry is a ship. However, the passages never say what it costs.",
        "",
        " \n",
        "我不知道。",
        "文中没有提到价格。",
        "根据提供的段落，无法确定是谁。",
        "段落中未提及票价。",
        "Das weiß ich nicht.",
        "Der Text enthält keine Angaben dazu.",
        "Der Maler wird nicht erwähnt.",
        "Bilmiyorum.",
        "Metinde bu konuda bilgi bulunmamaktadır.",
        "Fiyat belirtilmemiştir.",
        "Я не знаю.",
        "В тексте не указано.",
        "Je ne sais pas.",
        "El texto no menciona el precio.",
    ],
)
def test_doubt_is_seen(text: str) -> None:
    assert admits_ignorance(text)


@pytest.mark.parametrize(
    "text",
    [
        "1871",
        "It was lit in 1871 by Ada Birk.",
        "No, it burned rape oil.",
        "The passage to Orm takes an hour.",
        "The king did not mention his brother.",
        "Nobody lived there, but the know-how stayed.",
        "灯塔于1871年点亮。",
        "Er zündete das Licht 1871 an.",
        "Gemi günde 12 kez sefer yapar.",
        "Маяк зажгли в 1871 году.",
    ],
)
def test_answer_is_no_doubt(text: str) -> None:
    assert not admits_ignorance(text)
