"""Look at the size of a zipped document before any library opens it."""

from __future__ import annotations

import io
import zipfile

from citewell.adapters.converters.archives.budget import check_ratio
from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.domain.errors import ConversionError, ConversionLimitError, ProtectedDocumentError

_MAX_PARTS = 20_000


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
