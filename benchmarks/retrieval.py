"""Retrieval quality of each leg and of both, through the whole product.

    script/bench retrieval --scifact FOLDER          BEIR's layout: corpus, queries, qrels
    script/bench retrieval --xquad FOLDER            en.json, zh.json, …: every pair of languages
    script/bench retrieval --financebench FOLDER     filings as PDF and questions.jsonl

`--cache FOLDER` keeps the embedding cache, so that a second run need not embed again.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citewell.access.clearance import clearance_of
from citewell.bootstrap import Citewell, open_citewell
from citewell.cli.run_sync import fill_vectors, sync_sources
from citewell.domain.clearance import Clearance, Principal
from citewell.domain.passage import VisibleChunk
from citewell.evaluation.datasets import load_beir, load_financebench, load_squad_sets
from citewell.evaluation.measures import ndcg_at, recall_at
from citewell.ingestion.register_source import register_folder
from citewell.load_settings import load_settings
from machine import describe_machine

LEGS = ("lexical", "dense", "hybrid")
WANTED = 200
"""Chunks that each leg is asked for: 100 distinct documents and more."""


@dataclass
class Scores:
    """Sums of measures over questions."""

    n: int = 0
    sums: dict[str, float] = field(default_factory=dict)

    def add(self, ranking: Sequence[str], grades: Mapping[str, float]) -> None:
        """Add one question."""
        relevant = set(grades)
        found = {
            "ndcg@10": ndcg_at(ranking, grades, k=10),
            "recall@1": recall_at(ranking, relevant, k=1),
            "recall@5": recall_at(ranking, relevant, k=5),
            "recall@100": recall_at(ranking, relevant, k=100),
        }
        self.n += 1
        for name, value in found.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure."""
        return {name: round(total / self.n, 4) for name, total in self.sums.items()}


def ingest(parts: Citewell, folder: Path) -> Clearance:
    """Ingest a folder with its vectors, and return a clearance that reads it."""
    tiers = parts.settings.access_tiers
    source = register_folder(folder, parts.catalog.sources, tiers=tiers, tier=tiers[0])
    sync_sources(parts, [source], quiet=True)
    fill_vectors(parts, quiet=False)
    parts.index.optimize()
    return clearance_of(Principal("benchmark", tiers[0]), tiers=tiers)


def rank(
    parts: Citewell,
    question: str,
    clearance: Clearance,
    *,
    name_of: Callable[[VisibleChunk], Sequence[str]],
) -> dict[str, list[str]]:
    """Return the distinct names that each leg and both together find, best first."""
    found, _, fused, _ = parts.search.rank_chunks(question, clearance, wanted=WANTED)
    legs = {"lexical": found.lexical.candidates, "dense": found.dense.candidates, "hybrid": fused}
    return {
        leg: list(
            dict.fromkeys(
                name
                for candidate in candidates
                for name in name_of(found.chunks[candidate.chunk_key])
            )
        )
        for leg, candidates in legs.items()
    }


def document_name(chunk: VisibleChunk) -> list[str]:
    """Return the document's file name without suffix."""
    return [Path(chunk.relative_path).stem]


def page_names(chunk: VisibleChunk) -> list[str]:
    """Return a name for each page of a chunk."""
    first, last = chunk.page_start or 0, chunk.page_end or 0
    return [f"{chunk.relative_path}#{page}" for page in range(first, last + 1)]


def measure_scifact(parts: Citewell, data: Path, scratch: Path) -> dict[str, object]:
    """Return the measures over the test claims."""
    scifact = load_beir(data)
    folder = scratch / "scifact"
    folder.mkdir()
    for document_id, document in scifact.documents.items():
        title = re.sub(r"\s+", " ", document.title).strip()
        (folder / f"{document_id}.md").write_text(f"# {title}\n\n{document.text}\n", "utf-8")
    clearance = ingest(parts, folder)
    scores = {leg: Scores() for leg in LEGS}
    for question_id, question in scifact.questions.items():
        ranking = rank(parts, question, clearance, name_of=document_name)
        for leg in LEGS:
            scores[leg].add(ranking[leg], scifact.judgements[question_id])
    return {leg: scores[leg].means for leg in LEGS}


