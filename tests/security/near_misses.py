"""Pairs of questions that look alike and ask for something else, made by rule.

In each pair one thing differs: a number, a name, a date, a negation, or who does what to whom.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

LANGUAGES = ("en", "zh", "tr", "de")
KINDS = ("number", "name", "date", "negation", "roles")
PAIRS_OF_EACH = 25
"""Of each kind in each language: 500 in all."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Two questions, and what differs between them."""

    language: str
    kind: str
    question: str
    other: str


_NAMES = {
    "en": [
        "Atlas",
        "Borealis",
        "US",
        "us",
        "Polish",
        "polish",
        "E-4711",
        "E-4712",
        "Ms Li",
        "Mr Li",
    ],
    "de": [
        "Atlas",
        "Borealis",
        "Müller",
        "Muller",
        "Meyer",
        "Meier",
        "E-4711",
        "E-4117",
        "SIE",
        "Sie",
    ],
    "zh": [
        "阿特拉斯",
        "北极光",
        "张伟",
        "章伟",
        "上海",
        "上饶",
        "E-4711",
        "E-4712",
        "华为",
        "华威",
    ],
    "tr": ["Atlas", "Kutup", "Işık", "Isik", "Ilgın", "İlgin", "E-4711", "E-4712", "Kaya", "kaya"],
}
_NUMBERS = {
    "en": ["5", "15", "1.5", "12", "21", "1,200", "12,000", "-5", "10²", "102", "five", "fifty"],
    "de": ["5", "15", "1,5", "12", "21", "1.200", "12.000", "-5", "10²", "102", "fünf", "fünfzig"],
    "zh": ["5", "15", "1.5", "12", "21", "三百", "三千", "1.2亿", "12亿", "十五", "五十", "两"],
    "tr": ["5", "15", "1,5", "12", "21", "1.200", "12.000", "-5", "10²", "102", "beş", "elli"],
}
_DATES = {
    "en": ["3 March 2026", "3 May 2026", "2026-03-04", "2026-04-03", "Q1 2026", "Q2 2026", "today"],
    "de": ["3. März 2026", "3. Mai 2026", "04.03.2026", "03.04.2026", "2025", "2026", "Montag"],
    "zh": ["2026年3月4日", "2026年4月3日", "上周", "本周", "2025年", "2026年", "星期一"],
    "tr": ["3 Mart 2026", "3 Mayıs 2026", "04.03.2026", "03.04.2026", "dün", "bugün", "2025"],
}
_TEMPLATES = {
    "en": [
        "How many rows may {name} export within {number} minutes on {date}?",
        "Which limits applied to {name} with {number} users as of {date}?",
        "What does {name} cost for {number} GB since {date}?",
    ],
    "de": [
        "Wie viele Zeilen darf {name} am {date} in {number} Minuten exportieren?",
        "Welche Grenzen galten für {name} mit {number} Nutzern seit {date}?",
        "Was kostet {name} mit {number} GB ab {date}?",
    ],
    "zh": [
        "{name}在{date}的{number}分钟内可以导出多少行？",
        "{date}起有{number}个用户的{name}有哪些限制？",
        "{name}从{date}开始每{number}GB多少钱？",
    ],
    "tr": [
        "{name} {date} tarihinde {number} dakikada kaç satır aktarabilir?",
        "{number} kullanıcısı olan {name} için {date} itibarıyla hangi sınırlar geçerli?",
        "{name} {number} GB için {date} tarihinden beri ne kadar?",
    ],
}
_NEGATIONS = {
    "en": [
        (
            "Which files may {name} export after {number} days?",
            "Which files may {name} not export after {number} days?",
        ),
        ("Does {name} expire after {number} days?", "Doesn't {name} expire after {number} days?"),
        (
            "Who approves {name} with {number} users?",
            "Who never approves {name} with {number} users?",
        ),
        ("What works with {name} in {number} GB?", "What works without {name} in {number} GB?"),
    ],
    "de": [
        (
            "Welche Daten darf {name} nach {number} Tagen ausgeben?",
            "Welche Daten darf {name} nach {number} Tagen nicht ausgeben?",
        ),
        (
            "Hat {name} eine Grenze bei {number} Zeilen?",
            "Hat {name} keine Grenze bei {number} Zeilen?",
        ),
        ("Was geht mit {name} in {number} GB?", "Was geht ohne {name} in {number} GB?"),
    ],
    "zh": [
        ("{name}可以在{number}天后导出吗？", "{name}不可以在{number}天后导出吗？"),
        ("谁批准了{number}个用户的{name}？", "谁没批准{number}个用户的{name}？"),
        ("哪些数据允许给{name}超过{number}天？", "哪些数据禁止给{name}超过{number}天？"),
    ],
    "tr": [
        ("{name} {number} gün sonra aktarabilir mi?", "{name} {number} gün sonra aktaramaz mı?"),
        (
            "{number} kullanıcılı {name} için onay gerekli mi?",
            "{number} kullanıcılı {name} için onay gerekli değil mi?",
        ),
        ("{name} ile {number} GB ne olur?", "{name} olmadan {number} GB ne olur?"),
    ],
}
_ROLES = {
    "en": [
        (
            "When does {a} pay {b} within {number} days?",
            "When does {b} pay {a} within {number} days?",
        ),
        (
            "Does {a} report to {b} after {number} hours?",
            "Does {b} report to {a} after {number} hours?",
        ),
        ("Who moved {number} rows from {a} to {b}?", "Who moved {number} rows from {b} to {a}?"),
    ],
    "de": [
        ("Wann zahlt der {a} dem {b} {number} Euro?", "Wann zahlt dem {a} der {b} {number} Euro?"),
        ("Prüft der {a} den {b} alle {number} Tage?", "Prüft den {a} der {b} alle {number} Tage?"),
        ("Was gibt {a} an {b} nach {number} Tagen?", "Was gibt {b} an {a} nach {number} Tagen?"),
    ],
    "zh": [
        ("{a}什么时候付给{b}{number}元？", "{b}什么时候付给{a}{number}元？"),
        ("{a}向{b}汇报{number}次吗？", "{b}向{a}汇报{number}次吗？"),
        ("谁把{number}行从{a}移到{b}？", "谁把{number}行从{b}移到{a}？"),
    ],
    "tr": [
        (
            "{a} firması {b} firmasına {number} lirayı ne zaman öder?",
            "{a} firmasına {b} firması {number} lirayı ne zaman öder?",
        ),
        (
            "{a} ekibi {b} ekibini {number} günde bir denetler mi?",
            "{a} ekibini {b} ekibi {number} günde bir denetler mi?",
        ),
        (
            "{a} kaynağından {b} hedefine {number} satırı kim taşıdı?",
            "{b} kaynağından {a} hedefine {number} satırı kim taşıdı?",
        ),
    ],
}


