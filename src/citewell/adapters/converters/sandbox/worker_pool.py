"""Worker processes that can be killed at any moment, each watched by a thread of its own."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.preload import needs_everything
from citewell.adapters.converters.preparation import Preparation
from citewell.adapters.converters.sandbox.fork_server import ForkServer
from citewell.adapters.converters.sandbox.frames import (
    FrameTooLargeError,
    receive_frame,
    send_frame,
)
from citewell.adapters.converters.wire import (
    decode_answer,
    decode_greeting,
    memory_limit_message,
    output_limit_message,
)
from citewell.domain.errors import ConfigurationError, ConversionError, ConversionLimitError
from citewell.ports.converter import ConversionResult

_GREETING_TIMEOUT_S = 60.0
_MAX_GREETING_BYTES = 10_000
_JOIN_TIMEOUT_S = 5.0


@dataclass(slots=True)
class _Job:
    data: bytes
    relative_path: str
    future: Future[ConversionResult] = field(default_factory=Future[ConversionResult])


class WorkerPool:
    """Runs conversions in worker processes; thread-safe.

    One thread per worker owns that worker: it sends a request, watches memory and time every
    50 ms while it waits, and kills without asking. Workers share no pipe and no lock, so that
    one that dies or turns hostile at a bad moment cannot hang the others.
    """

    def __init__(
        self,
        *,
        workers: int,
        files_per_worker: int,
        limits: ConversionLimits,
        preparation: Preparation | None = None,
    ) -> None:
        """Start the threads; processes start at the first job."""
        self._files_per_worker = files_per_worker
        self._limits = limits
        self._server = ForkServer(limits, preparation)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._state_lock = threading.Lock()
        self._running: set[_Worker] = set()
        self._threads = [
            threading.Thread(target=self._serve, name=f"conversion-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def get_ready(self) -> None:
        """Let the fork server load its libraries while the caller goes on."""
        self._server.start()

    def submit(self, data: bytes, relative_path: str) -> Future[ConversionResult]:
        """Queue a file; while it waits, its future can be cancelled."""
        job = _Job(data, relative_path)
        with self._state_lock:
            if self._closing.is_set():
                job.future.set_exception(ConversionError(_CLOSED))
            else:
                self._jobs.put(job)
        return job.future

    def close(self) -> None:
        """Kill the workers; what runs or waits fails with `ConversionError`."""
        with self._state_lock:
            self._closing.set()
            for _ in self._threads:
                self._jobs.put(None)
            for worker in self._running:
                worker.kill()
        self._server.close()
        for thread in self._threads:
            thread.join(_JOIN_TIMEOUT_S)

    def _serve(self) -> None:
        worker: _Worker | None = None
        while (job := self._jobs.get()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                worker = self._fit_worker(worker, job)
                result = decode_answer(worker.ask(job, self._limits), self._limits)
            except BaseException as error:  # noqa: BLE001 - belongs to the future, whatever it is
                if not isinstance(error, Exception) or _worker_is_doubtful(error):
                    self._drop(worker)
                    worker = None
                job.future.set_exception(self._explain(error))
            else:
                job.future.set_result(result)
            del job
        self._drop(worker)

    def _fit_worker(self, worker: _Worker | None, job: _Job) -> _Worker:
        """Return a worker that lives, is not worn out and has what the job needs."""
        if self._closing.is_set():
            raise ConversionError(_CLOSED)
        has_everything = worker is not None and worker.has_everything
        wants_everything = has_everything or needs_everything(job.data, job.relative_path)
        if worker and has_everything == wants_everything and self._is_fresh(worker):
            return worker
        self._drop(worker)
        try:
            process_id, connection = self._server.fork_worker(with_everything=wants_everything)
        except OSError as error:
            message = "no conversion worker could be started; try again"
            raise ConversionError(_CLOSED if self._closing.is_set() else message) from error
        worker = _Worker(process_id, connection, has_everything=wants_everything)
        with self._state_lock:
            self._running.add(worker)
            if self._closing.is_set():
                worker.kill()
        try:
            worker.greet()
        except BaseException:
            self._drop(worker)
            raise
        return worker

    def _is_fresh(self, worker: _Worker) -> bool:
        return worker.n_files < self._files_per_worker and worker.is_alive()

    def _drop(self, worker: _Worker | None) -> None:
        if worker is None:
            return
        with self._state_lock:
            self._running.discard(worker)
        worker.kill()
        worker.connection.close()

    def _explain(self, error: BaseException) -> BaseException:
        if self._closing.is_set() and isinstance(error, OSError):
            return ConversionError(_CLOSED)
        if isinstance(error, FrameTooLargeError):
            return ConversionLimitError(output_limit_message(self._limits))
        if isinstance(error, OSError):
            return ConversionError("the converter crashed on this file")
        return error


_CLOSED = "the converter was closed before the file was converted"


def _worker_is_doubtful(error: Exception) -> bool:
    """Return whether the worker must go: it broke, ran out of something, or sent nonsense."""
    return isinstance(error, OSError | FrameTooLargeError) or type(error) in {
        ConversionError,
        ConversionLimitError,
        ConfigurationError,
    }


class _Worker:
    """A worker process and the socket to it."""

    def __init__(self, process_id: int, connection: socket.socket, *, has_everything: bool) -> None:
        import psutil

        self.connection = connection
        self.has_everything = has_everything
        self.n_files = 0
        try:
            self._process: psutil.Process | None = psutil.Process(process_id)
        except psutil.NoSuchProcess:
            self._process = None

    def greet(self) -> None:
        """Wait until the worker has confined itself.

        Raises:
            ConfigurationError: It cannot be confined on this machine.
        """
        deadline = time.monotonic() + _GREETING_TIMEOUT_S
        greeting = receive_frame(
            self.connection, max_bytes=_MAX_GREETING_BYTES, check=_until(deadline)
        )
        _, problem = decode_greeting(greeting)
        if problem:
            raise ConfigurationError(
                f"files cannot be converted safely on this machine ({problem}); "
                "allow unconfined conversion in the settings to do it all the same"
            )

    def ask(self, job: _Job, limits: ConversionLimits) -> bytearray:
        """Return the answer to a job; raises a limit error after which it must be killed."""
        self.n_files += 1
        deadline = time.monotonic() + limits.time_s

        def check() -> None:
            if time.monotonic() > deadline:
                message = f"the conversion took longer than {limits.time_s:g} seconds"
                raise ConversionLimitError(message)
            if self._resident_bytes() > limits.memory_bytes:
                raise ConversionLimitError(memory_limit_message(limits))

        send_frame(self.connection, job.relative_path.encode("utf-8", "replace"), check=check)
        send_frame(self.connection, job.data, check=check)
        return receive_frame(self.connection, max_bytes=limits.answer_bytes, check=check)

    def is_alive(self) -> bool:
        """Return whether an idle worker still listens."""
        try:
            self.connection.settimeout(0)
            return self.connection.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def kill(self) -> None:
        """End the process; it has no children, since it may not fork."""
        import psutil

        if self._process is not None:
            try:
                self._process.kill()
            except psutil.NoSuchProcess:
                self._process = None

    def _resident_bytes(self) -> int:
        import psutil

        try:
            return self._process.memory_info().rss if self._process else 0
        except psutil.NoSuchProcess:
            return 0


def _until(deadline: float) -> Callable[[], None]:
    def check() -> None:
        if time.monotonic() > deadline:
            raise ConnectionError("the worker did not start")

    return check
