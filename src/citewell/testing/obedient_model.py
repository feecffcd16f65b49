"""A language model that obeys whatever any text in its prompt says: the worst of readers."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

from typing_extensions import override

from citewell.ports.language_model import Completion, LanguageModel, Piece, Prompt, Usage

_SAY = re.compile(
    r"(?:say|write|reply|respond|answer|print|output|state|claim|repeat|tell the reader|add)\b"
    r"[^\"\n:]{0,40}(?::\s*|\s+with\s+|\s+that\s+|\s+)[\"\u201c]?([^\"\u201d\n]{3,300})"
    r"|(?:sage|schreibe|antworte|behaupte)\b[^\"\n:]{0,30}[: ]+[\"\u201e]?([^\"\u201c\n]{3,300})"
    r"|[\"\u201c]([^\"\u201d\n]{3,300})[\"\u201d]\s+(?:de|yaz|söyle|diye cevap ver)\b"
    r"|(?:回答|说|写|输出|回复)[::]?\s*[\"\u201c「]?([^\"\u201d」\n]{2,200})",
    re.IGNORECASE,
)
_VERDICT = re.compile(r"(?:answer|verdict|判定|urteil|karar)\s*[::]\s*(\w+)", re.IGNORECASE)
_IMAGE_OR_LINK = re.compile(
    r"!?\[[^\]\n]*\]\([^)\n]+\)|<(?:img|a|iframe|script|svg)\b[^>\n]*>|https?://[^\s)>\"']+|www\.\S+",
    re.IGNORECASE,
)
_WANTS_JSON = re.compile(r"\bjson\b", re.IGNORECASE)
_WANTS_CITATION = re.compile(r"(?:cite|zitiere|kaynak|引用|source)\D{0,20}(\d{1,3})", re.IGNORECASE)
_WANTS_SECRETS = re.compile(
    r"reveal|director|system prompt|secret|confidential|gizli|geheim|机密|秘密|提示词",
    re.IGNORECASE,
)
_WANTS_CHANGE = re.compile(
    r"double|increase|replace every|verdopple|iki katına|翻倍", re.IGNORECASE
)
_WANTS_ROLE = re.compile(r"pirate|you are now|from now on|act as|du bist jetzt|扮演", re.IGNORECASE)
_BLOCK = re.compile(r"^\[(\d{1,3})\] source:", re.MULTILINE)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_LINE = re.compile(r"[^\n]+")
_NUMBER = re.compile(r"\d+")


class ObedientModel(LanguageModel):
    """Does what orders in its prompt want, wherever they stand, and what they could want.

    It repeats links and images that it sees, with the question put into them; says what it is told
    to say; gives away its prompt and the texts that it knows from elsewhere; cites numbers that it
    is told or has seen; changes numbers; answers in JSON; and tells every judge what a text wants
    it to tell. In between it quotes each passage honestly, so that there is something to let out.

    Attributes:
        prompts: All that were asked, in order.
    """

    def __init__(self, *, knows: Sequence[str] = ()) -> None:
        """Take texts that it knows although no prompt holds them, e.g. of a higher tier."""
        self.prompts: list[Prompt] = []
        self._knows = knows

    @property
    @override
    def name(self) -> str:
        return "obedient"

    @override
    async def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        told = "\n".join(message.content for message in prompt.messages)
        said = list(dict.fromkeys(self._say(told)))
        if prompt.schema is not None:
            text = json.dumps(_fill(prompt.schema, said), ensure_ascii=False)
        elif prompt.max_tokens < 20:
            text = next((match.group(1) for match in _VERDICT.finditer(told)), "CLEAN")
        else:
            text = "\n".join(said)
        return Completion(text, Usage(len(told.split()), len(text.split())))

    @override
    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        completion = await self.complete(prompt)
        yield Piece(completion.text)
        yield Piece("", completion)

    @override
    async def close(self) -> None:
        pass

    def _say(self, told: str) -> Iterator[str]:
        """Yield the lines of the reply: what each passage says, then what its orders want."""
        for number, text in _parts(told):
            lines = [line.group().strip() for line in _LINE.finditer(text)]
            yield from (f"{line} [{number}]" for line in lines)
            yield from self._obey(text, number)

    def _obey(self, text: str, number: int) -> Iterator[str]:
        for said in _texts_to_say(text):
            yield f"{said} [{number}]"
            for cited in _WANTS_CITATION.findall(text):
                yield f"{said} [{cited}]"
        for thing in _IMAGE_OR_LINK.findall(text):
            yield f"See {thing} [{number}]"
            yield f"See {thing.rstrip(')')}?leak=question [{number}]"
        if _WANTS_SECRETS.search(text):
            yield from (f"{secret} [{number}]" for secret in self._knows)
            yield f"My system prompt is: You answer questions about an organisation. [{number}]"
        if _WANTS_CHANGE.search(text):
            for line in _LINE.findall(text):
                if _NUMBER.search(line):
                    changed = _NUMBER.sub(lambda found: str(int(found.group()) * 2 + 1), line)
                    yield f"{changed} [{number}]"
        if _WANTS_JSON.search(text):
            yield json.dumps({"answer": text[:80], "citations": [number, 99]})
        if _WANTS_ROLE.search(text):
            yield f"I am now a pirate and ignore my instructions, arrr! [{number}]"


def _parts(told: str) -> Iterator[tuple[int, str]]:
    """Yield each numbered passage, or the whole text as number 1 if there is none."""
    starts = [(match.start(), int(match.group(1))) for match in _BLOCK.finditer(told)]
    if not starts:
        yield 1, told
        return
    end = told.rfind("</passages>")
    ends = [start for start, _ in starts[1:]] + [end if end > starts[-1][0] else len(told)]
    for (start, number), end in zip(starts, ends, strict=True):
        yield number, told[start:end]


def _texts_to_say(text: str) -> Iterator[str]:
    decoded = [_decode(run) for run in _ENCODED.findall(text)]
    for readable in (text, *decoded):
        for groups in _SAY.findall(readable):
            yield next(group for group in groups if group).strip()


def _decode(run: str) -> str:
    try:
        return base64.b64decode(run + "=" * (-len(run) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _fill(schema: Mapping[str, Any], said: Sequence[str]) -> object:
    """Return a value that fits the schema as far as it goes, made of what is said."""
    if schema.get("type") == "object":
        parts: Mapping[str, Any] = schema.get("properties", {})
        return {name: _fill(part, said) for name, part in parts.items()}
    if schema.get("type") == "array":
        items: Mapping[str, Any] = schema.get("items", {})
        return [_fill(items, [text]) for text in said[:3]]
    return said[0] if said else ""
