"""`mntools mixture`: networks whose mixture makes new rows probable; validation rows choose the settings.

A *split* is a mixture of K networks, by EM: rows are in groups (`common.mntools.cluster` has the first ones), and each
group has a network. Small groups say little about most dependences, so that a group's network

* has all edges of the network of all rows, and those more that gain on the rows of the group
  (`common.scores.greedy`, additions only), and
* has that of all rows as its prior (`common.models.model_fit`), which weighs as much as some rows in each state of the
  parents.

Parameters are fitted with every row in every group, weighted by the probability that it belongs there (Dempster, Laird
and Rubin 1977); for the structure, which needs whole rows, a group is drawn for each row from these probabilities
(stochastic EM, Celeux and Diebolt 1985).

The result is an average of splits: the first one of all rows, the others with structures from bootstrap samples, all
fitted to all rows (bagging, Breiman 1996). If the number of networks is not a multiple of K, the rest are networks of
all rows, that is, K = 1.

The validation rows choose, one after the other, the equivalent sample size with K = 1; K, which is doubled as long as
this helps; the sample size again, a step up or down; and the weight of the prior.

Cost of a round of a split: growing K networks, and sorting the rows for each family of these.
"""

import logging
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from cliquewise.common.cli.options import OutputOptions
from cliquewise.common.cli.paths import filled
from cliquewise.common.cli.task import Task
from cliquewise.common.data.csvfile import read_csv
from cliquewise.common.data.merging import merged
from cliquewise.common.graphs.chordal import bit_rows, graph_of
from cliquewise.common.mntools.cluster import FEWEST, ROW_BYTES, latent_classes
from cliquewise.common.models.inference import log_likelihood
from cliquewise.common.models.mixture import mixture
from cliquewise.common.models.model_data import codes_for, read_rows, with_states
from cliquewise.common.models.model_file import write_model
from cliquewise.common.models.model_fit import fit, parents_of_chordal
from cliquewise.common.scores.greedy import GreedySearch, compile_growth
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import compile_pair_gains, maximum_spanning_forest, pair_gains
from cliquewise.common.search.resources import check_fits, check_rows

LOG = logging.getLogger("cliquewise")
ROUNDS = 4  # of EM
SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)  # equivalent sample sizes
WEIGHTS = (10.0, 30.0, 100.0)  # of the prior of a group; the middle one is tried first
LEAST_SHARE = 1e-4  # of a group


@dataclass(frozen=True)
class Settings:
    """What the validation rows choose.

    Attributes
    ----------
    ess : float
        Equivalent sample size of the network of all rows, and of growing.
    groups : int
        Networks of a split.
    weight : float
        Of the prior of a group, in rows per state of the parents.
    """

    ess: float
    groups: int = 1
    weight: float = WEIGHTS[1]

    def __str__(self):
        told = f"ess {self.ess:g}, groups {self.groups}"
        return f"{told}, weight {self.weight:g}" if self.groups > 1 else told


@dataclass(frozen=True)
class Split:
    """A mixture of networks of groups of rows.

    Attributes
    ----------
    networks : tuple of FittedNetwork
    shares : float64[groups]
        Of the rows; they sum to 1.
    """

    networks: tuple
    shares: np.ndarray

    def joint(self, codes):
        """ln p(group, row): float64[groups, rows]."""
        return np.array([log_likelihood(network, codes) for network in self.networks]) + np.log(self.shares)[:, None]

    def rows(self, codes):
        """ln p(row): float64[rows]."""
        return mixture(self.joint(codes) - np.log(self.shares)[:, None], self.shares)

    def chances(self, codes):
        """p(group | row): float64[groups, rows]."""
        joint = self.joint(codes)
        shares = np.exp(joint - joint.max(axis=0))
        return shares / shares.sum(axis=0)