def near_misses() -> list[NearMiss]:
    """Return the pairs, no two with the same questions; the same ones each time."""
    return [
        NearMiss(language, kind, *pair)
        for language in LANGUAGES
        for kind in KINDS
        for pair in islice(_distinct(language, kind), PAIRS_OF_EACH)
    ]


def politely(language: str, question: str) -> str:
    """Return a question with the courtesy of its language, which asks for the same."""
    return {
        "en": f"Please tell me {question}",
        "de": question.replace("?", ", bitte?"),
        "zh": f"请问{question}",
        "tr": f"Lütfen {question}",
    }[language]


def _distinct(language: str, kind: str) -> Iterator[tuple[str, str]]:
    draw = random.Random(f"{language} {kind}")
    seen: set[tuple[str, str]] = set()
    while True:
        pair = _pair(language, kind, draw)
        if pair not in seen and pair[::-1] not in seen:
            seen.add(pair)
            yield pair


def _pair(language: str, kind: str, draw: random.Random) -> tuple[str, str]:
    names, numbers, dates = _NAMES[language], _NUMBERS[language], _DATES[language]
    values = {
        "name": draw.choice(names),
        "number": draw.choice(numbers),
        "date": draw.choice(dates),
    }
    if kind == "negation":
        return _both(draw.choice(_NEGATIONS[language]), values)
    if kind == "roles":
        first, second = draw.sample(names, 2)
        return _both(draw.choice(_ROLES[language]), {**values, "a": first, "b": second})
    template = draw.choice(_TEMPLATES[language])
    choices: dict[str, Sequence[str]] = {"name": names, "number": numbers, "date": dates}
    other = draw.choice([value for value in choices[kind] if value != values[kind]])
    return template.format(**values), template.format(**{**values, kind: other})


def _both(templates: tuple[str, str], values: dict[str, str]) -> tuple[str, str]:
    first, second = (template.format(**values) for template in templates)
    return first, second
