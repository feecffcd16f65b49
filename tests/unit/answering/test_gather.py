"""Gathering evidence, and searching again for what is missing."""

import asyncio
import json

import pytest
from answering_samples import EMPLOYEE, make_chunk
from fixed_search import FixedSearch

from citewell.answering.asking.answer_log import AnswerLog
from citewell.answering.asking.search_once import SearchOnce
from citewell.answering.gather import Gathered, GatherOptions, gather_evidence, search_further
from citewell.domain.ask_request import AskRequest
from citewell.testing.scripted_model import ScriptedModel

QUESTION = "How long does the archive keep the logs of Atlas?"
LOGS = make_chunk("The archive keeps Atlas logs for 12 months.", key=1)
BACKUPS = make_chunk("Backups are kept for 35 days.", key=2)
OTHER = make_chunk("The canteen opens at noon.", key=3)


def queries(*texts: str) -> str:
    return json.dumps({"queries": texts})


def gather(
    search: FixedSearch,
    model: ScriptedModel | None,
    *,
    question: str = QUESTION,
    options: GatherOptions | None = None,
) -> Gathered:
    log = AnswerLog(model, explain=False)
    once = SearchOnce(search, AskRequest(question), EMPLOYEE, log)  # type: ignore[arg-type]
    return asyncio.run(gather_evidence(question, once, log, options or GatherOptions()))


def ids(gathered: Gathered) -> list[str]:
    return [passage.chunk.chunk_id for passage in gathered.passages]


def test_evidence_at_once_needs_one_search_and_no_model() -> None:
    search, model = FixedSearch({QUESTION: (LOGS,)}), ScriptedModel([])
    gathered = gather(search, model)
    assert gathered.is_sufficient
    assert (search.asked, model.prompts) == ([QUESTION], [])


def test_without_a_model_a_search_is_not_repeated() -> None:
    search = FixedSearch({}, others=(OTHER,))
    gathered = gather(search, None)
    assert (gathered.is_sufficient, gathered.missing) == (False, (QUESTION,))
    assert (search.asked, ids(gathered)) == ([QUESTION], ["c3"])


def test_other_words_find_what_the_question_missed() -> None:
    search = FixedSearch({"logs of Atlas archive": (LOGS,)}, others=(OTHER,))
    gathered = gather(search, ScriptedModel([queries("logs of Atlas archive")]))
    assert (gathered.is_sufficient, gathered.missing, ids(gathered)) == (True, (), ["c1"])
    assert "logs of Atlas archive" in search.asked


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_rounds_end_at_the_number_of_attempts(attempts: int) -> None:
    other_words = ["archive logs", "Atlas archive", "keep logs Atlas", "logs of the archive"]
    model = ScriptedModel([queries(words) for words in other_words])
    options = GatherOptions(max_attempts=attempts)
    gathered = gather(FixedSearch({}, others=(OTHER,)), model, options=options)
    assert (len(model.prompts), gathered.n_rounds) == (attempts - 1, attempts)


@pytest.mark.parametrize(("confidence", "is_asked"), [(0.009, False), (0.011, True)])
def test_what_nothing_is_about_is_not_searched_by_other_words(
    confidence: float, is_asked: bool
) -> None:
    model = ScriptedModel([queries(f"archive logs {n}") for n in range(4)])
    gathered = gather(FixedSearch({}, others=(OTHER,), other_confidence=confidence), model)
    assert (gathered.is_sufficient, bool(model.prompts)) == (False, is_asked)


def test_no_round_begins_when_time_or_tokens_are_spent() -> None:
    for options in (GatherOptions(max_seconds=0.0), GatherOptions(max_tokens=0)):
        model = ScriptedModel([])
        assert not gather(FixedSearch({}, others=(OTHER,)), model, options=options).is_sufficient
        assert model.prompts == []


def test_each_part_has_its_passages_and_the_first_of_each_come_first() -> None:
    question = "How long are logs kept, and how long are backups kept?"
    parts = ("How long are logs kept?", "How long are backups kept?")
    search = FixedSearch({parts[0]: (LOGS, OTHER), parts[1]: (BACKUPS, LOGS)})
    gathered = gather(search, None, question=question)
    assert [part.question for part in gathered.parts] == list(parts)
    assert ids(gathered) == ["c1", "c2", "c3"]
    assert [passage.rank for passage in gathered.passages] == [1, 2, 3]


def further(reply: str, options: GatherOptions | None = None) -> Gathered | None:
    search = FixedSearch({QUESTION: (BACKUPS,), "archive Atlas logs": (LOGS,)}, others=(OTHER,))
    log = AnswerLog(ScriptedModel(lambda _: reply), explain=False)
    once = SearchOnce(search, AskRequest(QUESTION), EMPLOYEE, log)  # type: ignore[arg-type]

    async def go() -> Gathered | None:
        gathered = await gather_evidence(QUESTION, once, log, options or GatherOptions())
        return await search_further(
            gathered,
            ["The passages do not say how long logs are kept."],
            once,
            log=log,
            options=options or GatherOptions(),
        )

    return asyncio.run(go())


def test_further_search_finds_passages_that_were_not_there() -> None:
    found = further(queries("archive Atlas logs"))
    assert found is not None
    assert (ids(found), found.n_rounds) == (["c1"], 2)


def test_further_search_that_finds_nothing_new_or_may_not_go_on_gives_nothing() -> None:
    assert further(queries("archive logs of nothing")) is None
    assert further("no json") is None
    assert further(queries("archive Atlas logs"), GatherOptions(max_attempts=1)) is None
