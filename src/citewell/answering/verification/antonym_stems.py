"""Words of which one says what the other denies, in German and Turkish, where words have endings.

English words are compared whole (see `antonyms`), Chinese ones by their signs.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from citewell.lexical.stems import fold_word

_PAIRS = {
    "de": """
groß klein|größt kleinst|größer kleiner|hoch niedrig|hoh niedrig|höher niedriger|höher tiefer
höchst niedrigst|höchst tiefst|lang kurz|länger kürzer|längst kürzest|alt neu|alt jung
älter jünger|älter neuer|ältest jüngst|ältest neuest|früh spät|früher später|frühest spätest
stark schwach|stärker schwächer|reich arm|erst letzt|oberhalb unterhalb|innerhalb außerhalb
inner äußer|nördlich südlich|östlich westlich|norden süden|osten westen|anfang ende|beginn ende
beginn schluss|begann endete|gewinn verlust|sieg niederlage|sieger verlierer|gewann verlor
gewonnen verloren|gewinnen verlieren|kaufen verkaufen|kaufte verkaufte|gekauft verkauft
kauf verkauf|minderheit mehrheit|öffentlich privat|steigen sinken|steigen fallen|stieg sank
stieg fiel|gestiegen gesunken|gestiegen gefallen|zunehmen abnehmen|zunahme abnahme
zugenommen abgenommen|anstieg rückgang|erhöht gesenkt|erhöht verringert|erhöhen senken
mehr weniger|meist wenigst|schnell langsam|schneller langsamer|leicht schwer|leichter schwerer
einfach schwierig|einfach kompliziert|warm kalt|heiß kalt|krieg frieden|tag nacht|sommer winter
morgen abend|freund feind|verbündet gegner|männer frauen|mann frau|männlich weiblich|vater mutter
sohn tochter|bruder schwester|könig königin|geburt tod|geboren gestorben|import export
einfuhr ausfuhr|positiv negativ|legal illegal|offen geschlossen|geöffnet geschlossen
erlaubt verboten|zulässig unzulässig|mindestens höchstens|wenigstens höchstens|minimum maximum
minimal maximal|links rechts|vorn hinten|vorder hinter|breit schmal|tief flach|dick dünn
teuer billig|teuer günstig|teurer billiger|voll leer|nass trocken|feucht trocken|hart weich
gut schlecht|besser schlechter|best schlechtest|sicher gefährlich|schuldig unschuldig|stets nie
immer nie|häufig selten|angenommen abgelehnt|annahme ablehnung|befürwortet abgelehnt
unterstützt bekämpft|verbündeter feind|freiwillig verpflichtend|befristet unbefristet
vorübergehend dauerhaft|intern extern|inländisch ausländisch|einnahmen ausgaben|angebot nachfrage
städtisch ländlich|natürlich künstlich|gerade ungerade|wahr falsch|richtig falsch|aktiv inaktiv
aktiviert deaktiviert|einschließlich ausschließlich|mit ohne|vor nach|vorher nachher
vorherig nachfolgend|anwesend abwesend|ankunft abfahrt|ankunft abreise|lehrer schüler
arbeitgeber arbeitnehmer|angriff verteidigung|erfolg misserfolg|erfolgreich erfolglos
""",
    "tr": """
