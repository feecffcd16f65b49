"""How all tests run."""

import signal

import pytest
from hypothesis import settings

# Machines that run tests are often busy, so an example has no deadline. Hypothesis' own profile
# "ci" is the parent where CI is set: there the examples are the same in every run.
settings.register_profile(
    "patient", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("patient")


# A runner that was started in the background ignores SIGINT, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add how long and with what luck processes are killed."""
    parser.addoption("--kills", type=int, default=50, help="processes killed at random moments")
    parser.addoption("--seed", type=int, default=0, help="of what is drawn by lot; 0 draws one")
    parser.addoption("--leak-trials", type=int, default=200, help="questions at doors")
    parser.addoption("--twin-worlds", type=int, default=10, help="pairs of worlds to compare")
