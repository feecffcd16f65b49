"""Whatever happens to the data folder, the command line says what to do, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate, make_library

from citewell.adapters.catalogs.sqlite.catalog import SqliteCatalog
from citewell.adapters.catalogs.sqlite.connect import SCHEMA_REVISION
from citewell.adapters.data_folders.data_folder import DataFolder
from citewell.adapters.embedders.fake_lexical import FakeLexicalEmbedder
from citewell.adapters.indexes.edge.client import EdgeIndex
from citewell.cli.session import opened
from citewell.domain.document import ConvertedDocument
from citewell.domain.source import SourceItem
from citewell.ingestion.chunk import ChunkOptions
from citewell.ingestion.document_chunker import DocumentChunker
from citewell.ingestion.prepare import Origin, prepare_version
from citewell.lexical.analyze import ANALYZER_VERSION
from citewell.testing.embedding_server import EmbeddingServer

OTHER_MODEL = {
    "EMBEDDING_PROVIDER": "openai-compatible",
    "EMBEDDING_BASE_URL": "http://127.0.0.1:9/v1",
    "EMBEDDING_MODEL": "another",
    "EMBEDDING_DIM": "8",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        yield make_library(home)


@pytest.fixture
def library(template: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Return a library of its own, which a test may damage."""
    isolate(monkeypatch, tmp_path)
    return template.copy_to(tmp_path)


def remove(data: Path, name: str) -> None:
    """Remove an SQLite file with its log."""
    for file in data.glob(f"{name}*"):
        file.unlink()


