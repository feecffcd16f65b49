"""How well follow-up questions are rewritten and compound questions split.

    script/bench planning [--model-url URL] [--model NAME] [--squad FILE …] [--cache FOLDER]

Reads `eval/planning.yaml` and `eval/dialogues.yaml`; dialogues are searched for in the sample
`acme-vault`. Each figure stands for the entries that the rules were written with (`seen`) and for
those held out. `--squad` adds files in SQuAD's layout: their questions are simple, and no follow-up
of one about something else. With `--model-url`, an OpenAI-compatible server, all is measured with
that model too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from citewell.access.clearance import clearance_of
from citewell.answering.plan import plan_question
from citewell.answering.rewrite import rewrite_question
from citewell.bootstrap import Citewell, open_citewell
from citewell.choose_language_model import choose_language_model
from citewell.cli.run_sync import fill_vectors, sync_sources
from citewell.domain.clearance import Clearance, Principal
from citewell.domain.conversation import Turn
from citewell.evaluation.datasets import load_squad_sets
from citewell.ingestion.register_source import register_folder
from citewell.load_settings import load_settings
from citewell.ports.language_model import LanguageModel
from machine import describe_machine

ROOT = Path(__file__).parents[1]
DEPTH = 5
QUESTIONS_OF_A_FILE = 200


class Shares:
    """Shares of what holds, by name."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: dict[str, list[int]] = {}

    def add(self, entry: dict[str, Any], holds: bool, *names: str) -> None:  # noqa: FBT001 - the value counted
        """Count an entry under names, with its half."""
        half = "held_out" if entry.get("held_out") else "seen"
        for name in names:
            counts = self._counts.setdefault(f"{name} {half}", [0, 0])
            counts[0] += holds
            counts[1] += 1

    @property
    def texts(self) -> dict[str, str]:
        """`n/all` by name."""
        return {name: f"{n}/{of}" for name, (n, of) in sorted(self._counts.items())}


def read_set(name: str) -> Any:
    """Return a file of `eval/`."""
    return yaml.safe_load((ROOT / "eval" / name).read_text("utf-8"))


def report(*words: object) -> None:
    """Tell what went wrong; the figures alone go to the standard output."""
    print(*words, file=sys.stderr)


async def measure_plans(model: LanguageModel | None) -> dict[str, Any]:
    """Return how many simple questions stay whole, and how many others get the right parts."""
    shares, by = Shares(), Shares()
    entries = read_set("planning.yaml")
    for kind in ("simple", "compound"):
        for entry in entries[kind]:
            plan = await plan_question(entry["question"], model=model)
            wanted = entry.get("parts", [[]])
            parts = plan.sub_questions
            is_right = len(parts) == len(wanted) and all(
                word.casefold() in part.casefold()
                for words, part in zip(wanted, parts, strict=True)
                for word in words
            )
            shares.add(entry, is_right, kind, f"{kind} {entry['lang']}")
            by.add(entry, plan.by == "model", f"{kind} by model")
            if not is_right and not entry.get("held_out"):
                report(kind, entry["lang"], entry["question"], parts)
    return {"right": shares.texts, "by_model": by.texts}


async def measure_dialogues(
    parts: Citewell, clearance: Clearance, model: LanguageModel | None
) -> dict[str, Any]:
    """Return recall at 5 of the second question: as asked, rewritten, and written out."""
    shares, by = Shares(), Shares()
    seconds: list[float] = []
    for entry in read_set("dialogues.yaml"):
        history = [Turn(question, answer) for question, answer in entry["history"]]
        started = time.perf_counter()
        rewritten = await rewrite_question(entry["question"], history, model=model)
        seconds.append(time.perf_counter() - started)
        texts = {
            "as asked": entry["question"],
            "rewritten": rewritten.question,
            "written out": entry["written_out"],
        }
        found = {name: is_found(parts, clearance, text, entry) for name, text in texts.items()}
        for name, is_hit in found.items():
            shares.add(entry, is_hit, name, f"{name} {entry['lang']}", f"{name} {entry['kind']}")
        by.add(entry, rewritten.by == "model", f"{entry['kind']} by model")
        by.add(entry, rewritten.by != "none", f"{entry['kind']} rewritten")
        if not entry.get("held_out"):
            report(entry["id"], rewritten.by, rewritten.question, found)
    return {
        "recall@5": shares.texts,
        "made": by.texts,
        "slowest_rewrite_s": round(max(seconds), 3),
    }


