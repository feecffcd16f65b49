"""What signals do to a watch."""

from __future__ import annotations

import os
import signal

import pytest

from citewell.cli.watch import _stopping_on_signals


class Stoppable:
    is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True


def signal_twice(watching: Stoppable, number: signal.Signals) -> None:
    with _stopping_on_signals(watching):  # type: ignore[arg-type]
        os.kill(os.getpid(), number)
        assert watching.is_stopped
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_first_signal_stops_and_the_second_interrupts(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    watching = Stoppable()
    with pytest.raises(KeyboardInterrupt):
        signal_twice(watching, number)
    assert signal.getsignal(number) is before
