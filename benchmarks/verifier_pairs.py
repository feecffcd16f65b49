"""Sentences with the passages that support them, or do not: for the benchmark of the verifier."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from citewell.answering.quoting.sentences import sentence_spans
from verifier_changes import CHANGES, change_name

LANGUAGES = ("en", "zh", "de", "tr")
ACROSS = (("zh", "en"), ("en", "zh"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and what it is checked against.

    Attributes:
        language: Of sentence and passages, such as `en`, or `zh-en` for two.
        kind: How the sentence was made.
        article: Number of the article; its parity decides about held out.
        sentence: To be verified.
        passages: Texts, as retrieved.
        cited: Index of the passage that a model would cite, or None.
        source: The sentence it was made from.
        is_true: Whether the passages support the sentence.
        question: That the sentence answers, or nothing.
    """

    language: str
    kind: str
    article: int
    sentence: str
    passages: tuple[str, ...]
    cited: int | None
    source: str
    is_true: bool = True
    question: str = ""


class Corpus:
    """XQuAD: the same articles, paragraphs and questions in several languages."""

    def __init__(self, folder: Path) -> None:
        """Read the files of a folder, one per language."""
        self.articles: dict[str, list[list[dict[str, Any]]]] = {}
        for language in LANGUAGES:
            data = json.loads((folder / f"{language}.json").read_text("utf-8"))["data"]
            self.articles[language] = [article["paragraphs"] for article in data]
        self.n_articles = len(self.articles["en"])
        self.names = {language: self._names(language) for language in LANGUAGES}

    def passages(self, language: str, article: int) -> tuple[str, ...]:
        """Return the paragraphs of an article."""
        return tuple(p["context"] for p in self.articles[language][article])

    def sentences(self, language: str, article: int, paragraph: int) -> list[str]:
        """Return the sentences of a paragraph."""
        text = self.articles[language][article][paragraph]["context"]
        return [text[start:end] for start, end in sentence_spans(text)]

    def _names(self, language: str) -> list[list[str]]:
        """Return per article the answers that are names, as their English form shows."""
        names: list[list[str]] = []
        for number, paragraphs in enumerate(self.articles[language]):
            english = {
                qa["id"]: qa["answers"][0]["text"]
                for p in self.articles["en"][number]
                for qa in p["qas"]
            }
            found: dict[str, None] = {}
            for paragraph in paragraphs:
                for qa in paragraph["qas"]:
                    answer = qa["answers"][0]["text"].strip(" ,.。，")
                    if _is_name(english[qa["id"]]) and len(answer) < 40 and _is_one(answer):
                        found[answer] = None
            names.append(list(found))
        return names


def _is_name(answer: str) -> bool:
    words = [
        w for w in re.findall(r"[A-Za-z][\w'’-]*", answer) if w not in {"of", "the", "de", "la"}
    ]
    return (
        bool(words)
        and all(w[0].isupper() for w in words)
        and not re.search(r"\d", answer)
        and len(words) <= 4
    )


def _is_one(answer: str) -> bool:
    return not re.search(r",|、|，| and | und | ve |和|与", answer)


