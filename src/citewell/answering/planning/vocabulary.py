"""The words that carry a question's form and not its content, for the languages that are known.

They are few and closed: pronouns, articles, prepositions, auxiliaries, words that ask. A question
in a language without a list is read with the English one, which leaves its words as content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "de", "tr", "zh"]

_ASKING: dict[Language, str] = {
    "en": "what which who whom whose when where why how",
    "de": "was welche welcher welches welchem welchen wer wen wem wessen wann wo woher wohin woran "
    "womit wodurch wofür worin warum weshalb wieso wie wieviel wieviele wozu worüber",
    "tr": "ne nedir neydi neler nelerdir nelerden neyi neye neden niçin niye hangi hangisi "
    "hangisidir hangileri kim kimdir kimdi kimi kimin kime kimler nerede nerededir nereye nereden "
    "neresi nasıl nasıldır kaç kaçtır kaçı kaça kaçıncı kadar kadardır mi mı mu mü midir mıdır "
    "mudur müdür miyim mıyım muyum müyüm miyiz mıyız muyuz müyüz musun mısın misin müsün",
    "zh": "",
}
_AUXILIARIES: dict[Language, str] = {
    "en": "is are was were am be been being do does did have has had can could may might must "
    "shall should will would isn't aren't wasn't doesn't don't didn't can't won't",
    "de": "ist sind war waren bin wird werden wurde wurden habe hat haben hatte hatten kann können "
    "könnte könnten darf dürfen dürfte muss müssen müsste soll sollen sollte sollten will wollen "
    "wollte möchte möchten gibt gab gilt gelten",
    "tr": "var yok vardır yoktur olur olacak oldu idi ise",
    "zh": "",
}
_PRONOUNS: dict[Language, str] = {
    "en": "it its itself they them their theirs themselves he him his himself she her hers herself "
    "this these those",
    "de": "es er ihn ihm ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner seines "
    "sie deren dessen dies diese dieser dieses diesem diesen jene jener jenes jenem jenen davon "
    "dafür damit dabei darin daran darauf darüber dazu dagegen dadurch daraus danach dort dorthin "
    "solche solcher solchen",
    "tr": "o onu ona onun onda ondan onunla bu bunu buna bunun bunda bundan bununla şu şunu bunlar "
    "bunları bunların bunlara bunlardan onlar onları onların onlara onlardan orada oraya oradan "
    "orası burada buraya buradan kendisi kendisini kendisinin aynısı",
    "zh": "",
}
_PREPOSITIONS: dict[Language, str] = {
    "en": "in on at for from with without about during before after under over by to of as per "
    "within between",
    "de": "in im ins an am auf aus bei beim für mit ohne nach vor über unter zwischen von vom zu "
    "zum zur während bis seit durch gegen um",
    "tr": "",
    "zh": "",
}
_OTHERS: dict[Language, str] = {
    "en": "a an the and or but nor so also of to in on at by for from with without about into onto "
    "over under between among against during before after until till since as than then if whether "
    "while because though although not no yes i me my mine we us our ours you your yours there "
    "here that one ones some any each every all both either neither such same other another else "
    "too very just only even still yet ever much many more most less least few long often far old "
    "big soon quickly get gets got please explain describe compare mean means tell me know want "
    "like need let exactly now per via out up down off across through within again thanks thank "
    "hello hi ok okay well called happen happens",
    "de": "der die das den dem des ein eine einen einem einer eines und oder aber sowie auch als "
    "von vom zu zum zur in im ins an am auf aus bei beim für mit ohne nach vor über unter zwischen "
    "gegen während bis seit durch um wenn ob weil dass damit denn dann nicht kein keine keinen ja "
    "nein ich mich mir mein meine meinen wir uns unser unsere du dich dir sie man sich hier da so "
    "nur noch schon sehr mehr viel viele vielen wenig weniger lange oft weit genau eigentlich "
    "bitte mal jede jeder jedes jeden jedem alle allen beide beiden selbe andere anderen danke "
    "hallo außerdem ebenso eben etwa sowohl weder hoch erkläre beschreibe vergleiche",
    "tr": "ve veya ya ile ama fakat ancak da de için gibi göre kadar sonra önce bir her bütün tüm "
    "çok daha en ben bana benim biz bize bizim sen siz size sizin peki ayrıca hem ki değil evet "
    "hayır lütfen olarak olan tarafından arasında hakkında üzerinde üzere ise eğer zaman acaba şey",
    "zh": "",
}


def _lists(texts: Mapping[Language, str]) -> dict[Language, frozenset[str]]:
    return {language: frozenset(text.split()) for language, text in texts.items()}


ASKING = _lists(_ASKING)
"""Words that ask; of Chinese there are patterns instead, where they are needed."""

AUXILIARIES = _lists(_AUXILIARIES)

PRONOUNS = _lists(_PRONOUNS)
"""Words that stand for something said before, in the same question or an earlier one."""

PREPOSITIONS = _lists(_PREPOSITIONS)

LIGHT_WORDS: dict[Language, frozenset[str]] = {
    language: words | ASKING[language] | AUXILIARIES[language] | PRONOUNS[language]
    for language, words in _lists(_OTHERS).items()
}
"""All that is not content."""
