"""Take from a worker process everything that a conversion does not need."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.sandbox.landlock import confine_to_reading
from citewell.adapters.converters.sandbox.seccomp import install_filter

_MAX_OPEN_FILES = 64
_SYSTEM_PATHS = (
    *("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64"),
    *("/usr/share/zoneinfo", "/usr/share/mime", "/etc/mime.types", "/etc/localtime"),
    *("/etc/ld.so.cache", "/dev/null", "/dev/urandom"),
)


def confine_this_process(limits: ConversionLimits) -> list[str]:
    """Set resource limits, close the file system and the network; cannot be undone.

    Returns:
        Which measures are in force: `rlimits`, `landlock`, `seccomp`.

    Raises:
        OSError: The system calls cannot be filtered and `limits.allow_unconfined` is off.
    """
    measures = ["rlimits"]
    _limit_resources(limits)
    try:
        confine_to_reading(_readable_paths())
        measures.append("landlock")
    except OSError:
        pass  # an old kernel; the system call filter below still forbids writing
    try:
        install_filter()
        measures.append("seccomp")
    except OSError:
        if not limits.allow_unconfined:
            raise
    return measures


def _limit_resources(limits: ConversionLimits) -> None:
    # The parent kills at `memory_bytes` resident; this catches what is faster than its watch.
    data_bytes = limits.memory_bytes + limits.memory_bytes // 2
    resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_OPEN_FILES, _MAX_OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _readable_paths() -> list[str]:
    """Return the folders of the interpreter and of the packages, the system's libraries."""
    own_root = Path(__file__).resolve().parents[4]
    packages = [entry for entry in sys.path if Path(entry).name.endswith("-packages")]
    return [sys.prefix, sys.base_prefix, str(own_root), *packages, *_SYSTEM_PATHS]
