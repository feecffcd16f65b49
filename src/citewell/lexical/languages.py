"""In which language a text is written, as far as its script and most frequent words tell.

Good enough to say that a question and a passage are in two languages, so that missing words are no
evidence. Terms do not depend on it: they are the same whatever the language (see `stems`).
"""

from __future__ import annotations

import re
from functools import cache

from citewell.lexical.scripts import dominant_script

_FREQUENT_WORDS = {
    "en": "the of and to in is was that for it with as on by are from what which who how does did "
    "where when why were do has have",
    "de": "der die und das den von zu mit ist des auf für nicht ein eine dem wie wer welche wurde "
    "wo wann warum welcher welches welchem welchen war wird sind im in was",
    "fr": "de le la les des et du un une est dans que qui pour sur par quel quelle quels sont",
    "es": "el la de los las del y en un una es que por con para qué cuál cuándo dónde cómo fue",
    "pt": "de o os as do da dos das e em um uma é que por com para não qual quando onde foi são",
    "it": "il lo gli di che e è in un una del della dei per con non quale quando dove chi sono",
    "nl": "de het een van en in is dat op te voor met zijn niet wat welke wie hoe waar werd door",
    "tr": "ve bir bu ile için olarak olan nedir ne hangi kim kimdir nerede kaç nasıl neden mi "
    "neydi nelerdir hangisi da çok gibi daha sonra kadar tarafından",
    "pl": "i w na z się do jest nie że to od jak co kto który która gdzie kiedy po przez są było",
    "sv": "och att det som en på är av för med till den har inte om ett vad vem hur vilken när",
    "da": "og at det som en på er af for med til den har ikke om et hvad hvem hvordan hvilken",
    "fi": "ja on ei se että oli hän mikä mitä kuka missä miten kun joka ovat myös kuin tai mutta",
    "cs": "a v na se je že s z do o jako co kdo který která kde kdy jak byl byla pro by jsou",
    "ro": "și de la în a cu pe din nu este care ce cine unde când cum pentru un o mai au fost",
    "hu": "a az és hogy nem is egy volt mi ki melyik hol mikor hogyan meg csak ezt van vagy mint",
    "id": "yang dan di dari untuk dengan pada adalah apa siapa mana berapa bagaimana ini itu dalam",
    "vi": "và của là có được trong cho một các những với không người này gì ai nào đã khi ở",
}
_LETTERS = {
    "tr": "[ığşİ]",
    "de": "ß",
    "es": "[ñ¿¡]",
    "pt": "[ãõ]",
    "pl": "[łąęćśź]",
    "cs": "[ěřů]",
    "ro": "[șță]",
    "hu": "[őű]",
    "da": "[øæ]",
    "vi": "[ơưđạảấầẩậắằặẹẻẽếềểệỉịọỏốồổộớờởợụủứừửựỳỵỷỹ]",
}
_MIN_HITS = 2
_LEAD = 1.5
_EXAMINED_CHARACTERS = 2_000
_WORD = re.compile(r"[^\W\d_]+")


def guess_language(text: str) -> str | None:
    """Return a language of the Latin script by its code, another script by its name, or None.

    `latin` means that the text is too short, or fits two languages; None, that it has no letters.
    """
    script = dominant_script(text)
    if script == "none":
        return None
    if script != "latin":
        return script
    ranked = sorted(_hits(text).items(), key=lambda item: -item[1])[:2]
    if not ranked or ranked[0][1] < _MIN_HITS:
        return script
    is_clear = len(ranked) == 1 or ranked[0][1] >= _LEAD * ranked[1][1]
    return ranked[0][0] if is_clear else script


def is_in_other_language(question: str, language: str | None) -> bool:
    """Return whether a question is in another language than a text of the guessed `language`.

    A short question need not show which language it is in: that another one fits better is
    enough. False if nothing is known.
    """
    script = dominant_script(question)
    if language is None or script == "none":
        return False
    if script != "latin" or language not in _FREQUENT_WORDS:
        return script != ("latin" if language in _FREQUENT_WORDS else language)
    hits = _hits(question)
    return hits.get(language, 0) < max(hits.values(), default=0)


def _hits(text: str) -> dict[str, int]:
    """Count frequent words and letters of each language."""
    start = text[:_EXAMINED_CHARACTERS].lower()
    hits: dict[str, int] = {}
    languages_of = _languages_of_words()
    for word in filter(languages_of.__contains__, _WORD.findall(start)):
        for language in languages_of[word]:
            hits[language] = hits.get(language, 0) + 1
    for language, letters in () if start.isascii() else _LETTERS.items():
        if re.search(letters, start):
            hits[language] = hits.get(language, 0) + 1
    return hits


@cache
def _languages_of_words() -> dict[str, tuple[str, ...]]:
    languages: dict[str, tuple[str, ...]] = {}
    for language, words in _FREQUENT_WORDS.items():
        for word in words.split():
            languages[word] = (*languages.get(word, ()), language)
    return languages
