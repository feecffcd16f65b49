from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.access.tier_of_claims import ClaimRules, Standing, standing_of

TIERS = ("employee", "manager", "director")
MEANING = {"staff": "employee", "lead": "manager", "board": "director", "gone": "king"}
RULES = ClaimRules("groups", MEANING, frozenset({"lead"}))


def standing(claims: dict[str, Any], claim: str = "groups") -> Standing | None:
    return standing_of(claims, ClaimRules(claim, MEANING, RULES.operators), tiers=TIERS)


@pytest.mark.parametrize(
    ("value", "tier", "scopes"),
    [
        ("staff", "employee", {"ask"}),
        (["staff"], "employee", {"ask"}),
        (["board", "staff"], "director", {"ask"}),
        (["staff", "lead", "unknown"], "manager", {"ask", "sync", "admin"}),
        (["lead", "board"], "director", {"ask", "sync", "admin"}),
        (["gone", "staff"], "employee", {"ask"}),
    ],
)
def test_highest_tier_and_all_scopes_of_the_values_are_given(
    value: Any, tier: str, scopes: set[Any]
) -> None:
    assert standing({"groups": value}) == Standing(tier, frozenset(scopes))


@pytest.mark.parametrize(
    "value",
    [
        *(None, "", "Staff", "staff ", "staff,lead", "gone", [], [["staff"]]),
        *(["staff", 1], ["staff", None], {"staff": True}, True, 1, ["staff"] * 1001),
    ],
)
def test_anything_else_gives_nothing(value: Any) -> None:
    assert standing({"groups": value}) is None


def test_claim_that_is_missing_gives_nothing() -> None:
    assert standing({"roles": ["staff"]}) is None


def test_claim_inside_of_claims_is_found_and_one_of_the_whole_name_goes_before() -> None:
    inner = {"realm_access": {"roles": ["lead"]}}
    assert standing(inner, "realm_access.roles") == standing({"groups": "lead"})
    both = inner | {"realm_access.roles": "staff"}
    assert standing(both, "realm_access.roles") == standing({"groups": "staff"})
    assert standing({"realm_access": ["roles"]}, "realm_access.roles") is None


@given(st.lists(st.sampled_from(["staff", "lead", "board", "gone", "x"])))
def test_order_of_the_values_does_not_matter(values: list[str]) -> None:
    assert standing({"groups": values}) == standing({"groups": sorted(values, reverse=True)})
