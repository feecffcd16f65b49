"""From a folder that someone names to a registered source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from citewell.domain.errors import UsageError
from citewell.domain.source import Source
from citewell.ingestion.register_source import find_source, register_folder
from citewell.ports.source_registry import SourceRegistry

TIERS = ("employee", "director")


class MemoryRegistry(SourceRegistry):
    """Sources by their root."""

    def __init__(self) -> None:
        self.by_root: dict[str, Source] = {}

    @override
    def register(self, source: Source) -> Source:
        known = self.by_root.get(source.root)
        self.by_root[source.root] = replace(source, id=known.id if known else source.id)
        return self.by_root[source.root]

    @override
    def sources(self) -> Sequence[Source]:
        return sorted(self.by_root.values(), key=lambda source: source.name)


@pytest.fixture
def registry() -> MemoryRegistry:
    return MemoryRegistry()


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    return folder


def test_folder_becomes_a_source_of_its_name(registry: MemoryRegistry, handbook: Path) -> None:
    source = register_folder(handbook, registry, tiers=TIERS, tier="employee")
    assert len(source.id) == 32
    assert source == Source(source.id, "handbook", "folder", str(handbook), tier="employee")


def test_folder_that_obsidian_opened_is_a_vault(registry: MemoryRegistry, handbook: Path) -> None:
    (handbook / ".obsidian").mkdir()
    assert register_folder(handbook, registry, tiers=TIERS).type == "vault"


def test_root_is_the_real_path(
    registry: MemoryRegistry, handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = handbook.parent / "link"
    link.symlink_to(handbook)
    monkeypatch.chdir(handbook.parent)
    monkeypatch.setenv("HOME", str(handbook.parent))
    ways = (link, Path("handbook"), Path("handbook/../handbook/."), Path("~/handbook"))
    roots = {register_folder(path, registry, tiers=TIERS).root for path in ways}
    assert roots == {str(handbook)}
    assert len(registry.by_root) == 1


def test_folder_without_a_rule_has_none(registry: MemoryRegistry, handbook: Path) -> None:
    source = register_folder(handbook, registry, tiers=TIERS)
    assert (source.tier, source.folder_per_tier) == (None, False)


class TestKnownFolder:
    def test_keeps_id_name_and_rule_where_none_is_given(
        self, registry: MemoryRegistry, handbook: Path
    ) -> None:
        first = register_folder(handbook, registry, tiers=TIERS, name="hb", tier="employee")
        assert register_folder(handbook, registry, tiers=TIERS) == first

    def test_keeps_what_only_a_file_can_declare(
        self, registry: MemoryRegistry, handbook: Path
    ) -> None:
        declared = Source("s1", "hb", "folder", str(handbook), include=("*.md",), tier="employee")
        registry.register(declared)
        assert register_folder(handbook, registry, tiers=TIERS) == declared

    def test_takes_a_new_name_or_rule(self, registry: MemoryRegistry, handbook: Path) -> None:
        first = register_folder(handbook, registry, tiers=TIERS, tier="employee")
        named = register_folder(handbook, registry, tiers=TIERS, name="other")
        ruled = register_folder(handbook, registry, tiers=TIERS, folder_per_tier=True)
        assert named == replace(first, name="other")
        assert ruled == replace(first, name="other", tier=None, folder_per_tier=True)

    def test_name_that_is_taken_gets_a_number(
        self, registry: MemoryRegistry, tmp_path: Path
    ) -> None:
        names: list[str] = []
        for parent in ("a", "b", "c"):
            folder = tmp_path / parent / "docs"
            folder.mkdir(parents=True)
            names.append(register_folder(folder, registry, tiers=TIERS).name)
        assert names == ["docs", "docs-2", "docs-3"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere", "does not exist"),
        ("file.md", "is not a folder"),
        ("circle", "circle (cannot be a folder|does not exist)"),
        ("x" * 300, "xxx (cannot be a folder|does not exist)"),
        ("\udcff", "not valid UTF-8"),
    ],
)
def test_what_is_no_folder_is_refused(
    registry: MemoryRegistry, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "file.md").write_text("alpha")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(UsageError, match=said):
        register_folder(tmp_path / name, registry, tiers=TIERS)
    assert registry.by_root == {}


def test_unknown_user_is_refused(registry: MemoryRegistry) -> None:
    with pytest.raises(UsageError, match="cannot be a folder"):
        register_folder(Path("~nobody-of-this-name/docs"), registry, tiers=TIERS)


def test_unknown_tier_names_the_known_ones(registry: MemoryRegistry, handbook: Path) -> None:
    with pytest.raises(UsageError, match="has employee, director"):
        register_folder(handbook, registry, tiers=TIERS, tier="boss")


def test_two_rules_are_refused(registry: MemoryRegistry, handbook: Path) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        register_folder(handbook, registry, tiers=TIERS, tier="employee", folder_per_tier=True)


def test_source_is_found_by_its_name(registry: MemoryRegistry, handbook: Path) -> None:
    source = register_folder(handbook, registry, tiers=TIERS)
    assert find_source("handbook", registry) == source


def test_unknown_source_names_the_known_ones(registry: MemoryRegistry, handbook: Path) -> None:
    with pytest.raises(UsageError, match="run `rag ingest PATH` first"):
        find_source("handbok", registry)
    register_folder(handbook, registry, tiers=TIERS)
    with pytest.raises(UsageError, match="no source 'handbok'; known: handbook"):
        find_source("handbok", registry)
