"""The JSON of every command has the fields that `docs/cli.md` promises; the text is readable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import NO_EMBEDDER, CommandLine, isolate, make_library

COUNTS = {
    "added",
    "updated",
    "moved",
    "deleted",
    "hidden",
    "restored",
    "skipped",
    "failed",
    "chunks_written",
    "embeddings_computed",
    "embeddings_reused",
    "drift_repaired",
}
PASSAGE = {
    "rank",
    "citation_id",
    "content",
    "source",
    "source_name",
    "source_type",
    "relative_path",
    "heading_path",
    "heading",
    "score",
    "span",
    "tier",
    "tags",
    "document_id",
    "chunk_id",
    "modified_at",
    "title",
}
CITATION = {
    "n",
    "citation_id",
    "tag",
    "source",
    "source_name",
    "source_type",
    "source_id",
    "location",
    "document_id",
    "chunk_id",
    "heading",
    "heading_path",
    "span",
    "quote",
    "tier",
    "score",
}
ID = re.compile(r"[0-9a-f]{32}")
QUESTION = "Who is a P1 ticket escalated to?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    home = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        yield make_library(home)


def test_search(library: CommandLine) -> None:
    reply = library.rag("search", QUESTION, "--top-k", "2", "--json").json
    assert reply.keys() == {"confidence", "results"}
    assert 0 <= reply["confidence"] <= 1
    assert [result["rank"] for result in reply["results"]] == [1, 2]
    first = reply["results"][0]
    assert first.keys() == PASSAGE
    assert (first["relative_path"], first["heading_path"], first["heading"], first["tier"]) == (
        "tickets.md",
        ["Tickets"],
        "Tickets",
        "employee",
    )
    assert first["span"] == [0, len(first["content"])]
    assert 0 < first["score"] <= 1
    assert ID.fullmatch(first["chunk_id"])
    assert ID.fullmatch(first["document_id"])


def test_search_by_words_alone_has_no_scores(library: CommandLine) -> None:
    reply = library.rag("search", QUESTION, "--json", settings=NO_EMBEDDER).json
    assert [result["score"] for result in reply["results"]] == [None]


def test_search_explained(library: CommandLine) -> None:
    trace = library.rag("search", QUESTION, "--explain", "--json").json["explain"]
    assert trace.keys() == {"gate", "legs", "background", "timings_ms", "candidates"}
    assert trace["gate"].keys() == {"confidence", "is_sufficient", "rule", "features"}
    assert trace["legs"]["stale_lexical_points"] == trace["legs"]["stale_dense_points"] == 0
    first = trace["candidates"][0]
    assert (first["fused_rank"], first["lexical_rank"], first["outcome"]) == (1, 1, "kept")


def test_ask(library: CommandLine) -> None:
    reply = library.rag("ask", QUESTION, "--json").json
    assert reply.keys() == {
        "mode",
        "confidence",
        "answer",
        "sentences",
        "citations",
        "grounding",
        "conversation_id",
        "request_id",
        "cached",
        "timings_ms",
    }
    assert reply["mode"] == "rag"
    assert reply["grounding"] == {
        "has_citations": True,
        "citations_valid": True,
        "grounded": True,
    }
    (citation,) = reply["citations"]
    assert citation.keys() == CITATION
    assert citation["quote"] == ("A P1 ticket is escalated to the on-call engineer in 15 minutes.")
    assert citation["tag"] == "[s.folder:tickets.md/Tickets]"
    assert reply["sentences"] == [{"text": citation["quote"], "kind": "quote", "citations": [1]}]
    assert reply["answer"] == f"{citation['quote']} [1]"
    assert ID.fullmatch(reply["request_id"])


def test_ask_what_nothing_answers(library: CommandLine) -> None:
    reply = library.rag("ask", "Unicorns between galaxies?", "--json").json
    assert (reply["mode"], reply["answer"], reply["citations"], reply["sentences"]) == (
        "no_answer",
        "I do not know the answer based on indexed documents.",
        [],
        [],
    )
    assert reply["grounding"] == {
        "has_citations": False,
        "citations_valid": True,
        "grounded": False,
    }


def test_ingest_and_sync(library: CommandLine) -> None:
    ingested = library.rag("ingest", library.documents, "--json").json
    synced = library.rag("sync", "--json").json
    again = library.rag("sync", "documents", "--no-vectors", "--json").json
    report = dict.fromkeys(COUNTS, 0) | {"source": "documents", "skipped": 3, "troubles": []}
    assert ingested == report
    assert synced == {
        "sources": [report],
        "embeddings_computed": 0,
        "waiting_to_be_erased": {},
    }
    assert again == synced


def test_history(library: CommandLine) -> None:
    runs = library.rag("sync", "documents", "--history", "--json").json["runs"]
    first = runs[-1]
    assert first.keys() == COUNTS | {
        "id",
        "source",
        "trigger",
        "state",
        "started_at",
        "finished_at",
        "duration_s",
    }
    assert (first["source"], first["trigger"], first["state"]) == (
        "documents",
        "manual",
        "succeeded",
    )
    assert (first["added"], first["chunks_written"], first["embeddings_computed"]) == (3, 3, 3)
    (newest,) = library.rag("sync", "--history", "--limit", "1", "--json").json["runs"]
    assert newest["started_at"] >= first["started_at"]


def test_status(library: CommandLine) -> None:
    reply = library.rag("status", "--documents", "--json").json
    assert reply.keys() == {
        "version",
        "held_by",
        "sources",
        "last_backup",
        "restored_at",
        "pending_vectors",
        "embedder",
        "answers",
        "language_model",
        "language_model_servers",
        "settings",
        "documents",
    }
    (source,) = reply["sources"]
    assert (source["documents"], source["chunks"], source["vectors"]) == ({"indexed": 3}, 3, 3)
    assert (source["missing"], source["held_until"]) == (0, None)
    assert source["last_run"]["source"] == "documents"
    assert (reply["pending_vectors"], reply["embedder"]) == (0, "fake/fake-lexical-v1/1024")
    document = next(d for d in reply["documents"] if d["relative_path"] == "tickets.md")
    assert document.keys() == {
        "id",
        "source",
        "relative_path",
        "title",
        "state",
        "tier",
        "version",
        "chunks",
        "vectors",
        "notes",
    }
    assert (document["title"], document["state"], document["chunks"]) == ("Tickets", "indexed", 1)


def test_status_never_shows_a_secret(library: CommandLine) -> None:
    secret = {"EMBEDDING_API_KEY": "sk-very-secret", "LLM_API_KEY": "sk-also-secret"}
    ended = library.rag("status", "--json", settings=secret)
    assert "secret" not in ended.out
    assert ended.json["settings"]["EMBEDDING_API_KEY"] == "set"


def test_status_without_an_embedder_says_why(library: CommandLine) -> None:
    reply = library.rag("status", "--json", settings=NO_EMBEDDER).json
    assert reply["embedder"] is None
    assert "EMBEDDING_PROVIDER is none" in reply["embedder_notice"]


def test_sources(library: CommandLine) -> None:
    (source,) = library.rag("sources", "--json").json["sources"]
    assert ID.fullmatch(source.pop("id"))
    assert source.pop("last_run")["state"] == "succeeded"
    assert source == {
        "name": "documents",
        "type": "folder",
        "root": str(library.documents),
        "tier": "employee",
        "access": None,
        "scan_interval_s": 300,
        "include": ["**/*"],
        "exclude": [],
        "state": "available",
        "watch": None,
    }


def test_sources_of_a_file_and_a_vault_are_registered_by_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch, tmp_path)
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    (tmp_path / "vault" / "note.md").write_text("# Note\n\nalpha")
    (tmp_path / "tiers" / "director").mkdir(parents=True)
    (tmp_path / "tiers" / "director" / "plan.md").write_text("# Plan\n\nalpha")
    (tmp_path / "sources.toml").write_text(
        '[[source]]\nname = "plans"\ntype = "folder"\nroot = "tiers"\naccess = "folder-per-tier"\n'
    )
    fresh = CommandLine(tmp_path, NO_EMBEDDER | {"VAULT_PATH": "vault"})
    ended = fresh.rag("sync", "--json")
    listed = {s["name"]: s for s in fresh.rag("sources", "--json").json["sources"]}
    assert ended.code == 0
    assert [(r["source"], r["added"]) for r in ended.json["sources"]] == [
        ("plans", 1),
        ("vault", 1),
    ]
    assert (listed["vault"]["type"], listed["plans"]["access"]) == ("vault", "folder-per-tier")
    assert fresh.rag("search", "alpha", "--as", "manager").code == 69
    # A source without a rule is for the highest tier, as what lies in a director's folder.
    assert {r["tier"] for r in fresh.found("alpha")} == {"director"}


class TestText:
    """What a person reads, of the same commands."""

    def test_search(self, library: CommandLine) -> None:
        ended = library.rag("search", QUESTION)
        lines = ended.out.splitlines()
        assert (ended.code, ended.err) == (0, "")
        assert re.fullmatch(
            r"1\. tickets\.md — Tickets \(documents, employee, similarity 0\.\d\d\)", lines[0]
        )
        assert lines[-1].startswith("confidence that these answer the question: ")

    def test_search_that_finds_nothing(self, library: CommandLine) -> None:
        ended = library.rag("search", QUESTION, "--source", "nope")
        assert ended.out.splitlines()[0] == "nothing found"

    def test_ask(self, library: CommandLine) -> None:
        ended = library.rag("ask", QUESTION)
        first, _, cited = ended.out.splitlines()
        assert first == "A P1 ticket is escalated to the on-call engineer in 15 minutes. [1]"
        assert cited.startswith("[1] tickets.md — Tickets (documents, employee, similarity 0.")

    def test_ask_what_nothing_answers(self, library: CommandLine) -> None:
        ended = library.rag("ask", "Unicorns between galaxies?")
        assert ended.out == "I do not know the answer based on indexed documents.\n"

    def test_sync_and_its_history(self, library: CommandLine) -> None:
        synced = library.rag("sync")
        shown = library.rag("sync", "--history")
        assert (synced.code, synced.out) == (0, "")
        assert "documents: 3 skipped; 0 chunks written" in synced.err
        line = r"documents manual succeeded in \d+\.\d s: 3 added, 3 chunks written"
        assert re.search(line, shown.out)

    def test_status_lists_documents_and_settings(self, library: CommandLine) -> None:
        lines = library.rag("status", "--documents").out.splitlines()
        assert "  3 indexed; 3 chunks, 3 with vectors" in lines
        assert "  indexed     documents: tickets.md" in lines
        assert "  EMBEDDING_PROVIDER = fake" in lines

    def test_sources(self, library: CommandLine) -> None:
        ended = library.rag("sources")
        first, second = ended.out.splitlines()
        assert first == f"documents (folder, employee, available) {library.documents}"
        assert re.fullmatch(r"  last run 20\S+Z: manual succeeded in \d+\.\d s: .*", second)

    def test_troubles_are_listed_with_their_reasons(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        isolate(monkeypatch, tmp_path)
        fresh = CommandLine(tmp_path, NO_EMBEDDER)
        fresh.write("good.md", "# Good\n\nalpha")
        (fresh.documents / "[red]bad[ok].bin").write_bytes(bytes(range(256)) * 8)
        (fresh.documents / "link.md").symlink_to(tmp_path / "nowhere")
        ended = fresh.rag("ingest", fresh.documents)
        assert ended.code == 0
        assert "documents: 1 added, 2 failed" in ended.err
        assert "unsupported [red]bad[ok].bin: " in ended.err
        assert "search uses words alone" in ended.err
        assert ended.err.endswith('Now ask: rag ask "your question"\n')
        listed = fresh.rag("status", "--documents").out
        assert "unsupported documents: link.md — the symbolic link leads" in listed
