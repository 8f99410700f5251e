"""Parameters of a test that only `make test-all` runs: `@pytest.mark.parametrize("n", [4, *slow(5, 6)])`."""

import signal

import pytest


def slow(*values):
    """Values of one argument, marked slow."""
    return slow_cases(*((value,) for value in values))


def slow_cases(*cases):
    """Values of several arguments, a tuple for each case, marked slow."""
    return [pytest.param(*case, marks=pytest.mark.slow) for case in cases]


SIGNALS = [signal.SIGINT, *slow(signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)]