class TestHeldByAnotherProcess:
    @pytest.mark.parametrize(
        "arguments",
        [["search", "x"], ["sync"], ["ingest", "."], ["db", "init"], ["sources", "remove", "x"]],
        ids=lambda arguments: arguments[0],
    )
    def test_who_holds_it_is_named(self, library: CommandLine, arguments: list[str]) -> None:
        holder = DataFolder(library.data, command="rag watch")
        ended = library.rag(*arguments, "--json")
        holder.release()
        error = ended.json["error"]
        assert (ended.code, error["code"]) == (75, "data_folder_busy")
        assert (
            f"is held by `rag watch`, process {os.getpid()} on {socket.gethostname()}, since 20"
            in error["message"]
        )

    def test_status_is_shown_all_the_same(self, library: CommandLine) -> None:
        holder = DataFolder(library.data, command="rag watch")
        ended = library.rag("status", "--json")
        listed = library.rag("sources", "--json")
        history = library.rag("sync", "--history", "--json")
        holder.release()
        assert (ended.code, ended.json["sources"][0]["documents"]) == (0, {"indexed": 3})
        assert (ended.json["held_by"]["pid"], ended.json["held_by"]["command"]) == (
            os.getpid(),
            "rag watch",
        )
        assert (listed.code, history.code) == (0, 0)
        assert library.rag("status", "--json").json["held_by"] is None

    def test_others_search_and_ask_beside_the_one_that_writes(self, library: CommandLine) -> None:
        question = "Who is a P1 ticket escalated to?"
        before, asked = library.found(), library.rag("ask", question, "--json").json
        with opened(library.data, library.home / "settings.env") as writer:
            writer.serve_searches()
            assert library.found() == before
            beside = library.rag("ask", question, "--json").json
        assert (beside["answer"], beside["citations"]) == (asked["answer"], asked["citations"])

    def test_questions_at_once_take_turns(self, library: CommandLine) -> None:
        asking = [
            subprocess.Popen(
                library.command("search", "P1 ticket", "--json"),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(4)
        ]
        ended = [(one.communicate(timeout=120), one.returncode) for one in asking]
        expected = library.rag("search", "P1 ticket", "--json").json["results"]
        assert [(json.loads(out)["results"], err, code) for (out, err), code in ended] == [
            (expected, "", 0)
        ] * 4

    def test_the_next_command_works_once_it_is_free(self, library: CommandLine) -> None:
        DataFolder(library.data).release()
        assert library.found()


class TestAnotherModel:
    @pytest.mark.parametrize("arguments", [["search", "ticket"], ["ask", "ticket"], ["sync"]])
    def test_index_of_another_model_is_refused(
        self, library: CommandLine, arguments: list[str]
    ) -> None:
        before = library.found()
        ended = library.rag(*arguments, "--json", settings=OTHER_MODEL)
        error = ended.json["error"]
        assert (ended.code, error["code"]) == (70, "embedding_dim_mismatch")
        assert "fake/fake-lexical-v1/1024" in error["message"]
        assert "openai-compatible/another/8" in error["message"]
        assert "run `rag embeddings rebuild`" in error["message"]
        assert library.found() == before

    def test_rebuild_does_what_the_message_promises(self, library: CommandLine) -> None:
        with EmbeddingServer(dim=8) as server:
            other = OTHER_MODEL | {"EMBEDDING_BASE_URL": f"{server.url}/v1"}
            rebuilt = library.rag("embeddings", "rebuild", "--json", settings=other)
            found = library.rag("search", "P1 ticket", "--json", settings=other)
        assert (rebuilt.code, rebuilt.json) == (0, {"embeddings_computed": 3})
        assert found.code == 0
        assert all(result["score"] is not None for result in found.json["results"])

    def test_rebuild_without_an_embedder_destroys_nothing(self, library: CommandLine) -> None:
        before = library.found()
        ended = library.rag("embeddings", "rebuild", "--json", settings=NO_EMBEDDER)
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_configuration")
        assert library.found() == before


class TestCatalog:
    @pytest.mark.parametrize(
        ("command", "schema", "advice"),
        [
            ("search ticket", "0000", "run `rag db init`"),
            ("status", "0000", "run `rag db init`"),
            ("sync", "0000", "run `rag db init`"),
            ("search ticket", "9999", "written by a newer version"),
            ("db init", "9999", "written by a newer version"),
        ],
    )
    def test_schema_of_another_version_is_refused(
        self, library: CommandLine, command: str, schema: str, advice: str
    ) -> None:
        before = library.found()
        set_schema(library, schema)
        ended = library.rag(
            *command.split(), *(["ticket"] if command == "search" else []), "--json"
        )
        set_schema(library, SCHEMA_REVISION)
        error = ended.json["error"]
        assert (ended.code, error["code"]) == (69, "schema_not_initialized")
        assert f"has schema {schema}" in error["message"]
        assert SCHEMA_REVISION in error["message"]
        assert advice in error["message"]
        assert library.found() == before

    def test_file_that_is_no_database_is_left_alone(self, library: CommandLine) -> None:
        remove(library.data, "catalog.sqlite3")
        path = library.data / "catalog.sqlite3"
        path.write_bytes(b"no database at all, " * 1_000)
        for arguments in (["search", "x"], ["status"], ["sync"], ["db", "init"]):
            ended = library.rag(*arguments, "--json")
            assert (ended.code, ended.json["error"]["code"]) == (69, "unavailable")
            assert str(path) in ended.err
            assert "put back a backup with `rag restore FILE --replace`" in ended.err
        assert path.read_bytes() == b"no database at all, " * 1_000

    def test_damaged_pages_are_told_and_nothing_is_shown(self, library: CommandLine) -> None:
        library.rag("sync")
        path = library.data / "catalog.sqlite3"
        content = path.read_bytes()
        remove(library.data, "catalog.sqlite3-")
        path.write_bytes(content[: 3 * 4096] + bytes(len(content) - 3 * 4096))
        ended = library.rag("search", "ticket", "--json")
        assert (ended.code, ended.json["error"]["code"]) == (69, "unavailable")
        assert "escalated" not in ended.out + ended.err
        path.write_bytes(content)
        assert library.found()

    def test_schema_is_made_by_db_init_and_again_is_no_change(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        isolate(monkeypatch, tmp_path)
        bare = CommandLine(tmp_path)
        first, second = bare.rag("db", "init", "--json"), bare.rag("db", "init", "--json")
        made = {"catalog": str(bare.data / "catalog.sqlite3"), "schema": SCHEMA_REVISION}
        assert (first.code, second.code) == (0, 0)
        assert (first.json, second.json) == (made, made)


def set_schema(library: CommandLine, revision: str) -> None:
    connection = sqlite3.connect(library.data / "catalog.sqlite3")
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    connection.close()


class TestVectors:
    def test_damaged_file_is_told_with_what_to_do(self, library: CommandLine) -> None:
        before = library.found()
        path = library.data / "vectors.sqlite3"
        content = path.read_bytes()
        remove(library.data, "vectors.sqlite3")
        path.write_bytes(b"no database at all, " * 1_000)
        for arguments in (["search", "x"], ["ask", "x"], ["sync"]):
            ended = library.rag(*arguments, "--json")
            assert (ended.code, ended.json["error"]["code"]) == (69, "unavailable")
            assert str(path) in ended.err
        path.write_bytes(content)
        assert library.found() == before

    def test_rebuild_replaces_a_damaged_file(self, library: CommandLine) -> None:
        before = library.found()
        remove(library.data, "vectors.sqlite3")
        (library.data / "vectors.sqlite3").write_bytes(b"no database at all, " * 1_000)
        assert library.rag("embeddings", "rebuild", "--json").code == 0
        assert library.found() == before


class TestIndex:
    def test_lost_folder_is_made_anew_by_the_next_search(self, library: CommandLine) -> None:
        before = library.found()
        shutil.rmtree(library.data / "index")
        assert library.found() == before

    @pytest.mark.parametrize("name", ["meta.json", "edge_config.json"])
    def test_damage_is_told_and_mended_as_the_message_says(
        self, library: CommandLine, name: str
    ) -> None:
        before = library.found()
        for file in (library.data / "index").rglob(name):
            file.write_text("{")
        ended = library.rag("search", "ticket", "--json")
        error = ended.json["error"]
        folder = library.data / "index"
        assert (ended.code, error["code"]) == (69, "index_unavailable")
        assert f"delete the folder {folder} and run `rag sync`" in error["message"]
        shutil.rmtree(folder)
        assert library.rag("sync", "--json").code == 0
        assert library.found() == before


class TestDisk:
    def test_below_the_watermark_ingestion_pauses_and_search_goes_on(
        self, library: CommandLine
    ) -> None:
        before = library.found()
        most = 1_048_576
        if shutil.disk_usage(library.data).free >= most * 2**20:
            pytest.skip("this disk has more free space than the setting can ask for")
        settings = {"MIN_FREE_DISK_MIB": str(most)}
        for arguments in (["sync"], ["ingest", library.documents]):
            ended = library.rag(*arguments, "--json", settings=settings)
            error = ended.json["error"]
            assert (ended.code, error["code"]) == (69, "low_disk_space")
            assert f"MIN_FREE_DISK_MIB={most}" in error["message"]
        found = library.rag("search", "P1 ticket", "--json", settings=settings)
        assert found.json["results"] == before


class TestSources:
    def test_source_that_vanished_loses_nothing_and_keeps_no_other_from_its_sync(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        before = library.found()
        library.documents = tmp_path / "gone"
        library.write("a.md", "# Salary\n\nThe salary is 100.")
        assert library.rag("ingest", library.documents, "--json").code == 0
        shutil.rmtree(library.documents)
        library.documents = tmp_path / "zone"
        library.write("b.md", "# Merger\n\nThe merger is off.")
        assert library.rag("sources", "add", library.documents, "--json").code == 0
        ended = library.rag("sync", "--json")
        reports = {report["source"]: report for report in ended.json["sources"]}
        assert (ended.code, ended.json["error"]["code"]) == (69, "source_unavailable")
        assert ended.json["error"]["message"].startswith("gone: ")
        assert reports["gone"].keys() == {"source", "error"}
        assert reports["zone"]["added"] == 1
        assert ended.json["embeddings_computed"] == 1
        assert library.found("salary")[0]["relative_path"] == "a.md"
        assert library.found("merger")[0]["relative_path"] == "b.md"
        assert {result["content"] for result in library.found()} >= {
            result["content"] for result in before
        }

    def test_removed_source_is_gone_from_everywhere(self, library: CommandLine) -> None:
        removed = library.rag("sources", "remove", "documents", "--json")
        ended = library.rag("search", "ticket", "--json")
        assert removed.json == {"source": "documents", "deleted": 3}
        assert (ended.code, ended.json["error"]["code"]) == (69, "retrieval_not_ready")
        connection = sqlite3.connect(library.data / "vectors.sqlite3")
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
        connection.close()
        assert sorted(path.name for path in library.documents.iterdir()) == [
            "backup.txt",
            "export.md",
            "tickets.md",
        ]

    def test_what_an_ended_process_staged_goes_with_its_source(self, library: CommandLine) -> None:
        stage_a_document(library)
        assert library.found()  # brings the index up to date, staged chunks included
        assert index_keys(library) == [1, 2, 3, 4]
        assert library.rag("sources", "remove", "documents", "--json").code == 0
        assert index_keys(library) == []


def stage_a_document(library: CommandLine) -> None:
    """Leave what a process leaves that is ended just before it switches to a version."""
    catalog = SqliteCatalog.open(library.data / "catalog.sqlite3")
    (source,) = catalog.sources.sources()
    item = SourceItem("new.md", 5, 5, "new.md", "fingerprint")
    document = ConvertedDocument(text="staged", syntax="plain")
    version, _ = prepare_version(
        document,
        Origin(source.id, item, "employee", "sha", "recipe"),
        chunk_document=DocumentChunker(ChunkOptions(), None).chunk,
    )
    catalog.documents.stage(version)
    catalog.close()


def index_keys(library: CommandLine) -> list[int]:
    model = FakeLexicalEmbedder().model
    folder = library.data / "index"
    index = EdgeIndex(folder, model=model, analyzer_version=ANALYZER_VERSION)
    keys = index.chunk_keys("employee", "lexical")
    index.close()
    return keys
