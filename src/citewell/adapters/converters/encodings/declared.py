"""Text that names its own encoding, as HTML, XML and mail do."""

from __future__ import annotations

import codecs
import re

from citewell.adapters.converters.encodings.decode import DecodedText, decode_text
from citewell.adapters.converters.encodings.unicode_forms import encoding_of_mark, is_utf_8

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})["']""")
_HEAD_BYTES = 4_096

# What the web writes and what it means (WHATWG encoding standard).
_ALIASES = {
    **dict.fromkeys(("iso8859-1", "ascii", "us-ascii", "latin-1", "latin1"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "x-sjis", "sjis"), "cp932"),
    "euc_kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "x-user-defined": "cp1252",
    "iso-8859-8-i": "iso8859_8",
}


def decode_html(data: bytes) -> DecodedText:
    """Return a page's text by its byte order mark, its `meta` element, or its bytes."""
    found = _CHARSET.search(data[:_HEAD_BYTES]) or _XML_ENCODING.search(data[:_HEAD_BYTES])
    return decode_declared(data, found.group(1).decode("ascii") if found else "")


def decode_xml(data: bytes) -> DecodedText:
    """Return the text of XML by its byte order mark, its declaration, or its bytes."""
    found = _XML_ENCODING.search(data[:_HEAD_BYTES])
    return decode_declared(data, found.group(1).decode("ascii") if found else "")


def decode_declared(data: bytes, declared: str) -> DecodedText:
    """Return the text in the declared encoding if the bytes allow it, else detect.

    Args:
        data: The bytes.
        declared: The name that the author gave, or "".
    """
    encoding = _codec_of(declared)
    # A declaration that survives a conversion to UTF-8 or UTF-16 is the usual mistake.
    if not encoding or encoding_of_mark(data) or (is_utf_8(data) and not _is_stateful(encoding)):
        return decode_text(data)
    try:
        return DecodedText(data.decode(encoding), encoding)
    except (UnicodeDecodeError, LookupError):
        return decode_text(data)


def _codec_of(declared: str) -> str:
    if not declared:
        return ""
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return _ALIASES.get(declared.lower(), "")
    return _ALIASES.get(name, name) if name not in _NOT_TEXT else ""


_NOT_TEXT = frozenset({"base64", "hex", "quopri", "uu", "zlib", "bz2", "rot13", "punycode"})


def _is_stateful(encoding: str) -> bool:
    return encoding.startswith(("iso2022", "hz", "utf-7", "utf_7"))
