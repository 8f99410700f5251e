"""Checkpoints with forged values: what `tests.fuzz` and the tests of checkpoints resume from."""

import contextlib
import copy
import io
import math
import random
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cliquewise.common.cli import command
from cliquewise.common.files.checkpointfile import read_checkpoint, write_checkpoint
from tests.commands import command_module

VALUES = [
    math.inf,
    -math.inf,
    math.nan,
    -1,
    2**61,
    2**62,
    10**30,
    0,
    1.5,
    "x",
    None,
    [],
    [1.5],
    {},
    True,
    -(2**63),
    1e308,
]
FLOATS = [math.nan, math.inf, -math.inf, 1e308, -1e308, -1.0, 0.0]


@dataclass(frozen=True)
class Run:
    """A run on `data.csv` that leaves a checkpoint, `kept`, and a longer one that continues it.

    Attributes
    ----------
    words : str
        With {} for its limit.
    first, second : str
        The limits.
    """

    words: str
    first: str = ""
    second: str = ""

    def line(self, limit):
        """The words of the command line, without its name and the command's."""
        return [*self.words.format(limit).split(), *"-q --checkpoint kept -o out".split()]

    def checkpoint(self):
        """Head and state of the checkpoint of the first run."""
        Path("kept").unlink(missing_ok=True)
        code, stderr, _ = _called(self.line(self.first))
        assert code == 0, stderr
        return read_checkpoint("kept")


RUNS = {
    "lsmarkov": Run("lsmarkov data.csv --iterations {}", "20000", "20500"),
    "published": Run("lsmarkov data.csv --preset ecai2020 --iterations {}", "1000", "1200"),
    "mnposterior": Run("mnposterior data.csv --iterations {}", "50000", "60000"),
    "junctor": Run("junctor data.csv --max-clique 2 --method ilp"),
    "coarsen": Run("coarsen data.csv --max-clique 3"),
    "mplearn": Run("mplearn data.csv"),
    "chordal": Run("twlearn data.csv -w 2 --method chordal --iterations {}", "50000", "60000"),
    "climb": Run("twlearn data.csv -w 2 --method climb --iterations {}", "20", "40"),
    "mixture": Run("mnmodel mixture data.csv data.csv --iterations {}", "600", "700"),
    "skp": Run("twlearn data.csv -w 2 --method skp --iterations {}", "64", "96"),
}


def _filled(value):
    return lambda array: np.full_like(array, value)


FORGED = [
    ("lsmarkov", "annealing-coldest", lambda _: math.inf),
    ("lsmarkov", "joint-batches", lambda _: 2**61),
    ("lsmarkov", "numbers", _filled(math.inf)),
    ("lsmarkov", "counts", _filled(-1)),
    ("lsmarkov", "random", _filled(0)),
    ("lsmarkov", "adjacency", _filled(2**63)),
    ("lsmarkov", "best", _filled(2**63)),
    ("published", "restarts", lambda _: -1),
    ("mnposterior", "draws-sums", _filled(-1)),
    ("mnposterior", "draws-scores", _filled(1e308)),
    ("mnposterior", "draws-edges", lambda edges: edges[:, :-1]),
    ("mixture", "candidate-0-tables", _filled(2.0)),
    ("mnposterior", "pair_shares", _filled(0.0)),
    ("junctor", "bound", lambda _: -math.inf),
    ("junctor", "bound", lambda _: -1e9),
    ("chordal", "numbers", _filled(math.inf)),
    ("chordal", "ladder-temperatures", _filled(math.inf)),
]


def _called(words):
    """Exit code of a command called in this process, its standard error, and the warnings."""
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        code = command.run(getattr(command_module(words[0]), words[0]), words[0], words[1:])
    return code, shown.getvalue(), [str(one.message) for one in caught]


def resume(name, head, state, refused=None):
    """Resume a run of `RUNS` from a checkpoint.

    Parameters
    ----------
    name : str
    head, state : dict
        As for `read_checkpoint`.
    refused : str, optional
        The part of the state that must be refused, by name.

    Returns
    -------
    str or None
        The error; None if the run continued, or was refused in one line.
    """
    write_checkpoint("kept", {key: value for key, value in head.items() if key not in ("sha256", "format")}, state)
    code, stderr, caught = _called([*RUNS[name].line(RUNS[name].second), "--resume"])
    lines = stderr.splitlines()
    one_line = code in (1, 2) and len(lines) == 1 and "internal error" not in stderr
    right = code == 1 and one_line and f"'{refused}' is not valid" in stderr if refused else code == 0 or one_line
    return None if right and not caught else f"{name}: exit code {code}: {stderr[-500:]} {caught[:1]}"


def forgeries(seed, count, state):
    """Yield names of parts of a state, each with a forged value."""
    rng = random.Random(seed)
    for _ in range(count):
        key = rng.choice(list(state))
        yield key, forged(rng, state[key])


def forged(rng, value):
    """Another array or JSON value, damaged at one place or replaced."""
    if isinstance(value, np.ndarray):
        return _forged_array(rng, value.copy())
    if isinstance(value, list) and value and rng.random() < 0.7:
        value, i = copy.deepcopy(value), rng.randrange(len(value))
        value[i] = forged(rng, value[i])
        return value
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {**value, key: forged(rng, value[key])}
    return rng.choice(VALUES)


def _forged_array(rng, array):
    kind = rng.randrange(7)
    if kind == 0:
        return np.zeros(array.shape, rng.choice([np.float64, np.int8, np.uint64, np.int64, bool]))
    if kind == 1:
        return array.ravel()
    if kind == 2:
        return array[:-1]
    if kind == 3:
        return np.concatenate([array, array])
    if array.size and array.dtype.kind == "f":
        array.flat[rng.randrange(array.size)] = rng.choice(FLOATS)
    elif array.size and array.dtype.kind in "iu":
        info, i = np.iinfo(array.dtype), rng.randrange(array.size)
        array.flat[i] = rng.choice([info.min, info.max, 0, int(array.flat[i]) ^ 1])
    return array
