from __future__ import annotations

import os
import socket
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.adapters.connectors import folder_access
from citewell.adapters.connectors.folder import FolderConnector
from citewell.adapters.connectors.names import locator_of, parts_of, printable_path
from citewell.adapters.connectors.vault import VaultConnector
from citewell.domain.errors import DocumentError, NotFoundError, SourceUnavailableError
from citewell.domain.source import RejectedItem, SourceItem


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def items(connector: FolderConnector) -> list[SourceItem]:
    return [found for found in connector.scan() if isinstance(found, SourceItem)]


def paths(connector: FolderConnector) -> list[str]:
    return [item.relative_path for item in items(connector)]


def rejected(connector: FolderConnector) -> dict[str, str]:
    return {f.relative_path: f.reason for f in connector.scan() if isinstance(f, RejectedItem)}


def item_of(locator: str) -> SourceItem:
    return SourceItem("x", 0, 0, f"utf8:{locator}")


def test_an_item_has_its_metadata(tmp_path: Path) -> None:
    path = write(tmp_path / "notes" / "a.md", "größer")
    status = path.stat()
    (item,) = items(FolderConnector(str(tmp_path)))
    assert item == SourceItem(
        relative_path="notes/a.md",
        size_bytes=8,
        modified_ns=status.st_mtime_ns,
        locator="utf8:notes/a.md",
        fingerprint=f"8-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}",
    )


