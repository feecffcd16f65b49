"""Office files and e-books are zip files: check them before a library opens them, change parts."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping

from citewell.adapters.converters.archives.budget import check_ratio
from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.domain.errors import ConversionError, ConversionLimitError, ProtectedDocumentError

_MAX_PARTS = 20_000
_EMBEDDED = re.compile(r"^(?:word|xl|ppt)/(?:embeddings/.|afchunk)")


def check_package(data: bytes, limits: ConversionLimits) -> None:
    """Refuse an office file or e-book that unpacks to too much, or needs a password.

    The sizes are those of the zip directory; zipfile never reads more than they say.

    Raises:
        ConversionLimitError: Too many parts, too large, or packed suspiciously well.
        ProtectedDocumentError: A part is encrypted.
        ConversionError: The zip is damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ConversionError("the file is damaged: it is not a whole zip file") from error
    if len(parts) > _MAX_PARTS:
        raise ConversionLimitError(f"the file has more than {_MAX_PARTS} parts")
    if sum(part.file_size for part in parts) > limits.unpacked_bytes:
        limit = limits.unpacked_bytes // MIB
        raise ConversionLimitError(f"the file unpacks to more than {limit} MiB")
    for part in parts:
        check_ratio(part.file_size, packed_bytes=part.compress_size, limits=limits)
        if part.flag_bits & 1:
            raise ProtectedDocumentError("the file needs a password")


def rewrite_package(
    data: bytes, change: Callable[[str, bytes], bytes | None], *, more: Mapping[str, bytes]
) -> bytes:
    """Return the zip file with changed parts, not compressed.

    Args:
        data: A package that `check_package` has let pass.
        change: Given name and content of a part, returns its new content, or None to leave it out.
        more: Parts to add.

    Raises:
        ConversionError: A part is damaged.
    """
    target = io.BytesIO()
    try:
        with (
            zipfile.ZipFile(io.BytesIO(data)) as source,
            zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as copy,
        ):
            for name in dict.fromkeys(source.namelist()):
                content = change(name, source.read(name))
                if content is not None:
                    copy.writestr(zipfile.ZipInfo(name), content)
            for name, content in more.items():
                copy.writestr(zipfile.ZipInfo(name), content)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError) as error:
        raise ConversionError("the file is damaged: a part of it cannot be unpacked") from error
    return target.getvalue()


def embedded_note(data: bytes) -> str:
    """Return the note on files embedded in an office file, "" for none."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        n_embedded = sum(1 for name in package.namelist() if _EMBEDDED.search(name))
    if not n_embedded:
        return ""
    return f"{n_embedded} embedded file{'s' if n_embedded > 1 else ''} not read"
