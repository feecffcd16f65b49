from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import override

from citewell.domain.errors import ConfigurationError
from citewell.evaluation.calibrate import Calibration, CalibrationOptions, calibrate_gate
from citewell.evaluation.datasets import SquadArticle, SquadParagraph, SquadQuestion
from citewell.lexical.analyze import analyze
from citewell.ports.embedder import Embedder, EmbeddingModel, PassageText
from citewell.retrieval.assess import parse_gate

DIM = 64
TOPICS = ("bees", "ships", "clocks", "rivers", "trains", "stars", "bread", "chess")
ASPECTS = ("origin", "price", "colour", "danger", "history")
FEW = CalibrationOptions(joins=(1,), n_draws=2, n_questions=40, n_cross_questions=10)


class WordVectors(Embedder):
    """Adds up one fixed direction per term; counts what it is asked."""

    def __init__(self) -> None:
        self.n_embedded = 0

    @property
    @override
    def model(self) -> EmbeddingModel:
        return EmbeddingModel("test", "word-vectors", DIM, 512)

    @override
    def count_tokens(self, text: str) -> int:
        return len(text)

    @override
    def embed_passages(self, passages: Sequence[PassageText]) -> NDArray[np.float32]:
        return np.stack([self._embed(passage.text) for passage in passages])

    @override
    def embed_query(self, question: str) -> NDArray[np.float32]:
        return self._embed(question)

    def _embed(self, text: str) -> NDArray[np.float32]:
        self.n_embedded += 1
        vector = np.zeros(DIM)
        for term_id, count in analyze(text).items():
            vector += count * np.random.default_rng(term_id).standard_normal(DIM)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def _articles(topics: Sequence[str], *, language: str = "") -> list[SquadArticle]:
    return [
        SquadArticle(
            topic,
            tuple(
                SquadParagraph(
                    f"{language}{topic} {language}{aspect} {language}{topic}{number}.",
                    (
                        SquadQuestion(
                            f"{topic}-{aspect}",
                            f"{language}{aspect} {language}{topic} {language}{topic}{number}?",
                            ("yes",),
                        ),
                        SquadQuestion(f"{topic}-{aspect}-none", "unanswerable?", ()),
                    ),
                )
                for number, aspect in enumerate(ASPECTS)
            ),
        )
        for topic in topics
    ]


def _calibrate(embedder: Embedder, **sets: list[SquadArticle]) -> Calibration:
    return calibrate_gate(sets, embedder, options=FEW)


def test_gate_tells_present_paragraphs_from_absent_topics():
    report = _calibrate(WordVectors(), en=_articles(TOPICS)).report
    line = next(row for row in report.splitlines() if row.startswith("| en | en | 40 |"))
    _, _, _, _, false, refused, near, trials, _ = (cell.strip() for cell in line.split("|"))
    assert float(false) <= 10
    assert float(refused) <= 10
    assert float(near) <= 100
    assert trials == "100"


def test_file_of_the_gate_can_be_read():
    calibration = _calibrate(WordVectors(), en=_articles(TOPICS))
    gate = parse_gate(json.loads(calibration.gate_json))
    assert gate.embedder == "test/word-vectors/64"
    assert gate.foreign is None


def test_the_same_sets_give_the_same_gate():
    first = _calibrate(WordVectors(), en=_articles(TOPICS))
    assert _calibrate(WordVectors(), en=_articles(TOPICS)) == first


def test_translations_are_asked_of_each_other():
    sets = {"en": _articles(TOPICS), "xx": _articles(TOPICS, language="ж")}
    report = _calibrate(WordVectors(), **sets).report
    rows = {tuple(row.split(" | ")[:2]) for row in report.splitlines() if row.startswith("| en")}
    assert rows == {("| en", "en"), ("| en", "mixed"), ("| en", "xx")}


def test_sets_with_other_questions_are_not_mixed():
    sets = {"en": _articles(TOPICS[:4]), "other": _articles(TOPICS[4:])}
    assert "mixed" not in _calibrate(WordVectors(), **sets).report


def test_second_run_embeds_nothing():
    embedder = WordVectors()
    cache: dict[str, NDArray[np.float32]] = {}
    calibrate_gate({"en": _articles(TOPICS)}, embedder, cache=cache, options=FEW)
    n_embedded = embedder.n_embedded
    calibrate_gate({"en": _articles(TOPICS)}, embedder, cache=cache, options=FEW)
    assert embedder.n_embedded == n_embedded


def test_one_article_is_too_little():
    with pytest.raises(ConfigurationError, match="too small"):
        _calibrate(WordVectors(), en=_articles(TOPICS[:1]))
