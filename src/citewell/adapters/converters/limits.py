"""What the conversion of one file may cost."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ConversionLimits:
    """Limits of one conversion; each kill costs that one file and nothing else.

    Attributes:
        memory_bytes: Resident memory of a worker, its libraries included. 1 GiB: the largest of
            342 real filings needs a tenth of it.
        time_s: Wall-clock seconds. 60: 5,000 pages of PDF.
        output_bytes: Text of the result in UTF-8. 64 MiB: about 20,000 pages.
        unpacked_bytes: Sum of what an archive or an office file says it holds, and of what is read.
        max_ratio: Unpacked bytes per packed byte, looked at from 8 MiB on. 200: text that repeats
            itself reaches 100, bombs start at 1,000.
        max_members: Members of an archive that are read; the rest is reported.
        max_depth: Archives inside archives; 1 is an archive without archives in it.
        allow_unconfined: Convert also where the kernel offers no system call filter. Off, since
            then a hostile file that breaks a parser could reach the network.
    """

    memory_bytes: int = 1024 * MIB
    time_s: float = 60.0
    output_bytes: int = 64 * MIB
    unpacked_bytes: int = 256 * MIB
    max_ratio: int = 200
    max_members: int = 1_000
    max_depth: int = 3
    allow_unconfined: bool = False

    @property
    def answer_bytes(self) -> int:
        """The largest answer that a worker may send: text, chunks and terms."""
        return 4 * self.output_bytes + MIB
