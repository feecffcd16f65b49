from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from citewell.adapters.indexes.edge.process import ProcessDiedError
from citewell.adapters.indexes.edge.supervisor import Ask, Supervisor
from citewell.domain.errors import IndexRestartedError, IndexUnavailableError

READ, WRITE = {"do": "read"}, {"do": "write"}


class ScriptedProcess:
    """Answers with the request, or does what it was told to do at the next one."""

    id = 4711
    fate = "it was ended by the test"
    is_shared = False

    def __init__(self) -> None:
        self.is_alive = True
        self.next: Callable[[], None] = self._nothing

    def ask(self, request: dict[str, Any], *, timeout_s: float | None = None) -> Any:
        then, self.next = self.next, self._nothing
        then()
        if not self.is_alive:
            raise ProcessDiedError(self.fate)
        return request

    def die(self) -> None:
        self.is_alive = False

    def end(self) -> None:
        self.is_alive = False

    def close(self) -> None:
        self.ask({"do": "close"})
        self.end()

    def _nothing(self) -> None:
        return


class Machine:
    """Starts scripted processes."""

    def __init__(self) -> None:
        self.processes: list[ScriptedProcess] = []
        self.is_broken = False

    def start(self) -> ScriptedProcess:
        if self.is_broken:
            raise IndexUnavailableError("no more processes")
        self.processes.append(ScriptedProcess())
        return self.processes[-1]

    @property
    def process(self) -> ScriptedProcess:
        return self.processes[-1]


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def supervisor(machine: Machine) -> Supervisor:
    return Supervisor(machine.start)  # type: ignore[arg-type]


def flushed(ask: Ask) -> None:
    ask({"do": "flush"})


def test_nothing_starts_until_something_is_asked(machine: Machine, supervisor: Supervisor) -> None:
    supervisor.flush(flushed)
    assert (machine.processes, supervisor.process_id) == ([], None)
    assert supervisor.read(READ) == READ
    assert (len(machine.processes), supervisor.process_id) == (1, 4711)


def test_a_read_is_repeated_on_a_new_process(machine: Machine, supervisor: Supervisor) -> None:
    supervisor.read(READ)
    machine.process.next = machine.process.die
    assert supervisor.read(READ) == READ
    assert supervisor.restarts == 1


def test_a_read_that_kills_twice_is_given_up(supervisor: Supervisor, machine: Machine) -> None:
    start = machine.start

    def start_doomed() -> ScriptedProcess:
        process = start()
        process.next = process.die
        return process

    doomed = Supervisor(start_doomed)  # type: ignore[arg-type]
    with pytest.raises(IndexUnavailableError, match="died twice"):
        doomed.read(READ)


def test_a_read_outlives_many_owners_of_a_shared_index(machine: Machine) -> None:
    start = machine.start

    def start_shared() -> ScriptedProcess:
        process = start()
        process.is_shared = True
        if len(machine.processes) < 10:
            process.next = process.die
        return process

    assert Supervisor(start_shared).read(READ) == READ  # type: ignore[arg-type]
    assert len(machine.processes) == 10


def test_a_read_that_ends_every_owner_of_a_shared_index_is_given_up(machine: Machine) -> None:
    start = machine.start

    def start_doomed() -> ScriptedProcess:
        process = start()
        process.is_shared, process.next = True, process.die
        return process

    with pytest.raises(IndexUnavailableError, match="end again and again"):
        Supervisor(start_doomed).read(READ)  # type: ignore[arg-type]


def test_a_write_that_dies_is_reported_at_once_and_only_once(
    machine: Machine, supervisor: Supervisor
) -> None:
    supervisor.read(READ)
    machine.process.next = machine.process.die
    with pytest.raises(IndexRestartedError, match="ended by the test"):
        supervisor.write(WRITE)
    assert supervisor.write(WRITE) == WRITE


def test_writes_before_a_flush_are_not_lost(machine: Machine, supervisor: Supervisor) -> None:
    supervisor.write(WRITE)
    supervisor.flush(flushed)
    machine.process.die()
    assert supervisor.write(WRITE) == WRITE


def test_a_write_that_began_during_a_flush_is_not_taken_for_durable(
    machine: Machine, supervisor: Supervisor
) -> None:
    supervisor.write(WRITE)
    supervisor.flush(lambda ask: supervisor.write(WRITE))
    machine.process.die()
    with pytest.raises(IndexRestartedError):
        supervisor.write(WRITE)


def test_a_write_under_way_when_a_flush_began_is_not_taken_for_durable(
    machine: Machine, supervisor: Supervisor
) -> None:
    supervisor.read(READ)
    machine.process.next = lambda: supervisor.flush(flushed)
    supervisor.write(WRITE)
    machine.process.die()
    with pytest.raises(IndexRestartedError):
        supervisor.flush(flushed)


def test_a_loss_is_remembered_while_no_process_can_start(
    machine: Machine, supervisor: Supervisor
) -> None:
    supervisor.write(WRITE)
    machine.process.die()
    machine.is_broken = True
    for _ in range(2):
        with pytest.raises(IndexUnavailableError, match="no more processes"):
            supervisor.write(WRITE)
    machine.is_broken = False
    with pytest.raises(IndexRestartedError):
        supervisor.flush(flushed)
    assert supervisor.restarts == 1


def test_a_flush_that_dies_reports_lost_writes(machine: Machine, supervisor: Supervisor) -> None:
    supervisor.write(WRITE)
    machine.process.next = machine.process.die
    with pytest.raises(IndexRestartedError):
        supervisor.flush(flushed)


def test_closing_ends_the_process_and_refuses_the_rest(
    machine: Machine, supervisor: Supervisor
) -> None:
    supervisor.write(WRITE)
    supervisor.close()
    supervisor.close()
    assert not machine.process.is_alive
    for call in (supervisor.read, supervisor.write):
        with pytest.raises(IndexUnavailableError, match="closed"):
            call(READ)


def test_closing_what_never_started_starts_nothing(
    machine: Machine, supervisor: Supervisor
) -> None:
    supervisor.close()
    assert machine.processes == []
    with pytest.raises(IndexUnavailableError, match="closed"):
        supervisor.flush(flushed)
