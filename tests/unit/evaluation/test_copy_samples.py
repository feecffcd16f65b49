"""The samples wherever Citewell is installed."""

from pathlib import Path

import pytest

from citewell.domain.errors import UsageError
from citewell.evaluation.samples import TIERS, VAULT, copy_samples, questions_path


def test_samples_are_copied_whole(tmp_path: Path) -> None:
    roots = copy_samples(tmp_path / "samples")
    assert roots == {VAULT: tmp_path / "samples" / VAULT, TIERS: tmp_path / "samples" / TIERS}
    assert (roots[VAULT] / "00-index.md").is_file()
    assert {"employee", "manager", "director"} <= {path.name for path in roots[TIERS].iterdir()}
    assert questions_path().is_file()


def test_copy_before_is_replaced(tmp_path: Path) -> None:
    root = copy_samples(tmp_path / "samples")[VAULT]
    (root / "00-index.md").unlink()
    (root / "mine.md").write_text("alpha")
    copy_samples(tmp_path / "samples")
    assert (root / "00-index.md").is_file()
    assert not (root / "mine.md").exists()


def test_folder_that_holds_something_else_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("years of work")
    with pytest.raises(UsageError, match=r"holds 'thesis\.md'"):
        copy_samples(tmp_path)
    assert (tmp_path / "thesis.md").read_text() == "years of work"
