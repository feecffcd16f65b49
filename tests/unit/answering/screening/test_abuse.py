import pytest

from citewell.answering.screening.abuse import ABUSE, rate_abuse
from citewell.answering.screening.injection import GREY


@pytest.mark.parametrize(
    "message",
    [
        "You are an idiot.",
        "Why is this fucking printer broken?",
        "I will kill you.",
        "sh1t happens, answer me",
        "s.h.i.t",
        "f u c k you",
        "ｆｕｃｋ",
        "fu\u200bck this",
        "Du bist ein Arschloch",
        "Halt die Fresse",
        "Ich werde dich umbringen",
        "sen bir aptalsın",
        "Siktir git",
        "Seni öldüreceğim",
        "你这个傻逼",
        "你就是个废物",
        "我要杀了你",
    ],
)
def test_abuse_is_found(message: str):
    assert rate_abuse(message).score >= ABUSE


@pytest.mark.parametrize(
    "message",
    [
        "How do I kill a hanging process?",
        "Where is the Scunthorpe office?",
        "How do we shoot the product video?",
        "What happens when a colleague calls someone an idiot?",
        "Is the word 'shit' allowed in e-mails?",
        'Which sanction follows "you are a fucking liar"?',
        "Who assesses the analysis of the cocktail glasses?",
        "Wie entsorge ich Müll und Schweinefleisch?",
        "Gilt das Wort Arschloch als Beleidigung?",
        "Wo ist das Dickicht auf dem Plan der Klassenfahrt?",
        "Bu hata çok sıktır, ne yapmalıyım?",
        "Sık sorulan sorular nerede?",
        "Dosyayı nasıl götürürüm?",
        "操作手册在哪里？",
        "杂种优势是什么意思？",
        "废物处理的规定是什么？",
        "他妈的名字要登记吗？",
        "妈妈的产假有多少天？",
    ],
)
def test_innocent_words_and_words_asked_about_are_no_abuse(message: str):
    assert rate_abuse(message).score == 0


def test_an_insult_of_someone_else_is_doubtful():
    assert GREY <= rate_abuse("My manager is an idiot.").score < ABUSE


def test_an_insult_beside_a_word_that_is_asked_about_is_found():
    assert rate_abuse('Is "shit" allowed? You are an idiot.').score >= ABUSE
