"""Questions with what is expected of their answers."""

from pathlib import Path

import pytest

from citewell.domain.errors import UsageError
from citewell.evaluation.questions import Question, load_questions
from citewell.evaluation.samples import questions_path


class TestFiles:
    def test_questions_about_the_samples_are_valid(self) -> None:
        questions = load_questions(questions_path())
        assert len({question.id for question in questions}) == len(questions)
        assert {"rag", "no_answer"} <= {question.expected_mode for question in questions}
        answerable = [question for question in questions if question.expected_mode == "rag"]
        assert [question.id for question in answerable if not question.expected_sources] == []

    def test_entries_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "q.yaml"
        path.write_text(
            "- id: a\n  lang: zh\n  question: 谁?\n  expected_mode: no_answer\n  tags: [key]\n",
            encoding="utf-8",
        )
        assert load_questions(path) == [Question("a", "zh", "谁?", "no_answer", tags=("key",))]

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"- id: [", "cannot be read"),
            (b"\xff\xfe", "cannot be read"),
            (b"", "is not valid"),
            (b"- id: a\n  question: Who?\n", "is not valid"),
            (b"- {id: a, lang: en, question: Who, expected_mode: rga}", "is not valid"),
        ],
    )
    def test_file_that_is_not_valid_is_named(
        self, tmp_path: Path, content: bytes, said: str
    ) -> None:
        path = tmp_path / "q.yaml"
        path.write_bytes(content)
        with pytest.raises(UsageError, match=rf"q\.yaml {said}"):
            load_questions(path)

    def test_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"no\.yaml cannot be read"):
            load_questions(tmp_path / "no.yaml")
