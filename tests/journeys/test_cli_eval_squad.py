"""`rag eval run --squad`: a question set becomes a corpus, is asked, and judged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import FAKE, CommandLine, isolate, run_rag
from squad_set import write_squad_set

from citewell.testing.language_model_server import LanguageModelServer, Request
from citewell.testing.language_model_wire import WrittenReply
from sparse_files import copy_sparsely


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """Return a command line beside the set `orm.json`."""
    home = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(monkeypatch, home)
        write_squad_set(home / "orm.json")
        return CommandLine(home, FAKE)


def test_set_is_ingested_asked_and_judged(bench: CommandLine) -> None:
    out = bench.home / "report.json"
    ended = bench.rag("eval", "run", "--squad", bench.home / "orm.json", "--out", out, "--json")
    assert (ended.code, ended.err) == (0, "")
    report = ended.json
    assert report.pop("worse") == []
    assert report == json.loads(out.read_text(encoding="utf-8"))
    assert report["questions"] == [5, 2]
    assert report["sample"] == {
        "set": "orm",
        "seed": 0,
        "half": "all",
        "answerable": 5,
        "unanswerable": 2,
        "documents": 6,
    }
    assert report["correct"] == [5, 5]
    assert report["abstained_on_unanswerable"] == [2, 2]
    assert report["sentences_verified"][0] == report["sentences_verified"][1] >= 5
    assert report["expected_cited"] == [5, 5]
    assert report["retrieval"]["recall@5"] == 1.0
    page = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "| answerable questions answered correctly | 5/5 (100%) |" in page.splitlines()


def test_corpus_is_kept_for_the_next_run(bench: CommandLine) -> None:
    orm = bench.home / "orm.json"
    again = bench.rag("eval", "run", "--squad", orm, "--limit", "3", "--seed", "2", "--json")
    assert again.json["questions"] == [2, 1]
    (corpus,) = bench.data.iterdir()
    assert len(list((corpus / "documents").rglob("*.txt"))) == 6
    history = run_rag("sync", "--history", "--data-dir", corpus / "data", "--json").json
    *later, first = history["runs"]
    assert (first["added"], first["chunks_written"]) == (6, 6)
    assert {(run["skipped"], run["chunks_written"]) for run in later} == {(6, 0)}


def test_copied_corpus_holds_its_documents_once(bench: CommandLine, tmp_path: Path) -> None:
    shutil.copytree(bench.data, tmp_path / "copy", copy_function=copy_sparsely)
    env = bench.home / "settings.env"
    ended = run_rag(
        *("eval", "run", "--squad", bench.home / "orm.json", "--json"),
        *("--data-dir", tmp_path / "copy", "--env-file", env),
    )
    assert (ended.code, ended.json["correct"]) == (0, [5, 5])
    assert ended.json["citations"][0] == ended.json["citations"][1] > 0
    (corpus,) = (tmp_path / "copy").iterdir()
    (source,) = run_rag("sources", "--data-dir", corpus / "data", "--json").json["sources"]
    assert (source["name"], source["root"]) == ("documents", str(corpus / "documents"))


def test_baseline_must_be_of_the_same_sample(bench: CommandLine) -> None:
    orm, out = bench.home / "orm.json", bench.home / "report.json"
    assert bench.rag("eval", "run", "--squad", orm, "--baseline", out).code == 0
    ended = bench.rag("eval", "run", "--squad", orm, "--limit", "1", "--baseline", out, "--json")
    assert (ended.code, ended.json["error"]["code"]) == (2, "invalid_request")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["questions.yaml", "--squad", "orm.json"], "not both"),
        (["--half", "odd"], "--half is for --squad"),
        (["--squad", "gone.json"], "not a question set"),
        (["--squad", "orm.json", "--out", "nowhere/report.json"], "there is no folder"),
        (["--squad", "orm.json", "--out", "report.md"], "is for JSON"),
        (["--squad", "orm.json", "--baseline", "gone.json"], "cannot be read"),
        (["--squad", "orm.json", "--baseline", "settings.env"], "cannot be read"),
        (["--squad", "orm.json", "--plain"], "set LLM_PROVIDER"),
        (["--squad", "orm.json", "--judge"], "set LLM_PROVIDER"),
    ],
)
def test_wrong_options_are_told_before_anything_is_asked(
    bench: CommandLine, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(bench.home)
    ended = bench.rag("eval", "run", *options)
    assert ended.code == 2
    assert said in ended.err


def guesses(request: Request) -> WrittenReply:
    """Say a year to every question but one, and yes to every judgement."""
    if "one word, yes or no" in request.prompt:
        return WrittenReply(["Yes."], 100)
    says = "I do not know." if "quasar" in request.prompt else "It was in 1871."
    return WrittenReply([says], 100)


def test_answers_are_compared_with_the_model_asked_plainly(bench: CommandLine) -> None:
    out = bench.home / "compared.json"
    with LanguageModelServer(guesses) as server:
        settings = {
            "LLM_PROVIDER": "openai-compatible",
            "LLM_BASE_URL": f"{server.url}/v1",
            "LLM_MODEL": "guesser",
        }
        orm = bench.home / "orm.json"
        ended = bench.rag(
            *("eval", "run", "--squad", orm, "--plain", "--judge", "--out", out, "--json"),
            settings=settings,
        )
        prompts = [request.prompt for request in server.requests]
    report = ended.json
    assert (ended.code, report["answers_by"]) == (0, "openai-compatible:guesser")
    plain, extractive = report["plain"], report["extractive"]
    assert (plain["correct"], plain["wrong_answers"]) == ([1, 5], [5, 7])
    assert plain["abstained_on_unanswerable"] == [1, 2]
    assert (extractive["correct"], extractive["wrong_answers"]) == ([5, 5], [0, 7])
    assert report["against_plain"].keys() == {"wrong_ratio", "correct_lost", "holds"}
    assert report["faithfulness"]["judge"] == "openai-compatible:guesser"
    asked = [prompt for prompt in prompts if "say that you do not know" in prompt]
    assert sum(prompt.count("first lit in 1871") for prompt in asked) >= 1
    assert report["tokens"]["calls"] > 0
    assert plain["tokens"]["calls"] == 7
    page = out.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    assert "| | citewell | plain | extractive |" in page


def test_answers_are_made_anew_each_time(bench: CommandLine) -> None:
    one = ["eval", "run", "--squad", bench.home / "orm.json", "--limit", "1", "--json"]
    with LanguageModelServer(guesses) as server:
        settings = {
            "LLM_PROVIDER": "openai-compatible",
            "LLM_BASE_URL": f"{server.url}/v1",
            "LLM_MODEL": "guesser",
        }
        first = bench.rag(*one, settings=settings).json
        n_asked = len(server.requests)
        again = bench.rag(*one, settings=settings).json
        assert len(server.requests) == 2 * n_asked > 0
    assert again["lines"] == first["lines"]
