import bz2
import gzip
import io
import lzma
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_files import make_docx, make_tar, make_zip, paragraph

from citewell.adapters.converters.archives.member_names import (
    UniquePaths,
    decode_names,
    normalise_path,
    refused_name,
)
from citewell.adapters.converters.convert_bytes import convert_bytes
from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.domain.document import ConvertedDocument, DocumentState, FailedMember
from citewell.domain.errors import ConversionError, ConversionLimitError

LIMITS = ConversionLimits()


def outline(data: bytes, name: str, limits: ConversionLimits = LIMITS) -> list[tuple[str, str]]:
    """Return path and text, or path and reason, of every member."""
    return [
        (entry.member_path, entry.text if isinstance(entry, ConvertedDocument) else entry.reason)
        for entry in convert_bytes(data, name, limits)
    ]


def test_members_come_in_the_order_of_the_archive_without_folders():
    members = {"b.txt": "two", "folder/": "", "folder/a.txt": "one"}

    assert outline(make_zip(members), "x.zip") == [("b.txt", "two"), ("folder/a.txt", "one")]
    assert outline(make_tar({"b.txt": b"two", "c/a.txt": b"one"}), "x.tar") == [
        ("b.txt", "two"),
        ("c/a.txt", "one"),
    ]


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_compressed_tar_is_one_archive(mode: str):
    data = make_tar({"a.txt": b"one"}, mode)

    assert outline(data, f"x.tar.{mode[2:]}") == [("a.txt", "one")]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_has_one_member_named_after_it(compress: type):
    assert outline(compress(b"# Hi"), "d/note.md.gz")[0] == ("note.md", "# Hi")


def test_a_bad_member_does_not_stop_the_others():
    data = bytearray(make_zip({"a.txt": "one", "b.txt": "two" * 50, "c.txt": "three"}))
    start = data.index(b"b.txt") + len("b.txt")
    data[start : start + 4] = b"\xff\xff\xff\xff"

    assert outline(bytes(data), "x.zip") == [
        ("a.txt", "one"),
        ("b.txt", "it is damaged in the archive"),
        ("c.txt", "three"),
    ]


def test_each_member_is_read_as_what_it_is():
    data = make_zip({"a.docx": make_docx(paragraph("Word")), "b.csv": "x,y\n1,2"})

    assert outline(data, "x.zip") == [
        ("a.docx", "Word"),
        ("b.csv", "| x | y |\n| --- | --- |\n| 1 | 2 |"),
    ]


def test_names_that_lead_outside_are_refused():
    members = {
        "../up.txt": "1",
        "/abs.txt": "2",
        "C:\\win.txt": "3",
        "a/../../b.txt": "4",
        "..\\up.txt": "5",
        "./fine/./ok.txt": "6",
    }

    assert outline(make_zip(members), "x.zip") == [
        ("%2E%2E/up.txt", "its name leads outside the archive"),
        ("abs.txt", "its name leads outside the archive"),
        ("C:/win.txt", "its name leads outside the archive"),
        ("a/%2E%2E/%2E%2E/b.txt", "its name leads outside the archive"),
        ("%2E%2E/up.txt", "its name leads outside the archive"),
        ("fine/ok.txt", "6"),
    ]


