"""Letters and frequent words of languages that are written in single-byte encodings.

Only what tells encodings apart: for Latin script the letters beyond ASCII, for others the whole
alphabet. Orders of frequency are common knowledge about each language; the words are its most
frequent short ones.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """How a language looks.

    Attributes:
        common: Letters that are frequent, lower case.
        rare: Letters that occur now and then, lower case.
        words: Frequent words, lower case.
        final: Letters that stand at the end of words only.
        vowels: One of them is in every longer word; empty where that does not hold or help.
    """

    common: frozenset[str]
    rare: frozenset[str]
    words: frozenset[str]
    final: frozenset[str] = frozenset()
    vowels: frozenset[str] = frozenset()


def _language(common: str, rare: str, words: str, *, final: str = "", vowels: str = "") -> Language:
    return Language(
        frozenset(common),
        frozenset(rare),
        frozenset(words.split()),
        frozenset(final),
        frozenset(vowels),
    )


ENGLISH = _language("", "éèêëàâçïîôöüñæø", "the of and to in is for that on with as by at be are")
GERMAN = _language(
    "äöüß", "éàè", "der die das und ist nicht mit von für auf ein eine im den dem zu wir sie"
)
FRENCH = _language(
    "éèàêç", "ùâîôûëïœæüÿ", "le la les de des du et est en un une pour dans que qui sur pas mois"
)
SPANISH = _language(
    "áéíóúñ", "ü¿¡ªº", "el la los de que en y un una por con para es del se al días"
)
ITALIAN = _language(
    "àèéìòù", "îóú", "il la di che e per un una del della in con non sono gli è più"
)
PORTUGUESE = _language(
    "ãçáéêóí", "âõôúàüªº", "o a de que e do da em um uma para com não os as no na é"
)
DUTCH = _language("", "éëèêïöüáóíúĳ", "de het een van en in is op te dat voor met zijn niet aan")
SWEDISH = _language("åäö", "éüà", "och att det som en är på för med av den till inte om ett har")
DANISH = _language("æøå", "éöäüóáàò", "og at det en er på for med af den til ikke om et har som")
FINNISH = _language("äö", "åšžé", "ja on ei se että oli hän mutta niin kun ovat tai joka ole")
ICELANDIC = _language("áíéúóöæ", "ðþý", "og að á í er sem til um ekki við það var með en af")
TURKISH = _language(
    "ıüşğçö", "âîû", "ve bir bu için ile da de olarak daha çok gün olan var en kadar her"
)
POLISH = _language("ąęłśżóćńź", "", "i w na nie do to się z że jest od przez dla po jak oraz")
CZECH = _language("áéěíýčřšžůú", "ďťňóö", "a v na se je že to do s z o pro za od jako jsou nebo")
SLOVAK = _language("áéíýčšžľúť", "ďňóôäŕĺ", "a v na sa je že to do s z o pre za od ako sú alebo")
HUNGARIAN = _language("áéöóőüíúű", "", "a az és hogy nem is egy van meg ez azt de csak már volt")
ROMANIAN = _language("ăâîșțşţ", "", "și şi de în a la cu pe nu este din care o un să mai")
CROATIAN = _language("čćšžđ", "", "i u je na se da za od su s a o kao ne koji ili iz to")
ALBANIAN = _language("ëç", "é", "të e në dhe për me që një nga është i si ka se")
LITHUANIAN = _language("ėąšųįžūčę", "", "ir kad į su yra iš tai ne už kaip bet nuo ar per")
LATVIAN = _language("āīēšņūžļčķģ", "ōŗ", "un ir ka no ar par uz tas kas vai bet nav pie lai")
ESTONIAN = _language("äõüö", "šž", "ja on ei et see oli mis kui ta ka aga või oma nad")
VIETNAMESE = _language(
    "ăâđêôơưáàãéèíóòúùý\u0300\u0301\u0303\u0309\u0323", "ñç", "và của là có trong cho các không"
)
RUSSIAN = _language(
    "оеаинтсрвлкмдпуяыьгзбч",
    "йхжшюцщэфъё",
    "и в не на что с по для из это как от к до за или",
    vowels="аеёиоуыэюя",
)
UKRAINIAN = _language(
    "оаинвтерсілкудмпязьбг",
    "чйхцжїєшюфщґ'",
    "і в не на що з та до для як це від або за є у",
    vowels="аеєиіїоуюя",
)
BULGARIAN = _language(
    "аиоетнрсвлкдпмзугъбя",
    "чцйщшжфхюь",
    "и на в да за се от е с не по са като или това",
    vowels="аеиоуъюя",
)
SERBIAN = _language(
    "аиоентрсјвдукплмзгб",
    "чћшцжхњљђфџ",
    "и у је на се да за од су са не као или то што",
    vowels="аеиоур",
)
GREEK = _language(
    "αοιετσνηυρπκμλάίόέ",
    "ωδγχθφβξζψήύώϊϋΐΰς",
    "και το να του η της με για την από των στο",
    final="ς",
    vowels="αεηιουωάέήίόύώϊϋΐΰ",
)
HEBREW = _language(
    "יולאהמרבתשנ", "קדחעכפגטסזצםןךףץ", "של על לא את הוא זה עם כל או גם אם", final="םןךףץ"
)
ARABIC = _language(
    "اليمنرتوهبدعسفكقحأةج", "شصطخذضزغثءئىؤإآظ،؛؟", "في من على أن إلى هذا التي لا مع كل أو"
)
PERSIAN = _language(
    "ایرندمهوتبسشلکزفگع", "خقپجحچصطذضغظثژآءئيك،؛؟", "و در به از که این را با است برای آن"
)
THAI = _language(
    "านรกอเงมยลวดทสตะปบหแคจใชพไโขถผศธซฉ",
    "ฝฟฐณญภษฑฎฏฆฌฒฮฤฬฯๆำิีึืฺุู็่้๊๋์ํั๐๑๒๓๔๕๖๗๘๙",
    "ที่ และ ใน ของ การ มี เป็น ไม่ ได้ วัน",
)

_WEST = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    SWEDISH,
    DANISH,
    FINNISH,
    ICELANDIC,
)
_CENTRAL = (ENGLISH, GERMAN, POLISH, CZECH, SLOVAK, HUNGARIAN, ROMANIAN, CROATIAN, ALBANIAN)
_BALTIC = (LITHUANIAN, LATVIAN, ESTONIAN)
_CYRILLIC = (RUSSIAN, UKRAINIAN, BULGARIAN, SERBIAN)

LANGUAGES_OF_ENCODING: dict[str, tuple[Language, ...]] = {
    "cp1252": _WEST,
    "cp1254": (TURKISH,),
    "iso8859_15": _WEST,
    "mac_roman": _WEST,
    "cp850": _WEST,
    "cp437": _WEST,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp852": _CENTRAL,
    "mac_latin2": _CENTRAL,
    "iso8859_16": (ROMANIAN,),
    "cp857": (TURKISH,),
    "mac_turkish": (TURKISH,),
    "cp1257": _BALTIC,
    "iso8859_4": _BALTIC,
    "cp1258": (VIETNAMESE,),
    "cp1251": _CYRILLIC,
    "koi8_r": (RUSSIAN, BULGARIAN),
    "koi8_u": (UKRAINIAN,),
    "cp866": (RUSSIAN, BULGARIAN),
    "cp1125": (UKRAINIAN,),
    "iso8859_5": _CYRILLIC,
    "mac_cyrillic": _CYRILLIC,
    "cp1253": (GREEK,),
    "iso8859_7": (GREEK,),
    "cp737": (GREEK,),
    "cp1255": (HEBREW,),
    "cp862": (HEBREW,),
    "cp1256": (ARABIC, PERSIAN),
    "iso8859_6": (ARABIC,),
    "cp874": (THAI,),
}
"""Single-byte encodings, likelier first, and whom they serve."""

OLD_ENCODINGS = frozenset(
    name for name in LANGUAGES_OF_ENCODING if name.startswith(("mac_", "cp4", "cp7", "cp8", "cp11"))
) - {"cp874"}
"""Of DOS and old Macintosh machines: to be chosen on more evidence than the others."""
