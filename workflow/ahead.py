"""Compiling ahead: a second process compiles what the next steps need, while the first one compiles and searches.

It begins when the first kernel is compiled, so that with a full cache there is none. It warms the learners of the next
steps up, by a table of two rows with the variables of the data, and leaves the machine code on disk. What the first
step needs too comes last, in reverse order, so that the processes meet in the middle; no kernel is compiled twice
(`common.compiled.compile_lock`). Whatever becomes of it harms nothing: a step compiles what it does not find. It ends
with the process that began it, because then its standard input ends.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import NoReturn

import numpy as np

from ..common.compiled.compiling import at_first_compilation
from ..common.compiled.mode import mode
from ..common.data.dataset import Dataset
from ..common.data.incomplete import IncompleteData
from ..common.run.monitor import Limits, Monitor
from ..common.run.resources import available_cores
from ..common.scores.scoring import Scoring
from ..common.scores.tiny_source import tiny_source

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class NextSteps:
    """What will be learned from a table, after the first step; values that JSON can hold.

    Attributes
    ----------
    arities : list of int
        Numbers of states of the variables.
    code_type
        Of the state codes, a name of numpy.
    is_incomplete
        Whether cells are missing.
    max_clique
        Of the networks that have probabilities; None for any.
    proof
        The largest clique of the network that is to be proved the best; None if none is.
    """

    arities: list[int]
    code_type: str
    is_incomplete: bool
    max_clique: int | None
    proof: int | None

    @classmethod
    def of(cls, data: Dataset, max_clique: int | None, proof: int | None) -> NextSteps:
        """The steps after the first one of a table."""
        arities = [len(labels) for labels in data.states]
        return cls(arities, data.codes.dtype.name, isinstance(data, IncompleteData), max_clique, proof)

    def data(self) -> Dataset:
        """A table of two rows for which the same kernels are compiled as for the one that will be learned from."""
        n = len(self.arities)
        codes = np.zeros((2, n), self.code_type, order="F")
        codes[1] = -1 if self.is_incomplete else 0
        names = tuple(f"V{v}" for v in range(n))
        states = tuple(tuple(map(str, range(arity))) for arity in self.arities)
        return (IncompleteData if self.is_incomplete else Dataset)(names, states, codes, "-")


@contextlib.contextmanager
def compiling_ahead(steps: NextSteps, threads: int | None) -> Iterator[None]:
    """While this lasts, a second process compiles what these steps need, once anything has to be compiled.

    Parameters
    ----------
    threads
        That may be used; None for all cores. With one there is no second process.
    """
    helpers: list[subprocess.Popen] = []

    def begin() -> None:
        try:
            helpers.append(_started(steps))
        except (OSError, subprocess.SubprocessError) as error:
            LOG.debug("nothing is compiled ahead: %s", error)

    cores = min(threads or available_cores(), available_cores())
    with at_first_compilation(begin) if cores > 1 and mode() == "tuned" else contextlib.nullcontext():
        try:
            yield
        finally:
            for helper in helpers:
                helper.kill()
                helper.wait()


def _started(steps: NextSteps) -> subprocess.Popen:
    """The second process, which has been told what to do."""
    command = [sys.executable, "-m", __name__]
    nowhere = subprocess.DEVNULL
    helper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere)
    assert helper.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        helper.stdin.write(json.dumps(asdict(steps)).encode() + b"\n")
        helper.stdin.flush()
    return helper


class _LastFirst(Monitor):
    """A run that compiles last what other runs compile first."""

    def compile(self, *tasks: Callable) -> None:
        """Compile kernels."""
        super().compile(*reversed(tasks))


def compile_kernels(steps: NextSteps) -> None:
    """Compile what the learners of these steps compile before their clocks start."""
    from ..junctor import ilp
    from ..junctor.config import Config
    from ..mnposterior import learn as posterior
    from ..mnposterior.config import PosteriorConfig

    data, scoring = steps.data(), Scoring("bdeu", 1.0)
    with _LastFirst(Limits(1.0)) as monitor:
        if steps.proof is not None:
            ilp.warm_up(tiny_source(data), scoring, Config(steps.proof), monitor)
        posterior.warm_up(data, scoring, PosteriorConfig(max_clique=steps.max_clique), monitor)


def main() -> None:
    """The second process: what to do is the first line of its standard input."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    steps = NextSteps(**json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with_the_first, daemon=True).start()
    compile_kernels(steps)


def _end_with_the_first() -> NoReturn:
    """End this process when the first one, which has the other end of a pipe, is no more."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
