import pytest

from citewell.access.clearance import clearance_of
from citewell.domain.clearance import Clearance, Principal
from citewell.domain.errors import UsageError

TIERS = ("employee", "manager", "director")


@pytest.mark.parametrize(
    ("tier", "readable"),
    [
        ("employee", ("employee",)),
        ("manager", ("employee", "manager")),
        ("director", ("employee", "manager", "director")),
    ],
)
def test_principal_reads_its_tier_and_those_below(tier: str, readable: tuple[str, ...]) -> None:
    assert clearance_of(Principal("p", tier), tiers=TIERS) == Clearance(readable)


def test_request_may_narrow_its_tier() -> None:
    clearance = clearance_of(Principal("p", "director"), tiers=TIERS, narrowed_to="manager")
    assert clearance.tiers == ("employee", "manager")


def test_request_may_not_widen_its_tier_and_learns_nothing_of_higher_ones() -> None:
    with pytest.raises(UsageError) as widened:
        clearance_of(Principal("p", "employee"), tiers=TIERS, narrowed_to="director")
    with pytest.raises(UsageError) as unknown:
        clearance_of(Principal("p", "employee"), tiers=TIERS, narrowed_to="xyz")
    assert str(widened.value).replace("director", "xyz") == str(unknown.value)
    assert str(unknown.value) == "unknown tier 'xyz': you may read as employee"


def test_principal_of_unknown_tier_reads_nothing() -> None:
    with pytest.raises(UsageError, match="unknown tier 'guest'"):
        clearance_of(Principal("p", "guest"), tiers=TIERS)


@pytest.mark.parametrize("tiers", [(), ("a", "a"), ("a", "")])
def test_clearance_that_could_mean_everything_cannot_be_made(tiers: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="at least one tier"):
        Clearance(tiers)


def test_clearance_allows_its_tiers_only() -> None:
    clearance = Clearance(("employee",))
    assert clearance.allows("employee")
    assert not clearance.allows("manager")