def true_pairs(corpus: Corpus, paraphrases: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    """Yield sentences that hold and are no substrings of their passages."""
    for pair in _candidates(corpus, paraphrases):
        if pair.sentence.rstrip(" .。") not in pair.passages[pair.cited or 0]:
            yield pair


def _candidates(corpus: Corpus, paraphrases: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    for record in paraphrases:
        yield from _model_pair(corpus, record)
    for article in range(corpus.n_articles):
        for language in LANGUAGES:
            yield from _statements(corpus, language, article)
            yield from _rewritten(corpus, language, article)
        for pair in ACROSS:
            yield from _translations(corpus, pair, article)


def _model_pair(corpus: Corpus, record: Mapping[str, Any]) -> Iterator[Pair]:
    item, text = record["item"], " ".join(record["text"].split())
    passages = corpus.passages(item["lang"], item["article"])
    source = passages[item["paragraph"]][item["start"] : item["end"]]
    if record["finish"] == "stop" and not record.get("is_false"):
        yield Pair(
            item["lang"],
            f"model {item['kind']}",
            item["article"],
            text,
            passages,
            item["paragraph"],
            source,
            question=item["question"],
        )


_ASKED = {
    "en": [
        (r"^Who ((?:was|is|were|are|did|has|had|wrote|won|led|[a-z]+ed)\b.*)\?$", r"{a} \1."),
        (
            (
                r"^What (?:is|was) (the (?:name|title|capital|largest|population|nickname|term"
                r"|official)\b.*)\?$"
            ),
            r"The answer: \1 is {a}.",
        ),
        (
            (
                r"^(?:What|Which) (\w+(?: \w+)?) ((?:was|is|were|has|won|played|hosted|made|used"
                r"|caused|provides|controls|owns|runs|led|became)\b.*)\?$"
            ),
            r"{a} is the \1 that \2.",
        ),
        (
            r"^How many ([\w ]+?) ((?:are|were|have|live|attended|died|lived|did not|was)\b.*)\?$",
            r"{a} \1 \2.",
        ),
    ],
    "de": [
        (r"^Wer (.*)\?$", r"{a} \1."),
        (r"^Wie viele (.*)\?$", r"{a} \1."),
        (r"^Welche[rs]? (\w+) ((?:ist|war|wurde|hat|gewann|führt|besitzt)\b.*)\?$", r"{a} \2."),
        (r"^Was (ist|war) (.*)\?$", r"{a} \1 \2."),
    ],
    "tr": [
        (r"^(.*)\b[Kk]aç(\s\w+)(.*)\?$", r"\1{a}\2\3."),
        (r"^Kim (.*)\?$", r"{a} \1."),
        (r"^(.*)\b(?:kimdir|nedir)\?$", r"\1{a}."),
        (r"^(.*) (?:nerededir|nerede bulunur)\?$", r"\1: {a}."),
        (r"^Hangi (\w+) (.*)\?$", r"{a} \2."),
    ],
    "zh": [
        (r"^(.*?)(?:什么时候|哪一年|何时|哪年)(.*)[？?]$", r"\1{a}\2。"),
        (r"^(.*?)谁(?!的)(.*)[？?]$", r"\1{a}\2。"),
        (r"^(.*?)(?:多少|几)(.*)[？?]$", r"\1{a}\2。"),
        (r"^(.*(?:是|叫|名为|叫做|位于|在))(?:什么|哪里|哪儿|哪个\w{1,2})[？?]$", r"\1{a}。"),
        (r"^(?:哪|哪个|哪支|哪位)(?:个|支|位|所|家|座|种)?\w{0,2}?(.*)[？?]$", r"{a}\1。"),
    ],
}


def _statements(corpus: Corpus, language: str, article: int) -> Iterator[Pair]:
    """Yield questions with their answers put in place of the question word."""
    passages = corpus.passages(language, article)
    english = corpus.articles["en"][article]
    for place, paragraph in enumerate(corpus.articles[language][article]):
        for number, qa in enumerate(paragraph["qas"]):
            if not _is_from(english[place]["qas"][number]["question"], english[place]["context"]):
                continue
            answer = qa["answers"][0]["text"].strip(" ,.。，")
            statement = _statement(language, " ".join(qa["question"].split()), answer)
            if statement and len(answer) < 60 and not _is_cut(answer, paragraph["context"]):
                source = _holding(corpus.sentences(language, article, place), answer)
                pair = Pair(language, "statement", article, statement, passages, place, source)
                yield replace(pair, question=qa["question"])
                break


def _is_cut(answer: str, text: str) -> bool:
    """Whether a number was marked as the answer without its scale or unit."""
    scales = "[%万亿年人]|million|billion|Million|Milliarde|milyon|milyar|bin "
    ends = rf"{re.escape(answer)}\s?(?:{scales})"
    return answer[-1:].isdecimal() and bool(re.search(ends, text))


def _is_from(question: str, text: str) -> bool:
    """Whether the names and numbers of an English question are those of its paragraph."""
    said = re.findall(r"(?<=\s)[A-Z]\w+|\d[\d,.]*\d|\d", question)
    return all(word.casefold()[:5] in text.casefold() for word in said)


def _statement(language: str, question: str, answer: str) -> str | None:
    for pattern, shape in _ASKED[language]:
        match = re.match(pattern, question)
        if match:
            text = "".join(match.expand(part) + answer for part in shape.split("{a}"))
            text = text.removesuffix(answer) if not shape.endswith("{a}") else text
            text = text.replace("The answer: t", "T").replace("The answer: ", "")
            text = re.sub(r"\b(\w+) \1\b", r"\1", text)
            return text[0].upper() + text[1:]
    return None


def _holding(sentences: Sequence[str], answer: str) -> str:
    return next((s for s in sentences if answer in s), sentences[0])


_LEADS = {
    "en": ["According to the text, {0}", "It is stated that {0}", "The document says that {0}"],
    "de": ["Laut dem Text gilt: {0}", "Im Dokument steht: {0}"],
    "tr": ["Metne göre {0}", "Belgede şöyle yazıyor: {0}"],
    "zh": ["根据文档，{0}", "文中指出，{0}"],
}
_SYNONYMS = {
    "en": [
        ("began", "started"),
        ("started", "began"),
        ("approximately", "about"),
        ("about", "around"),
        ("such as", "like"),
        ("However, ", ""),
        ("also ", ""),
        ("many", "numerous"),
        ("large", "big"),
        ("received", "got"),
        ("located", "situated"),
        ("because", "since"),
        ("although", "though"),
        ("used to", "utilised to"),
        ("percent", "%"),
        ("%", " percent"),
        ("founded", "established"),
        ("established", "founded"),
        ("often", "frequently"),
        ("build", "construct"),
    ],
    "de": [
        ("begann", "startete"),
        ("etwa", "ungefähr"),
        ("ungefähr", "rund"),
        ("auch ", ""),
        ("jedoch ", ""),
        ("viele", "zahlreiche"),
        ("wie zum Beispiel", "wie"),
        ("Prozent", "%"),
        ("%", " Prozent"),
        ("große", "bedeutende"),
        ("gegründet", "ins Leben gerufen"),
    ],
    "tr": [
        ("yaklaşık", "aşağı yukarı"),
        ("ayrıca ", ""),
        ("birçok", "çok sayıda"),
        ("ancak ", ""),
        ("yüzde ", "%"),
        ("başladı", "başlamıştır"),
        ("oldu.", "olmuştur."),
        ("büyük", "geniş"),
        ("yaptı", "gerçekleştirdi"),
    ],
    "zh": [
        ("大约", "约"),
        ("约", "大约"),
        ("许多", "很多"),
        ("但是", "不过"),
        ("因此", "所以"),
        ("开始", "着手"),
        ("例如", "比如"),
        ("位于", "坐落于"),
        ("以及", "和"),
        ("非常", "十分"),
        ("由于", "因为"),
        ("成为", "变成"),
    ],
}


def _rewritten(corpus: Corpus, language: str, article: int) -> Iterator[Pair]:
    """Yield sentences that rules rewrote: synonyms, order, clauses left out, two joined."""
    passages = corpus.passages(language, article)
    for place in range(len(passages)):
        random = Random(f"{language} {article} {place}")
        sentences = [s for s in corpus.sentences(language, article, place) if _is_fit(s, language)]
        if not sentences:
            continue
        for kind in (("lead", "part", "order", "joined", "lead")[place], "order", "part", "lead"):
            source = random.choice(sentences)
            text = _rewrite(kind, source, sentences, language=language, random=random)
            if text:
                yield Pair(language, f"rule {kind}", article, text, passages, place, source)


def _is_fit(sentence: str, language: str) -> bool:
    low, high = (15, 100) if language == "zh" else (45, 260)
    return low <= len(sentence) <= high and sentence[-1] in ".。"


def _rewrite(
    kind: str, source: str, sentences: Sequence[str], *, language: str, random: Random
) -> str | None:
    text = source
    for old, new in _SYNONYMS[language]:
        border = "" if language == "zh" or not old[0].isalpha() else r"\b"
        if re.search(border + re.escape(old), text) and random.random() < 0.7:
            text = re.sub(
                border + re.escape(old) + (border if old[-1].isalpha() else ""), new, text, count=1
            )
    text = _other_numbers(text, language)
    if kind == "part":
        return _without_aside(text, language)
    if kind == "order":
        return _reordered(text, language)
    if kind == "joined" and len(sentences) > 1:
        place = sentences.index(source)
        other = sentences[place + 1 if place + 1 < len(sentences) else place - 1]
        link = {"en": "; moreover, ", "de": "; außerdem: ", "tr": "; ayrıca ", "zh": "；此外，"}[
            language
        ]
        return text.rstrip(".。") + link + other
    return random.choice(_LEADS[language]).format(text)


def _other_numbers(text: str, language: str) -> str:
    if language == "en":
        text = re.sub(r"(?<![\d.,$£€])(\d{1,3}),(\d{3})(?![\d,])", r"\1\2", text)
        for word, digit in (
            ("three", "3"),
            ("four", "4"),
            ("five", "5"),
            ("six", "6"),
            ("twelve", "12"),
        ):
            text = re.sub(rf"\b{word}\b(?!-)", digit, text)
    if language == "de":
        for word, digit in (
            ("drei", "3"),
            ("vier", "4"),
            ("fünf", "5"),
            ("sechs", "6"),
            ("zwölf", "12"),
        ):
            text = re.sub(rf"\b{word}\b", digit, text)
    if language == "tr":
        for word, digit in (("üç", "3"), ("dört", "4"), ("beş", "5"), ("altı", "6")):
            text = re.sub(rf"\b{word}\b(?! yüz| bin)", digit, text)
    if language == "zh":
        for word, digit in (("三个", "3个"), ("四个", "4个"), ("五个", "5个"), ("六个", "6个")):
            text = text.replace(word, digit)
    return text


def _without_aside(text: str, language: str) -> str | None:
    """Return the sentence without brackets, or without what follows a comma at its end."""
    bare = re.sub(r"\s?[(（][^()（）]*[)）]", "", text)
    if bare != text:
        return bare
    marks = {"zh": "，"}.get(language, ", ")
    subordinate = {
        "en": r", (?:which|who|where|while|although|including|such as)\b[^,]*\.$",
        "de": r", (?:die|der|das|was|wobei|obwohl|während|wo)\b[^,]*\.$",
        "zh": r"，(?:其中|包括|例如|比如|这)[^，]*。$",
    }.get(language)
    if subordinate and re.search(subordinate, text):
        return re.sub(subordinate, "。" if language == "zh" else ".", text)
    _ = marks
    return None


def _reordered(text: str, language: str) -> str | None:
    """Return the sentence with its leading adverbial at the end, or the other way round."""
    if language == "en":
        match = re.match(
            r"^((?:In|On|At|During|After|Before|By|From|Since|Under)\b[^,]{3,50}), ([^,]+)\.$", text
        )
        if match:
            return f"{_lower_first(match[2], upper=True)} {_lower_first(match[1])}."
        match = re.match(r"^([^,]{20,}) ((?:in|during|after|since) (?:the )?[^,]{4,25})\.$", text)
        return f"{match[2][0].upper()}{match[2][1:]}, {match[1]}." if match else None
    if language == "zh":
        match = re.match(
            r"^(在?[^，]{3,15}[年月期间时后]，)([^，。]{4,12}?)((?:是|在|被|将|为|成).*)。$", text
        )
        return f"{match[2]}{match[1].rstrip('，')}{match[3]}。" if match else None
    if language == "tr":
        match = re.match(
            r"^([\w' ]{4,30}(?:yılında|yüzyılda|sonra|önce)),? (\w[\w']+ )(.*)\.$", text
        )
        return (
            f"{match[2][0].upper()}{match[2][1:]}{match[1][0].lower()}{match[1][1:]} {match[3]}."
            if match
            else None
        )
    match = re.match(
        r"^((?:Im|Am|In|Seit|Nach|Während|Bei|Zu|Für)\b[^,]{3,40}?) (wurde|war|ist|hatte|hat|wurden"
        r"|waren|sind|begann|gab|lag) ((?:die|der|das|er|sie|es|[A-Z]\w+)(?: [A-Z]\w+)?) (.*)\.$",
        text,
    )
    if match:
        first = f"{match[3][0].upper()}{match[3][1:]} {match[2]}"
        return f"{first} {match[1][0].lower()}{match[1][1:]} {match[4]}."
    return None


def _lower_first(text: str, *, upper: bool = False) -> str:
    return (text[0].upper() if upper else text[0].lower()) + text[1:]


def _translations(corpus: Corpus, languages: tuple[str, str], article: int) -> Iterator[Pair]:
    """Yield sentences of one language with the parallel paragraphs of the other.

    Three paragraphs of an article, of which two are asked about: vectors cost time.
    """
    said, written = languages
    passages = corpus.passages(written, article)[::2]
    for place in range(2):
        ours, theirs = (corpus.sentences(name, article, 2 * place) for name in languages)
        random = Random(f"{said} {written} {article} {place}")
        fit = [
            (a, b)
            for a, b in zip(ours, theirs, strict=False)
            if _is_fit(a, said) and _is_alike(a, b, said)
        ]
        if len(ours) == len(theirs) and fit:
            a, b = random.choice(fit)
            kind = "translation"
            yield Pair(f"{said}-{written}", kind, article, a, passages, place, b)


def _is_alike(ours: str, theirs: str, said: str) -> bool:
    ratio = len(theirs) / len(ours) if said == "zh" else len(ours) / len(theirs)
    return 2.0 <= ratio <= 5.5


def changed_pairs(corpus: Corpus, pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield true sentences with one fact changed, two kinds of change for each at most."""
    for pair in pairs:
        random = Random(f"{pair.language} {pair.sentence}")
        kinds = [*CHANGES, "name", "name nearby"]
        random.shuffle(kinds)
        n_made = 0
        for kind in kinds:
            text = _change(corpus, pair, kind, random)
            if text and text != pair.sentence and n_made < 2:
                n_made += 1
                yield replace(
                    pair, kind=f"changed {kind}", sentence=text, is_true=False, source=pair.sentence
                )


def _change(corpus: Corpus, pair: Pair, kind: str, random: Random) -> str | None:
    language = pair.language[:2]
    if kind in CHANGES:
        return CHANGES[kind](pair.sentence, language, random)
    names = corpus.names[language]
    own = [n for n in names[pair.article] if len(n) > (1 if language == "zh" else 3)]
    if kind == "name":
        others = names[(pair.article + 2) % len(names)] + names[(pair.article + 4) % len(names)]
        text = change_name(pair.sentence, own, others, random)
    else:
        text = change_name(pair.sentence, own, own, random)
    return text


def foreign_pairs(corpus: Corpus, pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield sentences whose paragraph is not among the passages, or that are of another article."""
    for number, pair in enumerate(pairs):
        if number % 2:
            continue
        rest = tuple(p for i, p in enumerate(pair.passages) if i != pair.cited)
        yield replace(
            pair,
            kind="foreign, same article",
            passages=rest,
            cited=number % len(rest),
            is_true=False,
        )
        written = pair.language[-2:]
        other = corpus.passages(written, (pair.article + 2) % corpus.n_articles)
        if number % 4 == 0:
            yield replace(
                pair,
                kind="foreign, other article",
                passages=other,
                cited=number % len(other),
                is_true=False,
            )
