"""The parts of the search for mixtures, by the mean log-likelihood of test rows."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from cliquewise.common.data.reading import FOR_MODEL, MISSING
from cliquewise.common.models.mixture import Mixture
from cliquewise.common.models.model_data import coded_beside, read_rows
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.mixture import search, structural_em
from cliquewise.mixture.run import MixtureFiles, _model, network_capacity
from cliquewise.mixture.search import MixtureConfig, MixtureSearch
from cliquewise.mixture.structural_em import MixtureLearner
from tests.bench.ablation import Ablated, by_processor, constants, nothing, run_after_run
from tests.bench.density import parts_of


def round_robin():
    """The kinds take turns, whatever they gain."""
    search.Scheduler.next = lambda self: max(search.KINDS, key=lambda kind: self.waited[kind])


def without(kind):
    """No turns of a kind, after the first searches."""
    mixed, kinds = (tuple(one for one in kinds if one != kind) for kinds in (search.MIXED, search.KINDS))
    return constants(search, MIXED=mixed, KINDS=kinds)


def never_doubled_again():
    """More components that failed once are not tried again."""
    untried = MixtureSearch._untried

    def only_new(self, kind, ess):
        wanted, size, sample = untried(self, kind, ess)
        if sample is not None:
            wanted = max(self._of_kind(kind), key=lambda one: one.value).settings["wanted"]
        return wanted, size, sample

    MixtureSearch._untried = only_new


def all_rows():
    """No bootstrap samples: structures are learned from all rows, with other random numbers."""
    MixtureSearch._sample = lambda self, number: self.rows.single.counts


def best_search_alone():
    """Of later searches, all continue from the best network."""
    MixtureSearch._searched_again = lambda self: self._from_best(self._turn())


def searches_begin_again():
    """A search begins again from the network that an earlier one found."""
    MixtureSearch._continued = lambda self, one, limits: self._search(one.settings["ess"], limits, self._graph_of(one))


def one_weight():
    """The prior of the components' tables has the first weight."""
    MixtureLearner._best_weight = lambda self, plan, found, structures, first, monitor: (first, found)


def no_joining():
    """Components that agree remain apart."""
    MixtureLearner._joined = lambda self, plan, found, weight, monitor: found


def run(case, seconds, seed):
    """Of the mixture that is chosen."""
    by_processor()
    with tempfile.TemporaryDirectory() as folder:
        paths, header = next(parts_of(case, 1, Path(folder)))
        train, valid, test = map(str, paths)
        files = MixtureFiles(missing="state", header=header, train=train, valid=valid, states_of=(test,))
        data, others = files.read()
        rows = read_rows(test, files.reading(missing="state"), replace(FOR_MODEL, markers=MISSING))
    _, codes = coded_beside(data, rows)
    limits = Limits(time_limit=seconds)
    with Monitor(limits, threads=1) as monitor:
        made = MixtureSearch(data, others, MixtureConfig(seed=seed), monitor, network_capacity(data, others, limits))
        model = _model(made.run(), made)
    if isinstance(model, Mixture):
        codes = np.column_stack([codes, np.full(len(codes), -1, codes.dtype)])  # the class
    return float(np.average(model.log_likelihood(codes), weights=rows.weights))


ABLATED = Ablated(
    "mixture: test log-likelihood a row",
    dict.fromkeys(("nltcs", "plants", "dna", "letter")),
    {
        "default": nothing,
        "default, repeated": nothing,
        "round robin": round_robin,
        "short slice": constants(search, SLICE_SHARE=0.02),
        "no sparse networks": constants(search, SPARSE_CLIQUES=()),
        "no extended": without("extended"),
        "no free": without("free"),
        "no later searches": without("search"),
        "never doubled again": never_doubled_again,
        "all rows": all_rows,
        "best search alone": best_search_alone,
        "searches begin again": searches_begin_again,
        "one weight": one_weight,
        "no joining": no_joining,
        "turns of any length": constants(search, MIN_TURN_FACTOR=0.0),
        "STRUCTURES 2": constants(structural_em, STRUCTURES=2),
        "EM_ROUNDS 3": constants(structural_em, EM_ROUNDS=3),
        "TURN_SECONDS 0.2": constants(search, TURN_SECONDS=0.2),
        "TURN_SECONDS 0.8": constants(search, TURN_SECONDS=0.8),
    },
    run_after_run(run),
    lambda: run("nltcs", 3.0, 1),
)