yüksek düşük|yüksel düş|yükseliş düşüş|yükseldi düştü|artış azalış|artış düşüş|arttı azaldı
artmış azalmış|artan azalan|artar azalır|artıyor azalıyor|artmakta azalmakta|artır azalt
büyük küçük|büyüdü küçüldü|büyüme küçülme|geniş dar|uzun kısa|uzak yakın|eski yeni|eski modern
iç dış|içinde dışında|içeri dışarı|içeren dışlayan|dahil hariç|üst alt|üstünde altında
üzerinde altında|yukarı aşağı|ön arka|önünde arkasında|sağ sol|genç yaşlı|zengin fakir
zengin yoksul|sıcak soğuk|hızlı yavaş|kolay zor|basit karmaşık|güçlü zayıf|kuvvetli zayıf
erkek kadın|anne baba|kral kraliçe|doğum ölüm|doğdu öldü|doğmuş ölmüş|ilk son|başlangıç bitiş
başlangıç son|başladı bitti|başlat durdur|kazandı kaybetti|kazanmış kaybetmiş|kazanan kaybeden
kazanç kayıp|kâr zarar|zafer yenilgi|galibiyet mağlubiyet|yendi yenildi|kuzey güney|doğu batı
önce sonra|önceki sonraki|öncesi sonrası|öncesinde sonrasında|önceden sonradan|var yok|vardı yoktu
dost düşman|müttefik düşman|barış savaş|gündüz gece|yaz kış|sabah akşam|ithalat ihracat
ithal ihraç|iyi kötü|aynı farklı|benzer farklı|doğru yanlış|açık kapalı|açıldı kapandı
açtı kapattı|dolu boş|kalın ince|derin sığ|ağır hafif|pahalı ucuz|olumlu olumsuz|pozitif negatif
yasal yasadışı|serbest yasak|izin yasak|asgari azami|minimum maksimum|çoğunluk azınlık|kamu özel
kırsal kentsel|iyileş kötüleş|kabul red|kabul ret|destekledi reddetti|onayladı reddetti|sık nadir
daima asla|geçici kalıcı|gönüllü zorunlu|doğal yapay|sert yumuşak|kuru ıslak|güvenli tehlikeli
suçlu masum|canlı ölü|alıcı satıcı|işveren işçi|öğretmen öğrenci|saldırı savunma
başarı başarısızlık|başarılı başarısız|yerli yabancı|erken geç|öncesindeki sonrasındaki
birinci sonuncu|yukarıda aşağıda|kısaldı uzadı|genişledi daraldı
""",
}
_ENDINGS = {
    "de": re.compile(r"(?:e[nrsm]?|n|s)?\Z"),
    "tr": re.compile(
        r"(?:l[ae]r)?(?:[iu]?[mn]?)?(?:[sy]?[iu])?"
        r"(?:n?[iu]n|n?[dt][ae]n?|y?[ae]|n[iu]|n[ae])?(?:ki|l[ae]r)?(?:[dt][iu]r)?\Z"
    ),
}
_SHORTEST_WITH_ENDING = 3
_WITHOUT = re.compile(r"(?P<stem>[a-z]{3,}?)s[iu]z(?P<rest>[a-z]{0,6})\Z")
_WITH = re.compile(r"(?P<stem>[a-z]{3,}?)l[iu](?P<rest>[a-z]{0,6})\Z")


@cache
def _opposites(language: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS[language].strip().replace("\n", "|").split("|"):
        left, right = (fold_word(word) for word in pair.split())
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {stem: frozenset(others) for stem, others in found.items()}


@lru_cache(maxsize=4096)
def opposite_stems(word: str, language: str | None) -> tuple[str, frozenset[str]] | None:
    """Return the stem of a folded word and the stems of its opposites, or None."""
    if language not in _PAIRS:
        return None
    for length in range(len(word), 1, -1):
        stem, ending = word[:length], word[length:]
        others = _opposites(language).get(stem)
        if others and _is_ending(ending, stem, language):
            return stem, others
    return _with_or_without(word) if language == "tr" else None


def _is_ending(ending: str, stem: str, language: str) -> bool:
    if not ending:
        return True
    return len(stem) >= _SHORTEST_WITH_ENDING and bool(_ENDINGS[language].match(ending))


def _with_or_without(word: str) -> tuple[str, frozenset[str]] | None:
    """Return what Turkish `-li` and `-siz` make of one stem."""
    if match := _WITHOUT.match(word):
        stem = match["stem"]
        return f"{stem}s", frozenset({f"{stem}li", f"{stem}lu"})
    if match := _WITH.match(word):
        stem = match["stem"]
        return f"{stem}l", frozenset({f"{stem}siz", f"{stem}suz"})
    return None


def has_stem(stem: str, folded: str, language: str) -> bool:
    """Return whether folded text has a word of a stem, in any of its forms."""
    place = folded.find(f" {stem}")
    while place >= 0:
        end = folded.find(" ", place + 1)
        ending = folded[place + 1 + len(stem) : end if end >= 0 else None]
        if _is_ending(ending, stem, language):
            return True
        place = folded.find(f" {stem}", place + 1)
    return False
