"""What machine a benchmark ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil


def describe_machine() -> dict[str, object]:
    """Return cores, memory and processor."""
    cpu = platform.processor() or platform.machine()
    known = Path("/proc/cpuinfo")
    if known.exists():
        names = [line for line in known.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "cpu": cpu,
    }
