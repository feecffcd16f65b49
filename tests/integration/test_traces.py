"""A question and a sync are each one trace, as a real receiver gets it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citewell.bootstrap import Citewell, open_citewell
from citewell.domain.ask_request import AskRequest
from citewell.domain.clearance import Clearance
from citewell.domain.source import Source
from citewell.ingestion.ingest_document import Outcome
from citewell.ingestion.watch_sources import WatchObservers
from citewell.live import watch_of
from citewell.settings import Settings
from citewell.testing.memory_source import PlainConverter
from citewell.testing.scripted_model import ScriptedModel
from citewell.wire_answers import make_answering
from otlp_receiver import OtlpReceiver, attributes_of, receiving

DOCUMENT = "Zanzibar exports of Atlas CRM are limited to 500 rows for every person who asks."
QUESTION = "How many rows may Zanzibar exports of Atlas CRM have?"
CANARIES = ("Zanzibar", "500 rows", "secret-key", "notes.md", "library-name")
READER = Clearance(("employee",))


class Silent:
    """An observer that looks away."""

    def scanned(self, source: Source, *, n_to_read: int) -> None: ...

    def done(self, outcome: Outcome) -> None: ...


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with receiving() as receiver:
        yield receiver


@contextmanager
def opened(home: Path, receiver: OtlpReceiver) -> Iterator[Citewell]:
    (home / "documents").mkdir(exist_ok=True)
    (home / "documents" / "notes.md").write_text(DOCUMENT, encoding="utf-8")
    settings = Settings(
        data_dir=home / "data",
        embedding_provider="fake",
        min_free_disk_mib=0,
        otel_exporter_otlp_endpoint=receiver.url,
        otel_exporter_otlp_headers="X-Key = secret-key",
    )
    with open_citewell(settings) as parts:
        vars(parts)["converter"] = PlainConverter()  # the sandbox takes seconds to start
        yield parts


def sync(parts: Citewell, home: Path) -> None:
    folder = str(home / "documents")
    source = parts.catalog.sources.register(
        Source("s1", "library-name", "folder", folder, tier="employee")
    )
    parts.sync.sync_source(source, parts.connector(source), observer=Silent())
    assert parts.vector_filling is not None
    parts.vector_filling.fill_vectors(progress=lambda _: None)


def only_questions(receiver: OtlpReceiver) -> list[str]:
    return sorted({path for path in receiver.paths() if path.startswith("question")})


def assert_says_no_text(receiver: OtlpReceiver) -> None:
    assert receiver.bodies
    for body in receiver.bodies:
        for canary in CANARIES:
            assert canary.encode() not in body


def test_sync_with_its_vectors_is_one_trace(tmp_path: Path, receiver: OtlpReceiver) -> None:
    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
    assert receiver.paths() == [
        "sync",
        "sync/chunk",
        "sync/convert",
        "sync/hide",
        "sync/index",
        "sync/ingest",
        "sync/scan",
        "sync/vectors",
    ]
    assert len(receiver.traces()) == 1
    (root,) = [span for span in receiver.spans() if span.name == "sync"]
    told = attributes_of(root)
    assert (told["citewell.source_id"], told["citewell.trigger"]) == ("s1", "manual")
    assert (told["citewell.added"], told["citewell.failed"]) == (1, 0)
    (vectors,) = [span for span in receiver.spans() if span.name == "vectors"]
    assert attributes_of(vectors) == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.request.model": "fake-lexical-v1",
        "citewell.passages": 1,
    }
    assert_says_no_text(receiver)
    assert receiver.headers["x-key"] == "secret-key"


def test_parts_of_a_sync_lie_within_it(tmp_path: Path, receiver: OtlpReceiver) -> None:
    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
    spans = {span.name: span for span in receiver.spans()}
    root = spans["sync"]
    for name in ("scan", "hide", "convert", "ingest", "chunk", "index"):
        begun, ended = spans[name].start_time_unix_nano, spans[name].end_time_unix_nano
        slack = 1_000_000  # clocks of spans that are told later differ by microseconds
        assert root.start_time_unix_nano - slack <= begun <= ended
        assert ended <= root.end_time_unix_nano + slack


def test_sync_that_fails_says_which_kind_of_error(tmp_path: Path, receiver: OtlpReceiver) -> None:
    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
        (tmp_path / "documents" / "notes.md").unlink()
        with pytest.raises(Exception, match="empty"):
            sync(parts, tmp_path)
    failed = [span for span in receiver.spans() if "error.type" in attributes_of(span)]
    assert [(s.name, attributes_of(s)["error.type"]) for s in failed] == [("sync", "source_empty")]


def test_run_of_a_watched_source_is_one_trace_and_an_idle_look_none(
    tmp_path: Path, receiver: OtlpReceiver
) -> None:
    with opened(tmp_path, receiver) as parts:
        folder = str(tmp_path / "documents")
        source = parts.catalog.sources.register(
            Source("s1", "library-name", "folder", folder, tier="employee")
        )
        runs: list[str] = []

        def ended(run: object) -> None:
            runs.append("run")
            watching.stop()

        observers = WatchObservers(sync=Silent(), ended=ended, trouble=runs.append)
        watching = watch_of(parts, observers, vectors=False)
        watching.watch_sources([source])
    assert runs == ["run"]
    assert receiver.paths().count("sync") == 1
    assert {"sync/scan", "sync/convert", "sync/index"} <= set(receiver.paths())
    assert len(receiver.traces()) == 1


def test_quoted_answer_is_one_trace(tmp_path: Path, receiver: OtlpReceiver) -> None:
    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
        answer = asyncio.run(parts.answering.answer_question(AskRequest(QUESTION), READER))
        assert answer.mode == "rag"
    assert only_questions(receiver) == [
        "question",
        "question/check",
        "question/plan",
        "question/quote",
        "question/rewrite",
        "question/screen",
        "question/search",
        "question/search/dense leg",
        "question/search/embed question",
        "question/search/lexical leg",
        "question/search/visible",
    ]
    (root,) = [span for span in receiver.spans() if span.name == "question"]
    told = attributes_of(root)
    assert (told["citewell.mode"], told["citewell.citations"]) == ("rag", len(answer.citations))
    assert len({s.trace_id for s in receiver.spans() if s.trace_id == root.trace_id}) == 1
    assert len(receiver.traces()) == 2
    assert_says_no_text(receiver)


def test_model_calls_are_told_with_their_tokens(tmp_path: Path, receiver: OtlpReceiver) -> None:
    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
        answering = make_answering(
            parts.settings,
            search=parts.search,
            reader=parts.catalog.passages,
            embedder=parts.embedder.uncached,
            model=ScriptedModel(lambda _: f"{DOCUMENT} [1]"),
            tracer=parts.tracer,
        )
        asyncio.run(answering.answer_question(AskRequest(QUESTION), READER))
    calls = [span for span in receiver.spans() if span.name.startswith("chat ")]
    assert calls
    told = attributes_of(calls[-1])
    assert told["gen_ai.operation.name"] == "chat"
    assert calls[-1].name == f"chat {told['gen_ai.request.model']}"
    assert told["gen_ai.usage.input_tokens"] > 0  # type: ignore[operator]
    assert_says_no_text(receiver)


def test_answer_that_nobody_waits_for_ends_its_trace(
    tmp_path: Path, receiver: OtlpReceiver
) -> None:
    async def leave(parts: Citewell) -> None:
        events = parts.answering.stream_answer(AskRequest(QUESTION), READER)
        await anext(events)
        await events.aclose()

    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
        asyncio.run(leave(parts))
    (root,) = [span for span in receiver.spans() if span.name == "question"]
    assert attributes_of(root)["error.type"] == "cancelled"


def test_receiver_that_is_gone_disturbs_nobody(tmp_path: Path) -> None:
    with receiving() as receiver:
        pass
    with opened(tmp_path, receiver) as parts:
        sync(parts, tmp_path)
        answer = asyncio.run(parts.answering.answer_question(AskRequest(QUESTION), READER))
    assert answer.mode == "rag"


def test_without_an_endpoint_nothing_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from citewell.bootstrap import open_citewell;"
        "from citewell.settings import Settings\n"
        f"with open_citewell(Settings(data_dir=Path({str(tmp_path)!r}))) as parts: parts.tracer\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ended.stdout == b"[]\n"
