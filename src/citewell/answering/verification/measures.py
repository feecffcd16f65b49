"""Units of measure and currencies, in English, German, Turkish and Chinese."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple


class Measure(NamedTuple):
    """What a unit measures and how much of it: `week` is 604,800 of `second`."""

    dimension: str
    factor: float


_TABLE = """
second 1: s sec secs second seconds Sekunde Sekunden saniye 秒 秒钟
second 0.001: ms millisecond milliseconds Millisekunde Millisekunden milisaniye 毫秒
second 60: min mins minute minutes Minute Minuten dakika dk 分钟 分鐘
second 3600: h hr hrs hour hours Stunde Stunden Std saat 小时 小時 个小时 個小時
second 86400: d day days Tag Tage Tagen Tages gün günlük günde 天
second 604800: week weeks Woche Wochen hafta haftalık 周 星期 个星期 個星期 週
month 1: month months Monat Monate Monaten Monats ay aylık 个月 個月
month 12: year years yr yrs Jahr Jahre Jahren Jahres yıl yıllık yaş yaşında 年 岁 歲
month 120: decade decades Jahrzehnt Jahrzehnte Jahrzehnten
month 1200: century centuries Jahrhundert Jahrhunderte Jahrhunderten yüzyıl 世纪 世紀
metre 1: m metre metres meter meters Meter Metern metre 米
metre 0.001: mm millimetre millimeter millimetres millimeters Millimeter milimetre 毫米
metre 0.01: cm centimetre centimeter centimetres centimeters Zentimeter santimetre 厘米
metre 1000: km kilometre kilometer kilometres kilometers Kilometer Kilometern kilometre 公里 千米
metre 1609.344: mi mile miles Meile Meilen mil 英里
metre 0.3048: ft foot feet Fuß fit 英尺
metre 0.0254: inch inches Zoll inç 英寸
metre 0.9144: yd yard yards Yards 码
gram 1: g gram grams gramme Gramm gr 克
gram 0.001: mg milligram milligrams Milligramm miligram 毫克
gram 1000: kg kilo kilos kilogram kilograms Kilogramm kilogram 公斤 千克
gram 1000000: t tonne tonnes Tonne Tonnen ton 吨
gram 453.59237: lb lbs pound pounds Pfund 磅
gram 28.349523125: oz ounce ounces Unze Unzen 盎司
byte 1: B byte bytes Byte Bytes bayt 字节
byte 1000: KB kB kilobyte kilobytes kilobayt
byte 1000000: MB megabyte megabytes megabayt 兆字节
byte 1000000000: GB gigabyte gigabytes gigabayt
byte 1000000000000: TB terabyte terabytes terabayt
byte 1024: KiB
byte 1048576: MiB
byte 1073741824: GiB
byte 1099511627776: TiB
bit 1: bit bits
bit_rate 1000: kbps Kbps kbit/s
bit_rate 1000000: Mbps Mbit/s
bit_rate 1000000000: Gbps Gbit/s
area 1: m2 sqm square_metres square_meters Quadratmeter metrekare 平方米
area 1000000: km2 square_kilometres square_kilometers Quadratkilometer kilometrekare 平方公里
area 2589988.110336: square_miles square_mile sq_mi Quadratmeilen Quadratmeile mil_kare 平方英里
area 10000: ha hectare hectares Hektar hektar 公顷
area 4046.8564224: acre acres Acre Acres akre dönüm 英亩
volume 1: l L litre litres liter liters Liter Litern litre 升
volume 0.001: ml mL millilitre milliliter Milliliter mililitre 毫升
volume 1000: m3 cubic_metres cubic_meters Kubikmeter metreküp 立方米
power 1: W watt watts Watt vat 瓦
power 1000: kW kilowatt kilowatts Kilowatt kilovat 千瓦
power 1000000: MW megawatt megawatts Megawatt megavat 兆瓦
power 1000000000: GW gigawatt gigawatts Gigawatt
power 735.49875: hp horsepower PS Pferdestärken beygir 马力
energy 1: kWh
energy 1000: MWh
hertz 1: Hz hertz Hertz 赫兹
hertz 1000: kHz
hertz 1000000: MHz 兆赫
hertz 1000000000: GHz
volt 1: V volt volts Volt 伏 伏特
volt 1000: kV kilovolt
ampere 1: A ampere amperes Ampere amper
ampere 0.001: mA
pascal 1: Pa pascal
pascal 1000: kPa
pascal 1000000: MPa
pascal 100000: bar
pascal 6894.757: psi
celsius 1: °C ℃ degrees_Celsius Grad_Celsius 摄氏度
fahrenheit 1: °F degrees_Fahrenheit Grad_Fahrenheit 华氏度
kelvin 1: K kelvin Kelvin
degree 1: ° degrees degree Grad derece 度
speed 1: km/h kmh kph 公里/小时
speed 1.609344: mph
percent 1: % ％ percent Prozent pct yüzde 百分比
percentage_point 1: percentage_points percentage_point Prozentpunkte Prozentpunkten 个百分点 百分点
EUR 1: € EUR euro euros Euro Euros avro 欧元
USD 1: $ US$ USD dollar dollars Dollar dolar 美元 美金
GBP 1: £ GBP sterling 英镑
JPY 1: JPY yen Yen 日元 円
CNY 1: CNY RMB yuan Yuan 元 人民币 块
TRY 1: ₺ TRY TL lira Lira 里拉
CHF 1: CHF Franken francs Franc
yen_or_yuan 1: ¥
"""
_SUFFIXED = re.compile(
    r"(?P<stem>[a-zçğıöşü]{3,}?)(?:l[ıiuü]k|d[ae]n?|y?[ıiuü]|l[ae]r\w*|n[ıiuü]n|[ae])\Z"
)
PREFIXES = ("US$", "EUR", "USD", "GBP", "CHF", "TRY", "CNY", "JPY", "RMB", "$", "€", "£", "¥", "₺")
"""Units that are written before their number."""


@cache
def _measures() -> dict[str, Measure]:
    measures: dict[str, Measure] = {}
    for line in _TABLE.strip().splitlines():
        head, _, names = line.partition(": ")
        dimension, factor = head.split()
        for name in names.split():
            measures[name.replace("_", " ")] = Measure(dimension, float(factor))
    return measures


@cache
def _unspaced() -> re.Pattern[str]:
    """Return a pattern of units in Chinese, the longest first."""
    names = sorted((n for n in _measures() if ord(n[0]) > 0x2FFF), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)))


_NAME = re.compile(r"(?:[°℃％%€$£₺¥]|[^\W\d_]+/[^\W\d_]+|[^\W\d_]+[23]?|°[CF])")
_DEGREES = re.compile(r"°\s?[CF]\b|℃")


def find_measure(text: str, start: int) -> tuple[Measure, int] | None:
    """Return the unit that begins at a character, and where it ends, or None.

    Symbols count in their exact case; words in any.
    """
    if match := _DEGREES.match(text, start):
        return _measures()["°F" if match[0].endswith("F") else "°C"], match.end()
    if match := _unspaced().match(text, start):
        return _measures()[match[0]], match.end()
    match = _NAME.match(text, start)
    if match is None:
        return None
    name = match[0]
    following = _NAME.match(text, match.end() + 1)
    if following and (pair := measure_named(f"{name} {following[0]}")):
        return pair, following.end()
    found = measure_named(name)
    return (found, match.end()) if found else None


@lru_cache(maxsize=4096)
def measure_named(name: str) -> Measure | None:
    """Return the unit of a name, with a Turkish ending or none."""
    measures = _measures()
    found = measures.get(name)
    if found is None and len(name) > 2:
        lowered = name.lower()
        found = measures.get(lowered) or measures.get(lowered.capitalize())
        match = _SUFFIXED.match(lowered) if found is None else None
        found = measures.get(match["stem"]) if match else found
    return found
