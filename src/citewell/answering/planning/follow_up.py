"""Whether a question leans on what was said before it."""

from __future__ import annotations

import re

from citewell.answering.planning.vocabulary import (
    ASKING,
    AUXILIARIES,
    PREPOSITIONS,
    PRONOUNS,
    Language,
)
from citewell.answering.planning.words import (
    Word,
    content_words,
    language_of,
    names,
    plain,
    size_of,
    tokens,
)

_MARKERS: dict[Language, str] = {
    "en": r"(?:ok(?:ay)?[, ]+)?(?:and|but|or|so|then|also|what about|how about|what if|same|"
    r"likewise|if so|if not)\b",
    "de": r"(?:ok(?:ay)?[, ]+)?(?:und|aber|oder|auch|außerdem|dann|was ist mit|wie sieht es|"
    r"wie steht es|wie ist es|gilt das|sonst|falls ja|falls nein)\b",
    "tr": r"(?:tamam[, ]+)?(?:peki|ya|ve|ama|o zaman|ayrıca)\b",
    "zh": r"(?:好的?[，, ])?(?:那么?(?!家|天|年|次|是)|还有|另外|而(?!且)|但是?|如果是?|换成|要是)",
}
_ELLIPTIC: dict[Language, str] = {
    "en": r"\b(?:which ones?\b(?! of)|(?:the|an) ?(?:other|same|latter|former|first|second|third|"
    r"last)(?: ones?\b|(?= ?[?.,]|$))|what else|who else|where else|otherwise|instead|afterwards|"
    r"(?<!is )(?<!are )(?<!was )(?<!were )there(?! (?:is|are|was|were|a|an|any|be)\b)|"
    r"(?:does|is|did|about|of|for|with|after|before|why|than|like|do|to|from|by|on|in) that"
    r"(?= ?[?.,!]|$| (?:mean|cost|take|apply|work|happen|include|last|also)\b)|"
    r"that (?:one|case|time))(?=\W|$)",
    "de": r"\b(?:was sonst|wer sonst|sonst noch|stattdessen|andernfalls|anschließend|"
    r"(?:der|die|das) andere|derselbe|dieselbe|dasselbe|letzteres?|ersteres?|das(?= ?[?.,!]|$| "
    r"(?:auch|kosten|gelten|heißen|dauern|bedeuten|machen|passieren|genau|dann|für|in|bei|so|"
    r"nicht)\b))(?=\W|$)",
    "tr": r"\b(?:diğeri|diğerleri|ikincisi|birincisi|aynı şey|öyle)\b",
    "zh": r"前者|后者|上述|另一[个种]?[?？]",
}
_CHINESE_PRONOUN = re.compile(
    r"[它他她]们?|这(?!里|次|样)|那(?:个|些|种|样|边|时|家|款|条|份|项)|其(?![他它中实次余])|"
    r"该(?=公司|产品|政策|制度|版本|功能|文档|流程|员工|客户|合同|人|国|书|城市|组织)"
)
_EXPLETIVE: dict[Language, str] = {
    "en": r"\b(?:(?:does|did|will|would|can|could) it (?:take|cost|mean|make sense|happen)"
    r"(?= \w+ \w+)|(?:is|was|isn't) it (?:not )?(?:possible|allowed|permitted|true|necessary|"
    r"required|okay|ok|mandatory|legal|safe|better|a|an|called|determined|decided|believed|said|"
    r"held|thought|known|essential|important)\b|it (?:is|was) (?:possible|true|said|known|called)|"
    r"this (?:year|week|month|quarter|morning|afternoon|evening|time|weekend)|those who|"
    r"these days|what time is it)",
    "de": r"\b(?:gibt es|es gibt|gab es|geht es (?:um|bei)|handelt es sich|nennt man es|"
    r"ist es (?:möglich|erlaubt|nötig|notwendig|zulässig|verboten|wahr|ein)|muss es geben|kam es|"
    r"wird es|dauert es(?=,| bis)|(?-i:Sie|Ihr|Ihre|Ihren|Ihrem)|dazu, dass|damit (?=\w+t, zu)|"
    r"(?:dieses|diesem|diese|diesen) (?:jahr|woche|monat|quartal))\b",
    "tr": r"\bbu (?:yıl|hafta|ay|sene|sabah|akşam|gün)\w*|\bo (?:zaman|yıl)\w*",
    "zh": r"这(?:周|个月|个季度|几天|个星期)|这(?=年)",
}
_DEFINITION: dict[Language, str] = {
    "en": r"(?:what|who) (?:is|are|was|were)(?: an?)? \w|what (?:does|do) \w+ mean",
    "de": r"(?:was|wer) (?:ist|sind|war|bedeutet|heißt)(?: ein| eine)? \w",
    "tr": r".*\b(?:nedir|nelerdir|kimdir|ne demek)\b",
    "zh": r"什么(?:是|叫)|.{2,}(?:是什么|是谁|什么意思)",
}
_DETERMINED: dict[Language, str] = {
    "en": r"\b(?:the|that|my|our)\b",
    "de": r"\b(?:der|die|das|den|dem|mein|unser)\b",
    "tr": r"(?!)",
    "zh": r"(?!)",
}
_BOUNDARY: dict[Language, str] = {
    "en": r"\b(?:and|or|but|before|after|until|when|while|if|because|that|which|who|than|so)\b|,",
    "de": r"\b(?:und|oder|aber|bevor|nachdem|bis|wenn|während|weil|dass|als|damit)\b|,",
    "tr": r"\b(?:ve|veya|ama|ise|eğer)\b|,",
    "zh": "[，,；;]",
}


def _compiled(texts: dict[Language, str]) -> dict[Language, re.Pattern[str]]:
    return {language: re.compile(text, re.IGNORECASE) for language, text in texts.items()}


