from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from citewell.adapters.caches.sqlite_embedding_cache import SqliteEmbeddingCache
from citewell.adapters.embedders.cached import CachedEmbedder
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.embedders.ollama import OllamaEmbedder
from citewell.adapters.embedders.remote import RemoteOptions
from citewell.adapters.embedders.warmup import WarmupReport, warm_up
from citewell.domain.errors import EmbedderError
from citewell.ports.embedder import EmbeddingModel
from citewell.testing.embedding_server import EmbeddingServer
from citewell.testing.scripted_embedder import ScriptedEmbedder


class EmbedderWithFiles(ScriptedEmbedder):
    def __init__(self, files: tuple[Path, ...]) -> None:
        super().__init__(dim=4)
        self.model_files = files


def test_a_model_on_this_machine_is_reported_with_folder_and_size(tmp_path: Path) -> None:
    files = (tmp_path / "weights.bin", tmp_path / "vocabulary.bin")
    for file in files:
        file.write_bytes(b"x" * 1000)
    ticks = count(step=5)
    report = warm_up(EmbedderWithFiles(files), clock=lambda: float(next(ticks)))
    assert report == WarmupReport(
        model=EmbeddingModel("scripted", "scripted", 4, 512),
        first_question_s=5.0,
        next_question_s=5.0,
        model_folder=tmp_path,
        model_bytes=2000,
        before_going_offline="Nothing: the model is part of the installed package.",
    )


def test_a_cache_in_front_is_passed_over(tmp_path: Path) -> None:
    scripted = ScriptedEmbedder()
    cached = CachedEmbedder(scripted, SqliteEmbeddingCache(tmp_path / "cache.sqlite3"))
    warm_up(cached)
    assert scripted.questions == ["warm up", "warm up"]
    cached.close()


def test_ollama_is_told_which_model_to_pull() -> None:
    with EmbeddingServer(dim=4) as server:
        embedder = OllamaEmbedder(RemoteOptions("nomic-embed-text", server.url, dim=4))
        report = warm_up(embedder)
        embedder.close()
    assert "`ollama pull nomic-embed-text`" in report.before_going_offline
    assert (report.model_folder, report.model_bytes) == (None, 0)


def test_the_fake_needs_nothing() -> None:
    assert warm_up(FakeLexicalEmbedder()).before_going_offline == "Nothing: there is no model."


def test_a_failure_is_not_hidden() -> None:
    def fail(texts: Sequence[str]) -> None:
        raise EmbedderError("down")

    scripted = ScriptedEmbedder()
    scripted.before = fail
    with pytest.raises(EmbedderError, match="down"):
        warm_up(scripted)


def test_a_zero_vector_is_not_taken_for_an_answer() -> None:
    with pytest.raises(EmbedderError, match="no usable vector"):
        warm_up(ScriptedEmbedder({"warm up": [0, 0]}, dim=2))