def measure_financebench(parts: Citewell, data: Path, scratch: Path) -> dict[str, object]:
    """Return how many questions have a gold page among the first 10 distinct pages."""
    folder = scratch / "filings"
    folder.mkdir()
    for pdf in data.glob("*.pdf"):
        shutil.copy(pdf, folder)
    clearance = ingest(parts, folder)
    scores = {leg: Scores() for leg in LEGS}
    hits = dict.fromkeys(LEGS, 0)
    for question in load_financebench(data):
        ranking = rank(parts, question.question, clearance, name_of=page_names)
        gold = {f"{question.document}#{page}": 1.0 for page in question.pages}
        for leg in LEGS:
            scores[leg].add(ranking[leg], gold)
            hits[leg] += bool(set(ranking[leg][:10]) & set(gold))
    n = scores["hybrid"].n
    return {leg: {**scores[leg].means, "gold_page_in_10": f"{hits[leg]}/{n}"} for leg in LEGS}


def measure_xquad(
    languages: Sequence[str], data: Path, scratch: Path, cache: Path
) -> dict[str, object]:
    """Return recall@1 of every pair of languages and what the bars are about."""
    sets = {name: articles for name, articles in load_squad_sets(data).items() if name in languages}
    pairs: dict[str, dict[str, float]] = {}
    total = {leg: Scores() for leg in LEGS}
    for corpus in languages:
        folder = scratch / corpus
        folder.mkdir()
        paragraphs = [p for article in sets[corpus] for p in article.paragraphs]
        for number, paragraph in enumerate(paragraphs):
            (folder / f"{number:03}.txt").write_text(paragraph.text, "utf-8")
        with opened(scratch / f"data-{corpus}", cache) as parts:
            clearance = ingest(parts, folder)
            for asked in languages:
                scores = {leg: Scores() for leg in LEGS}
                asked_paragraphs = [p for article in sets[asked] for p in article.paragraphs]
                for number, paragraph in enumerate(asked_paragraphs):
                    for question in paragraph.questions:
                        found = rank(parts, question.text, clearance, name_of=document_name)
                        for leg in LEGS:
                            scores[leg].add(found[leg], {f"{number:03}": 1.0})
                            total[leg].add(found[leg], {f"{number:03}": 1.0})
                pairs[f"{asked}-{corpus}"] = {leg: scores[leg].means["recall@1"] for leg in LEGS}
                print(f"{asked}-{corpus}", pairs[f"{asked}-{corpus}"], file=sys.stderr)
    same = [figures for name, figures in pairs.items() if len(set(name.split("-"))) == 1]
    below = [max(f["lexical"], f["dense"]) - f["hybrid"] for f in pairs.values()]
    better = sum(max(f["lexical"], f["dense"]) for f in same) / len(same)
    return {
        **{leg: total[leg].means for leg in LEGS},
        "pairs_recall@1": pairs,
        "worst_points_below_better_leg": round(100 * max(below), 2),
        "monolingual_points_above_better_leg": round(
            100 * (sum(f["hybrid"] for f in same) / len(same) - better), 2
        ),
    }


def opened(data_dir: Path, cache: Path):
    """Open a data folder for a benchmark."""
    return open_citewell(
        load_settings({"data_dir": data_dir, "embedding_cache_dir": cache, "sources_file": ""})
    )


def main() -> None:
    """Measure one set and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    chosen = parser.add_mutually_exclusive_group(required=True)
    for name in ("scifact", "xquad", "financebench"):
        chosen.add_argument(f"--{name}", type=Path)
    parser.add_argument("--languages", default="en,zh,tr,de,ru")
    parser.add_argument("--cache", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        cache = arguments.cache or scratch / "cache"
        if arguments.xquad:
            languages = arguments.languages.split(",")
            results = measure_xquad(languages, arguments.xquad, scratch, cache)
        else:
            with opened(scratch / "data", cache) as parts:
                if arguments.scifact:
                    results = measure_scifact(parts, arguments.scifact, scratch)
                else:
                    results = measure_financebench(parts, arguments.financebench, scratch)
    parameters = {name: str(value) for name, value in vars(arguments).items() if value}
    print(
        json.dumps(
            {
                "benchmark": "retrieval",
                "parameters": parameters,
                "machine": describe_machine(),
                "results": results,
            }
        )
    )


if __name__ == "__main__":
    main()
