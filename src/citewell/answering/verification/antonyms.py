"""Words of which one says what the other denies: pairs of opposites in English."""

from __future__ import annotations

from functools import cache

from citewell.answering.verification.antonym_stems import has_stem, opposite_stems

_PAIRS = """
success failure|succeed fail|weak strong|weaker stronger|small large|smaller larger|little big
common rare|always never|early late|earlier later|earliest latest|old new|older newer
begin end|beginning end|start end|start stop|accept reject|accepted rejected|add remove
internal external|inside outside|inner outer|upper lower|major minor|public private|rural urban
simple complex|positive negative|true false|hot cold|hottest coldest|light heavy|fast slow
easy hard|easy difficult|expensive cheap|rich poor|wealthy poor|young old|male female|men women
husband wife|father mother|son daughter|king queen|buy sell|bought sold|borrow lend|teacher student
ancient modern|long short|longer shorter|longest shortest|above below|front rear|left right
natural artificial|love hate|cause prevent|allow prevent|allowed prevented|create destroy
attack defend|gain lose|gained lost|arrive depart|enter leave|entered left|raise lower|war peace
winter summer|day night|morning evening|majority minority|maximum minimum|first last
demand supply|profit loss|victory defeat|best worst|better worse|highest lowest|higher lower
highest least|most least|most fewest|more less|more fewer|increase decrease|increased decreased
rise fall|rose fell|growth decline|expand shrink|open closed|include exclude|legal illegal
encourage discourage|support oppose|supported opposed|friend enemy|ally enemy|leader follower
before after|north south|northern southern|east west|eastern western|macro micro
superior inferior|wide narrow|deep shallow|thick thin|high low|full empty|wet dry|soft hard
safe dangerous|guilty innocent|alive dead|birth death|born died|win lose|won lost|import export
forbid permit|forbidden permitted|prohibited allowed|banned allowed|temporary permanent
ascending descending|horizontal vertical|even odd|odd even|domestic foreign|local foreign
primary secondary|voluntary compulsory|optional mandatory|optional required|formal informal
slowest fastest|nearest farthest|close far|minimize maximize|reduce increase|reduced increased
strengthen weaken|improve worsen|appear disappear|remember forget|employer employee|parent child
"""


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", "|").split("|"):
        words = pair.split()
        if len(words) == 2:
            found.setdefault(words[0], set()).add(words[1])
            found.setdefault(words[1], set()).add(words[0])
    return {word: frozenset(others) for word, others in found.items()}


_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "anti")
_MIN_BARE = 4


def count_antonyms(words: tuple[str, ...], folded: str, language: str | None = None) -> int:
    """Return how many words a folded text lacks while it has their opposite.

    Opposites are the pairs above, those of `antonym_stems`, and words with a negating prefix more
    or less.

    Args:
        words: Folded.
        folded: With a space before, between and after words.
        language: Of both, as guessed.
    """
    return sum(
        _has_opposite(word, folded) or _has_opposite_stem(word, folded, language)
        for word in words
        if f" {word} " not in folded
    )


def _has_opposite_stem(word: str, folded: str, language: str | None) -> bool:
    found = opposite_stems(word, language)
    if found is None or language is None:
        return False
    stem, others = found
    if has_stem(stem, folded, language):
        return False
    return any(has_stem(other, folded, language) for other in others)


def _has_opposite(word: str, folded: str) -> bool:
    if any(f" {other} " in folded for other in _opposites().get(word, ())):
        return True
    if len(word) < _MIN_BARE or not word.isascii():
        return False
    if any(f" {prefix}{word} " in folded for prefix in _PREFIXES):
        return True
    bare = [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    return any(len(rest) >= _MIN_BARE and f" {rest} " in folded for rest in bare)
