"""Find what a renderer, a mail program or a terminal would make a link or an image of."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Literal

# Hosts that chat programs link without a scheme end like this; those that are words or endings of
# files only if a path follows.
_TOP_LEVEL = (
    "com|net|org|edu|gov|mil|info|biz|io|ai|app|dev|xyz|icu|eu|de|uk|fr|nl|pl|ru|ua|cn|tw|hk|jp|kr|tr|br"
    "|au|ch|cz|gr|onion|example|invalid"
)
_TOP_LEVEL_WITH_PATH = (
    "int|site|online|shop|cloud|tech|link|click|top|co|me|tv|cc|ly|gg|to|es|it|in|us|ca|at|se|no|fi|dk|ir"
    "|il|sa|ae|id|vn|th|be|is|so|test|localhost|local|internal|page|space|live|store|world|today|zip|mov|[a-z]{2}"
)
_END = "[^\\s\\\\<>{}\"'`\u2018\u2019\u201c\u201d\u300d\u3002\uff0c\uff1b]"
URL = re.compile(
    rf"(?:(?<![a-z0-9])(?:https?|ftps?|wss?|file|smb|ldap|ssh|git|tel|sms|blob|chrome|vscode|slack|ms-[a-z]+)"
    rf"[ \t]{{0,3}}:[ \t]{{0,3}}[/\\]{{1,3}}[ \t]{{0,2}}{_END}+"
    rf"|(?<![a-z0-9])(?:javascript|vbscript|data|mailto|blob|filesystem)[ \t]{{0,3}}:(?=\S){_END}+"
    rf"|(?<![a-z0-9@])(?:[/\\]{{2}}|www\.)(?=[\w\[]){_END}+"
    rf"|(?<![a-z0-9@])(?:[a-z0-9\u00a1-\uffff](?:[a-z0-9\u00a1-\uffff-]{{0,62}})\.){{1,8}}"
    rf"(?:(?:{_TOP_LEVEL}|xn--[a-z0-9-]{{2,59}})(?![a-z0-9@-])(?:[:/?#]{_END}*)?"
    rf"|(?:{_TOP_LEVEL_WITH_PATH})(?=[/?#]){_END}+)"
    rf"|(?<![a-z0-9.])[\w.+-]{{1,64}}@[a-z0-9-]{{1,63}}(?:\.[a-z0-9-]{{1,63}}){{1,8}}"
    rf"|(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?:[:/]{_END}+))",
    re.IGNORECASE,
)
_IMAGE = re.compile(
    r"!\s?\[[^\]\n]{0,500}\]\s?[(\[]|!\[\[|\\includegraphics|\[img[\]=]|<(?:img|image|picture|svg)\b",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\]\s?\(\s?<?\s?\S|\]\s?\[[^\]\n]{1,100}\]|^\s{0,3}\[[^\]\n]{1,100}\]:\s?\S|\\(?:href|url)\s?\{|\[url[\]=]",
    re.IGNORECASE | re.MULTILINE,
)
_ELEMENTS = (
    "a|abbr|address|applet|area|article|aside|audio|b|base|bdi|bdo|blink|blockquote|body|br|button|canvas|center"
    "|cite|code|col|colgroup|dd|del|details|dialog|dir|div|dl|dt|em|embed|fieldset|figure|font|footer|form|frame"
    "|frameset|h[1-6]|head|header|hr|html|i|iframe|img|image|input|ins|kbd|keygen|label|legend|li|link|main|map|mark"
    "|marquee|math|menu|meta|meter|nav|noscript|object|ol|optgroup|option|output|p|param|picture|plaintext|portal|pre"
    "|progress|q|s|samp|script|section|select|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table"
    "|tbody|td|template|textarea|tfoot|th|thead|title|tr|track|tt|u|ul|var|video|wbr|xml|xmp"
)
TAG = re.compile(
    rf"<(?=/?(?:{_ELEMENTS})(?:[\s/>]|$)|[!?]|/?[a-z][^<>\n]{{0,300}}=)", re.IGNORECASE
)
_MAX_READINGS = 5
_TRAILING = ".,;:!?)]}*_~'\""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    Attributes:
        kind: What a renderer makes of it; `syntax` is what makes a link of any target.
        text: The URL without punctuation behind it, or the sign that begins the rest.
    """

    kind: Literal["image", "link", "markup", "syntax"]
    text: str


def find_links(text: str) -> list[Found]:
    """Return images, links, URLs and HTML in `text`, also where entities or escapes hide them."""
    found: list[Found] = []
    for reading in readings(text):
        found += [Found("image", match.group()) for match in _IMAGE.finditer(reading)]
        found += [Found("markup", reading[m.start() :][:40]) for m in TAG.finditer(reading)]
        found += [Found("link", bare_url(match.group())) for match in URL.finditer(reading)]
        found += [Found("syntax", match.group()) for match in _LINK.finditer(reading)]
    return list(dict.fromkeys(found))


def bare_url(url: str) -> str:
    """Return a URL without the punctuation that ends a sentence behind it."""
    return url.rstrip(_TRAILING)


def readings(text: str) -> list[str]:
    """Return the text, and as renderers may read it: entities and escapes resolved."""
    found = [text]
    while len(found) <= _MAX_READINGS:
        resolved = _ESCAPED.sub(r"\1", html.unescape(found[-1]))
        if resolved == found[-1]:
            break
        found.append(resolved)
    return found
