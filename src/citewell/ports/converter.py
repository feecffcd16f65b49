"""The port through which bytes become text."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol

from citewell.domain.document import ConvertedDocument, FailedMember
from citewell.domain.prepared import PreparedDocument

ConversionResult = Sequence[ConvertedDocument | PreparedDocument | FailedMember]


class Converter(Protocol):
    """Converts untrusted bytes to text, under limits and without network."""

    @property
    def version(self) -> str:
        """Name and version of the conversion code; when it changes, documents are made again."""
        ...

    def get_ready(self) -> None:
        """Begin to start what conversions need and return at once; calling it is optional."""

    def submit(self, data: bytes, *, relative_path: str) -> Future[ConversionResult]:
        """Convert the bytes of one item; the type is taken from content and from the path's suffix.

        An ordinary file gives one `ConvertedDocument` whose `member_path` is "". An archive gives
        one entry per member, each with its `member_path`, in order of the archive.

        A converter may prepare documents as `ingestion.prepare` does and give them as
        `PreparedDocument`, which takes that work from the caller's process.

        The future raises a subclass of `DocumentError`: `UnsupportedDocumentError`,
        `ProtectedDocumentError`, `ConversionError`, `ConversionLimitError`.
        """
        ...

    def close(self) -> None:
        """End all workers; running conversions are killed."""
        ...
