"""Replies that came as JSON although prose was asked for."""

import pytest

from citewell.answering.reading.read_drafts import Draft
from citewell.answering.reading.structured_reply import drafts_of_structured_reply

OPENS = Draft("It opens at nine.", (2,))


@pytest.mark.parametrize(
    ("reply", "drafts"),
    [
        ('{"answer": "It opens at nine. [2]"}', [OPENS]),
        ('```json\n{"response": {"text": "It opens at nine.", "passage": 2}}\n```', [OPENS]),
        ('{"sentences": [{"text": "It opens at nine.", "citations": [2]}, "Bye."]}',
         [OPENS, Draft("Bye.", ())]),
        ('{"answers": ["It opens at nine [2].', [OPENS]),
        ('{"verdict": "CLEAN", "secret": "It opens at nine. [2]"}', []),
        ("[1, 2]", []),
        ("{", []),
    ],
)  # fmt: skip
def test_sentences_are_taken_from_where_an_answer_stands(reply: str, drafts: list[Draft]) -> None:
    assert drafts_of_structured_reply(reply) == drafts


def test_deep_nesting_gives_nothing_and_does_not_fail() -> None:
    assert drafts_of_structured_reply('{"answer": ' * 5_000 + '"x"') == []
