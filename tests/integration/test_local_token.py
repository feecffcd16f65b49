"""The token of the owner of a data folder, in a real folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from citewell.adapters.identity.local_token import (
    FILE,
    read_local_token,
    remove_local_token,
    renew_local_token,
)
from citewell.domain.errors import ConfigurationError


def test_token_is_for_its_owner_alone(tmp_path: Path) -> None:
    token = renew_local_token(tmp_path)
    assert re.fullmatch(r"cwl_[\w-]{43}", token)
    assert read_local_token(tmp_path) == token
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_new_token_replaces_the_old_one_also_where_others_could_read_that(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("old")
    (tmp_path / FILE).chmod(0o666)
    token = renew_local_token(tmp_path)
    assert read_local_token(tmp_path) == token
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    assert read_local_token(tmp_path) is None
    renew_local_token(tmp_path)
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_there_is_none_before_a_server_and_after_it(tmp_path: Path) -> None:
    assert read_local_token(tmp_path) is None
    renew_local_token(tmp_path)
    remove_local_token(tmp_path)
    remove_local_token(tmp_path)
    assert read_local_token(tmp_path) is None


def test_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be written"):
        renew_local_token(tmp_path / "missing")
