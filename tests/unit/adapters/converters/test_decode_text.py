import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.converters.encodings.declared import decode_html, decode_xml
from citewell.adapters.converters.encodings.decode import decode_text
from citewell.domain.errors import UnsupportedDocumentError

SIMPLIFIED = "供应商必须在三十天之内提交发票，逾期不予付款。仓库的钥匙由保安部门保管。"
TRADITIONAL = "供應商必須在三十天之內提交發票，逾期不予付款。倉庫的鑰匙由保全部門保管。"
JAPANESE = "請求書は三十日以内に提出してください。倉庫の鍵は警備部門が保管しています。"
KOREAN = "공급업체는 삼십 일 이내에 청구서를 제출해야 합니다. 창고 열쇠는 경비 부서에서 보관합니다."
RUSSIAN = "Поставщик обязан предъявить счёт в течение тридцати дней. Ключи от склада хранит охрана."
UKRAINIAN = "Постачальник має надати рахунок протягом тридцяти днів. Ключі від складу є в охорони."
GREEK = "Ο προμηθευτής πρέπει να υποβάλει το τιμολόγιο εντός τριάντα ημερών στην αποθήκη."
HEBREW = "על הספק להגיש את החשבונית בתוך שלושים יום. מפתחות המחסן נמצאים אצל השומר."
ARABIC = "يجب على المورد تقديم الفاتورة خلال ثلاثين يوما. مفاتيح المستودع عند الحارس."
THAI = "ผู้ขายต้องส่งใบแจ้งหนี้ภายในสามสิบวัน กุญแจคลังสินค้าอยู่ที่ฝ่ายรักษาความปลอดภัย"
TURKISH = (
    "Tedarikçi faturayı otuz gün içinde göndermelidir. Deponun anahtarı güvenlik görevlisindedir."
)
GERMAN = "Die Rechnung muss binnen dreißig Tagen vorliegen. Die Schlüssel verwahrt der Wachschutz."
FRENCH = "La facture doit être présentée sous trente jours. Les clés sont gardées à côté du dépôt."
SPANISH = (
    "El proveedor presentará la factura en treinta días. La señal de alarma está en el almacén."
)
POLISH = (
    "Dostawca musi złożyć fakturę w ciągu trzydziestu dni. Klucze są w biurze ochrony, pięć sztuk."
)
CZECH = (
    "Dodavatel musí předložit fakturu do třiceti dnů. Klíče od skladu má ostraha u hlavní brány."
)
HUNGARIAN = (
    "A számlát harminc napon belül kell benyújtani. A raktár kulcsait az őrség őrzi a kapunál."
)
LITHUANIAN = (
    "Sąskaitą reikia pateikti per trisdešimt dienų. Sandėlio raktus saugo apsaugos tarnyba."
)
ENGLISH = "The supplier’s invoice is due – at the latest – in thirty days. The keys cost €40 each."

LEGACY = [
    (SIMPLIFIED, "gb18030"),
    (SIMPLIFIED, "gbk"),
    (SIMPLIFIED, "gb2312"),
    (SIMPLIFIED, "hz"),
    (TRADITIONAL, "big5"),
    (TRADITIONAL, "cp950"),
    (JAPANESE, "shift_jis"),
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (JAPANESE, "iso2022_jp"),
    (KOREAN, "euc_kr"),
    (KOREAN, "cp949"),
    (KOREAN, "iso2022_kr"),
    (RUSSIAN, "cp1251"),
    (RUSSIAN, "koi8_r"),
    (RUSSIAN, "cp866"),
    (RUSSIAN, "iso8859_5"),
    (RUSSIAN, "mac_cyrillic"),
    (UKRAINIAN, "cp1251"),
    (UKRAINIAN, "koi8_u"),
    (GREEK, "cp1253"),
    (GREEK, "iso8859_7"),
    (HEBREW, "cp1255"),
    (HEBREW, "iso8859_8"),
    (ARABIC, "cp1256"),
    (ARABIC, "iso8859_6"),
    (THAI, "tis_620"),
    (THAI, "cp874"),
    (TURKISH, "cp1254"),
    (TURKISH, "iso8859_9"),
    (TURKISH, "cp857"),
    (GERMAN, "cp1252"),
    (GERMAN, "iso8859_15"),
    (GERMAN, "mac_roman"),
    (GERMAN, "cp850"),
    (FRENCH, "cp1252"),
    (FRENCH, "mac_roman"),
    (SPANISH, "iso8859_1"),
    (POLISH, "cp1250"),
    (POLISH, "iso8859_2"),
    (CZECH, "cp1250"),
    (CZECH, "iso8859_2"),
    (HUNGARIAN, "cp1250"),
    (LITHUANIAN, "cp1257"),
    (ENGLISH, "cp1252"),
    (GERMAN, "utf_7"),
    (GERMAN.upper().replace("ß", "SS"), "cp500"),
]
LEGACY_IDS = [f"{encoding}-{text[:9]}" for text, encoding in LEGACY]


@pytest.mark.parametrize(("text", "encoding"), LEGACY, ids=LEGACY_IDS)
def test_two_sentences_are_read_in_their_encoding(text: str, encoding: str):
    assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize(("text", "encoding"), LEGACY, ids=LEGACY_IDS)
