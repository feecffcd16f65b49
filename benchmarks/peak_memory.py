"""How much memory a process and its children had at most."""

from __future__ import annotations

import threading
from typing import Self

import psutil

_EVERY_S = 0.2


class PeakMemory(threading.Thread):
    """Samples the resident memory of a process and its children.

    Attributes:
        peak_mib: The most that they had together. Pages that they share count once for each.
        largest_child_mib: The most that one child had.
    """

    def __init__(self, pid: int | None = None) -> None:
        """Take the process; this one by default."""
        super().__init__(daemon=True)
        self.peak_mib = 0.0
        self.largest_child_mib = 0.0
        self._process = psutil.Process(pid)
        self._stopped = threading.Event()

    def run(self) -> None:
        """Sample until stopped."""
        while not self._stopped.wait(_EVERY_S):
            try:
                children = self._process.children(recursive=True)
            except psutil.NoSuchProcess:
                return
            of_children = [_resident_mib(child) for child in children]
            self.largest_child_mib = max(self.largest_child_mib, *of_children, 0.0)
            self.peak_mib = max(self.peak_mib, _resident_mib(self._process) + sum(of_children))

    def stop(self) -> None:
        """End the sampling."""
        self._stopped.set()
        self.join()

    def __enter__(self) -> Self:
        """Start the sampling."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.stop()


def _resident_mib(process: psutil.Process) -> float:
    try:
        return process.memory_info().rss / 2**20
    except psutil.NoSuchProcess:
        return 0.0
