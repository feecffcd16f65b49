"""Where one clause asks the same of several things: "Compare the limits of A and B"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from citewell.answering.planning.sentences import mask_quotes
from citewell.answering.planning.vocabulary import LIGHT_WORDS, PRONOUNS, Language
from citewell.answering.planning.words import content_words, plain, tokens

_END = re.compile(r"[\s?？.。!！]+\Z")
_IDENTIFIER = r"[A-Za-z]{1,8}-?\d{1,6}"
_LISTED = re.compile(
    rf"\b{_IDENTIFIER}(?:(?:\s*[,、]\s*|\s*(?:\band\b|\bund\b|\bsowie\b|\bve\b|和|与|及|以及|&)\s*){_IDENTIFIER})+\b"
    rf"|(?<![A-Za-z0-9]){_IDENTIFIER}(?:(?:\s*[,、和与及]\s*|\s*以及\s*){_IDENTIFIER})+"
)
_SPAN_WORDS = re.compile(
    r"\b(?:between|from|difference|differences|which|who|whether|zwischen|unterschied|welche[rsmn]?|wer|"
    r"arasında\w*|fark\w*|hangi\w*|kim)\b|之间|区别|差别|不同|哪|谁|从",
    re.IGNORECASE,
)


MAX_PAIR_CHARACTERS = 300
"""A longer clause is left whole: the patterns take time by the square of its length and more."""
_REGARDING = "in terms of|regarding|with respect to|concerning|when it comes to"
_NOT_COMPARED = re.compile(r"\b(?:from|those|that|other|others)\b", re.IGNORECASE)


def split_pairs(clause: str, language: Language) -> list[str]:
    """Return a clause once for each thing that it asks the same of; the clause if it does not.

    It must say so: by comparing, by "both", "respectively", "sowohl … als auch", "分别", or by
    listing identifiers of one kind. "The limits of A and B" alone may name one thing.
    """
    if len(clause) > MAX_PAIR_CHARACTERS:
        return [clause]
    for split in _SPLITTERS[language]:
        parts = split(clause)
        if len(parts) > 1:
            return parts
    return [clause]


def _compare_english(clause: str) -> list[str]:
    text = _END.sub("", clause)
    found = re.match(
        r"(?:please |can you |could you )*compare (?P<what>.+ (?:of|for|between|in) )?(?P<a>.+?),? "
        r"(?:and|with|to|against|versus|vs\.?) (?P<b>.+?)"
        rf"(?P<in>,? (?:{_REGARDING}) .+)?\Z",
        text,
        re.IGNORECASE,
    )
    if found:
        return [_ask_about(found["what"], thing, found["in"]) for thing in _things(found)]
    found = re.match(
        r"how (?:do|does|did) (?P<what>the .+ (?:of|for) )?(?P<a>.+?) (?:(?:and|or) (?P<b>.+?) "
        r"(?:compare|differ)|(?:compare|differ) (?:to|with|from) (?P<c>.+?))"
        rf"(?P<in>,? (?:{_REGARDING}|in|on) .+)?\Z",
        text,
        re.IGNORECASE,
    )
    if found and not _NOT_COMPARED.search(found["b"] or found["c"]):
        things = (found["a"], found["b"] or found["c"])
        return [_ask_about(found["what"], thing, found["in"]) for thing in things]
    return [clause]


def _things(found: re.Match[str]) -> tuple[str, str]:
    """Return what is compared; of "A's limits with B's" both with the limits."""
    first, second = found["a"], found["b"]
    owner = re.match(r"(.+?['’]s) (.+)\Z", first)
    if owner and re.search(r"['’]s\Z", second):
        second = f"{second} {owner[2]}"
    return re.sub(r"(?i)\Aboth ", "", first), second


def _ask_about(what: str | None, thing: str, aspect: str | None) -> str:
    aspect = re.sub(
        r"(?i)\A,? ?(?:in terms of|regarding|with respect to|concerning|when it comes to|in|on) ",
        "",
        aspect or "",
    )
    if what and re.search(r"(?i)\b(?:between)\s*\Z", what):
        what = re.sub(r"(?i)\bbetween\s*\Z", "of ", what)
    head = what or (f"{aspect} of " if aspect else "")
    verb = "are" if re.search(r"(?i)[^s]s\s+(?:of|for|in)\s*\Z", head) else "is"
    return f"What {verb} {head}{thing}?"


def _compare_german(clause: str) -> list[str]:
    text = _END.sub("", clause)
    found = re.match(
        r"(?:bitte )?(?:vergleichen?(?: sie)?|wie unterscheiden sich) (?P<what>.+ "
        r"(?:von|für|bei|der|des|zwischen) )?(?P<a>.+?) (?:und|mit) (?P<b>(?:(?! von ).)+?)"
        r"(?P<in>,? (?:hinsichtlich|bezüglich|beim?|in bezug auf) .+)?\Z",
        text,
        re.IGNORECASE,
    )
    if not found:
        return [clause]
    aspect = re.sub(
        r"(?i)\A,? ?(?:hinsichtlich|bezüglich|beim?|in bezug auf) ", "", found["in"] or ""
    )
    head = found["what"] or (f"{aspect} von " if aspect else "")
    verb = "sind" if re.match(r"(?i)die \w+(?:en|e|er)\b", head) else "ist"
    return [f"Was {verb} {head}{thing}?" for thing in (found["a"], found["b"])]


def _compare_turkish(clause: str) -> list[str]:
    text = _END.sub("", clause)
    found = re.match(
        r"(?:lütfen )?(?P<a>.+?) (?:ve|ile) (?P<rest>.+?),? karşılaştır\w*(?: m[ıi]s\w+)?\Z",
        text,
        re.IGNORECASE,
    )
    if not found:
        return [clause]
    n = len(found["a"].split())
    following = found["rest"].split()
    second, rest = " ".join(following[:n]), " ".join(following[n:])
    return [f"{thing} {rest}".strip() + "?" for thing in (found["a"], second)]


def _compare_chinese(clause: str) -> list[str]:
    text = _END.sub("", clause)
    found = re.match(
        r"(?:请|帮我|麻烦|你?能)*(?:比较|对比)(?:一下|下)?\s*(?P<a>[^，,]+?)\s*(?:和|与|跟|及|以及)\s*(?P<b>[^，,的]+?)\s*"
        r"(?P<what>的[^，,]+|在[^，,]+)?\Z",
        text,
    )
    if not found:
        return [clause]
    what = re.sub(r"\A在|(?:方面|上)(?:的.*)?\Z", "", found["what"] or "")
    what = what if not what or what.startswith("的") else f"的{what}"
    return [f"{thing}{what}是什么？" for thing in (found["a"].strip(), found["b"].strip())]


def _distribute_chinese(clause: str) -> list[str]:
    found = re.match(
        r"(?P<before>.*?[，,的在]|)\s*(?P<a>[^，,的在和与及、]+?)\s*(?:和|与|跟|及|以及|、)\s*(?P<b>[^，,]+?)"
        r"(?:分别|各自|各(?=有|是|为|需|要|能|可))(?P<rest>.+)\Z",
        clause,
    )
    if not found:
        return [clause]
    first, behind = found["a"].strip(), found["b"].strip()
    second = _chinese_twin(first, behind)
    suffix = behind[len(second) :]
    return [f"{found['before']}{thing}{suffix}{found['rest']}" for thing in (first, second)]


def _chinese_twin(first: str, behind: str) -> str:
    """Return how much of what follows is of the kind of the first thing."""
    name = re.match(r"[A-Za-z0-9][\w.+#/-]*", behind)
    if name and re.fullmatch(r"[\w.+#/ -]+", first, re.ASCII):
        return name.group()
    if first[-1] in behind[:8]:
        return behind[: behind.index(first[-1]) + 1]
    return re.split("的|在|每", behind, maxsplit=1)[0]


def _distribute(joints: Sequence[str], *, unless: str = r"(?!)") -> Callable[[str], list[str]]:
    """Return what splits "both A and B" and the like, by patterns with groups a and rest."""
    patterns = [re.compile(joint, re.IGNORECASE) for joint in joints]
    barrier = re.compile(unless, re.IGNORECASE)

    def split(clause: str) -> list[str]:
        masked = mask_quotes(clause)
        for pattern in patterns:
            found = pattern.search(masked)
            if found is None or barrier.search(masked[: found.start()]):
                continue
            before, first = clause[: found.start()], clause[slice(*found.span("a"))]
            following = clause[slice(*found.span("rest"))]
            second = _twin(first, following)
            rest = following[len(second) :]
            return [f"{before}{thing}{rest}" for thing in (first, second)]
        return [clause]

    return split


def _twin(first: str, following: str) -> str:
    """Return as many words of what follows as the first thing has."""
    ends = [match.end() for match in tokens(following)]
    n = len(tokens(first))
    return following[: ends[min(n, len(ends)) - 1]] if ends else following


def _respectively(word: str, conjunction: str, language: Language) -> Callable[[str], list[str]]:
    """Return what splits "… A and B respectively"."""
    marker = re.compile(rf",?\s*\b(?:{word})\b", re.IGNORECASE)
    joint = re.compile(rf"\s+(?:{conjunction})\s+", re.IGNORECASE)

    def split(clause: str) -> list[str]:
        if not marker.search(clause):
            return [clause]
        text = marker.sub("", clause, count=1)
        found = list(joint.finditer(text))
        if not found:
            return [clause]
        before, after = text[: found[-1].start()], text[found[-1].end() :]
        start = _start_of_run(before, language)
        first = before[start:]
        second = _twin(first, after)
        return [f"{before[:start]}{thing}{after[len(second) :]}" for thing in (first, second)]

    return split


def _start_of_run(text: str, language: Language) -> int:
    """Return where the last run of words of content begins."""
    start = len(text)
    for match in reversed(tokens(text)):
        is_light = plain(match.group()) in LIGHT_WORDS[language]
        if is_light or text[match.end() : start].strip():
            break
        start = match.start()
    return start


_NAMED_TWICE = re.compile(
    r"(?P<ask>(?:please )?(?:what (?:is|are)|tell me|give me|name|list|show me|"
    r"nennen?(?: mir| sie)?|was (?:ist|sind))\s+)(?P<a>(?:the|die|der|das|den) [^,]+?),? "
    r"(?:and(?: also)?|as well as|und(?: auch)?|sowie) (?P<b>(?:the|die|der|das|den) [^,]+)\Z",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"\b(?:of|between|from|that|which|who|where|relation\w*|von|zwischen|des|verhältnis)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r" (?:in|for|at|on|per|für|bei|im|pro) .+\Z", re.IGNORECASE)


def _two_things(clause: str) -> list[str]:
    """Return the two questions of "What is the A and the B in C?"."""
    found = _NAMED_TWICE.match(_END.sub("", clause))
    if found is None or _JOINS.search(found["a"]):
        return [clause]
    first, second = found["a"], found["b"]
    tail, other = _TAIL.search(second), _TAIL.search(first)
    if tail and not other:
        first += tail.group()
    elif other and not tail:
        second = re.sub(r" (?:there|dort)\Z", "", second) + other.group()
    return [f"{found['ask']}{thing}" for thing in (first, second)]


_VERBS = (
    "add archive assign book cancel change close configure connect copy create delete disable "
    "download edit enable export import install invite merge migrate open order pause print "
    "register remove rename renew report request reset restore resume revoke schedule send set "
    "share submit switch transfer undo update upgrade upload"
)
_HOW_TO = re.compile(
    r"(?P<ask>how (?:do|can|should|does|to)(?: (?:i|we|you|one|they|users|an? \w+))? ?)"
    rf"(?P<a>\w+ .+?),? and (?P<b>(?:{'|'.join(_VERBS.split())}) .+)\Z",
    re.IGNORECASE,
)


def _two_actions(clause: str) -> list[str]:
    """Return the two questions of "How do I export A and import B?"."""
    found = _HOW_TO.match(_END.sub("", mask_quotes(clause)))
    if found is None or len(content_words(found["a"], "en")) < 2:
        return [clause]
    own = [plain(match.group()) for match in tokens(found["b"])]
    if len(content_words(found["b"], "en")) < 2 or not PRONOUNS["en"].isdisjoint(own):
        return [clause]
    start, end = found.span("b")
    return [clause[: found.end("a")], clause[: found.end("ask")] + clause[start:end]]


def _list_identifiers(clause: str) -> list[str]:
    """Return a clause once for each of the identifiers of one kind that it lists."""
    masked = mask_quotes(clause)
    found = _LISTED.search(masked)
    if found is None or _SPAN_WORDS.search(masked):
        return [clause]
    identifiers = re.findall(_IDENTIFIER, found.group())
    if len({re.sub(r"\d", "", identifier).casefold() for identifier in identifiers}) != 1:
        return [clause]
    return [
        clause[: found.start()] + identifier + clause[found.end() :] for identifier in identifiers
    ]


_SPLITTERS: dict[Language, tuple[Callable[[str], list[str]], ...]] = {
    "en": (
        _compare_english,
        _distribute(
            (
                r"(?:(?<=of )|(?<=for )|(?<=do )|(?<=does ))both (?P<a>.+?) and (?P<rest>.+)",
                r"(?<=\bfor )(?P<a>\w[\w -]*?) (?:and|as well as) for (?P<rest>.+)",
            ),
            unless=r"\b(?:who|whom|whose|that|which|where)\b|\bname\b",
        ),
        _respectively("respectively|each", "and", "en"),
        _two_things,
        _two_actions,
        _list_identifiers,
    ),
    "de": (
        _compare_german,
        _distribute(
            (
                r"\bsowohl (?P<a>.+?),? als auch (?P<rest>.+)",
                r"(?<=\bfür )(?P<a>\w[\w -]*?) (?:und|sowie) für (?P<rest>.+)",
            )
        ),
        _respectively("jeweils|beziehungsweise", "und", "de"),
        _two_things,
        _list_identifiers,
    ),
    "tr": (
        _compare_turkish,
        _distribute((r"\bhem (?P<a>.+?),? hem(?: de)? (?P<rest>.+)",)),
        _respectively("sırasıyla|ayrı ayrı", "ve|ile", "tr"),
        _list_identifiers,
    ),
    "zh": (_compare_chinese, _distribute_chinese, _list_identifiers),
}