class MixtureLearner:
    """Learns mixtures of networks on some rows.

    Parameters
    ----------
    data : Dataset
    max_clique : int or None
    seed : int
    monitor : Monitor
        Its threads grow the networks of a split.
    """

    def __init__(self, data, max_clique, seed, monitor):
        self.data, self.seed, self.monitor = merged(data), seed, monitor
        self.max_clique = max_clique or data.n

    def compile_kernels(self):
        """Run the kernels on no edges, so that their compilation is announced."""
        scorer = SetScorer(self.data, "bdeu", 1.0, threads=1)
        with self.monitor.compiling(f"growth-{min(scorer.words, 3)}-{scorer.scores.table.columns.dtype}"):
            compile_pair_gains(scorer)
            compile_growth(scorer)

    def whole(self, ess, data=None):
        """The network of all rows, or of other ones: uint64[n, words]."""
        search = self._search(data or self.data, ess)
        for _ in search.steps():
            pass
        self._heed()
        return search.rows

    def _search(self, data, ess, base=None):
        """A GreedySearch from the best forest, or from a network."""
        scorer = SetScorer(data, "bdeu", ess, threads=1)
        forest = maximum_spanning_forest(pair_gains(scorer))
        rows = bit_rows(forest) if base is None else base.copy()
        return GreedySearch(scorer, rows, forest.edges, self.max_clique, self.monitor.may_go_on)

    def _heed(self):
        """Raise KeyboardInterrupt if the user wants to stop: a part of a mixture is of no use."""
        if not self.monitor.may_go_on():
            raise KeyboardInterrupt

    def _parents(self, ess, base, times):
        """The parents in the network of a group, which grows from `base`: tuple of tuple of int."""
        search = self._search(merged(self.data, times), ess, base)
        search.look_everywhere(removing=False)
        while self.monitor.may_go_on() and search.take_next() is not None:
            pass
        self._heed()
        return parents_of_chordal(graph_of(search.rows))

    def split(self, settings, base, times, stream):
        """A Split whose structures are those of a sample.

        Parameters
        ----------
        settings : Settings
        base : uint64[n, words]
            The network of the sample.
        times : int64[n_stored]
            How often the sample has each row, >= 0.
        stream : int
            Number of the random numbers.

        Returns
        -------
        Split
            Fitted to all rows.
        """
        if settings.groups == 1:
            return Split((fit(self.data, parents_of_chordal(graph_of(base)), settings.ess),), np.ones(1))
        rng = np.random.default_rng((self.seed, stream))
        first = latent_classes(replace(self.data, counts=times), settings.groups, rng)
        chances = (first == np.arange(settings.groups)[:, None]).astype(float)
        drawn = times * chances.astype(np.int64)
        for done in range(ROUNDS):
            self.monitor.progress(f"{settings}, round {done + 1} of {ROUNDS}")
            drawn = _enough(drawn, times, rng)
            parents = list(self.monitor.map(partial(self._parents, settings.ess, base), drawn))
            split = self.fitted(settings, parents, chances * times)
            chances = split.chances(self.data.codes)
            drawn = rng.multinomial(times, chances.T).T
        return self.fitted(settings, parents, chances * self.data.counts)

    def fitted(self, settings, parents, times):
        """A Split of given structures and weights of the rows.

        Parameters
        ----------
        settings : Settings
        parents : sequence of sequence of tuple of int
            Of each group's network.
        times : float64[groups, n_stored]
            The weight of each row in each group.

        Returns
        -------
        Split
        """

        def network(k):
            prior = fit(self.data, parents[k], settings.ess)
            return fit(self.data, parents[k], settings.weight, times[k], prior)

        networks = tuple(self.monitor.map(network, range(settings.groups)))
        shares = np.maximum(times.sum(axis=1) / times.sum(), LEAST_SHARE)
        return Split(networks, shares / shares.sum())

    def choose(self, valid, most):
        """The settings under which the validation rows are most probable.

        Parameters
        ----------
        valid : Dataset
            With the same variables and states.
        most : int
            The most groups.

        Returns
        -------
        (Settings, Split)
            And the first split, of all rows.
        """
        times = self.data.counts

        def tried(settings, split):
            value = float(np.average(split.rows(valid.codes), weights=valid.counts))
            LOG.info("%s: %.4f a row of %s", settings, value, valid.source)
            return value, settings, split

        def first(found):
            return found[0]

        bases = {ess: self.whole(ess) for ess in SIZES}

        def new(settings):
            return tried(settings, self.split(settings, bases[settings.ess], times, 0))

        best = max((new(Settings(ess)) for ess in SIZES), key=first)
        groups = 2
        while groups <= most:
            found = new(Settings(best[1].ess, groups))
            if found[0] <= best[0]:
                break
            best, groups = found, 2 * groups
        if best[1].groups > 1:
            place, groups = SIZES.index(best[1].ess), best[1].groups
            near = (SIZES[i] for i in (place - 1, place + 1) if 0 <= i < len(SIZES))
            best = max((best, *(new(Settings(ess, groups)) for ess in near)), key=first)
            ess, split = best[1].ess, best[2]
            weights, parents = split.chances(self.data.codes) * times, [each.parents for each in split.networks]
            others = (Settings(ess, len(parents), weight) for weight in WEIGHTS if weight != best[1].weight)
            best = max((best, *(tried(each, self.fitted(each, parents, weights)) for each in others)), key=first)
        return best[1:]

    def mixture(self, settings, first, count):
        """Networks of several splits.

        Parameters
        ----------
        settings : Settings
        first : Split
        count : int
            How many networks.

        Returns
        -------
        Split
        """
        splits, left = [first], count - settings.groups
        while left > 0:
            rng = np.random.default_rng((self.seed, len(splits), 1))
            times = rng.multinomial(self.data.n_rows, self.data.counts / self.data.n_rows)
            base = self.whole(settings.ess, merged(self.data, times))
            if left < settings.groups:
                settings = Settings(settings.ess)
            splits.append(self.split(settings, base, times, len(splits)))
            left -= settings.groups
            LOG.info("networks learned: %d of %d", count - left, count)
        shares = np.concatenate([split.shares * len(split.networks) / count for split in splits])
        return Split(tuple(network for split in splits for network in split.networks), shares)