def test_links_and_devices_in_a_tar_are_not_followed():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, kind in (("s", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE), ("f", tarfile.FIFOTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)

    assert outline(target.getvalue(), "x.tar") == [
        ("s", "it is a link, which is not followed"),
        ("h", "it is a link, which is not followed"),
        ("f", "it is a device or pipe, which is not followed"),
    ]


def test_names_in_another_encoding_are_read():
    packed = make_zip({"AAAA/BBBB.txt": "x", "AAAA/CCCC.txt": "y"})
    renamed = (
        packed.replace(b"AAAA", "合同".encode("gbk"))
        .replace(b"BBBB", "发票".encode("gbk"))
        .replace(b"CCCC", "订单".encode("gbk"))
    )

    assert outline(renamed, "x.zip") == [("合同/发票.txt", "x"), ("合同/订单.txt", "y")]


def test_names_in_utf_8_are_read():
    assert outline(make_zip({"Verträge/鍵.txt": "x"}), "x.zip") == [("Verträge/鍵.txt", "x")]
    assert outline(make_tar({"Verträge/鍵.txt": b"x"}), "x.tar") == [("Verträge/鍵.txt", "x")]


def test_two_members_of_one_name_get_paths_of_their_own():
    data = make_zip({"a.txt": "1", "b.txt": "2"}).replace(b"b.txt", b"a.txt")

    assert outline(data, "x.zip") == [("a.txt", "1"), ("a (2).txt", "2")]


def test_members_beyond_the_limit_are_one_entry():
    many = {f"{number}.txt": b"x" for number in range(20)}
    limits = ConversionLimits(max_members=3)

    for data, name in ((make_zip(many), "x.zip"), (make_tar(many), "x.tar")):
        assert outline(data, name, limits) == [
            ("0.txt", "x"),
            ("1.txt", "x"),
            ("2.txt", "x"),
            ("(17 further members)", "17 members were not read: at most 3 are"),
        ]


def test_a_bomb_is_refused_before_it_is_unpacked():
    zeros = bytes(9 * MIB)

    assert outline(make_zip({"a.txt": "ok", "z.txt": zeros}), "x.zip") == [
        ("a.txt", "ok"),
        ("z.txt", "it unpacks to more than 200 times its size, like a zip bomb"),
    ]
    with pytest.raises(ConversionLimitError, match="200 times"):
        convert_bytes(gzip.compress(zeros), "z.gz", LIMITS)


def test_the_sum_of_all_members_is_limited():
    limits = ConversionLimits(unpacked_bytes=2 * MIB)
    data = make_zip({f"{number}.txt": b"word " * 200_000 for number in range(3)})

    results = convert_bytes(data, "x.zip", limits)

    assert [type(result).__name__ for result in results] == [
        "ConvertedDocument",
        "ConvertedDocument",
        "FailedMember",
    ]
    assert results[2] == FailedMember(
        "2.txt",
        DocumentState.FAILED,
        "ConversionLimitError",
        "the archive unpacks to more than 2 MiB",
    )


def test_a_stream_that_grows_beyond_the_limit_is_stopped():
    import random

    noise = random.Random(4).randbytes(3 * MIB)

    with pytest.raises(ConversionLimitError, match="more than 2 MiB"):
        convert_bytes(gzip.compress(noise, 1), "n.gz", ConversionLimits(unpacked_bytes=2 * MIB))


def test_archives_in_archives_are_read_to_the_limit():
    data = make_zip({"deep.txt": "x"})
    for level in (3, 2, 1):
        data = make_zip({f"l{level}.zip": data, f"t{level}.txt": "y"})

    assert outline(data, "x.zip") == [
        ("l1.zip/l2.zip/l3.zip", "archives are nested more than 3 deep"),
        ("l1.zip/l2.zip/t3.txt", "y"),
        ("l1.zip/t2.txt", "y"),
        ("t1.txt", "y"),
    ]


def test_an_encrypted_member_is_protected():
    data = bytearray(make_zip({"a.txt": "x"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1

    assert convert_bytes(bytes(data), "x.zip", LIMITS) == [
        FailedMember(
            "a.txt", DocumentState.PROTECTED, "ProtectedDocumentError", "it needs a password"
        )
    ]


def test_a_member_that_claims_more_than_there_is_costs_nothing():
    entry = tarfile.TarInfo("huge.txt")
    entry.size = 8 * 1024 * MIB
    data = entry.tobuf(tarfile.GNU_FORMAT) + b"data".ljust(1024, b"\0")

    assert outline(data, "x.tar")[0] == (
        "huge.txt",
        "the archive unpacks to more than 256 MiB",
    )


@pytest.mark.parametrize("data", [make_zip({}), make_zip({"folder/": ""})])
def test_an_archive_without_files_is_an_error(data: bytes):
    with pytest.raises(ConversionError, match="the archive is empty"):
        convert_bytes(data, "x.zip", LIMITS)


def test_messages_of_a_mailbox_are_members():
    mailbox = (
        b"From a@x Mon Mar  4 10:00:00 2024\nSubject: one\n\nfirst\n>From here\n\n"
        b"From b@x Mon Mar  4 11:00:00 2024\nSubject: two\n\nsecond\n"
    )

    assert outline(mailbox, "in.mbox") == [
        ("message-1.eml", "Subject: one\n\nfirst\nFrom here"),
        ("message-2.eml", "Subject: two\n\nsecond"),
    ]


@given(st.text(max_size=50))
def test_a_normalised_path_never_leads_outside(name: str):
    for path in (normalise_path(name), refused_name(name).member_path):
        if path is not None:
            parts = path.split("/")
            assert not path.startswith("/")
            assert not {"", ".", ".."} & set(parts)
            path.encode()


@given(st.lists(st.binary(max_size=30), min_size=1, max_size=5))
def test_every_name_is_decoded(names: list[bytes]):
    assert len(decode_names(names)) == len(names)


@given(st.lists(st.sampled_from(["a", "a (2)", "a.b", "a (2).b", "c/a.b"]), max_size=8))
def test_paths_are_unique(paths: list[str]):
    unique = UniquePaths()
    taken = [unique.take(path) for path in paths]

    assert len(set(taken)) == len(taken)