def test_a_long_text_is_read_in_its_encoding(text: str, encoding: str):
    long_text = f"# 1\n{text}\nfax: 12-34\n" * 400

    assert decode_text(long_text.encode(encoding)).text == long_text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("王小明,财务部,12000", "gb18030"),
        ("林志玲,會計部,52000", "big5"),
        ("山本太郎,経理部,3000", "cp932"),
        ("山本太郎,経理部,3000", "euc_jp"),
        ("김철수,회계부,3000", "cp949"),
        ("Анна;бухгалтерия;30", "cp1251"),
        ("Анна;бухгалтерия;30", "koi8_r"),
        ("Ayşe;muhasebe;İzmir", "cp1254"),
        ("Müller;Köln;30", "cp1252"),
    ],
)
def test_a_line_of_names_is_read_in_its_encoding(text: str, encoding: str):
    assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((text, "utf_16_le") for text in (ENGLISH, SIMPLIFIED, RUSSIAN, "Ok\n" + KOREAN)),
        *((text, "utf_16_be") for text in (ENGLISH, SIMPLIFIED, RUSSIAN, "Ok\n" + KOREAN)),
        *((ENGLISH, encoding) for encoding in ("utf_32_le", "utf_32_be")),
    ],
)
def test_wide_encodings_need_no_mark(text: str, encoding: str):
    assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf_8"),
        (b"\xff\xfe", "utf_16_le"),
        (b"\xfe\xff", "utf_16_be"),
        (b"\xff\xfe\0\0", "utf_32_le"),
        (b"\0\0\xfe\xff", "utf_32_be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_not_text(mark: bytes, encoding: str):
    decoded = decode_text(mark + SIMPLIFIED.encode(encoding))

    assert (decoded.text, decoded.encoding) == (SIMPLIFIED, encoding)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], min_codepoint=0x20)))
def test_utf_8_is_read_as_utf_8_unless_its_ascii_hides_more(text: str):
    encoded = ("é " + text).encode()

    assert decode_text(encoded).text == "é " + text


@given(st.binary(max_size=300))
def test_any_bytes_give_text_or_are_refused_as_binary(data: bytes):
    try:
        decoded = decode_text(data)
    except UnsupportedDocumentError:
        return

    assert isinstance(decoded.text, str)


def test_lines_of_two_encodings_are_each_read_in_their_own():
    mixed = f"{GERMAN}\n".encode() + f"{SIMPLIFIED}\n".encode("gb18030")

    decoded = decode_text(mixed)

    assert decoded.text == f"{GERMAN}\n{SIMPLIFIED}\n"
    assert decoded.note == "some lines are UTF-8 and some are gb18030"


def test_broken_places_in_utf_8_are_marked_and_counted():
    damaged = (RUSSIAN * 5).encode()[:-1] + b"\n\xff" + RUSSIAN.encode()

    decoded = decode_text(damaged)

    assert decoded.text == RUSSIAN * 5 + "\n\ufffd" + RUSSIAN or "\ufffd" in decoded.text
    assert decoded.encoding == "utf_8"
    assert decoded.note.endswith("places are not valid utf-8")


def test_surrogate_pairs_spelled_in_utf_8_become_one_character():
    cesu = "ok \ud83d\ude00 é".encode("utf-8", "surrogatepass")

    assert decode_text(cesu).text == "ok \U0001f600 é"


@pytest.mark.parametrize(
    "text",
    [
        "a += b + c; d++ // C++ and 1+1",
        "Call +49 30 1234567 or +1-202-555-0100 today",
        "key = MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A+abcd+EFGH/ij==",
        "cut ~{ here ~} and ~/.config",
    ],
)
def test_ascii_with_plus_and_tilde_stays_ascii(text: str):
    assert decode_text(text.encode()).text == text


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 8, b"\x00\x01\x02\x03" * 50, b"\x7fELF\x02\x01\x01" + bytes(200)],
)
def test_binary_data_is_refused(data: bytes):
    with pytest.raises(UnsupportedDocumentError, match="binary data"):
        decode_text(data)


def test_a_page_is_read_in_the_encoding_that_it_names():
    page = "<html><head><meta charset='windows-1251'></head>Да</html>"

    assert decode_html(page.encode("cp1251")).text == page


def test_a_page_that_names_the_wrong_encoding_is_read_in_the_right_one():
    page = f"<html><head><meta charset='iso-8859-1'></head>{SIMPLIFIED}</html>"

    assert decode_html(page.encode()).text == page


def test_latin_1_on_the_web_means_windows_1252():
    page = "<meta http-equiv='Content-Type' content='text/html; charset=ISO-8859-1'>“€”"

    assert decode_html(page.encode("cp1252")).text == page


def test_xml_is_read_in_the_encoding_that_it_declares():
    document = '<?xml version="1.0" encoding="EUC-JP"?><a>倉庫の鍵</a>'

    assert decode_xml(document.encode("euc_jp")).text == document


def test_an_encoding_that_is_none_is_ignored():
    page = "<meta charset='base64'>abcd"

    assert decode_html(page.encode()).text == page
