import asyncio
from dataclasses import replace

import pytest

from citewell.domain.clearance import Principal
from citewell.domain.errors import RateLimitedError
from citewell.server.limits import LimitOptions, QuestionPlaces, RequestRate

ANN, BOB = Principal("ann", "employee"), Principal("bob", "employee")
WIDE = LimitOptions(
    requests_per_minute=100,
    questions_per_minute=100,
    questions_per_principal=100,
    questions_at_once=100,
    questions_waiting=100,
    waiting_s=60,
)


async def hold(places: QuestionPlaces, principal: Principal, until: asyncio.Event) -> str:
    """Hold a place until told otherwise, and return how it went."""
    try:
        async with places.place(principal):
            await until.wait()
    except RateLimitedError as error:
        return str(error)
    return "held"


def outcomes(options: LimitOptions, principals: list[Principal]) -> list[str]:
    """Let principals come one after the other, then let all go, and return how it went."""

    async def run() -> list[str]:
        places, until = QuestionPlaces(options), asyncio.Event()
        holding = []
        for principal in principals:
            holding.append(asyncio.ensure_future(hold(places, principal, until)))
            await asyncio.sleep(0)
        until.set()
        return await asyncio.gather(*holding)

    return asyncio.run(run())


def test_as_many_as_there_are_places_and_seats_get_one() -> None:
    options = replace(WIDE, questions_at_once=2, questions_waiting=1)
    assert outcomes(options, [ANN] * 4) == [
        "held",
        "held",
        "held",
        "too many questions wait for an answer: try again later",
    ]


def test_one_principal_does_not_take_all_places() -> None:
    options = replace(WIDE, questions_per_principal=2)
    assert outcomes(options, [ANN, ANN, ANN, BOB]) == [
        "held",
        "held",
        "you have too many questions open at once: try again later",
        "held",
    ]


def test_who_waits_too_long_is_sent_away_and_its_seat_is_free() -> None:
    options = replace(WIDE, questions_at_once=1, questions_waiting=1, waiting_s=0.01)

    async def run() -> list[str]:
        places, until = QuestionPlaces(options), asyncio.Event()
        first = asyncio.ensure_future(hold(places, ANN, until))
        await asyncio.sleep(0)
        second = await hold(places, ANN, until)
        third = await hold(places, ANN, until)
        until.set()
        return [await first, second, third]

    late = "no place became free in time: try again later"
    assert asyncio.run(run()) == ["held", late, late]


def test_who_leaves_the_queue_takes_no_place() -> None:
    options = replace(WIDE, questions_at_once=1, questions_waiting=1)

    async def run() -> list[str]:
        places, until = QuestionPlaces(options), asyncio.Event()
        first = asyncio.ensure_future(hold(places, ANN, until))
        await asyncio.sleep(0)
        leaving = asyncio.ensure_future(hold(places, ANN, until))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        staying = asyncio.ensure_future(hold(places, BOB, until))
        await asyncio.sleep(0)
        until.set()
        return [await first, await staying]

    assert asyncio.run(run()) == ["held", "held"]


def test_rate_counts_each_principal_apart_and_tells_when_to_come_back() -> None:
    rate = RequestRate(2)
    rate.count(ANN)
    rate.count(ANN)
    rate.count(BOB)
    with pytest.raises(RateLimitedError) as refused:
        rate.count(ANN)
    assert 0 < refused.value.retry_after_s <= 60


def test_questions_refused_for_want_of_a_place_do_not_count() -> None:
    options = replace(WIDE, questions_per_minute=2, questions_at_once=1, questions_waiting=0)
    full = "too many questions wait for an answer: try again later"
    assert outcomes(options, [ANN, ANN, ANN]) == ["held", full, full]
