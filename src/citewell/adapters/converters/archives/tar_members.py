"""Members of a tar file."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from typing import cast

from citewell.adapters.converters.archives.budget import UnpackingBudget
from citewell.adapters.converters.archives.member import Member
from citewell.adapters.converters.archives.member_names import (
    UniquePaths,
    decode_names,
    normalise_path,
    refused_name,
    unread_rest,
)
from citewell.domain.document import DocumentState, FailedMember
from citewell.domain.errors import ConversionError, ConversionLimitError

_MAX_LISTED = 1_000_000


def read_tar(data: bytes, budget: UnpackingBudget) -> Iterator[Member | FailedMember]:
    """Yield the files of an unpacked tar; links and devices are reported, never followed."""
    try:
        archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - closed below
    except (tarfile.TarError, OSError, ValueError, EOFError) as error:
        raise ConversionError("the tar file is damaged") from error
    with archive:
        unique = UniquePaths()
        entries = _entries(archive)
        for entry in entries:
            if isinstance(entry, FailedMember):
                yield entry
                return
            if entry.isdir():
                continue
            if not budget.has_room_for_member():
                n_rest = 1 + sum(1 for _ in entries)
                yield unread_rest(n_rest, budget.limits.max_members)
                return
            yield _read(archive, entry, unique, budget)


def _entries(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo | FailedMember]:
    try:
        for _ in range(_MAX_LISTED):
            entry = archive.next()
            if entry is None:
                return
            yield entry
    except (tarfile.TarError, OSError, ValueError, EOFError):
        yield FailedMember(
            "(rest of the archive)",
            DocumentState.FAILED,
            ConversionError.__name__,
            "the tar file is damaged from here on",
        )


def _read(
    archive: tarfile.TarFile,
    entry: tarfile.TarInfo,
    unique: UniquePaths,
    budget: UnpackingBudget,
) -> Member | FailedMember:
    name = decode_names([entry.name.encode("utf-8", "surrogateescape")])[0]
    path = normalise_path(name)
    if path is None:
        return refused_name(name)
    path = unique.take(path)
    if not entry.isreg():
        kind = "a link" if entry.issym() or entry.islnk() else "a device or pipe"
        reason = f"it is {kind}, which is not followed"
        return FailedMember(path, DocumentState.FAILED, ConversionError.__name__, reason)
    try:
        # A sparse file may claim any size, so its packed size is what lies in the archive.
        budget.spend(entry.size, packed_bytes=max(1, len(entry.tobuf()), _stored_bytes(entry)))
        file = archive.extractfile(entry)
        content = file.read() if file else b""
    except ConversionLimitError as error:
        reason, error_type = str(error), ConversionLimitError
    except (tarfile.TarError, OSError, ValueError, EOFError):
        reason, error_type = "it is damaged in the archive", ConversionError
    else:
        return Member(path, content)
    return FailedMember(path, DocumentState.FAILED, error_type.__name__, reason)


def _stored_bytes(entry: tarfile.TarInfo) -> int:
    """Return how many bytes of the file lie in the archive; fewer than its size if sparse."""
    pieces = cast("list[tuple[int, int]] | None", entry.sparse)
    return entry.size if pieces is None else sum(size for _, size in pieces)