def test_a_change_that_hides_its_time_has_another_fingerprint(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "one")
    before = items(FolderConnector(tmp_path))
    status = path.stat()
    path.write_text("two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    after = items(FolderConnector(tmp_path))
    assert before[0].modified_ns == after[0].modified_ns
    assert before[0].fingerprint != after[0].fingerprint


def test_hidden_and_temporary_files_are_left_out(tmp_path: Path) -> None:
    for name in ("a.md", ".git/config", ".env", "x/.obsidian/app.json", "~$b.docx", "x/c.md~"):
        write(tmp_path / name)
    assert list(FolderConnector(tmp_path).scan()) == items(FolderConnector(tmp_path))
    assert paths(FolderConnector(tmp_path)) == ["a.md"]


def test_a_vault_leaves_out_what_obsidian_keeps_for_itself(tmp_path: Path) -> None:
    for name in ("a.md", "board.canvas", ".obsidian/app.json", ".trash/b.md", "x/.hidden/c.md"):
        write(tmp_path / name)
    assert paths(VaultConnector(tmp_path)) == ["a.md", "board.canvas"]


def test_patterns_choose_items_and_folders(tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", "drafts/c.md", "x/d.md"):
        write(tmp_path / name)
    connector = FolderConnector(tmp_path, include=["*.md"], exclude=["drafts"])
    assert paths(connector) == ["a.md", "x/d.md"]


ODD_NAMES = [
    "name with\nnewline.md",
    "trailing space .md ",
    "-rf.md",
    "%2e%2e%2f.md",
    "rtl_\u202egnp.exe.md",
    "quote'\";drop table.md",
    "{{x}} ${y} <b>.md",
    "emoji 🚀.md",
    "back\\slash.md",
    "two..dots..",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_kept_as_they_are(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, name)
    connector = FolderConnector(tmp_path)
    (item,) = items(connector)
    assert item.relative_path == name
    assert connector.read(item, max_bytes=1000) == name.encode()


def test_composed_and_decomposed_names_are_two_items(tmp_path: Path) -> None:
    composed = unicodedata.normalize("NFC", "Größe.md")
    decomposed = unicodedata.normalize("NFD", "Größe.md")
    write(tmp_path / composed, "one")
    write(tmp_path / decomposed, "two")
    connector = FolderConnector(tmp_path)
    read = {i.relative_path: connector.read(i, max_bytes=10) for i in items(connector)}
    assert read == {composed: b"one", decomposed: b"two"}


def test_a_name_that_is_not_utf8_is_escaped_and_can_be_read(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name, data in ((b"caf\xe9.md", b"latin"), (b"caf\\xe9.md", b"escaped")):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(data)
    connector = FolderConnector(tmp_path)
    read = {i.relative_path: connector.read(i, max_bytes=10) for i in items(connector)}
    assert read == {"caf\\xe9.md": b"latin", "caf\\x5cxe9.md": b"escaped"}


parts = st.lists(
    st.binary(min_size=1, max_size=8).filter(
        lambda name: b"/" not in name and b"\0" not in name and name not in {b".", b".."}
    ),
    min_size=1,
    max_size=4,
).map(tuple)


@given(parts)
def test_a_locator_leads_back_to_the_path(path: tuple[bytes, ...]) -> None:
    assert parts_of(locator_of(path)) == path
    assert printable_path(path).encode()


@given(parts, parts)
def test_two_paths_never_look_the_same(one: tuple[bytes, ...], other: tuple[bytes, ...]) -> None:
    assert (printable_path(one) == printable_path(other)) == (one == other)


def test_links_are_rejected_with_what_they_lead_to(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root / "a.md")
    write(tmp_path / "outside.md")
    write(tmp_path / "root-twin" / "b.md")
    links = {
        "inside.md": "a.md",
        "loop": ".",
        "self": "self",
        "broken": "nowhere.md",
        "outside.md": "../outside.md",
        "twin": "../root-twin",
        "absolute": "/etc/hostname",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    inside = "symbolic links are not followed; what this one leads to has a name of its own"
    outside = "the symbolic link leads outside the source"
    nowhere = "the symbolic link leads nowhere"
    assert paths(FolderConnector(root)) == ["a.md"]
    assert rejected(FolderConnector(root)) == {
        "inside.md": inside,
        "loop": inside,
        "self": nowhere,
        "broken": nowhere,
        "outside.md": outside,
        "twin": outside,
        "absolute": outside,
    }


def test_what_is_not_a_file_is_rejected_and_never_opened(tmp_path: Path) -> None:
    write(tmp_path / "a.md")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        connector = FolderConnector(tmp_path)
        assert rejected(connector) == {
            "pipe": "not a regular file but a named pipe",
            "socket": "not a regular file but a socket",
        }
        for name in ("pipe", "socket"):
            with pytest.raises(DocumentError, match="not a regular file"):
                connector.read(item_of(name), max_bytes=10)


def test_a_folder_cannot_be_read_as_a_file(tmp_path: Path) -> None:
    write(tmp_path / "folder" / "a.md")
    with pytest.raises(DocumentError, match="a folder"):
        FolderConnector(tmp_path).read(item_of("folder"), max_bytes=10)


def test_what_cannot_be_read_is_rejected(tmp_path: Path) -> None:
    write(tmp_path / "a.md").chmod(0)
    write(tmp_path / "folder" / "b.md")
    (tmp_path / "folder").chmod(0)
    if os.access(tmp_path / "a.md", os.R_OK):
        pytest.skip("root reads everything")
    connector = FolderConnector(tmp_path)
    try:
        assert rejected(connector) == {"folder": "the folder cannot be read: permission denied"}
        with pytest.raises(DocumentError, match="permission denied"):
            connector.read(item_of("a.md"), max_bytes=10)
    finally:
        (tmp_path / "folder").chmod(0o700)


@pytest.mark.parametrize("prepare", [Path.mkdir, Path.touch, lambda path: None])
def test_a_root_that_is_empty_or_no_folder_is_unavailable(
    tmp_path: Path, prepare: Callable[[Path], None]
) -> None:
    prepare(tmp_path / "root")
    connector = FolderConnector(tmp_path / "root")
    with pytest.raises(SourceUnavailableError, match="nothing was deleted"):
        connector.scan()


def test_a_root_that_vanished_is_unavailable_and_not_gone(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError):
        FolderConnector(tmp_path / "missing").read(item_of("a.md"), max_bytes=10)


def test_a_folder_with_nothing_to_offer_is_available(tmp_path: Path) -> None:
    write(tmp_path / ".obsidian" / "app.json")
    assert list(FolderConnector(tmp_path).scan()) == []


def test_a_part_of_the_path_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root / "folder" / "a.md")
    connector = FolderConnector(root)
    (item,) = items(connector)
    (root / "folder").rename(tmp_path / "elsewhere")
    (root / "folder").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DocumentError, match="symbolic link"):
        connector.read(item, max_bytes=10)


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    path = write(root / "a.md")
    secret = write(tmp_path / "secret")
    connector = FolderConnector(root)
    (item,) = items(connector)
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(DocumentError, match="symbolic link"):
        connector.read(item, max_bytes=10)


def test_a_file_that_became_a_pipe_does_not_block(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md")
    connector = FolderConnector(tmp_path)
    (item,) = items(connector)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DocumentError, match="a named pipe"):
        connector.read(item, max_bytes=10)


@pytest.mark.parametrize("locator", ["utf8:../a", "utf8:/a", "utf8:a//b", "hex:2e2e2f61", "hex:zz"])
def test_a_locator_that_leaves_the_root_is_refused(tmp_path: Path, locator: str) -> None:
    with pytest.raises(DocumentError, match="locator"):
        FolderConnector(tmp_path).read(SourceItem("x", 0, 0, locator), max_bytes=10)


def test_a_file_in_a_removed_folder_is_gone(tmp_path: Path) -> None:
    path = write(tmp_path / "folder" / "a.md")
    write(tmp_path / "b.md")
    connector = FolderConnector(tmp_path)
    item = items(connector)[1]
    path.unlink()
    path.parent.rmdir()
    with pytest.raises(NotFoundError):
        connector.read(item, max_bytes=10)


def test_folders_below_the_limit_of_path_lengths_are_reached(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=descriptor)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)
    connector = FolderConnector(tmp_path)
    (item,) = items(connector)
    assert len(item.relative_path) == 30 * 201 + 4
    assert connector.read(item, max_bytes=10) == b""


class Growing:
    """Appends to a file when its first block is read, a number of times."""

    def __init__(self, path: Path, *, times: int) -> None:
        self._path = path
        self._left = times

    def __call__(self, descriptor: int, n_bytes: int) -> bytes:
        if self._left and os.lseek(descriptor, 0, os.SEEK_CUR) == 0:
            self._left -= 1
            with self._path.open("ab") as file:
                file.write(b"+")
        return os.read(descriptor, n_bytes)


def read_growing(folder: Path, *, times: int) -> bytes:
    path = write(folder / "a.md", "text")
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        read_block = Growing(path, times=times)
        return folder_access.read_file(descriptor, (b"a.md",), max_bytes=100, read_block=read_block)
    finally:
        os.close(descriptor)


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    assert read_growing(tmp_path, times=2) == b"text++"


def test_a_file_that_keeps_changing_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="keeps changing"):
        read_growing(tmp_path, times=3)


def looked_at(connector: FolderConnector, *within: str) -> list[str]:
    return [found.relative_path for found in connector.scan(within)]


def test_a_look_leaves_out_what_a_scan_leaves_out(tmp_path: Path) -> None:
    for name in ("a.md", ".git/config", "x/.hidden/c.md", "x/b.md~", "drafts/d.md", "x/e.txt"):
        write(tmp_path / name)
    connector = FolderConnector(tmp_path, include=["*.md"], exclude=["drafts"])
    for path in (".git", ".git/config", "x/.hidden/c.md", "x/b.md~", "drafts", "drafts/d.md"):
        assert looked_at(connector, path) == []
    assert looked_at(connector, "x", "a.md", "x/e.txt") == ["a.md"]


def test_a_look_finds_names_that_are_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / r"\x41\xff.md").write_text("text")  # looks like an escape, is none
    os.mkdir(os.fsencode(tmp_path) + b"/\xff")  # noqa: PTH102 - a name that is not UTF-8
    for name in (b"/\xff/\xe9.md", b"/\\\xfe.md"):
        Path(os.fsdecode(os.fsencode(tmp_path) + name)).write_text("text")
    connector = FolderConnector(tmp_path)
    for item in items(connector):
        assert list(connector.scan([item.relative_path])) == [item]
    assert looked_at(connector, r"\xff") == [r"\xff/\xe9.md"]


