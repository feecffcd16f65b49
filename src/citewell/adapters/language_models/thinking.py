"""Take reasoning out of what a model writes."""

from __future__ import annotations

import re

from citewell.domain.errors import LanguageModelError

_TAG = re.compile(r"<(?P<close>/)?think(?:ing)?>|\[(?P<end>/)?THINK\]")
_TAGS = ("<think>", "</think>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]")

# DeepSeek-R1 and its distillates, QwQ, Qwen3-…-Thinking, Magistral: their chat templates open the
# reasoning in the prompt, so that a server which does not separate it begins inside.
_REASONS_BY_NAME = re.compile(r"(?<![a-z])(r1|qwq|think|thinking|reason\w*|magistral)(?![a-z0-9])")


def may_begin_inside(model: str) -> bool:
    """Return whether the name is of a model whose replies may lack the opening tag."""
    return _REASONS_BY_NAME.search(model.lower()) is not None


class ThinkingFilter:
    """Lets through what is not reasoning, as it comes.

    Attributes:
        began_inside: Whether a closing tag came without an opening one: all before it was
            reasoning.
    """

    def __init__(self, *, hold: bool) -> None:
        """Begin a reply.

        Args:
            hold: Keep everything back until a closing tag or the end, because the reply may begin
                inside the reasoning.
        """
        self.began_inside = False
        self._hold = hold
        self._held: list[str] = []
        self._inside = False
        self._pending = ""
        self._has_shown = False

    def feed(self, text: str) -> str:
        """Return what of the reply can be shown now.

        Raises:
            LanguageModelError: What was shown turns out to have been reasoning.
        """
        self._pending += text
        while tag := _TAG.search(self._pending):
            before, self._pending = self._pending[: tag.start()], self._pending[tag.end() :]
            closes = bool(tag["close"] or tag["end"])
            if not self._inside and not closes:
                self._held.append(before)
            if not self._inside and closes:
                self._forget_all_before()
            self._hold = self._hold and not closes
            self._inside = not closes
        n_kept = _length_of_begun_tag(self._pending)
        whole = self._pending[: len(self._pending) - n_kept]
        self._pending = self._pending[len(whole) :]
        if not self._inside:
            self._held.append(whole)
        return "" if self._hold else self._show()

    def release(self) -> None:
        """Hold nothing back any longer: the server sends reasoning apart."""
        self._hold = False

    def finish(self) -> str:
        """Return what is left to show at the end of the reply."""
        if not self._inside:
            self._held.append(self._pending)
        return self._show()

    def _show(self) -> str:
        text = "".join(self._held)
        self._held.clear()
        if not self._has_shown:
            text = text.lstrip()
        self._has_shown = self._has_shown or bool(text)
        return text

    def _forget_all_before(self) -> None:
        self.began_inside = True
        self._held.clear()
        if self._has_shown:
            raise LanguageModelError(
                "the model's reply began inside its reasoning, which its server should send apart; "
                "it is held back from now on"
            )


def _length_of_begun_tag(text: str) -> int:
    """Return the length of the longest end of `text` that may go on as a tag."""
    lengths = range(min(len(text), max(map(len, _TAGS)) - 1), 0, -1)
    return next((n for n in lengths if any(tag.startswith(text[-n:]) for tag in _TAGS)), 0)
