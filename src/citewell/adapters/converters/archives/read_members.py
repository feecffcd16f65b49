"""List the members of an archive with their bytes, or with the reason why not."""

from __future__ import annotations

from collections.abc import Iterator

from citewell.adapters.converters.archives.budget import UnpackingBudget
from citewell.adapters.converters.archives.compressed import read_compressed
from citewell.adapters.converters.archives.mailbox import read_mailbox
from citewell.adapters.converters.archives.member import Member
from citewell.adapters.converters.archives.tar_members import read_tar
from citewell.adapters.converters.archives.zip_members import read_zip
from citewell.domain.document import FailedMember

ARCHIVE_TYPES = frozenset({"zip", "tar", "gzip", "bzip2", "xz", "mbox"})


def read_members(
    data: bytes, relative_path: str, file_type: str, budget: UnpackingBudget
) -> Iterator[Member | FailedMember]:
    """Yield the regular files of an archive in its order; folders are left out.

    Args:
        data: The archive.
        relative_path: Names the one member of a compressed file.
        file_type: One of `ARCHIVE_TYPES`.
        budget: Spent on every member before it is unpacked.

    Raises:
        ConversionError: The archive is damaged at its root.
        ConversionLimitError: A compressed file unpacks to too much.
    """
    if file_type == "zip":
        yield from read_zip(data, budget)
    elif file_type == "tar":
        yield from read_tar(data, budget)
    elif file_type == "mbox":
        yield from read_mailbox(data, budget)
    else:
        yield from read_compressed(data, relative_path, file_type, budget)