_MARKER = _compiled(_MARKERS)
_ELLIPSIS = _compiled(_ELLIPTIC)
_EXPLETIVES = _compiled(_EXPLETIVE)
_DEFINITIONS = _compiled(_DEFINITION)
_DETERMINERS = _compiled(_DETERMINED)
_BOUNDARIES = _compiled(_BOUNDARY)
_POSSESSIVE_WORDS = (
    "its their his her theirs hers ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem "
    "seiner seines deren dessen onun bunun onların kendisinin"
)
_POSSESSIVES = frozenset(_POSSESSIVE_WORDS.split())
CHINESE_ASKS = re.compile(
    "什么|多少|几|怎么|怎样|如何|谁|哪|吗|呢|多久|多长|何|是否|能不能|可不可以|有没有|是不是"
)
_FINAL_NE = re.compile(r"呢\s*[?？]?\s*$")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")
_FEW: dict[Language, float] = {"en": 1, "de": 1, "tr": 2, "zh": 2}
"""Words of content, or pairs of Chinese characters, that do not make a question by themselves; more
where what is known need not be said again by a pronoun."""
_FRAGMENT = 4
_WHOLE, _WHOLE_WITH_NAME = 4, 3
"""Words of content that make a question whole although it begins with "And"."""
_OWN_REFERENT = 1.5


def leans_on_history(question: str, *, otherwise: Language = "en") -> bool:
    """Return whether a question needs what was said before it to be understood.

    It does if it begins as a continuation ("And in Germany?"), if a word of it stands for
    something that the question does not name ("How long does it last?"), or if it has next to no
    content of its own ("Why?"). A word that stands for something named earlier in the question
    itself does not count, nor does one that stands for nothing ("Is it allowed to ...").

    Args:
        question: The new question.
        otherwise: The language of what was said, for a question too short to show its own.
    """
    language = language_of(question, otherwise=otherwise)
    text = _first_sentence(question.strip(), language)
    words = content_words(text, language)
    if _continues(text, language, words) or _is_thin(text, language, words):
        return True
    return has_open_reference(text, language)


def has_open_reference(text: str, language: Language) -> bool:
    """Return whether a word of a question stands for something that the question does not name."""
    words = content_words(text, language)
    masked = _EXPLETIVES[language].sub(lambda match: " " * len(match.group()), text)
    if _ELLIPSIS[language].search(masked):
        return True
    if language == "zh":
        return _has_open_chinese_pronoun(masked, words)
    return _has_open_pronoun(masked, language, words)


def without_marker(question: str, language: Language) -> str:
    """Return a question without what only continues a conversation: "And", "What about"."""
    return _MARKER[language].sub("", question.strip(), count=1)


def _first_sentence(text: str, language: Language) -> str:
    """Return the first sentence with content: what the next ones lean on stands there."""
    for end in _SENTENCE_END.finditer(text):
        first = text[: end.end()].strip()
        if size_of(content_words(first, language)) >= 2:
            return first
    return text


def _continues(text: str, language: Language, words: list[Word]) -> bool:
    """Return whether a question goes on from the last one, and is not whole behind "And"."""
    marker = _MARKER[language].match(text)
    if language == "zh" and _FINAL_NE.search(text):
        return marker is not None or size_of(words) <= _FRAGMENT
    if marker is None:
        return False
    rest = text[marker.end() :]
    own = [word for word in words if word.start >= marker.end()]
    asks = ASKING[language] | AUXILIARIES[language]
    is_question = (
        bool(CHINESE_ASKS.search(rest))
        if language == "zh"
        else any(plain(match.group()) in asks for match in tokens(rest))
    )
    n_enough = _WHOLE_WITH_NAME if names(own) else _WHOLE
    return not is_question or size_of(own) < n_enough


def _is_thin(text: str, language: Language, words: list[Word]) -> bool:
    """Return whether too little is named, or only a phrase stands there instead of a question."""
    if not names(words) and size_of(words) <= _FEW[language]:
        is_definition = bool(words) and _DEFINITIONS[language].match(text)
        return not is_definition or bool(_DETERMINERS[language].search(text))
    spoken = [plain(match.group()) for match in tokens(text)]
    if language in {"zh", "tr"} or not spoken:
        return False
    asks = ASKING[language] | AUXILIARIES[language]
    is_phrase = spoken[0] in PREPOSITIONS[language] and asks.isdisjoint(spoken)
    has_the_only = language == "en" and "the" in spoken and not names(words) and len(words) <= 2
    return (is_phrase and size_of(words) <= _FRAGMENT) or has_the_only


def _has_open_chinese_pronoun(text: str, words: list[Word]) -> bool:
    """Return whether a pronoun stands before nearly everything that could be meant by it."""
    found = _CHINESE_PRONOUN.search(text)
    if found is None:
        return False
    before = [word for word in words if word.end <= found.start()]
    return not names(before) and size_of(before) < _OWN_REFERENT


def _has_open_pronoun(text: str, language: Language, words: list[Word]) -> bool:
    """Return whether a pronoun stands for nothing that the question names before it."""
    spoken = tokens(text)
    first_end = spoken[0].end() if spoken else 0
    for match in spoken:
        pronoun = plain(match.group())
        if pronoun not in PRONOUNS[language] or (match.group() == "IT"):
            continue
        before = [word for word in words if word.end <= match.start()]
        if pronoun in _POSSESSIVES:
            is_named = bool(names(before)) or len(before) >= 2
        else:
            has_clause = _BOUNDARIES[language].search(text, first_end, match.start())
            is_named = bool(names(before)) or bool(has_clause and before)
        if not is_named:
            return True
    return False
