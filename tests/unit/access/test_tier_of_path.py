import pytest

from citewell.access.tier_of_path import TierRejection, is_raised, tier_of_path
from citewell.domain.source import Source

TIERS = ("employee", "manager", "director")


def source(tier: str | None = None, *, folder_per_tier: bool = False) -> Source:
    return Source("id", "n", "folder", "/r", tier=tier, folder_per_tier=folder_per_tier)


def test_source_without_rule_is_readable_at_the_highest_tier_only() -> None:
    assert tier_of_path(source(), "employee/a.md", tiers=TIERS) == "director"


def test_fixed_tier_holds_for_every_path() -> None:
    assert tier_of_path(source("manager"), "director/a.md", tiers=TIERS) == "manager"


def test_fixed_tier_that_is_not_configured_is_rejected() -> None:
    verdict = tier_of_path(source("guest"), "a.md", tiers=TIERS)
    assert isinstance(verdict, TierRejection)
    assert "'guest'" in verdict.reason


@pytest.mark.parametrize(
    ("path", "tier"),
    [("employee/a.md", "employee"), ("director/employee/a.md", "director")],
)
def test_first_folder_names_the_tier(path: str, tier: str) -> None:
    assert tier_of_path(source(folder_per_tier=True), path, tiers=TIERS) == tier


@pytest.mark.parametrize(
    "path",
    ["a.md", "employee", "Employee/a.md", "employees/a.md", " employee/a.md", "x/employee/a"],
)
def test_file_outside_the_tier_folders_is_rejected_with_what_to_do(path: str) -> None:
    verdict = tier_of_path(source(folder_per_tier=True), path, tiers=TIERS)
    assert isinstance(verdict, TierRejection)
    assert "employee, manager, director" in verdict.reason


@pytest.mark.parametrize(
    ("old", "new", "raised"),
    [
        ("employee", "manager", True),
        ("manager", "employee", False),
        ("manager", "manager", False),
        ("gone", "employee", True),
        ("employee", "gone", True),
    ],
)
def test_raise_hides_text_from_someone(old: str, new: str, raised: bool) -> None:
    assert is_raised(old, new, tiers=TIERS) is raised
