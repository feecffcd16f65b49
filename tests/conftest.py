"""How all tests run."""

import signal

from hypothesis import settings

# Machines that run tests are often busy, so an example has no deadline. Hypothesis' own profile
# "ci" is the parent where CI is set: there the examples are the same in every run.
settings.register_profile(
    "patient", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("patient")


# A runner that was started in the background ignores SIGINT, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
