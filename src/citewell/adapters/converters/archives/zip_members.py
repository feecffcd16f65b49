"""Members of a zip file."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence

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
from citewell.domain.errors import (
    ConversionError,
    ConversionLimitError,
    ProtectedDocumentError,
    UnsupportedDocumentError,
)

_NAME_IS_UTF_8 = 0x800
_IS_ENCRYPTED = 0x1
_MAC_METADATA = "__MACOSX/"


def read_zip(data: bytes, budget: UnpackingBudget) -> Iterator[Member | FailedMember]:
    """Yield the files of a zip; see `read_members`."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ConversionError("the file is damaged: it is not a whole zip file") from error
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        unique = UniquePaths()
        for index, (entry, name) in enumerate(zip(entries, _names(entries), strict=True)):
            if name.startswith(_MAC_METADATA):
                continue
            if not budget.has_room_for_member():
                yield unread_rest(len(entries) - index, budget.limits.max_members)
                return
            path = normalise_path(name)
            yield (
                refused_name(name)
                if path is None
                else _read(archive, entry, unique.take(path), budget)
            )


def _names(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Return the names; those without the UTF-8 flag were read as cp437 and are decoded anew."""
    raw = [entry.orig_filename.encode("cp437", "replace") for entry in entries]
    is_marked = [bool(entry.flag_bits & _NAME_IS_UTF_8) for entry in entries]
    unmarked = [name for name, marked in zip(raw, is_marked, strict=True) if not marked]
    decoded = iter(decode_names(unmarked)) if unmarked else iter(())
    return [
        entry.orig_filename if marked else next(decoded)
        for entry, marked in zip(entries, is_marked, strict=True)
    ]


def _read(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: str, budget: UnpackingBudget
) -> Member | FailedMember:
    if entry.flag_bits & _IS_ENCRYPTED:
        return _failed(path, DocumentState.PROTECTED, ProtectedDocumentError, "it needs a password")
    try:
        budget.spend(entry.file_size, packed_bytes=entry.compress_size)
        # zipfile never gives more than `file_size` bytes, whatever the compressed data hold.
        return Member(path, archive.read(entry))
    except ConversionLimitError as error:
        return _failed(path, DocumentState.FAILED, ConversionLimitError, str(error))
    except NotImplementedError:
        reason = "it is packed by a method that is not supported"
        return _failed(path, DocumentState.UNSUPPORTED, UnsupportedDocumentError, reason)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError):
        return _failed(path, DocumentState.FAILED, ConversionError, "it is damaged in the archive")


def _failed(path: str, state: DocumentState, error: type[Exception], reason: str) -> FailedMember:
    return FailedMember(path, state, error.__name__, reason)
