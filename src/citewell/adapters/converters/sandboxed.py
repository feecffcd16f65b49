"""The converter that the product uses: every file type, each file in a sandbox."""

from __future__ import annotations

from concurrent.futures import Future
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from typing_extensions import override

from citewell.adapters.converters.limits import ConversionLimits
from citewell.ports.converter import ConversionResult, Converter

if TYPE_CHECKING:
    from citewell.adapters.converters.preparation import Preparation
    from citewell.adapters.converters.sandbox.worker_pool import WorkerPool

_OWN_REVISION = 1
_LIBRARIES = ("markitdown", "pypdfium2", "mammoth", "openpyxl")


class SandboxedConverter(Converter):
    """Converts in a pool of confined worker processes; thread-safe.

    Creating one is cheap. The first conversion starts the processes (half a second), the first of
    an office file, web page or archive takes a second more. Each waiting request holds its bytes in
    memory: keep a bounded number in flight, two per worker are enough to keep them busy.
    """

    def __init__(
        self,
        *,
        limits: ConversionLimits | None = None,
        workers: int = 2,
        files_per_worker: int = 200,
        preparation: Preparation | None = None,
    ) -> None:
        """Take the limits of one file and the size of the pool.

        Args:
            limits: What one file may cost.
            workers: Files converted at the same time, at least 1. 2: one per core of a small
                machine.
            files_per_worker: After so many files a worker is replaced (0.01 s), so that what
                libraries leak stays small.
            preparation: How workers prepare documents too; None: they give them as converted.
        """
        from citewell.adapters.converters.sandbox.worker_pool import WorkerPool

        self._pool: WorkerPool = WorkerPool(
            workers=workers,
            files_per_worker=files_per_worker,
            limits=limits or ConversionLimits(),
            preparation=preparation,
        )

    @property
    @override
    def version(self) -> str:
        """Our revision and the versions of the libraries that shape the text."""
        libraries = " ".join(f"{name}-{_version_of(name)}" for name in _LIBRARIES)
        return f"citewell-converters-{_OWN_REVISION} {libraries}"

    @override
    def get_ready(self) -> None:
        self._pool.get_ready()

    @override
    def submit(self, data: bytes, *, relative_path: str) -> Future[ConversionResult]:
        return self._pool.submit(data, relative_path)

    @override
    def close(self) -> None:
        self._pool.close()


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
