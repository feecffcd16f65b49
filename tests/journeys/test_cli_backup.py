"""Backups through the command line: made, kept, checked, restored, synced before they answer."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Ended, isolate

from citewell.adapters.data_folders.data_folder import DataFolder
from citewell.testing.failpoints import BACKUP_FAILPOINTS, armed

NOTES = {
    "employee/tickets.md": "# Tickets\n\nA P1 ticket is escalated to the on-call engineer.\n",
    "employee/export.md": "# Export\n\nThe limit of Atlas CRM is 500 rows.\n",
    "employee/party.md": "# Party\n\nThe party is on the roof terrace.\n",
    "director/merger.md": "# Merger\n\nThe merger with Initech is planned for May.\n",
}
OF_RESTORE = ("backup-extracted", "catalog-set-aside", "catalog-replaced")
OF_BACKUP = tuple(name for name in BACKUP_FAILPOINTS if name not in OF_RESTORE)
KILL_AT = """
import sys
from citewell.cli.main import _run
from citewell.testing.failpoints import armed
with armed(sys.argv[1], "kill"):
    _run(sys.argv[2:])
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Return a library whose documents a test may change."""
    isolate(monkeypatch, tmp_path)
    made = CommandLine(tmp_path)
    for name, text in NOTES.items():
        made.write(name, text)
    ended = made.rag("ingest", made.documents, "--folder-per-tier", "--json")
    assert (ended.code, ended.json["added"]) == (0, len(NOTES))
    return made


def cause(library: CommandLine, failpoint: Any, fault: Any, *arguments: str | Path) -> None:
    """Run a command with a fault, which must end it."""
    if fault != "kill":
        with armed(failpoint, fault):
            assert library.rag(*arguments).code == 130
        return
    command = [sys.executable, "-c", KILL_AT, failpoint, *library.arguments(*arguments)]
    assert subprocess.run(command, check=False).returncode == -9


def back_up(library: CommandLine, *more: str | Path) -> Path:
    ended = library.rag("backup", *more, "--json")
    assert (ended.code, ended.err) == (0, "")
    return Path(ended.json["path"])


def elsewhere(library: CommandLine, home: Path) -> CommandLine:
    """Return an empty data folder with the same settings and documents."""
    home.mkdir()
    bare = CommandLine(home, library.settings)
    bare.documents = library.documents
    return bare


def shown(results: list[dict[str, Any]]) -> list[tuple[str, str, str, float]]:
    """Return what does not depend on the order in which documents were read: it breaks ties."""
    return sorted((r["relative_path"], r["content"], r["tier"], r["score"]) for r in results)


def catalog_id(library: CommandLine) -> str:
    with closing(sqlite3.connect(library.data / "catalog.sqlite3")) as connection:
        query = "SELECT value FROM facts WHERE name = 'catalog_id'"
        return connection.execute(query).fetchone()[0]


def refused(ended: Ended) -> str:
    """Return the code of an error after which nothing was printed but the error."""
    assert ended.code == 69
    assert ended.json.keys() == {"error"}
    return ended.json["error"]["code"]


class TestMaking:
    def test_backup_is_private_checked_and_remembered(self, library: CommandLine) -> None:
        before = library.rag("status", "--json").json
        made = library.rag("backup", "--json").json
        path = Path(made["path"])
        verified = library.rag("backup", "--verify", path, "--json")
        after = library.rag("status", "--json").json
        assert path.parent == library.home / "data-backups"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert (made["sources"], made["documents"], made["deleted"]) == (1, 4, [])
        assert (verified.code, verified.json | {"deleted": []}) == (0, made)
        assert before["last_backup"] is None
        assert after["last_backup"] == {"made_at": made["made_at"], "path": str(path)}
        assert f"last backup: {made['made_at']}, {path}" in library.rag("status").out

    def test_older_ones_are_deleted_and_another_folder_has_its_own(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        keep_two = {"BACKUP_KEEP": "2"}
        other = back_up(library, tmp_path / "other disk")
        made = [library.rag("backup", "--json", settings=keep_two).json for _ in range(3)]
        paths = [Path(each["path"]) for each in made]
        assert [each["deleted"] for each in made] == [[], [], [str(paths[0])]]
        assert sorted((library.home / "data-backups").iterdir()) == paths[1:]
        assert list((tmp_path / "other disk").iterdir()) == [other]

    def test_backup_is_made_beside_a_command_that_writes(self, library: CommandLine) -> None:
        holder = DataFolder(library.data, command="rag sync")
        path = back_up(library)
        holder.release()
        assert library.rag("backup", "--verify", path).code == 0

    def test_place_that_would_be_read_as_a_source_is_refused(self, library: CommandLine) -> None:
        for place in (library.documents, library.documents / "employee" / "new"):
            ended = library.rag("backup", place, "--json")
            assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
            assert "lies in the source documents" in ended.json["error"]["message"]
        assert sorted(path.name for path in library.documents.iterdir()) == ["director", "employee"]

    def test_place_that_goes_with_the_data_folder_is_refused(self, library: CommandLine) -> None:
        for place in (library.data, library.data / "backups"):
            ended = library.rag("backup", place, "--json")
            assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
            assert "lies in the data folder" in ended.json["error"]["message"]
        assert list(library.data.glob("backups")) == []

    def test_nothing_makes_no_backup(self, library: CommandLine, tmp_path: Path) -> None:
        ended = elsewhere(library, tmp_path / "empty").rag("backup", "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
        assert "rag ingest PATH" in ended.json["error"]["message"]

    def test_check_and_folder_exclude_each_other(self, library: CommandLine) -> None:
        ended = library.rag("backup", "folder", "--verify", back_up(library), "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")

    @pytest.mark.parametrize("failpoint", OF_BACKUP)
    @pytest.mark.parametrize("fault", ["cancel", "kill"])
    def test_interruption_leaves_whole_backups_only(
        self, library: CommandLine, failpoint: Any, fault: Any
    ) -> None:
        first = back_up(library)
        cause(library, failpoint, fault, "backup")
        for path in (library.home / "data-backups").glob("*.backup"):
            assert library.rag("backup", "--verify", path).code == 0
        last = back_up(library)
        left = sorted(path.name for path in (library.home / "data-backups").iterdir())
        assert {first.name, last.name} <= set(left)
        assert [name for name in left if not name.endswith(".backup")] == []

    def test_full_disk_is_told_and_leaves_nothing(self, library: CommandLine) -> None:
        def fill_disk() -> None:
            with Path("/dev/full").open("wb", buffering=0) as full:
                full.write(b"x")

        with armed("snapshot-taken", fill_disk):
            ended = library.rag("backup", "--json")
        assert refused(ended) == "low_disk_space"
        assert list((library.home / "data-backups").iterdir()) == []


class TestRestoring:
    def test_nothing_answers_before_a_sync_and_everything_after_it(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        questions = ("P1 ticket", "limit of Atlas CRM", "merger with Initech")
        before = [shown(library.found(question)) for question in questions]
        path = back_up(library)
        other = elsewhere(library, tmp_path / "other")
        restored = other.rag("restore", path, "--json")
        assert (restored.code, restored.json["to_sync"]) == (0, ["documents"])
        assert restored.json["kept_aside"] is None
        for command in ("search", "ask"):
            ended = other.rag(command, "P1 ticket", "--json")
            assert refused(ended) == "sync_required"
            assert "`rag sync`" in ended.json["error"]["message"]
        (source,) = other.rag("status", "--json").json["sources"]
        assert (source["state"], source["missing"], source["documents"]) == ("restored", 4, {})
        synced = other.rag("sync", "--json")
        assert (synced.code, synced.json["sources"][0]["restored"]) == (0, 4)
        assert [shown(other.found(question)) for question in questions] == before
        assert stat.S_IMODE((other.data / "catalog.sqlite3").stat().st_mode) == 0o600
        assert [path.name for path in other.data.glob(".citewell-*")] == []

    def test_what_was_deleted_or_revoked_since_does_not_come_back(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        path = back_up(library)
        docs = library.documents
        (docs / "employee/party.md").unlink()
        (docs / "employee/tickets.md").rename(docs / "director/tickets.md")
        library.write("employee/export.md", "# Export\n\nThe limit of Atlas CRM is 900 rows.\n")
        other = elsewhere(library, tmp_path / "other")
        assert other.rag("restore", path).code == 0
        assert other.rag("sync").code == 0
        texts = {r["relative_path"]: r["content"] for r in other.found("ticket limit party merger")}
        assert sorted(texts) == ["director/merger.md", "director/tickets.md", "employee/export.md"]
        assert "900 rows" in texts["employee/export.md"]
        low = {r["relative_path"] for r in other.found("ticket limit party", "--as", "employee")}
        assert low == {"employee/export.md"}

    def test_files_that_were_copied_to_another_disk_come_back(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        before = shown(library.found())
        path = back_up(library)
        library.documents.rename(tmp_path / "aside")
        shutil.copytree(tmp_path / "aside", library.documents, copy_function=shutil.copyfile)
        other = elsewhere(library, tmp_path / "other")
        assert other.rag("restore", path).code == 0
        assert other.rag("sync").code == 0
        assert shown(other.found()) == before

    def test_source_that_cannot_be_read_stays_hidden_and_keeps_no_other_waiting(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        zone = tmp_path / "zone"
        zone.mkdir()
        (zone / "canteen.md").write_text("# Canteen\n\nThe ticket of the canteen is blue.\n")
        assert library.rag("ingest", zone, "--tier", "employee").code == 0
        path = back_up(library)
        other = elsewhere(library, tmp_path / "other")
        assert other.rag("restore", path).code == 0
        hidden = tmp_path / "unplugged"
        library.documents.rename(hidden)
        assert refused(other.rag("search", "ticket", "--json")) == "sync_required"
        assert other.rag("sync").code == 69
        ended = other.rag("search", "ticket", "--json")
        assert [r["relative_path"] for r in ended.json["results"]] == ["canteen.md"]
        assert "could not be read since the catalog was restored" in ended.json["notice"]
        assert "hidden until the source is read again" in other.rag("status").out
        hidden.rename(library.documents)
        assert other.rag("sync").code == 0
        assert "employee/tickets.md" in {r["relative_path"] for r in other.found("ticket")}
        assert "notice" not in other.rag("search", "ticket", "--json").json

    def test_only_source_that_cannot_be_read_is_told(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        path = back_up(library)
        other = elsewhere(library, tmp_path / "other")
        assert other.rag("restore", path).code == 0
        library.documents.rename(tmp_path / "unplugged")
        assert other.rag("sync").code == 69
        ended = other.rag("search", "ticket", "--json")
        assert refused(ended) == "retrieval_not_ready"
        assert "could not be read since the catalog was restored" in ended.json["error"]["message"]

    def test_sync_that_is_ended_early_shows_only_what_it_has_seen(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        path = back_up(library)
        (library.documents / "employee/party.md").unlink()
        other = elsewhere(library, tmp_path / "other")
        assert other.rag("restore", path).code == 0
        with armed("discovered", "cancel"):
            assert other.rag("sync").code == 130
        assert refused(other.rag("search", "party", "--json")) == "retrieval_not_ready"
        assert other.rag("sync").code == 0
        assert "employee/party.md" not in {r["relative_path"] for r in other.found("party")}


class TestRestoringOver:
    def test_catalog_in_place_is_refused_or_kept_aside(self, library: CommandLine) -> None:
        path = back_up(library)
        library.write("employee/new.md", "# New\n\nThe turtle is green.\n")
        assert library.rag("sync").code == 0
        before = shown(library.found("turtle"))
        ended = library.rag("restore", path, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")
        assert "--replace" in ended.json["error"]["message"]
        assert shown(library.found("turtle")) == before
        former_id = catalog_id(library)
        restored = library.rag("restore", path, "--replace", "--json")
        assert catalog_id(library) != former_id  # so index and vectors of the other one go
        aside = Path(restored.json["kept_aside"])
        assert [file.name for file in aside.iterdir()] == ["catalog.sqlite3"]
        assert stat.S_IMODE(aside.stat().st_mode) == 0o700
        assert library.rag("sync").code == 0
        assert shown(library.found("turtle")) == before

    def test_sources_and_access_rules_are_those_of_now(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        for name in ("gone", "zone"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "canteen.md").write_text("# Canteen\n\nThe canteen is shut.\n")
            assert library.rag("ingest", tmp_path / name, "--tier", "employee").code == 0
        path = back_up(library)
        assert library.rag("sources", "remove", "gone").code == 0
        assert library.rag("ingest", tmp_path / "zone", "--tier", "director").code == 0
        assert library.rag("restore", path, "--replace").code == 0
        assert library.rag("sync").code == 0
        found = {(r["source"], r["tier"]) for r in library.found("canteen")}
        assert found & {("gone", "employee"), ("zone", "employee")} == set()
        assert ("zone", "director") in found
        names = [s["name"] for s in library.rag("sources", "--json").json["sources"]]
        assert names == ["documents", "zone"]

    def test_damaged_catalog_is_replaced_as_its_message_says(self, library: CommandLine) -> None:
        path = back_up(library)
        before = shown(library.found())
        for file in library.data.glob("catalog.sqlite3*"):
            file.unlink()
        (library.data / "catalog.sqlite3").write_bytes(b"no database at all, " * 1_000)
        assert "rag restore FILE --replace" in library.rag("search", "x").err
        assert library.rag("restore", path).code == 2
        restored = library.rag("restore", path, "--replace", "--json")
        kept = Path(restored.json["kept_aside"]) / "catalog.sqlite3"
        assert kept.read_bytes() == b"no database at all, " * 1_000
        assert library.rag("sync").code == 0
        assert shown(library.found()) == before

    def test_log_that_a_lost_catalog_left_does_not_meet_the_new_one(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        path = back_up(library)
        before = shown(library.found())
        reader = sqlite3.connect(library.data / "catalog.sqlite3")
        reader.execute("UPDATE documents SET title = 'from the log'")
        reader.commit()  # stays in the log as long as it is open
        log = (library.data / "catalog.sqlite3-wal").read_bytes()
        reader.close()
        other = elsewhere(library, tmp_path / "other")
        other.data.mkdir()
        (other.data / "catalog.sqlite3-wal").write_bytes(log)
        restored = other.rag("restore", path, "--json")
        kept = [file.name for file in Path(restored.json["kept_aside"]).iterdir()]
        assert kept == ["catalog.sqlite3-wal"]
        assert other.rag("sync").code == 0
        assert shown(other.found()) == before

    def test_catalog_that_is_being_read_is_not_replaced(self, library: CommandLine) -> None:
        path = back_up(library)
        with closing(sqlite3.connect(library.data / "catalog.sqlite3")) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM documents").fetchone()
            ended = library.rag("restore", path, "--replace", "--json")
        assert (ended.code, ended.json["error"]["code"]) == (75, "sync_in_progress")
        assert "is being read by another command" in ended.json["error"]["message"]
        assert library.found()

    def test_catalog_without_sources_is_no_obstacle(
        self, library: CommandLine, tmp_path: Path
    ) -> None:
        path = back_up(library)
        other = elsewhere(library, tmp_path / "other")
        assert other.rag("status").code == 0
        assert other.rag("restore", path).code == 0
        assert refused(other.rag("search", "ticket", "--json")) == "sync_required"

    def test_folder_at_work_is_not_restored_over(self, library: CommandLine) -> None:
        path = back_up(library)
        holder = DataFolder(library.data, command="rag watch")
        ended = library.rag("restore", path, "--replace", "--json")
        holder.release()
        assert (ended.code, ended.json["error"]["code"]) == (75, "data_folder_busy")
        assert library.found()

    def test_damaged_backup_changes_nothing(self, library: CommandLine, tmp_path: Path) -> None:
        whole = back_up(library).read_bytes()
        before = shown(library.found())
        damaged = tmp_path / "damaged.backup"
        damaged.write_bytes(whole[: len(whole) // 2])
        for arguments in (("backup", "--verify", damaged), ("restore", damaged, "--replace")):
            assert refused(library.rag(*arguments, "--json")) == "backup_unreadable"
        assert shown(library.found()) == before
        assert list(library.data.glob("replaced-*")) == []

    @pytest.mark.parametrize("failpoint", OF_RESTORE)
    @pytest.mark.parametrize("fault", ["cancel", "kill"])
    def test_interruption_leaves_the_one_catalog_or_the_other(
        self, library: CommandLine, failpoint: Any, fault: Any
    ) -> None:
        path = back_up(library)
        (library.documents / "employee/party.md").unlink()
        assert library.rag("sync").code == 0
        before = shown(library.found("party"))
        cause(library, failpoint, fault, "restore", path, "--replace")
        ended = library.rag("search", "party", "--json")
        if failpoint == "catalog-replaced":
            assert refused(ended) == "sync_required"
        else:
            assert (ended.code, shown(ended.json["results"])) == (0, before)
        assert library.rag("restore", path, "--replace").code == 0
        assert library.rag("sync").code == 0
        assert shown(library.found("party")) == before
