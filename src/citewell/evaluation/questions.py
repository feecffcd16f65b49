"""Questions with what is expected of their answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citewell.domain.errors import UsageError


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a `questions.yaml`.

    Attributes:
        id: Unique in the file.
        lang: Language of the question.
        question: As asked.
        expected_mode: Of the reply.
        expected_sources: Relative paths; citing one of them is right.
        expected_headings: Citing a passage under one of them is right.
        expected_pages: The same for pages.
        answer_facts: Texts that must all occur in the answer.
        answers: Right answers, any of which must occur; as in SQuAD.
        as_tier: Who asks; None for the highest tier.
        corpus: Which source is asked; "" for all.
        tags: For reports.
    """

    id: str
    lang: str
    question: str
    expected_mode: Literal["rag", "no_answer", "refused"]
    expected_sources: tuple[str, ...] = ()
    expected_headings: tuple[str, ...] = ()
    expected_pages: tuple[int, ...] = ()
    answer_facts: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    as_tier: str | None = None
    corpus: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether the documents answer it."""
        return self.expected_mode == "rag"


def load_questions(path: Path) -> list[Question]:
    """Return the questions of a file.

    Raises:
        UsageError: It cannot be read or an entry is not valid; the message names it.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
        return TypeAdapter(list[Question]).validate_python(entries)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        raise UsageError(f"{path} is not valid: {error}") from error
