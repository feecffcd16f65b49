"""Deleting what is gone from its source, by its path."""

import pytest

from citewell.domain.errors import NotFoundError, SourceUnavailableError, UsageError
from citewell.domain.source import RejectedItem, Source
from citewell.ingestion.forget_path import ForgottenPath, PathForgetting
from conftest import World

SECRET = "Project Kingfisher moves the budget."


@pytest.fixture
def filled(world: World) -> World:
    world.connector.put("employee/a.md", "Alpha is public.")
    world.connector.put("employee/plans/secret.md", SECRET)
    world.connector.put("employee/plans/other.md", "Other plans.")
    world.sync()
    return world


def forgetting(world: World) -> PathForgetting:
    return PathForgetting(
        registry=world.catalog.sources,
        documents=world.catalog.documents,
        log=world.catalog.erasures,
        open_connector=lambda _: world.connector,
    )


def test_removed_document_is_deleted_and_its_text_told(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    forgotten = forgetting(filled).forget_path("employee/plans/secret.md")
    assert forgotten == ForgottenPath(
        source="world",
        n_deleted=1,
        texts=["employee/plans/secret.md", "secret", SECRET],
        paths=["employee/plans/secret.md"],
    )
    assert filled.texts() == ["Alpha is public.", "Other plans."]


def test_only_the_path_is_looked_for_in_the_source(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    forgetting(filled).forget_path("/employee/plans/secret.md/")
    assert filled.connector.looks[-1] == ["employee/plans/secret.md"]


def test_document_that_is_still_in_the_source_stays(filled: World) -> None:
    with pytest.raises(UsageError, match=r"employee/plans/secret\.md is still in the source world"):
        forgetting(filled).forget_path("employee/plans/secret.md")
    assert SECRET in filled.texts()


def test_document_in_a_folder_that_cannot_be_listed_stays(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    filled.connector.rejected.append(RejectedItem("employee/plans", "it cannot be listed"))
    with pytest.raises(UsageError, match="employee/plans is still in the source"):
        forgetting(filled).forget_path("employee/plans/secret.md")


def test_source_that_cannot_be_read_deletes_nothing(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    filled.connector.is_available = False
    with pytest.raises(SourceUnavailableError):
        forgetting(filled).forget_path("employee/plans/secret.md")
    assert SECRET in filled.texts()


def test_last_document_of_a_source_can_be_forgotten(filled: World) -> None:
    for path in ("employee/a.md", "employee/plans/secret.md", "employee/plans/other.md"):
        filled.connector.remove(path)
    assert forgetting(filled).forget_path("employee/plans/secret.md").n_deleted == 1


def test_folder_is_forgotten_with_all_that_was_below(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    filled.connector.remove("employee/plans/other.md")
    forgotten = forgetting(filled).forget_path("employee/plans")
    assert (forgotten.n_deleted, forgotten.paths) == (
        2,
        ["employee/plans/other.md", "employee/plans/secret.md"],
    )
    assert filled.texts() == ["Alpha is public."]


def test_folder_of_which_something_is_left_stays(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    with pytest.raises(UsageError, match=r"other\.md is still in the source"):
        forgetting(filled).forget_path("employee/plans")
    assert len(filled.texts()) == 3


def test_document_that_a_sync_has_deleted_is_known(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    filled.sync()
    forgotten = forgetting(filled).forget_path("employee/plans/secret.md")
    assert forgotten == ForgottenPath("world", 0, [], ["employee/plans/secret.md"])


def test_path_that_was_never_known_is_not_found(filled: World) -> None:
    with pytest.raises(NotFoundError, match=r"no document is known at employee/b\.md"):
        forgetting(filled).forget_path("employee/b.md")


def test_part_of_a_document_cannot_be_forgotten_alone(filled: World) -> None:
    with pytest.raises(UsageError, match=r"is a part of employee/a\.md"):
        forgetting(filled).forget_path("employee/a.md/inside.txt")


def test_source_is_named_where_several_know_the_path(filled: World) -> None:
    filled.connector.remove("employee/plans/secret.md")
    world = filled.source
    filled.source = filled.catalog.sources.register(
        Source("s2", "other", "folder", "/other", folder_per_tier=True)
    )
    filled.connector.put("employee/plans/secret.md", SECRET)
    filled.sync()
    filled.connector.remove("employee/plans/secret.md")
    with pytest.raises(UsageError, match="choose one of other, world with --source"):
        forgetting(filled).forget_path("employee/plans/secret.md")
    forgotten = forgetting(filled).forget_path("employee/plans/secret.md", source_name=world.name)
    assert (forgotten.source, forgotten.n_deleted) == ("world", 1)
