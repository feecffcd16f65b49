"""sources.toml: what may be declared, and messages that say where it is wrong."""

from pathlib import Path

import pytest

from citewell.domain.errors import ConfigurationError
from citewell.sources_file import SourceDeclaration, read_sources_file

TIERS = ("employee", "manager", "director")


def read(folder: Path, text: str) -> list[SourceDeclaration]:
    path = folder / "sources.toml"
    path.write_text(text)
    return read_sources_file(path, tiers=TIERS)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(folder, text)
    return str(caught.value).removeprefix(f"{folder / 'sources.toml'}, source at ")


def source(**changes: str) -> str:
    """Return a valid declaration with some values replaced by TOML text; "" removes one."""
    values = {"name": '"a"', "type": '"folder"', "root": '"a"'} | changes
    lines = [f"{key} = {value}" for key, value in values.items() if value]
    return "\n".join(["[[source]]", *lines, ""])


def test_all_keys_are_read_in_order_of_the_file(tmp_path: Path) -> None:
    text = source(
        tier='"manager"', scan_interval_s="60", include='["**/*.md"]', exclude='["old/**"]'
    ) + source(name='"Team notes"', type='"vault"', root='"/srv/b"', access='"folder-per-tier"')
    assert read(tmp_path, text) == [
        SourceDeclaration(
            name="a",
            type="folder",
            root=tmp_path.resolve() / "a",
            tier="manager",
            scan_interval_s=60,
            include=("**/*.md",),
            exclude=("old/**",),
        ),
        SourceDeclaration(
            name="Team notes", type="vault", root=Path("/srv/b").resolve(), folder_per_tier=True
        ),
    ]


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    assert read(tmp_path, source()) == [
        SourceDeclaration("a", "folder", tmp_path.resolve() / "a", None, False, 300, ("**/*",), ())
    ]


def test_an_empty_file_declares_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "# nothing yet\n") == []


def test_root_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    declared = read(tmp_path, source(root='"./x/../link"'))
    assert [declaration.root for declaration in declared] == [tmp_path.resolve() / "real"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "name is missing"),
        ({"type": ""}, "type is missing"),
        ({"root": ""}, "root is missing"),
        ({"root": '" "'}, "root=' ' is not valid; allowed: a text that is not empty"),
        ({"root": "3"}, "root=3 is not valid; allowed: a text that is not empty"),
        ({"name": '"a/b"'}, "name='a/b' is not valid; allowed: at most 64 letters, digits, "),
        ({"type": '"ftp"'}, "type='ftp' is unknown; allowed: folder, vault"),
        ({"type": '"notion"'}, "type='notion' comes in a later version; allowed: folder, vault"),
        ({"type": '"web"'}, "type='web' comes in a later version"),
        ({"type": '"confluence"'}, "type='confluence' comes in a later version"),
        ({"tier": '"boss"'}, "tier='boss' is unknown; allowed: employee, manager, director"),
        ({"access": '"all"'}, "access='all' is unknown; allowed: folder-per-tier"),
        (
            {"access": '"folder-per-tier"', "tier": '"manager"'},
            "tier and access exclude each other: keep one",
        ),
        ({"scan_interval_s": "0"}, "scan_interval_s=0 is not valid; allowed: a whole number"),
        ({"scan_interval_s": "true"}, "scan_interval_s=True is not valid"),
        ({"scan_interval_s": "1.5"}, "scan_interval_s=1.5 is not valid"),
        ({"include": "[]"}, "include=[] is not valid; allowed: a list of glob patterns"),
        ({"include": '"*"'}, "include='*' is not valid"),
        ({"exclude": '["a", 1]'}, "exclude=['a', 1] is not valid"),
        ({"colour": '"red"'}, "'colour' is unknown; allowed: name, type, root, tier, access, "),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_line(
    tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    text = "# sources\n" + source(name='"first"', root='"first"') + "\n" + source(**changes)
    assert refusal(tmp_path, text).startswith(f"line 7: {message}")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"root": '"b"'}, "name='a' stands twice"),
        ({"root": '"b"', "name": '"A"'}, "name='A' stands twice"),
        ({"name": '"b"', "root": '"./b/../a"'}, "is already the root of 'a'"),
    ],
)
def test_names_and_roots_stand_once(tmp_path: Path, second: dict[str, str], message: str) -> None:
    assert message in refusal(tmp_path, source() + source(**second))


@pytest.mark.parametrize("text", ["[source]\nname = 'a'\n", "[[sources]]\n", "source = [1]\n"])
def test_other_tables_are_refused(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text).endswith("is not valid; write [[source]] tables")


def test_broken_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    assert "at line 2" in refusal(tmp_path, '[[source]]\nname = "a\n')


def test_a_line_of_a_text_that_looks_like_a_header_does_not_hide_the_error(
    tmp_path: Path,
) -> None:
    text = source(name='"""\n[[source]]\n"""')
    assert refusal(tmp_path, text).startswith("line 1: name=")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"sources\.toml cannot be read"):
        read_sources_file(tmp_path / "sources.toml", tiers=TIERS)