def test_a_look_at_one_name_of_a_file_finds_its_other_names(tmp_path: Path) -> None:
    write(tmp_path / "a.md")
    (tmp_path / "x").mkdir()
    os.link(tmp_path / "a.md", tmp_path / "x" / "b.md")
    write(tmp_path / "c.md")
    connector = FolderConnector(tmp_path)
    list(connector.scan())
    assert looked_at(connector, "a.md") == ["a.md", "x/b.md"]
    (tmp_path / "a.md").unlink()
    assert looked_at(connector, "a.md") == []
    assert looked_at(connector, "x/b.md") == ["x/b.md"]


def test_a_look_at_a_new_name_finds_the_name_from_before(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    connector = FolderConnector(tmp_path)
    list(connector.scan())
    (tmp_path / "x").mkdir()
    os.link(tmp_path / "a.md", tmp_path / "x" / "b.md")
    assert looked_at(connector, "x/b.md") == ["a.md", "x/b.md"]
    (tmp_path / "c.md").write_text("c")
    assert looked_at(connector, "x/b.md") == ["a.md", "x/b.md"]


def test_a_look_through_a_link_finds_nothing(tmp_path: Path) -> None:
    write(tmp_path / "real" / "a.md")
    (tmp_path / "link").symlink_to("real")
    connector = FolderConnector(tmp_path)
    assert looked_at(connector, "link/a.md") == []
    (found,) = connector.scan(["link"])
    assert isinstance(found, RejectedItem)
    assert not found.may_hold_items


def test_a_folder_that_cannot_be_listed_may_hold_items(tmp_path: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root reads everything")
    write(tmp_path / "x" / "a.md")
    write(tmp_path / "b.md")
    (tmp_path / "x").chmod(0)
    connector = FolderConnector(tmp_path)
    for within in (None, ["x"], ["x/a.md"]):
        found = [entry for entry in connector.scan(within) if isinstance(entry, RejectedItem)]
        assert [(entry.relative_path, entry.may_hold_items) for entry in found] == [("x", True)]
    (tmp_path / "x").chmod(0o700)
