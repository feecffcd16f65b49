"""Fit the neutral map of the default embedder on parallel texts.

    OMP_NUM_THREADS=1 python benchmarks/fit_neutral_map.py TEXTS \
        src/citewell/adapters/embedders/neutral_map.npz

`TEXTS` holds `<source>/<language>.json` as `gather_parallel_texts.py` writes them; every source has
English. Raw vectors are kept beside the texts, so that a second run takes seconds.

How a language differs from English is the mean difference between texts and their translations, per
source, and then the mean over sources: topics cancel. The directions are the first right singular
vectors of all languages' differences from their mean, passages and queries together.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citewell.adapters.embedders.clean import clean_text
from citewell.adapters.embedders.nano_e5 import load_engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIVOT = "en"
SIDES = ("passages", "queries")
MIN_PAIRS = 5
N_DIRECTIONS = 16
MEAN_SHARE = 0.5

Vectors = dict[str, "NDArray[np.float64]"]


@dataclass(frozen=True)
class SideFit:
    """What was found on one side.

    Attributes:
        mean: `float64[dim]`, over languages and sources.
        differences: By language, `float64[dim]`, from that mean.
    """

    mean: NDArray[np.float64]
    differences: Vectors


def main() -> None:
    """Embed what has no vectors yet, fit, and write the map."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    embed_texts(options.texts)
    sides = {side: fit_side(read_vectors(options.texts, side)) for side in SIDES}
    languages = np.stack([row for side in SIDES for row in sides[side].differences.values()])
    _, strengths, directions = np.linalg.svd(languages, full_matrices=False)
    print(f"{len(sides['passages'].differences)} languages; strengths {strengths[:24].round(2)}")
    np.savez(
        options.out,
        directions=directions[:N_DIRECTIONS].astype(np.float32),
        passage_shift=(MEAN_SHARE * sides["passages"].mean).astype(np.float32),
        query_shift=(MEAN_SHARE * sides["queries"].mean).astype(np.float32),
    )


def embed_texts(texts: Path) -> None:
    """Write `<language>.npz` beside each `<language>.json`: raw unit vectors, in its order."""
    engine = load_engine(None)
    for path in sorted(texts.glob("*/*.json")):
        place = path.with_suffix(".npz")
        if place.exists():
            continue
        content = json.loads(path.read_text())
        passages = [clean_text(text) for text in content["passages"].values()]
        queries = [clean_text(text) for text in content["queries"].values()]
        np.savez(
            place,
            passages=engine.passage(passages),
            queries=np.stack([np.ravel(engine.query(text)) for text in queries]),
        )


def read_vectors(texts: Path, side: str) -> dict[tuple[str, str], Vectors]:
    """Return vectors by text, of each source and language."""
    found: dict[tuple[str, str], Vectors] = {}
    for path in sorted(texts.glob("*/*.json")):
        names = json.loads(path.read_text())[side]
        with np.load(path.with_suffix(".npz"), allow_pickle=False) as rows:
            vectors = rows[side].astype(np.float64)
        found[path.parent.name, path.stem] = dict(zip(names, vectors, strict=True))
    return found


def fit_side(found: dict[tuple[str, str], Vectors]) -> SideFit:
    """Return the mean and each language's difference from it."""
    by_language: dict[str, list[NDArray[np.float64]]] = {}
    for (source, language), vectors in found.items():
        english = found[source, PIVOT]
        pairs = [vectors[name] - english[name] for name in vectors if name in english]
        if len(pairs) >= MIN_PAIRS:
            by_language.setdefault(language, []).append(np.mean(pairs, axis=0))
    from_english = {language: np.mean(rows, axis=0) for language, rows in by_language.items()}
    english_mean = np.mean(
        [
            np.mean(list(vectors.values()), axis=0)
            for (_, language), vectors in found.items()
            if language == PIVOT
        ],
        axis=0,
    )
    centre = np.mean(list(from_english.values()), axis=0)
    return SideFit(
        mean=english_mean + centre,
        differences={language: row - centre for language, row in from_english.items()},
    )


if __name__ == "__main__":
    main()
