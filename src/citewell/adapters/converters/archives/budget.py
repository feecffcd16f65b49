"""How much an item may unpack to, over all its members and the archives inside it."""

from __future__ import annotations

from citewell.adapters.converters.limits import MIB, ConversionLimits
from citewell.domain.errors import ConversionLimitError

_HARMLESS_BYTES = 8 * MIB


class UnpackingBudget:
    """Counts members and bytes of one item; shared by nested archives."""

    def __init__(self, limits: ConversionLimits) -> None:
        """Start with nothing spent."""
        self.limits = limits
        self._n_bytes = 0
        self._n_members = 0

    def enter_archive(self, depth: int) -> None:
        """Refuse an archive that lies too deep inside others; `depth` from 1."""
        if depth > self.limits.max_depth:
            message = f"archives are nested more than {self.limits.max_depth} deep"
            raise ConversionLimitError(message)

    def has_room_for_member(self) -> bool:
        """Count one more member; return False when the limit is reached."""
        self._n_members += 1
        return self._n_members <= self.limits.max_members

    def spend(self, n_bytes: int, *, packed_bytes: int) -> None:
        """Count bytes about to be unpacked from `packed_bytes`.

        Raises:
            ConversionLimitError: It would be too much in all, or too much for its packed size.
        """
        check_ratio(n_bytes, packed_bytes=packed_bytes, limits=self.limits)
        if self._n_bytes + n_bytes > self.limits.unpacked_bytes:
            limit = self.limits.unpacked_bytes // MIB
            raise ConversionLimitError(f"the archive unpacks to more than {limit} MiB")
        self._n_bytes += n_bytes

    @property
    def remaining_bytes(self) -> int:
        """Bytes that may still be unpacked."""
        return self.limits.unpacked_bytes - self._n_bytes


def check_ratio(n_bytes: int, *, packed_bytes: int, limits: ConversionLimits) -> None:
    """Refuse what unpacks to suspiciously many times its size.

    Raises:
        ConversionLimitError: More than 8 MiB and more than `limits.max_ratio` times.
    """
    if n_bytes > _HARMLESS_BYTES and n_bytes > limits.max_ratio * max(1, packed_bytes):
        message = f"it unpacks to more than {limits.max_ratio} times its size, like a zip bomb"
        raise ConversionLimitError(message)