def is_found(parts: Citewell, clearance: Clearance, question: str, entry: dict[str, Any]) -> bool:
    """Return whether one of the first passages is one that answers."""
    headings = {heading.casefold() for heading in entry.get("expected_headings", ())}
    text = entry.get("expected_text")
    passages = parts.search.search_passages(question, clearance, top_k=DEPTH).passages
    return any(
        chunk.relative_path in entry["expected_sources"]
        and (
            text in chunk.content
            if text
            else not headings.isdisjoint(heading.casefold() for heading in chunk.heading_path)
        )
        for passage in passages
        for chunk in passage.chunks
    )


async def measure_simple_sets(paths: Sequence[Path]) -> dict[str, Any]:
    """Return how many questions of other sets are split, or taken for follow-ups of another."""
    results: dict[str, Any] = {}
    for path in paths:
        for name, articles in load_squad_sets(path).items():
            questions = [q.text for a in articles for p in a.paragraphs for q in p.questions]
            chosen = random.Random(4).sample(questions, min(QUESTIONS_OF_A_FILE, len(questions)))
            split = [
                q for q in chosen if len((await plan_question(q, model=None)).sub_questions) > 1
            ]
            turn = Turn(questions[0], "")
            dragged = [
                q for q in chosen if (await rewrite_question(q, [turn], model=None)).by != "none"
            ]
            for question in split:
                report("split", name, question)
            results[name] = {"questions": len(chosen), "split": len(split), "leaning": len(dragged)}
    for file in ("questions.yaml", "hard-questions.yaml"):
        asked = [entry["question"] for entry in read_set(file)]
        split = [q for q in asked if len((await plan_question(q, model=None)).sub_questions) > 1]
        results[file] = {"questions": len(asked), "split": len(split)}
    return results


def ingest_sample(parts: Citewell) -> Clearance:
    """Ingest the sample, and return a clearance that reads it."""
    tiers = parts.settings.access_tiers
    folder = ROOT / "samples" / "acme-vault"
    source = register_folder(folder, parts.catalog.sources, tiers=tiers, tier=tiers[0])
    sync_sources(parts, [source], quiet=True)
    fill_vectors(parts, quiet=True)
    return clearance_of(Principal("benchmark", tiers[0]), tiers=tiers)


def open_model(url: str, name: str) -> LanguageModel:
    """Return the model of an OpenAI-compatible server, with patience for slow machines."""
    model = choose_language_model(
        load_settings(
            {
                "llm_provider": "openai-compatible",
                "llm_base_url": url,
                "llm_model": name,
                "llm_timeout_seconds": 600.0,
            }
        )
    )
    if model is None:
        raise SystemExit("--model-url names no model")
    return model


async def measure(parts: Citewell, clearance: Clearance, arguments: Any) -> dict[str, Any]:
    """Return all figures."""
    results: dict[str, Any] = {
        "plans": await measure_plans(None),
        "dialogues": await measure_dialogues(parts, clearance, None),
        "simple_sets": await measure_simple_sets(arguments.squad),
    }
    if arguments.model_url:
        model = open_model(arguments.model_url, arguments.model)
        results["plans_with_model"] = await measure_plans(model)
        results["dialogues_with_model"] = await measure_dialogues(parts, clearance, model)
        await model.close()
    return results


def main() -> None:
    """Measure, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model-url")
    parser.add_argument("--model", default="local")
    parser.add_argument("--squad", type=Path, nargs="*", default=[])
    parser.add_argument("--cache", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "data_dir": Path(folder) / "data",
            "embedding_cache_dir": arguments.cache or Path(folder) / "cache",
            "sources_file": "",
        }
        with open_citewell(load_settings(settings)) as parts:
            clearance = ingest_sample(parts)
            results = asyncio.run(measure(parts, clearance, arguments))
    parameters = {name: str(value) for name, value in vars(arguments).items() if value}
    print(
        json.dumps(
            {
                "benchmark": "planning",
                "parameters": parameters,
                "machine": describe_machine(),
                "results": results,
            },
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
