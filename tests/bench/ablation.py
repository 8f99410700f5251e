"""The contribution of each part of a search: the same runs with one part changed.

A variant is a change to the program before the run begins, made in a process of its own. Runs have one thread, and the
processor's clock, so that what else the machine does matters little; the variants of one case and seed follow each
other.
"""

import ast
import inspect
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from cliquewise.common.run import clock


class Ablated(NamedTuple):
    """What is measured of a learner.

    title : str
    cases : dict of str to object
    variants : dict of str to callable, the first of which changes nothing
    run : callable taking a case, seconds (a list) and a seed; returns figures, the larger the better
    load : callable, which loads kernels that a run would otherwise load in its time
    """

    title: str
    cases: dict
    variants: dict
    run: Callable
    load: Callable = lambda: None


def nothing():
    """The program as it is."""


def run_after_run(one):
    """The `run` of Ablated by one that takes seconds and returns a figure."""
    return lambda case, seconds, seed: [one(case, each, seed) for each in seconds]


def constants(owner, **values):
    """A change of attributes of a class, or of constants that functions of a module read."""
    for name in values:
        assert hasattr(owner, name)
        assert inspect.isclass(owner) or name in names_read(owner), f"{name} is not read in {owner.__name__}"

    def change():
        for name, value in values.items():
            setattr(owner, name, value)

    return change


def names_read(module):
    """The names that functions of a module read, in the module among others."""
    functions = (ast.FunctionDef, ast.Lambda)
    inside = (ast.walk(one) for one in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(one, functions))
    return {node.id for nodes in inside for node in nodes if isinstance(node, ast.Name)}


class ProcessorTimer(threading.Thread):
    """As threading.Timer, by the time of the processor."""

    def __init__(self, seconds, function):
        super().__init__(daemon=True)
        self.end, self.function, self.finished = time.process_time() + seconds, function, threading.Event()

    def cancel(self):
        """Never call the function."""
        self.finished.set()

    def run(self):
        """Call the function in time."""
        while time.process_time() < self.end and not self.finished.wait(0.01):
            pass
        if not self.finished.is_set():
            self.function()


def by_processor():
    """Count the seconds of all runs of this process by the time of its processor."""
    clock.time = SimpleNamespace(monotonic=time.process_time)
    clock.threading = SimpleNamespace(Timer=ProcessorTimer, TIMEOUT_MAX=threading.TIMEOUT_MAX)


def in_a_process(task):
    """The result of a task in a copy of this process, or the text of its error."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = task()
        except BaseException as error:  # also SystemExit: it is the result of such a program
            found = f"{type(error).__name__}: {error}"
        with os.fdopen(sink, "w") as out:
            json.dump(found, out)
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as result:
        text = result.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else "the process ended"


def figures(ablated, case, variant, seconds, seed):
    """The figures of one variant on one case, a list of float, from a process of its own."""

    def task():
        ablated.variants[variant]()
        return ablated.run(case, seconds, seed)

    found = in_a_process(task)
    return sys.exit(f"ablation: {variant}: {found}") if isinstance(found, str) else found


def every_figure(ablated, case, variants, seconds, seeds, results):
    """The figures of some variants on one case, {variant: float64[seeds, seconds]}, seed by seed."""
    found = {variant: [] for variant in variants}
    for seed in seeds:
        for variant in variants:
            task = partial(figures, ablated, case, variant, seconds, seed)
            key = (ablated.title, case, variant, seed, *map(str, seconds))
            found[variant].append(results.made(key, task))
            print(f"{case}, seed {seed}, {variant}: {found[variant][-1]}", file=sys.stderr, flush=True)
    return {variant: np.array(own) for variant, own in found.items()}


def compared(first, other):
    """How another variant ends, beside the first: (difference of medians, pairs of seeds better, worse)."""
    change = np.sort(other)[:, None] - np.sort(first)
    better, worse = int((change > 0.005).sum()), int((change < -0.005).sum())
    return float(np.median(other) - np.median(first)), better, worse
