"""Dates and times of day, in any of their usual forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from citewell.lexical.stems import fold_word

_MONTHS = """
january januar ocak janvier enero gennaio janeiro januari января январь jan
february februar şubat février febrero febbraio fevereiro februari февраля февраль feb
march märz mart mars marzo março maart марта март mar
april april nisan avril abril aprile апреля апрель apr
may mai mayıs mayo maggio maio mei мая май
june juni haziran juin junio giugno junho июня июнь jun
july juli temmuz juillet julio luglio julho июля июль jul
august august ağustos août agosto augustus августа август aug
september september eylül septembre septiembre settembre setembro сентября сентябрь sep sept
october oktober ekim octobre octubre ottobre outubro октября октябрь oct okt
november november kasım novembre noviembre novembro ноября ноябрь nov
december dezember aralık décembre diciembre dicembre dezembro декабря декабрь dec dez
"""
_DAYS = """
monday montag pazartesi 星期一 周一
tuesday dienstag salı 星期二 周二
wednesday mittwoch çarşamba 星期三 周三
thursday donnerstag perşembe 星期四 周四
friday freitag cuma 星期五 周五
saturday samstag cumartesi 星期六 周六
sunday sonntag pazar 星期日 周日
"""
_AMBIGUOUS = frozenset({"may", "march", "mars", "mart", "mai", "mar", "jan", "mei"})


class Date(NamedTuple):
    """A date or a part of one; what is not said is None.

    Attributes:
        year: Such as 2026.
        month: From 1.
        day: From 1.
    """

    year: int | None
    month: int | None
    day: int | None


class DateMention(NamedTuple):
    """Where a text names a date.

    Attributes:
        start: First character.
        end: One past the last.
        readings: What it may mean; `03/04/2026` is in March or April.
    """

    start: int
    end: int
    readings: tuple[Date, ...]


@cache
def _month_numbers() -> dict[str, int]:
    lines = _MONTHS.strip().splitlines()
    return {fold_word(name): n for n, line in enumerate(lines, 1) for name in line.split()}


@cache
def _weekday_numbers() -> dict[str, int]:
    lines = _DAYS.strip().splitlines()
    return {fold_word(name): n for n, line in enumerate(lines, 1) for name in line.split()}


@cache
def _month_names() -> frozenset[str]:
    return frozenset(map(_without_case, _MONTHS.split()))


def _words(text: str) -> list[str]:
    """Return the runs of letters of a text, letters alike that patterns take for alike."""
    return _without_case(" ".join(_LETTERS.findall(text))).split()


def _without_case(text: str) -> str:
    """Return a text in which all forms of a letter are one that `re.IGNORECASE` takes for one."""
    return text.replace("\u0130", "i").replace("\u0131", "i").casefold()


def _any_of(names: Sequence[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_CLEAR_MONTHS = [name for name in _MONTHS.split() if name not in _AMBIGUOUS]
_SPACED_WEEKDAYS = [name for name in _DAYS.split() if ord(name[0]) < 0x3000]
_MONTH = rf"(?P<month>{_any_of(_MONTHS.split())})(?![^\W\d_])\.?"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?P<year>1\d{3}|20\d\d|21\d\d)"
_ENDING = r"(?:st|nd|rd|th)?"
_EDGE = r"(?<![\w.,/-])"
_FLAGS = re.IGNORECASE
_NUMERIC = (
    re.compile(
        rf"{_EDGE}{_YEAR}(?P<mark>[-/.])(?P<month>1[0-2]|0?[1-9])(?P=mark){_DAY}(?![\d/-]|\.\d)"
    ),
    re.compile(rf"{_EDGE}{_DAY}(?P<mark>[./-])(?P<month>1[0-2]|0?[1-9])(?P=mark){_YEAR}(?![\d/-])"),
    re.compile(rf"{_EDGE}(?P<month>1[0-2]|0?[1-9])(?P<mark>/){_DAY}(?P=mark){_YEAR}(?![\d/-])"),
)
_CHINESE = (
    re.compile(
        r"(?P<year>[12]\d{3})\s?年\s?(?P<month>1[0-2]|0?[1-9])\s?月(?:\s?(?P<day>3[01]|[12]\d|"
        r"0?[1-9])\s?[日号])?"
    ),
    re.compile(r"(?P<month>1[0-2]|0?[1-9])\s?月\s?(?P<day>3[01]|[12]\d|0?[1-9])\s?[日号]"),
    re.compile(r"(?<!\d)(?P<month>1[0-2]|0?[1-9])\s?月(?!球|亮)"),
)
_NAMED = (
    re.compile(
        rf"{_EDGE}{_DAY}{_ENDING}[.\s]\s?(?:of\s+|de\s+)?{_MONTH}(?:,?\s+(?:de\s+)?{_YEAR}(?!\d))?",
        _FLAGS,
    ),
    re.compile(rf"\b{_MONTH}\s+{_DAY}{_ENDING}(?!\d|[.,:]\d)(?:,?\s+{_YEAR}(?!\d))?", _FLAGS),
    re.compile(rf"{_EDGE}{_YEAR},?\s+{_MONTH}", _FLAGS),
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+|de\s+)?{_YEAR}(?!\d)", _FLAGS),
    re.compile(rf"(?<![^\W\d_])(?P<month>{_any_of(_CLEAR_MONTHS)})(?![^\W\d_])"),
    re.compile(rf"\b{_MONTH}", _FLAGS),
)
_WEEKDAY = re.compile(
    rf"(?<![^\W\d_])(?P<day>{_any_of(_SPACED_WEEKDAYS)})(?:s|'s|lar[ıi]?|gün\w*)?(?![^\W\d_])|(?P<chinese>(?:星期|周)[一二三四五六日])(?!年|期)",
    _FLAGS,
)
_AMBIGUOUS_ALONE = re.compile(
    (
        r"(?:\b(?:in|since|until|till|by|of|from|to|early|late|mid|every|each|im|seit|bis|ende|"
        r"anfang)\s+)\Z"
    ),
    _FLAGS,
)


def find_dates(text: str) -> list[DateMention]:
    """Return the dates of a text in order, years alone left out, each character at most once.

    Args:
        text: NFKC.
    """
    taken: list[DateMention] = []
    for pattern in _patterns_for(text):
        for match in pattern.finditer(text):
            mention = _mention(text, match)
            if mention and not any(mention.start < t.end and t.start < mention.end for t in taken):
                taken.append(mention)
    return sorted(taken)


def _patterns_for(text: str) -> list[re.Pattern[str]]:
    """Return the patterns that may match, in order: most texts have no date, and some few words."""
    has_digit = _DIGIT.search(text) is not None
    return [
        *(_NUMERIC if has_digit else ()),
        *(_CHINESE if has_digit and "月" in text else ()),
        *(() if _month_names().isdisjoint(_words(text)) else _NAMED),
    ]


def _mention(text: str, match: re.Match[str]) -> DateMention | None:
    found = match.groupdict()
    name = found["month"].casefold()
    day = int(found["day"]) if found.get("day") else None
    year = int(found["year"]) if found.get("year") else None
    if name.isdecimal():
        month = int(name)
        readings = [Date(year, month, day)]
        if (
            found.get("mark") == "/"
            and day
            and day <= 12
            and not text[match.start() : match.start() + 4].isdecimal()
        ):
            readings.append(Date(year, day, month))
        return DateMention(match.start(), match.end(), tuple(readings))
    if day is None and year is None and not _is_month_alone(text, match):
        return None
    return DateMention(
        match.start(), match.end(), (Date(year, _month_numbers()[fold_word(name)], day),)
    )


def _is_month_alone(text: str, match: re.Match[str]) -> bool:
    """Whether the name of a month, without day and year, means the month."""
    name = match["month"]
    if not name[0].isupper() and name.casefold() in _AMBIGUOUS | {"august"}:
        return False
    if len(name) <= 4 and name.casefold() not in {
        "may",
        "mai",
        "june",
        "july",
        "juni",
        "juli",
        "ocak",
        "ekim",
    }:
        return False
    if name.casefold() not in _AMBIGUOUS:
        return name[0].isupper() or not name.isascii()
    return bool(_AMBIGUOUS_ALONE.search(text, max(match.start() - 12, 0), match.start()))


def find_weekdays(text: str) -> frozenset[int]:
    """Return the days of the week that a text names, 1 for Monday."""
    numbers = _weekday_numbers()
    return frozenset(
        numbers[fold_word(match["day"] or match["chinese"])] for match in _WEEKDAY.finditer(text)
    )


_CLOCK = re.compile(
    r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d)"
    r"|[.](?P<dotted>[0-5]\d)(?=\s?(?:Uhr|[ap]\.?m\b)))?"
    r"\s?(?P<half>[ap]\.?m\b\.?|Uhr\b)?",
    _FLAGS,
)
_CHINESE_CLOCK = re.compile(
    r"(?P<half>上午|下午|晚上|凌晨|早上|中午)?\s?(?P<hour>\d{1,2})\s?(?:点|點|时|時)(?!间|候|"
    r"代|期)(?:\s?(?P<minute>\d{1,2})\s?分|(?P<thirty>半))?"
)


class TimeMention(NamedTuple):
    """Where a text names a time of day, in minutes after midnight."""

    start: int
    end: int
    minutes: int


def find_times(text: str) -> list[TimeMention]:
    """Return the times of day in a text, in order.

    Args:
        text: NFKC.
    """
    found: list[TimeMention] = []
    if not _DIGIT.search(text):
        return found
    for match in _CLOCK.finditer(text):
        half, minute = match["half"], match["minute"] or match["dotted"]
        if half is None and minute is None:
            continue
        hour = int(match["hour"])
        if half and half[0] in "pP" and hour < 12:
            hour += 12
        elif half and half[0] in "aA" and hour == 12:
            hour = 0
        found.append(TimeMention(match.start(), match.end(), 60 * hour + int(minute or 0)))
    for match in _CHINESE_CLOCK.finditer(text):
        hour = int(match["hour"])
        hour += 12 if match["half"] in {"下午", "晚上"} and hour < 12 else 0
        minute = 30 if match["thirty"] else int(match["minute"] or 0)
        found.append(TimeMention(match.start(), match.end(), 60 * hour + minute))
    return sorted(found)
