"""What an evaluation asks, and of which documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citewell.bootstrap import Access, Citewell
    from citewell.evaluation.questions import Question
    from citewell.evaluation.squad_questions import Sampling
    from citewell.settings import Settings

_CORPUS = "documents"
_SETTINGS = {"database_url": "", "sources_file": ""}
"""The corpus of a set has a catalog of its own, whatever the settings say."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Questions, and the data folder that they are asked of.

    Attributes:
        questions: In the order in which they are asked.
        sample: What was drawn, for the report, or None when nothing was.
        data_dir: The folder; None for that of the settings.
        env_file: As given.
        overrides: Settings that the documents need.
        documents: Folder of the documents of a set, which are ingested first, or None.
    """

    questions: Sequence[Question]
    sample: Mapping[str, Any] | None
    data_dir: Path | None
    env_file: Path | None
    overrides: Mapping[str, object]
    documents: Path | None = None

    def opened(self, access: Access, **overrides: object) -> AbstractContextManager[Citewell]:
        """Open the data folder; further settings replace those of the environment."""
        from citewell.cli.session import opened

        return opened(
            self.data_dir,
            self.env_file,
            access=access,
            overrides={**self.overrides, **overrides},
        )

    @property
    def settings(self) -> Settings:
        """What the options and the environment give."""
        from citewell.load_settings import load_settings

        given = {"data_dir": self.data_dir, **self.overrides}
        return load_settings(given, env_file=self.env_file)


def sources_subject(
    questions: Path | None,
    sampling: Sampling,
    *,
    limit: int | None,
    data_dir: Path | None,
    env_file: Path | None,
) -> Subject:
    """Return questions of a file, asked of the sources that are indexed.

    Raises:
        UsageError: The file is not valid, or halves are wanted, which only a set has.
    """
    from citewell.domain.errors import UsageError
    from citewell.evaluation.questions import load_questions
    from citewell.evaluation.samples import questions_path
    from citewell.evaluation.squad_questions import sample_questions

    if sampling.half != "all":
        raise UsageError("--half is for --squad: a questions file has no articles")
    path = questions or questions_path()
    every = load_questions(path)
    sampling = _limited(sampling, every, limit=limit)
    asked = sample_questions(every, sampling)
    sample = None if sampling.takes_all else _described(path.stem, sampling, asked)
    return Subject(asked, sample, data_dir, env_file, {})


def squad_subject(
    path: Path,
    sampling: Sampling,
    *,
    limit: int | None,
    data_dir: Path | None,
    env_file: Path | None,
) -> Subject:
    """Return questions of a set, asked of its paragraphs, and write these to their folder.

    Raises:
        UsageError: The file cannot be read or has another layout.
    """
    from citewell.evaluation.datasets import load_squad
    from citewell.evaluation.squad_corpus import corpus_key, write_documents
    from citewell.evaluation.squad_questions import (
        paragraph_documents,
        sample_questions,
        squad_questions,
    )

    articles = load_squad(path)
    every = squad_questions(articles, corpus=_CORPUS)
    sampling = _limited(sampling, every, limit=limit)
    asked = sample_questions(every, sampling)
    documents = paragraph_documents(articles)
    folder = (data_dir or _default_folder()).absolute() / corpus_key(documents)
    write_documents(documents, folder / _CORPUS)
    sample = _described(path.stem, sampling, asked) | {"documents": len(documents)}
    return Subject(asked, sample, folder / "data", env_file, _SETTINGS, folder / _CORPUS)


def _limited(sampling: Sampling, questions: Sequence[Question], *, limit: int | None) -> Sampling:
    """Return a sampling of at most `limit` questions, half of each kind that there is."""
    if limit is None:
        return sampling
    n_answerable = sum(q.is_answerable for q in questions)
    n_unanswerable = len(questions) - n_answerable
    wanted = min(n_answerable, max(limit - limit // 2, limit - n_unanswerable))
    return replace(
        sampling,
        n_answerable=_least(sampling.n_answerable, wanted),
        n_unanswerable=_least(sampling.n_unanswerable, limit - wanted),
    )


def _least(given: int | None, wanted: int) -> int:
    return wanted if given is None else min(given, wanted)


def _described(name: str, sampling: Sampling, asked: Sequence[Question]) -> dict[str, Any]:
    n_answerable = sum(question.is_answerable for question in asked)
    return {
        "set": name,
        "seed": sampling.seed,
        "half": sampling.half,
        "answerable": n_answerable,
        "unanswerable": len(asked) - n_answerable,
    }


def _default_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("citewell", appauthor=False) / "evaluation"
