"""Words that turn a statement into another one: negation, bounds, opposites, obligation."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from citewell.domain.document import Span

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|unable|fail(?:s|ed)? to"
    r"|kein\w*|nicht|nie|niemals|niemand|nichts|ohne|weder"
    r"|değil\w*|yok\w*|hiçbir|asla|olmadan|olmaksızın|olmayan|ne pas|jamais|sans|nunca|sin|"
    r"não|sem|non|senza)\b"
    r"|n['’]t\b"
    r"|\b\w{2,}m[aeıiuü](?:d[ıiuü]\w*|m[ıiuü]ş\w*|z(?:l[ae]r\w*)?|yan\w*|yen\w*|yor\w*|"
    r"yacak\w*|yecek\w*|ks[ıi]z[ıi]n)\b"
    r"|\b(?:не|нет|ни|никогда|без)\b"
    r"|不(?!断|同|仅|久|过|但|只|少|列颠|锈|管|论|丹|莱|得不|可或缺)|没有|没(?!收|落)|并未|"
    r"未(?!来|婚)|从未|并非|无法|无(?!论|线|数|疑|烟|锡)|非(?!常|洲|法|裔|凡|得)|毫无|拒绝|"
    r"ない|ません",
    re.IGNORECASE,
)

_GROUPS: dict[str, tuple[str, str]] = {
    "bound": (
        (
            r"at least|no less than|not less than|no fewer than|minimum|mindestens|wenigstens|"
            r"en az|asgari|至少|最少|不少于"
        ),
        (
            r"at most|no more than|not more than|up to|maximum|höchstens|maximal|en fazla|en çok|"
            r"azami|至多|最多|不超过|不多于"
        ),
    ),
    "comparison": (
        (
            r"more than|over|above|exceed\w*|greater than|mehr als|über|'?[dt][ae]n (?:fazla|çok)|"
            r"üzerinde|超过|多于|以上|高于|大于"
        ),
        (
            r"less than|under|below|fewer than|weniger als|unter|'?[dt][ae]n az|altında|少于|不到|"
            r"以下|低于|小于|不足"
        ),
    ),
    "order": (
        r"after(?!noon)|following|nach(?:dem)?|sonra|之后|以后|后来",
        r"before|prior to|vor(?!\w)|bevor|önce|之前|以前",
    ),
    "change": (
        (
            r"increas\w*|rise|rises|rose|risen|grow\w*|grew|gestiegen|steig\w*|zunahm\w*|"
            r"zugenommen|arttı\w*|artan|artış\w*|yüksel\w*|增加|上升|增长|提高"
        ),
        (
            r"decreas\w*|decline\w*|fall|falls|fell|fallen|drop\w*|shrank|shrink\w*|gesunken|"
            r"sink\w*|sank|abnahm\w*|azal\w*|düş(?:tü|üş)\w*|减少|下降|降低"
        ),
    ),
    "degree": (
        (
            r"most|largest|biggest|highest|longest|größte\w*|höchste\w*|meiste\w*|längste\w*|"
            r"en büyük|en yüksek|en uzun|最大|最高|最长"
        ),
        (
            r"least|smallest|lowest|shortest|kleinste\w*|niedrigste\w*|wenigste\w*|kürzeste\w*|"
            r"en küçük|en düşük|en kısa|最小|最低|最短"
        ),
    ),
    "level": (
        (
            r"higher|larger|bigger|greater|longer|höher\w*|größer\w*|länger\w*|daha (?:yüksek|"
            r"büyük|uzun)|更高|更大|更长|较高|较大"
        ),
        (
            r"lower|smaller|shorter|niedriger\w*|kleiner\w*|kürzer\w*|daha (?:düşük|küçük|kısa)|"
            r"更低|更小|更短|较低|较小"
        ),
    ),
    "permission": (
        r"allowed|permitted|may(?= \w)|erlaubt|darf|dürfen|izin verilir|serbest|允许|可以",
        r"forbidden|prohibited|banned|not allowed|verboten|untersagt|yasak\w*|禁止|不得|不允许",
    ),
    "state": (
        r"enabled|open(?:ed|s)?|active|aktiviert|geöffnet|etkin\w*|açık|启用|打开|开启",
        r"disabled|closed?|inactive|deaktiviert|geschlossen|devre dışı|kapalı|禁用|关闭",
    ),
    "outcome": (
        r"won|wins?|succeed\w*|success\w*|gewann\w*|gewonnen|kazan\w*|获胜|赢|成功",
        r"lost|loses?|fail\w*|verlor\w*|kaybet\w*|失败|输",
    ),
    "part": (
        r"all|every|alle[rnsm]?|jede[rnsm]?|tüm|bütün|her|所有|全部",
        r"some|einige[rn]?|manche[rn]?|bazı|一些|某些|部分",
    ),
    "latitude": (r"north\w*|nord\w*|nördlich\w*|kuzey\w*|北", r"south\w*|süd\w*|güney\w*|南"),
    "longitude": (
        r"east(?:ern)?|ost(?:en|\w*lich\w*)?|östlich\w*|doğu\w*|东",
        r"west\w*|batı\w*|西",
    ),
    "admission": (
        r"includ\w*|einschließlich|inklusive|dahil|包括|包含",
        r"exclud\w*|except|ausschließlich|ausgenommen|hariç|不包括|除外",
    ),
    "direction": (r"import\w*|einfuhr\w*|ithal\w*|进口", r"export\w*|ausfuhr\w*|ihra[cç]\w*|出口"),
    "support": (
        r"support(?:s|ed)?|favou?r(?:s|ed)?|unterstütz\w*|destekle\w*|支持",
        r"oppos(?:e|es|ed|ing)|reject(?:s|ed)?|ablehn\w*|abgelehnt|karşı çık\w*|反对",
    ),
}


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    return {name: (_compiled(left), _compiled(right)) for name, (left, right) in _GROUPS.items()}


def _compiled(words: str) -> re.Pattern[str]:
    """Return a pattern of whole words; words of Chinese need no borders."""
    chinese = [w for w in words.split("|") if ord(w[0]) > 0x2FFF]
    spaced = [w for w in words.split("|") if ord(w[0]) <= 0x2FFF]
    bordered = rf"(?<![^\W\d_])(?:{'|'.join(spaced)})(?![^\W\d_])"
    return re.compile("|".join([bordered, *chinese]), re.IGNORECASE)


def negations(text: str) -> list[Span]:
    """Return the ranges of words that negate, in order."""
    return [match.span() for match in _NEGATION.finditer(text)]


@lru_cache(maxsize=1024)
def opposite_sides(text: str) -> dict[str, frozenset[int]]:
    """Return which sides of each pair of opposites a text has words of: 0, 1 or both."""
    found: dict[str, frozenset[int]] = {}
    for name, sides in _patterns().items():
        here = frozenset(side for side, pattern in enumerate(sides) if pattern.search(text))
        if here:
            found[name] = here
    return found


def turned_words(claim: str, evidence: str) -> list[str]:
    """Return the pairs of opposites of which the claim has one side, and the evidence the other."""
    said, known = opposite_sides(claim), opposite_sides(evidence)
    return [
        name
        for name, sides in said.items()
        if len(sides) == 1 and name in known and sides.isdisjoint(known[name])
    ]
