"""Asking questions of Citewell, and of what it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citewell.bootstrap import Citewell
    from citewell.cli.evaluation_subject import Subject
    from citewell.evaluation.questions import Question
    from citewell.evaluation.verdicts import Ask, Verdict
    from citewell.ports.language_model import LanguageModel
    from citewell.settings import Settings

_DEPTH = 5
OURS = "citewell"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came of it.

    Attributes:
        verdicts: Of Citewell, as it is set up.
        report: The JSON report.
        systems: What was asked: Citewell, and what it is compared with.
    """

    verdicts: Sequence[Verdict]
    report: dict[str, Any]
    systems: tuple[str, ...]


def evaluate(subject: Subject, *, with_plain: bool, with_judge: bool, quiet: bool) -> Evaluation:
    """Ask every question and measure the answers.

    Args:
        subject: Questions and documents.
        with_plain: Ask the language model plainly too, with the same passages, and the answerer
            that has no model.
        with_judge: Let the language model judge whether claims are supported.
        quiet: Show no progress.

    Raises:
        ConfigurationError: A language model is needed, and none is set.
    """
    from citewell.cli.session import run_answering

    if with_plain or with_judge:
        _check_model(subject.settings)
    if subject.documents is not None:
        with subject.opened("write") as parts:
            _ingest(parts, subject.documents, quiet=quiet)
    with subject.opened("search") as parts:
        asking = _Asking(parts, subject, quiet=quiet)
        verdicts, report = run_answering(
            parts, asking.evaluate(with_plain=with_plain, with_judge=with_judge)
        )
    if with_plain:
        report["extractive"] = _ask_extractive(subject, quiet=quiet)
    if subject.sample is not None:
        report["sample"] = dict(subject.sample)
    return Evaluation(verdicts, report, (OURS, "plain", "extractive") if with_plain else (OURS,))


def _ingest(parts: Citewell, documents: Path, *, quiet: bool) -> None:
    """Make the documents searchable, and nothing else; there is nothing to do when they are."""
    from citewell.cli.run_sync import fill_vectors, remove_source, sync_sources
    from citewell.ingestion.register_source import register_folder

    for source in parts.catalog.sources.sources():
        if Path(source.root) != documents.resolve():  # the folder was moved or copied
            remove_source(parts, source, quiet=quiet)
    tiers = parts.settings.access_tiers
    source = register_folder(documents, parts.catalog.sources, tiers=tiers, tier=tiers[0])
    sync_sources(parts, [source], quiet=quiet)
    fill_vectors(parts, quiet=quiet)


def _check_model(settings: Settings) -> None:
    """Raise `LanguageModelMissingError` before anything is asked, if no model is set."""
    from citewell.choose_language_model import choose_language_model
    from citewell.domain.errors import LanguageModelMissingError

    if choose_language_model(settings) is None:
        raise LanguageModelMissingError("--plain and --judge need a model: set LLM_PROVIDER")


def _ask_extractive(subject: Subject, *, quiet: bool) -> dict[str, Any]:
    """Return the figures of the answerer that has no language model."""
    from citewell.cli.session import run_answering
    from citewell.evaluation.run_questions import report_verdicts

    with subject.opened("search", llm_provider="extractive") as parts:
        asking = _Asking(parts, subject, quiet=quiet)
        return report_verdicts(run_answering(parts, asking.ask_citewell("extractive")))


class _Asking:
    """Asks the questions of one open data folder."""

    def __init__(self, parts: Citewell, subject: Subject, *, quiet: bool) -> None:
        self._parts = parts
        self._subject = subject
        self._quiet = quiet
        sources = parts.catalog.sources.sources()
        self._roots = {source.name: Path(source.root) for source in sources}

    async def evaluate(
        self, *, with_plain: bool, with_judge: bool
    ) -> tuple[list[Verdict], dict[str, Any]]:
        """Return the verdicts on Citewell, and the report so far."""
        from citewell.evaluation.against_plain import compare_with_plain
        from citewell.evaluation.run_questions import measure_rankings, report_verdicts

        model = self._parts.language_model
        verdicts = await self.ask_citewell(OURS)
        report = report_verdicts(verdicts)
        rankings = [self._ranked_documents(question) for question in self._subject.questions]
        report["answers_by"] = model.name if model else "extractive"
        report["retrieval"] = measure_rankings(self._subject.questions, rankings, k=_DEPTH)
        if model is not None and with_plain:
            report["plain"] = report_verdicts(await self._ask_plainly(model))
            report["against_plain"] = compare_with_plain(report, report["plain"])
        if model is not None and with_judge:
            report["faithfulness"] = await _judge(verdicts, model)
        return verdicts, report

    async def ask_citewell(self, name: str) -> list[Verdict]:
        """Return the verdicts on Citewell; `name` stands in the progress."""
        from citewell.cli.ask_question import reply_to

        return await self._ask(name, lambda question: reply_to(self._parts, question))

    async def _ask_plainly(self, model: LanguageModel) -> list[Verdict]:
        from citewell.evaluation.ask_plainly import plain_asker

        return await self._ask("plain", plain_asker(model, self._passages_for))

    async def _ask(self, name: str, ask: Ask) -> list[Verdict]:
        from citewell.cli.progress import status_line
        from citewell.evaluation.run_questions import run_questions

        n_asked = 0
        with status_line(quiet=self._quiet) as tell:

            def show(verdict: Verdict) -> None:
                nonlocal n_asked
                n_asked += 1
                place = f"{n_asked}/{len(self._subject.questions)}"
                tell(f"{name} {place} {verdict.question.id}: {verdict.outcome}")

            return await run_questions(
                self._subject.questions, ask, roots=self._roots, on_verdict=show
            )

    def _passages_for(self, question: Question) -> list[str]:
        """Return the texts that Citewell finds for a question."""
        from citewell.cli.session import owner_clearance
        from citewell.domain.passage import SearchFilters

        found = self._parts.search.search_passages(
            question.question,
            owner_clearance(self._parts, question.as_tier),
            top_k=self._parts.settings.rag_top_k,
            filters=SearchFilters(source=question.corpus or None),
        )
        return [passage.content for passage in found.passages]

    def _ranked_documents(self, question: Question) -> list[str]:
        from citewell.cli.session import owner_clearance
        from citewell.domain.passage import SearchFilters

        found, _, fused, _ = self._parts.search.rank_chunks(
            question.question,
            owner_clearance(self._parts, question.as_tier),
            filters=SearchFilters(source=question.corpus or None),
        )
        return list(dict.fromkeys(found.chunks[c.chunk_key].relative_path for c in fused))


async def _judge(verdicts: Sequence[Verdict], model: LanguageModel) -> dict[str, Any]:
    from citewell.evaluation.judge_faithfulness import judge_faithfulness

    found = await judge_faithfulness(verdicts, model)
    return {
        "judge": model.name,
        "supported": [found.n_supported, found.n_judged],
        "unclear": found.n_unclear,
        "unsupported": [{"id": id_, "claim": text} for id_, text in found.unsupported],
    }
