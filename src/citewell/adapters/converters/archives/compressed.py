"""A single compressed file, or a compressed tar."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, cast

from citewell.adapters.converters.archives.budget import UnpackingBudget, check_ratio
from citewell.adapters.converters.archives.member import Member
from citewell.adapters.converters.archives.member_names import normalise_path
from citewell.adapters.converters.archives.tar_members import read_tar
from citewell.adapters.converters.limits import MIB
from citewell.domain.document import FailedMember
from citewell.domain.errors import ConversionError, ConversionLimitError

_SUFFIX = re.compile(r"\.(?:gz|bz2|xz|z)$", re.IGNORECASE)
_TAR_SUFFIX = re.compile(r"\.(?:tgz|tbz2?|txz)$", re.IGNORECASE)


def read_compressed(
    data: bytes, relative_path: str, file_type: str, budget: UnpackingBudget
) -> Iterator[Member | FailedMember]:
    """Yield the one file, or the members if it is a tar; see `read_members`."""
    content = _decompress(data, file_type, budget)
    if content[257:262] == b"ustar":
        yield from read_tar(content, budget)
    elif budget.has_room_for_member():
        yield Member(_inner_name(relative_path), content)


def _decompress(data: bytes, file_type: str, budget: UnpackingBudget) -> bytes:
    parts = bytearray()
    try:
        with _open(data, file_type) as stream:
            while piece := stream.read(MIB):
                parts += piece
                check_ratio(len(parts), packed_bytes=len(data), limits=budget.limits)
                if len(parts) > budget.remaining_bytes:
                    limit = budget.limits.unpacked_bytes // MIB
                    raise ConversionLimitError(f"the file unpacks to more than {limit} MiB")
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ConversionError("the compressed file is damaged") from error
    budget.spend(len(parts), packed_bytes=len(data))
    return bytes(parts)


def _open(data: bytes, file_type: str) -> IO[bytes]:
    source = io.BytesIO(data)
    if file_type == "gzip":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=source))
    if file_type == "bzip2":
        return cast("IO[bytes]", bz2.BZ2File(source))
    return cast("IO[bytes]", lzma.LZMAFile(source))


def _inner_name(relative_path: str) -> str:
    name = PurePosixPath(relative_path).name
    inner = _TAR_SUFFIX.sub(".tar", _SUFFIX.sub("", name))
    return normalise_path(inner) or "content"
