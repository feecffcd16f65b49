"""Words that ask and say nothing of what is asked for.

They are rare in documents, so their inverse document frequency is high, and a passage that answers
"Which limits ...?" seldom holds "which". Left out of the question they cannot draw it to a passage,
nor make the passage look as if it lacked something. Words that mean something else in another
language of the same script are not listed ("comment", "come", "dove").
"""

from __future__ import annotations

import re

_WORDS = """
    what whats which who whos whom whose when where why how do does did is are was were
    wer wen wem wessen wann wo woher wohin woran womit wodurch wofür worin warum weshalb wieso wie
    welche welcher welches welchem welchen wieviel wieviele
    ne nedir neydi neler nelerdir neyi neye neden niçin niye hangi hangisi hangisidir hangileri kim
    kimdir kimdi kimi kimin kime kimler kimlerdir nerede nereye nereden neresi nasıl kaç kaçtır
    kaçıncı mi mı mu mü midir mıdır
    что чего чему чем чём кто кого кому кем ком какой какая какое какие какого каких какому каким
    какими какую каком какова каков каковы который которая которое которые которого когда где куда
    откуда почему зачем как сколько чей чья чьё чьи ли
    qué que quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas
    quoi quel quelle quels quelles qui quand où pourquoi combien lequel laquelle lesquels lesquelles
    quale quali quando perché quanto quanta quanti quante
    quem qual quais onde quantos quantas
    wat welk welke wanneer waar waarom hoeveel
    czym kto kogo komu który która które jaki jaka jakie kiedy gdzie dlaczego ile
    ما ماذا من متى أين كيف كم لماذا هل أي أية
    τι ποιος ποια ποιο ποιοι ποιες πότε πού πώς γιατί πόσο πόσα
    क्या कौन कब कहाँ क्यों कैसे कितने कितना कितनी किस किसने किसे
"""
_UNSPACED = (
    "什么|什麼|为什么|為什麼|为何|為何|哪些|哪里|哪裡|哪个|哪個|哪|谁|誰|何时|何時|何处|何處|多少|几个|幾個|"
    "怎么样|怎麼樣|怎样|怎樣|怎么|怎麼|如何|是否|吗|嗎|呢|"
    "どこ|いつ(?![もか])|なぜ|どの|どんな|(?<![任几幾])何|ですか|ますか|"
    "무엇|누구|어디|언제|어떻게|얼마|"
    "อะไร|ใคร|ที่ไหน|เมื่อไร|เมื่อไหร่|ทำไม|อย่างไร|เท่าไร|เท่าไหร่"
)
_QUESTION_WORDS = frozenset(word.casefold() for word in _WORDS.split())
_POLAR = frozenset(
    "do does did is are was were mi mı mu mü midir mıdır ли czym هل क्या".split()  # noqa: SIM905 - read as a list of words
)
"""Words that ask whether: their answer may be all in the question."""
_POLAR_UNSPACED = frozenset(("是否", "吗", "嗎", "呢", "ですか", "ますか"))
_CHOICE = re.compile(
    r"\b(?:or|oder|veya|yoksa|ya da|или|ou|which of|welche[rs]? (?:von|der))\b|还是|還是|或"
    r"|哪.{0,4}更",
    re.IGNORECASE,
)
_SPACED_WORD = re.compile(r"\S+")
_UNSPACED_WORD = re.compile(_UNSPACED)
_CONTRACTION = re.compile("['’](?:s|re|d|ll)\\Z")
_PUNCTUATION = ".,:;!?¿¡؟،…\"'“”„«»()[]"


def drop_question_words(question: str) -> str:
    """Return the question without them; as it was if nothing else is left.

    A capital letter inside the question marks a name, as does a word all in capitals: "WHO" stays.
    """
    stripped = _SPACED_WORD.sub(_blank_question_word, _UNSPACED_WORD.sub(" ", question))
    return stripped if any(c.isalnum() for c in stripped) else question


def asks_for_something(question: str) -> bool:
    """Return whether an answer must say what the question does not: not a "whether", no choice."""
    if _CHOICE.search(question):
        return False
    words = {word.strip(_PUNCTUATION).casefold() for word in question.split()}
    unspaced = set(_UNSPACED_WORD.findall(question))
    return bool((words & _QUESTION_WORDS) - _POLAR or unspaced - _POLAR_UNSPACED)


def _blank_question_word(match: re.Match[str]) -> str:
    word = _CONTRACTION.sub("", match.group().strip(_PUNCTUATION))
    is_name = word[:1].isupper() and (match.start() > 1 or (len(word) > 1 and word.isupper()))
    return match.group() if is_name or word.casefold() not in _QUESTION_WORDS else " "