def _enough(drawn, times, rng):
    """Give a group of fewer than two rows a random part of all."""
    drawn = drawn.copy()
    for group in np.flatnonzero(drawn.sum(axis=1) < FEWEST):
        drawn[group] = np.maximum(rng.binomial(times, 1 / len(drawn)), 1)
    return drawn


def make_mixture(train, valid, numbers, path, fmt, threads, options):
    """Learn a mixture of networks and write their models.

    Parameters
    ----------
    train, valid : str
        CSV files.
    numbers : sequence of int
        Of the models.
    path : str
        With `{}` for the number.
    fmt : str
        One of `common.models.model_file.MODEL_FORMATS`.
    threads : int or None
    options : dict
        header, missing, counts, states_of, max_clique, seed.

    Raises
    ------
    CliquewiseError
        Data that cannot be read, or do not fit each other; too little memory; tables that are too large.
    """
    header, counts, seed = options["header"], options["counts"], options["seed"]
    data, rows = read_csv(train, header, options["missing"], counts), read_rows(valid, header, counts)
    data = with_states(data, [rows, *(read_rows(other, header) for other in options["states_of"])])
    check_rows(data)
    told = f"{len(numbers)} networks on {data.n_stored} rows"
    check_fits(ROW_BYTES * len(numbers) * data.n_stored, None, told, "ask for fewer --networks")
    rows = replace(data, codes=codes_for(data, rows), counts=rows.counts, source=valid)
    task = Task("mntools mixture", None, Scoring(), OutputOptions())
    with task.running(threads=threads) as monitor:
        learner = MixtureLearner(data, options["max_clique"], seed, monitor)
        learner.compile_kernels()
        settings, first = learner.choose(rows, len(numbers))
        LOG.info("chosen: %s", settings)
        found = learner.mixture(settings, first, len(numbers))
        tables = [network.tables() for network in found.networks]
    chosen = {"ess": f"{settings.ess:g}", "groups": str(settings.groups), "prior-weight": f"{settings.weight:g}"}
    told = {"program": "mntools mixture", **chosen, "rows": str(data.n_rows), "seed": str(seed)}
    for number, network, share in zip(numbers, tables, found.shares.tolist(), strict=True):
        write_model(filled(path, number), network, fmt, {**told, "weight": f"{share:.6f}"})
