"""One fact of a sentence changed, by rules that know nothing of the verifier."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

_DIGITS = re.compile(r"(?<![\w.,])\d[\d.,]*\d|(?<![\w.,])\d|(?<=[\u4e00-\u9fff])\d[\d.,]*")
_NUMBER_WORDS = {
    "en": "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig",
    "tr": "iki üç dört beş altı yedi sekiz dokuz yirmi otuz kırk elli",
    "zh": "两个 三个 四个 五个 六个 七个 八个 九个",
}
_SCALES = {
    "en": [("million", "billion"), ("thousand", "million"), ("hundred", "thousand")],
    "de": [("Millionen", "Milliarden"), ("Milliarden", "Millionen"), ("Million", "Milliarde")],
    "tr": [("milyon", "milyar"), ("milyar", "milyon"), (" bin ", " milyon ")],
    "zh": [("亿", "万"), ("万", "亿")],
}
_UNITS = {
    "en": [
        ("years", "months"),
        ("days", "weeks"),
        ("hours", "minutes"),
        ("miles", "kilometres"),
        ("metres", "miles"),
        ("km", "m"),
        ("feet", "yards"),
        ("yards", "feet"),
        ("percent", "million"),
        ("%", " million"),
        ("kg", "g"),
        ("inches", "feet"),
        ("dollars", "euros"),
        ("$", "€"),
        ("£", "$"),
        ("tons", "pounds"),
        ("minutes", "hours"),
        ("months", "years"),
        ("weeks", "years"),
        ("acres", "hectares"),
        ("meters", "feet"),
        ("kilometers", "meters"),
        ("square miles", "acres"),
        ("mph", "km/h"),
        ("°F", "°C"),
    ],
    "de": [
        ("Jahre", "Monate"),
        ("Tage", "Wochen"),
        ("Stunden", "Minuten"),
        ("Meilen", "Kilometer"),
        ("Meter", "Kilometer"),
        ("km", "m"),
        ("Prozent", "Millionen"),
        (" %", " Millionen"),
        ("%", " Millionen"),
        ("Dollar", "Euro"),
        ("Kilometer", "Meter"),
        ("kg", "g"),
        ("Minuten", "Stunden"),
        ("Monate", "Jahre"),
        ("Wochen", "Jahre"),
        ("Yards", "Meter"),
        ("Fuß", "Meter"),
    ],
    "tr": [
        ("yıl ", "ay "),
        ("gün ", "hafta "),
        ("saat ", "dakika "),
        ("mil ", "kilometre "),
        ("metre ", "mil "),
        ("km", "m"),
        ("dolar", "euro"),
        ("kilometre", "metre"),
        ("kg", "g"),
        ("dakika", "saat"),
        ("yarda", "metre"),
        ("yüzde", "binde"),
    ],
    "zh": [
        ("小时", "分钟"),
        ("分钟", "小时"),
        ("公里", "米"),
        ("英里", "公里"),
        ("美元", "欧元"),
        ("%", "万"),
        ("码", "公里"),
        ("英尺", "米"),
        ("天", "周"),
        ("公斤", "克"),
        ("米", "公里"),
        ("个月", "年"),
        ("世纪", "年"),
    ],
}
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]\d\d|20[012]\d)(?![\d.,]\d|\d)")
_OPPOSITES = {
    "en": [
        ("more than", "less than"),
        ("less than", "more than"),
        ("at least", "at most"),
        ("before", "after"),
        ("after", "before"),
        ("largest", "smallest"),
        ("increased", "decreased"),
        ("higher", "lower"),
        ("north", "south"),
        ("east", "west"),
        ("won", "lost"),
        ("up to", "at least"),
        ("lower", "higher"),
    ],
    "de": [
        ("mehr als", "weniger als"),
        ("weniger als", "mehr als"),
        ("mindestens", "höchstens"),
        ("nach ", "vor "),
        ("größte", "kleinste"),
        ("höher", "niedriger"),
        ("nördlich", "südlich"),
        ("östlich", "westlich"),
        ("bis zu ", "mindestens "),
    ],
    "tr": [
        ("'den fazla", "'den az"),
        ("en fazla", "en az"),
        ("en az", "en fazla"),
        ("sonra", "önce"),
        ("önce(?!li|m)", "sonra"),
        ("en büyük", "en küçük"),
        ("yüksek", "düşük"),
        ("kuzey", "güney"),
        ("doğu", "batı"),
        ("arttı", "azaldı"),
    ],
    "zh": [
        ("超过", "不到"),
        ("至少", "至多"),
        ("之后", "之前"),
        ("之前", "之后"),
        ("最大", "最小"),
        ("增加", "减少"),
        ("北部", "南部"),
        ("东部", "西部"),
        ("高于", "低于"),
        ("以后", "以前"),
    ],
}
_NEGATED: dict[str, list[tuple[str, str]]] = {
    "en": [
        (r"\b(was|were|is|are|had|has|could|can|would|will|should|must) (?!not)", r"\1 not "),
        (r"\b(did|does|do) not ", r"\1 "),
        (r"\bnot ", ""),
        (r"\bnever ", "always "),
        (r"\bno\b", "a"),
        (r"\bwithout\b", "with"),
    ],
    "de": [
        (r"\bnicht ", ""),
        (r"\bkein(e[nrms]?)?\b", r"ein\1"),
        (r"\bohne\b", "mit"),
        (
            r"\b(wurden?|waren?|ist|sind|hatten?|hat|haben|kann|können|konnten?) (?!nicht)",
            r"\1 nicht ",
        ),
    ],
    "tr": [
        (r"(\w{2,}[aı])dı\b", r"\1madı"),
        (r"(\w{2,}[ei])di\b", r"\1medi"),
        (r"(\w{3,})(?:dır|dir|dur|dür)\.", r"\1 değildir."),
        (r"(\w{2,}[lnrşt])(?:dı|tı)\b", r"\1madı"),
        (r"(\w{2,}[lnrşt])(?:di|ti|dü|tü)\b", r"\1medi"),
        (r"(\w{2,}[lnrşt])(?:mıştır|muştur)\b", r"\1mamıştır"),
        (r"(\w{2,}[lnrşt])(?:miştir|müştür)\b", r"\1memiştir"),
        (r"\bvardı", "yoktu"),
        (r"(\w{2,}[lnrşt])(?:du)\b", r"\1madı"),
    ],
    "zh": [
        ("没有", "有"),
        ("不是", "是"),
        ("不能", "能"),
        ("不会", "会"),
        ("(?<![不但就正总还只要凡都若可])是(?![否非])", "不是"),
        ("(?<![没拥具持享所占还仅])有(?![些的效关人时])", "没有"),
        ("可以", "不可以"),
        ("能够", "不能够"),
        ("(?<!没)被", "没有被"),
        ("在(?=[^，。]{2,12}[，。])", "不在"),
    ],
}


def change_number(text: str, language: str, random: Random) -> str | None:
    """Return the text with another number, or None if it has none."""
    found = [m for m in _DIGITS.finditer(text) if not _YEAR.fullmatch(m[0])]
    if found and random.random() < 0.75:
        match = random.choice(found)
        digits = match[0]
        place = random.choice([i for i, c in enumerate(digits) if c.isdigit()])
        other = random.choice([d for d in "123456789" if d != digits[place]])
        return (
            text[: match.start()]
            + digits[:place]
            + other
            + digits[place + 1 :]
            + text[match.end() :]
        )
    words = _NUMBER_WORDS[language].split()
    options = [m for w in words for m in re.finditer(_whole(w, language), text, re.IGNORECASE)]
    if options:
        match = random.choice(options)
        other = random.choice([w for w in words if w != match[0].lower()])
        return _splice(text, match, other.capitalize() if match[0][0].isupper() else other)
    for old, new in _SCALES[language]:
        if re.search(rf"\d\s?{old}", text):
            return text.replace(old, new, 1)
    return None


def change_unit(text: str, language: str, random: Random) -> str | None:
    """Return the text with another unit after a number, or None."""
    options = [(old, new) for old, new in _UNITS[language] if _has_unit(text, old)]
    if not options:
        return None
    old, new = random.choice(options)
    if old in "$£":
        return text.replace(old, new, 1)
    if old == "yüzde":
        return text.replace(old, new, 1)
    return re.sub(
        rf"(\d[\d.,]*|\w+)([\s-]?){re.escape(old)}", lambda m: f"{m[1]}{m[2]}{new}", text, count=1
    )


def _has_unit(text: str, unit: str) -> bool:
    if unit in "$£":
        return bool(re.search(rf"{re.escape(unit)}\d", text))
    if unit == "yüzde":
        return bool(re.search(r"\byüzde \d", text))
    border = r"(?![^\W\d_])" if unit[-1].isascii() and unit[-1].isalpha() else ""
    return bool(re.search(rf"\d[\d.,]*[\s-]?{re.escape(unit)}{border}", text))


def change_date(text: str, language: str, random: Random) -> str | None:
    """Return the text with another year, month or day, or None."""
    options = [
        (match, str(int(match[0]) + random.choice([-11, -3, -1, 1, 2, 10])))
        for match in _YEAR.finditer(text)
    ]
    months = _MONTHS.get(language, "").split()
    options += [
        (match, months[(place + random.randint(1, 11)) % 12])
        for place, month in enumerate(months)
        for match in re.finditer(rf"\b{month}\b", text)
        if re.search(r"\d", text[max(0, match.start() - 4) : match.end() + 6])
    ]
    if language == "zh":
        days = re.finditer(r"(\d{1,2})(?=\s?[月日])", text)
        options += [(match, str(int(match[0]) % 12 + 1)) for match in days]
    return _splice(text, *random.choice(options)) if options else None


def change_name(
    text: str, names: Sequence[str], others: Sequence[str], random: Random
) -> str | None:
    """Return the text with one of `names` replaced by another one, or None."""
    options = [name for name in names if name in text]
    others = [o for o in others if o not in text and all(not _overlap(o, n) for n in options)]
    if not options or not others:
        return None
    name = random.choice(options)
    return text.replace(name, random.choice(others))


def _overlap(a: str, b: str) -> bool:
    if a in b or b in a:
        return True
    return bool({w for w in re.split(r"[\s·-]+", a) if len(w) > 2} & set(re.split(r"[\s·-]+", b)))


def change_negation(text: str, language: str, random: Random) -> str | None:
    """Return the text with a negation more or less, or None."""
    options = [(p, r) for p, r in _NEGATED[language] if re.search(p, text)]
    if not options:
        return None
    pattern, replacement = random.choice(options)
    return re.sub(pattern, replacement, text, count=1)


def change_opposite(text: str, language: str, random: Random) -> str | None:
    """Return the text with a word turned into its opposite, or None."""
    options = [
        (old, new)
        for old, new in _OPPOSITES[language]
        if re.search(old if language == "zh" else rf"(?<!\w){old}", text)
    ]
    if not options:
        return None
    old, new = random.choice(options)
    return re.sub(old, new, text, count=1)


CHANGES: dict[str, Callable[[str, str, Random], str | None]] = {
    "number": change_number,
    "unit": change_unit,
    "date": change_date,
    "negation": change_negation,
    "opposite": change_opposite,
}


def _whole(word: str, language: str) -> str:
    return re.escape(word) if language == "zh" else rf"\b{word}\b"


def _splice(text: str, match: re.Match[str], replacement: str) -> str:
    return text[: match.start()] + replacement + text[match.end() :]
