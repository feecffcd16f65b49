"""Reading a model's reply into sentences with the numbers that they cite, while it is written."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell.answering.quoting.sentences import sentence_spans
from citewell.answering.verification.claim_parts import strip_lead

_MARKER = re.compile(
    r"\s?(?:[\[【](?:passages?\s*)?\d{1,3}(?:\s*[,，、;–-]\s*\d{1,3})*[\]】]"
    r"|\(passages?\s*\d{1,3}(?:\s*(?:,|and|&)\s*\d{1,3})*\))",
    re.IGNORECASE,
)
_OPEN_MARKER = re.compile(r"[\[【(][^\]】)\n]{0,40}\Z")
_ITEM_MARK = re.compile(r"\A\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_HEADING_MARK = re.compile(r"\A\s{0,3}#{1,6}\s+")
_LABEL = re.compile(
    r"\A\s*\**(?:answer|response|antwort|cevap|yanıt|ответ|答案|回答|答)\**\s*[:：]\s*\**",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ONLY_MARKS = re.compile(r"[\W_]*\Z")
_STRUCTURED = re.compile(r"\s*(?:\{|```|\[\s*\{)")
_MAX_RANGE = 10


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence as a model wrote it, not yet checked.

    Attributes:
        text: Without markers, emphasis and marks of lists.
        cited: Numbers in its markers, in order, each once; they may name no passage.
    """

    text: str
    cited: tuple[int, ...]


class DraftReader:
    """Cuts a growing reply into sentences; each is given out once it cannot change any more.

    A sentence ends with a line, or where the next sentence has begun: what follows an end mark may
    still be a marker that belongs to the sentence before.
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._text = ""
        self._is_first = True

    @property
    def is_structured(self) -> bool:
        """Whether the reply began as JSON or code, which is read as a whole only."""
        return self._is_first and bool(_STRUCTURED.match(self._text))

    def feed(self, text: str) -> list[Draft]:
        """Take the next part of the reply and return the sentences that are complete now."""
        self._text += text
        if self.is_structured or _OPEN_MARKER.search(self._text):
            return []
        complete, self._text = _split_complete(self._text)
        return self._read(complete)

    def finish(self) -> list[Draft]:
        """Return the sentences that are left when the reply has ended."""
        rest, self._text = self._text, ""
        return self._read(rest)

    def rest(self) -> str:
        """Take what was not given out yet, as it was written."""
        rest, self._text = self._text, ""
        return rest

    def _read(self, text: str) -> list[Draft]:
        drafts: list[Draft] = []
        for line in text.split("\n"):
            shown = _HEADING_MARK.sub("", line, count=1)
            shown = _ITEM_MARK.sub("", shown, count=1)
            if self._is_first:
                shown = _LABEL.sub("", shown, count=1)
            found = list(_line_drafts(shown))
            self._is_first = self._is_first and not found
            drafts += found
        return drafts


def read_drafts(text: str) -> list[Draft]:
    """Return the sentences of a whole reply."""
    reader = DraftReader()
    return [*reader.feed(text), *reader.finish()]


def cited_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers in the markers of a text, in order, each once; `[2-4]` names three."""
    numbers: list[int] = []
    for marker in _MARKER.finditer(text):
        for first, last in re.findall(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?", marker[0]):
            low, high = int(first), int(last or first)
            numbers += range(low, min(high, low + _MAX_RANGE) + 1)
    return tuple(dict.fromkeys(numbers))


def without_markers(text: str) -> str:
    """Return a text without markers and emphasis, white space folded."""
    plain = _EMPHASIS.sub(r"\2", _MARKER.sub("", text))
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(plain.split()))


def _without_opening(sentence: str) -> str:
    """Return a sentence without "according to the passages": its citation says it."""
    rest = strip_lead(sentence)
    return sentence if rest == sentence else rest[:1].upper() + rest[1:]


def _split_complete(text: str) -> tuple[str, str]:
    """Return the part that is complete, and the sentence that may still grow."""
    line_end = text.rfind("\n") + 1
    line = text[line_end:]
    spans = _sentences_with_markers(line)
    if len(spans) < 2:
        return text[:line_end], line
    last = spans[-1][0]
    return text[:line_end] + line[:last], line[last:]


def _line_drafts(line: str) -> Iterator[Draft]:
    for start, end in _sentences_with_markers(line):
        written = line[start:end]
        text = _without_opening(without_markers(written))
        if not _ONLY_MARKS.match(text):
            yield Draft(text, cited_numbers(written))


def _sentences_with_markers(line: str) -> list[tuple[int, int]]:
    """Return where the sentences stand, each with its markers.

    Markers belong to the sentence before them, or, in a line that begins with one, to that after.
    """
    masked = _MARKER.sub(lambda match: " " * len(match[0]), line)
    starts = [start for start, _ in sentence_spans(masked)]
    if not starts:
        return []
    if _MARKER.match(line.lstrip()):
        starts = [_before_markers(line, start) for start in starts]
    starts[0] = 0
    return list(itertools.pairwise([*starts, len(line)]))


def _before_markers(line: str, start: int) -> int:
    """Return where the markers begin that stand directly before a sentence."""
    for marker in reversed(list(_MARKER.finditer(line, 0, start))):
        if line[marker.end() : start].strip():
            break
        start = marker.start()
    return start
