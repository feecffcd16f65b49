"""Whatever is typed, `rag` ends with the right exit code and says what to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine, isolate, make_library, run_rag

from citewell.cli import main


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """Return a library that the tests only read."""
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        yield make_library(home)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Return a command line without anything indexed."""
    isolate(monkeypatch, tmp_path)
    made = CommandLine(tmp_path)
    made.documents.mkdir()
    return made


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["search"], "Missing"),
        (["search", "x", "--top-k", "21"], "20"),
        (["search", "x", "--top-k", "many"], "--top-k"),
        (["search", "x", "--bogus"], "No such option: --bogus"),
        (["ingest", "a", "b"], "unexpected extra argument"),
    ],
)
def test_wrong_command_line_exits_2(arguments: list[str], said: str) -> None:
    ended = run_rag(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("rag: ")
    assert said in ended.err


def test_wrong_command_line_is_told_in_json_too() -> None:
    ended = run_rag("search", "x", "--bogus", "--json")
    error = {"code": "invalid_request", "message": "No such option: --bogus", "details": {}}
    assert (ended.code, ended.json) == (2, {"error": error})


def test_rag_alone_shows_its_commands() -> None:
    ended = run_rag()
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Usage: rag [OPTIONS] COMMAND")


def test_help_goes_to_standard_output() -> None:
    ended = run_rag("search", "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Usage: rag search")


class TestFolders:
    def test_unknown_folder(self, bare: CommandLine) -> None:
        ended = bare.rag("ingest", bare.home / "nowhere")
        assert ended.code == 2
        assert ended.err == (
            f"rag: {bare.home / 'nowhere'} does not exist: give the path of a folder\n"
        )

    def test_file_instead_of_a_folder(self, bare: CommandLine) -> None:
        bare.write("a.md", "alpha")
        ended = bare.rag("ingest", bare.documents / "a.md")
        assert ended.code == 2
        assert "is not a folder: give the folder that holds it" in ended.err

    @pytest.mark.parametrize("path", ["a" * 300, "~nobody-of-this-name/x", "circle", "b\udcff"])
    def test_path_that_can_be_no_folder(self, bare: CommandLine, path: str) -> None:
        (bare.home / "circle").symlink_to(bare.home / "circle")
        ended = bare.rag("ingest", path, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
        assert bare.rag("sources", "--json").json == {"sources": []}

    def test_empty_folder_is_unavailable(self, bare: CommandLine) -> None:
        ended = bare.rag("ingest", bare.documents, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (69, "source_empty")
        (source,) = bare.rag("sources", "--json").json["sources"]
        assert source["state"] == "unavailable"

    def test_data_folder_that_is_a_file(self, bare: CommandLine) -> None:
        bare.data.write_text("")
        ended = bare.rag("search", "x")
        assert ended.code == 2
        assert "set DATA_DIR or --data-dir" in ended.err


class TestTiers:
    def test_unknown_tier(self, bare: CommandLine) -> None:
        ended = bare.rag("ingest", bare.documents, "--tier", "boss")
        assert ended.code == 2
        assert ended.err == (
            "rag: unknown tier 'boss': this installation has employee, manager, director\n"
        )

    def test_one_tier_and_a_folder_per_tier(self, bare: CommandLine) -> None:
        ended = bare.rag("ingest", bare.documents, "--tier", "employee", "--folder-per-tier")
        assert ended.code == 2
        assert "exclude each other" in ended.err

    def test_reading_as_an_unknown_tier(self, library: CommandLine) -> None:
        ended = library.rag("search", "ticket", "--as", "boss")
        assert ended.code == 2
        assert "you may read as employee, manager, director" in ended.err

    def test_file_outside_the_tier_folders_is_named(self, bare: CommandLine) -> None:
        bare.write("loose.md", "alpha")
        bare.write("employee/a.md", "alpha")
        ended = bare.rag("ingest", bare.documents, "--folder-per-tier", "--json")
        (document,) = [
            d
            for d in bare.rag("status", "--documents", "--json").json["documents"]
            if d["relative_path"] == "loose.md"
        ]
        assert (ended.code, ended.json["added"], ended.json["failed"]) == (0, 1, 1)
        assert "outside the tier folders" in document["failure"]["reason"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAG_TOP_K", "0"),
        ("EMBEDDING_PROVIDER", "nonsense"),
        ("EMBEDDING_MODEL", "text-embedding-3-small"),
        ("EMBEDDING_DIM", "12"),
        ("ACCESS_TIERS", "a,a"),
        ("CHUNK_TARGET_TOKENS", "many"),
        ("DATABASE_URL", "postgresql://localhost/citewell"),
        ("LLM_PROVIDER", "gpt"),
        ("MIN_FREE_DISK_MIB", "-1"),
    ],
)
def test_wrong_setting_is_named(library: CommandLine, name: str, value: str) -> None:
    for command in (["search", "ticket"], ["status"], ["sync"]):
        ended = library.rag(*command, "--json", settings={name: value})
        error = ended.json["error"]
        assert (ended.code, error["code"]) == (2, "invalid_configuration")
        assert name in error["message"]


def test_env_file_that_is_missing_is_named(bare: CommandLine) -> None:
    ended = run_rag("status", "--data-dir", bare.data, "--env-file", bare.home / "no.env")
    assert ended.code == 2
    assert "no.env cannot be read" in ended.err


def test_sources_file_that_is_not_valid_is_named(library: CommandLine) -> None:
    path = library.home / "wrong.toml"
    path.write_text("[[source]]\nname = 'a'\ntype = 'ftp'\nroot = '.'\n")
    ended = library.rag("sync", settings={"SOURCES_FILE": str(path)})
    assert ended.code == 2
    assert "type='ftp' is unknown; allowed: folder, vault" in ended.err
    assert "source at line 1" in ended.err


@pytest.mark.parametrize("command", ["search", "ask"])
def test_nothing_indexed_says_what_to_run(bare: CommandLine, command: str) -> None:
    ended = bare.rag(command, "anything", "--json")
    error = ended.json["error"]
    assert (ended.code, error["code"]) == (69, "retrieval_not_ready")
    assert "rag ingest PATH" in error["message"]


def test_nothing_to_sync_says_what_to_run(bare: CommandLine) -> None:
    ended = bare.rag("sync")
    assert ended.code == 2
    assert "run `rag ingest PATH` first" in ended.err


@pytest.mark.parametrize(
    "arguments", [["sync", "nope"], ["sources", "remove", "nope"], ["sync", "nope", "--history"]]
)
def test_unknown_source_lists_the_known_ones(library: CommandLine, arguments: list[str]) -> None:
    ended = library.rag(*arguments)
    assert ended.code == 2
    assert ended.err == "rag: there is no source 'nope'; known: documents\n"


class TestQuestions:
    @pytest.mark.parametrize("command", ["search", "ask"])
    @pytest.mark.parametrize("question", ["", "  \t\n ", "\u200b", "\udcff"])
    def test_empty_question_is_refused(
        self, library: CommandLine, command: str, question: str
    ) -> None:
        ended = library.rag(command, question, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
        assert "write what you want to know" in ended.err

    @pytest.mark.parametrize("command", ["search", "ask"])
    def test_question_of_9000_characters_is_refused(
        self, library: CommandLine, command: str
    ) -> None:
        ended = library.rag(command, "x" * 9_000, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
        assert "9000 characters, more than 8000" in ended.err

    @pytest.mark.parametrize(
        "question",
        [
            " ".join(f"word{n}" for n in range(499)) + " ticket",
            '"P1 ticket" AND (escalated OR x) NOT y* ~2 ^3 +a -b:c {d} [e] \\',
            "'; DROP TABLE chunks; --",
            "ticket 😀🎉👩‍👩‍👧 escalated",
            "тикет 工单 티켓 チケット ตั๋ว P1 ticket",
            "[bold]ticket[/bold] [/] ticket",
            "ticket\x00\x1b[31m\u202e\ue000\udcff",
            "-- ticket",
        ],
        ids=["long", "operators", "sql", "emoji", "scripts", "markup", "controls", "dashes"],
    )
    def test_unusual_question_finds_what_its_words_find(
        self, library: CommandLine, question: str
    ) -> None:
        common = ["--data-dir", str(library.data), "--env-file", str(library.home / "settings.env")]
        found = run_rag("search", "--json", *common, "--", question)
        shown = run_rag("search", "--explain", *common, "--", question)
        answered = run_rag("ask", "--json", *common, "--", question)
        assert (found.code, shown.code, answered.code) == (0, 0, 0)
        assert found.json["results"]
        assert "\x1b" not in shown.out
        assert answered.json["mode"] in {"rag", "no_answer"}

    @pytest.mark.parametrize("question", ["?!…—", "😀🎉", '"', "* OR *"])
    def test_question_without_known_words_is_no_error(
        self, library: CommandLine, question: str
    ) -> None:
        found = library.rag("search", question, "--json")
        answered = library.rag("ask", question, "--json")
        assert (found.code, answered.code) == (0, 0)
        assert answered.json["answer"] == "I do not know the answer based on indexed documents."
        assert answered.json["citations"] == []

    @pytest.mark.parametrize(
        "filters",
        [["--source", "nope"], ["--path", "b\udcff"], ["--tag", ""], ["--type", "\udcff"]],
    )
    def test_filter_that_nothing_meets_finds_nothing(
        self, library: CommandLine, filters: list[str]
    ) -> None:
        assert library.found("ticket", *filters) == []

    def test_date_that_is_none_is_refused(self, library: CommandLine) -> None:
        ended = library.rag("search", "ticket", "--since", "yesterday")
        assert ended.code == 2
        assert "write it as 2026-01-31" in ended.err


class TestAsAProcess:
    """What only a process of its own shows."""

    def test_reader_that_went_away_is_no_error(self, library: CommandLine) -> None:
        command = library.command("status", "--documents")
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        assert (process.wait(), said) == (0, "")

    def test_output_that_takes_ascii_only_gets_valid_json(self, library: CommandLine) -> None:
        ended = subprocess.run(
            library.command("sync", "工单", "--json"),
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONIOENCODING": "ascii"},
        )
        assert ended.returncode == 2
        assert rb"\u5de5\u5355" in ended.stdout

    def test_unreadable_file_is_recorded_and_unreadable_folder_refused(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        copy = library.copy_to(tmp_path / "copy")
        copy.documents = tmp_path / "salaries"
        for name in ("a.md", "b.md"):
            copy.write(name, f"# Salary\n\nThe salary of {name} is 100.")
        (copy.documents / "b.md").chmod(0)
        (tmp_path / "locked").mkdir(mode=0)
        ended = run_without_privileges(
            copy.arguments("ingest", copy.documents, "--json"),
            copy.arguments("ingest", tmp_path / "locked", "--json"),
        )
        report, refusal = (json.loads(line) for line in ended.stdout.splitlines())
        assert (report["added"], report["failed"]) == (1, 1)
        assert report["troubles"] == [
            {
                "relative_path": "b.md",
                "state": "failed",
                "reason": "the file cannot be read: permission denied",
            }
        ]
        assert (ended.returncode, refusal["error"]["code"]) == (2, "invalid_request")
        assert "locked' is not readable" in refusal["error"]["message"]
        assert copy.found("salary")[0]["relative_path"] == "a.md"


RUN_EACH = """
import json, sys
from citewell.cli.main import _run
sys.exit([_run(arguments) for arguments in json.loads(sys.argv[1])][-1])
"""


def run_without_privileges(*commands: list[str]) -> subprocess.CompletedProcess[str]:
    """Run commands for which the permissions of files count, also if root runs the tests."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        tool = shutil.which("setpriv")
        if tool is None:
            pytest.skip("root reads every file, and there is no setpriv to take that away")
        privileges = "-dac_override,-dac_read_search"
        prefix = [tool, "--inh-caps=-all", f"--bounding-set={privileges}", "--"]
    command = [*prefix, sys.executable, "-c", RUN_EACH, json.dumps(commands)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_fault_in_the_program_exits_70_and_prints_no_traceback(
    library: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise ZeroDivisionError("it is broken")

    monkeypatch.setattr(main, "app", lambda *_, **more: broken(**more))
    ended = library.rag("search", "ticket", "--json")
    assert (ended.code, ended.json["error"]["code"]) == (70, "internal_error")
    assert ended.err == "rag: ZeroDivisionError: it is broken\n"
