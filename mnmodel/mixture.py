"""`mnmodel mixture`: networks whose mixture makes new rows probable; validation rows choose the settings.

A *split* is a mixture of K networks, by EM: rows are in groups (`mnmodel.cluster` has the first ones), and each
group has a network. Small groups say little about most dependences, so that a group's network

* has all edges of the network of all rows, and those more that gain on the rows of the group
  (`common.scores.greedy`, additions only), and
* has that of all rows as its prior (`common.models.model_fit`), which weighs as much as some rows in each state of the
  parents.

Parameters are fitted with every row in every group, weighted by the probability that it belongs there (Dempster, Laird
and Rubin 1977); for the structure, which needs whole rows, a group is drawn for each row from these probabilities
(stochastic EM, Celeux and Diebolt 1985).

The result is an average of splits: the first one of all rows, the others with structures from bootstrap samples, all
fitted to all rows (bagging, Breiman 1996). If the number of networks is not a multiple of K, the last ones have K = 1.

The validation rows choose, one after the other, the equivalent sample size with K = 1; a bound on cliques, if one
helps; K, which is doubled as long as this gains more than a standard error, since fewer groups leave room for more
splits; the sample size again, a step up or down; and the prior's weight.

Cost of a round of a split: growing K networks, and sorting the rows for each family of these.
"""

import logging
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..common.cli.options import OutputOptions
from ..common.cli.paths import filled
from ..common.cli.task import Task
from ..common.data.csvfile import read_csv
from ..common.data.merging import merged
from ..common.graphs.chordal import bit_rows, graph_of
from ..common.models.model_data import codes_for, read_rows, read_states, with_states
from ..common.models.model_file import write_model
from ..common.models.model_fit import fit, parents_of_chordal
from ..common.run.resources import check_fits, check_rows
from ..common.scores.greedy import GreedySearch, compile_growth
from ..common.scores.scorer import SetScorer
from ..common.scores.scoring import Scoring
from ..common.scores.spanning import compile_pair_gains, maximum_spanning_forest, pair_gains
from .cluster import FEWEST, bytes_of_groups, latent_classes
from .inference import log_likelihood
from .mixture_model import mixture

LOG = logging.getLogger("cliquewise")
ROUNDS = 4  # of EM
SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)  # equivalent sample sizes
BOUNDS = (2, 3, 4, 6, 8)  # on cliques
WEIGHTS = (10.0, 30.0, 100.0)  # of the prior of a group; the middle one is tried first
LEAST_SHARE = 1e-4  # of a group


@dataclass(frozen=True)
class Settings:
    """What the validation rows choose.

    Attributes
    ----------
    ess : float
        Equivalent sample size of the network of all rows, and of growing.
    max_clique : int or None
        Largest clique allowed.
    groups : int
        Networks of a split.
    weight : float
        Of the prior of a group, in rows per state of the parents.
    """

    ess: float
    max_clique: int | None = None
    groups: int = 1
    weight: float = WEIGHTS[1]

    def lines(self):
        """Header lines: dict of str to str."""
        lines = {"ess": f"{self.ess:g}", "groups": str(self.groups)}
        if self.groups > 1:
            lines["prior-weight"] = f"{self.weight:g}"
        return lines if self.max_clique is None else {**lines, "max-clique": str(self.max_clique)}

    def __str__(self):
        return ", ".join(f"{key} {value}" for key, value in self.lines().items())


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


@dataclass(frozen=True)
class Trial:
    """Settings that were tried.

    Attributes
    ----------
    settings : Settings
    split : Split
        Of all rows.
    rows : float64[rows]
        Log probabilities of the validation rows.
    value : float
        Their mean.
    """

    settings: Settings
    split: Split
    rows: np.ndarray
    value: float


class MixtureLearner:
    """Learns mixtures of networks on some rows.

    Parameters
    ----------
    data : Dataset
    seed : int
    monitor : Monitor
        Its threads grow the networks of a split.
    """

    def __init__(self, data, seed, monitor):
        self.data, self.seed, self.monitor = merged(data), seed, monitor

    def compile_kernels(self):
        """Run the kernels on no edges."""
        scorer = SetScorer(self.data, "bdeu", 1.0, threads=1)
        self.monitor.compile(partial(compile_pair_gains, scorer), partial(compile_growth, scorer))

    def whole(self, settings, times=None):
        """The network of all rows, or of a sample that has each row so many times: uint64[n, words]."""
        search = self._search(self.data if times is None else merged(self.data, times), settings)
        for _ in search.steps():
            pass
        self._heed()
        return search.rows

    def _search(self, data, settings, base=None):
        """A GreedySearch from the best forest, or from a network."""
        scorer = SetScorer(data, Scoring(ess=settings.ess), threads=1)
        forest = maximum_spanning_forest(pair_gains(scorer))
        rows, bound = bit_rows(forest) if base is None else base.copy(), settings.max_clique or data.n
        return GreedySearch(scorer, rows, forest.edges, bound, self.monitor.may_go_on)

    def _heed(self):
        """Raise KeyboardInterrupt if the user wants to stop: a part of a mixture is of no use."""
        if not self.monitor.may_go_on():
            raise KeyboardInterrupt

    def _parents(self, settings, base, times):
        """The parents in the network of a group, which grows from `base`: tuple of tuple of int."""
        search = self._search(merged(self.data, times), settings, base)
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
            parents = list(self.monitor.map(partial(self._parents, settings, base), drawn))
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

    def choose(self, valid, most, max_clique=None):
        """The settings under which the validation rows are most probable.

        Parameters
        ----------
        valid : Dataset
            With the same variables and states.
        most : int
            The most groups.
        max_clique : int, optional
            Largest clique allowed.

        Returns
        -------
        Trial
        """
        times = self.data.counts

        def tried(settings, split):
            rows = split.rows(valid.codes)
            value = float(np.average(rows, weights=valid.counts))
            LOG.info("%s: %.4f a row of %s", settings, value, valid.source)
            return Trial(settings, split, rows, value)

        def best_of(several):
            new = (tried(each, self.split(each, self.whole(each), times, 0)) for each in several)
            return max(new, key=lambda trial: trial.value)

        def better(best, several):
            return max([best, *several], key=lambda trial: trial.value)

        best = best_of(Settings(ess, max_clique) for ess in SIZES)
        bounds = [bound for bound in BOUNDS if bound < (max_clique or self.data.n)]
        best = better(best, [best_of([replace(best.settings, max_clique=bound)]) for bound in bounds])
        while 2 * best.settings.groups <= most:
            found = best_of([replace(best.settings, groups=2 * best.settings.groups)])
            gains = found.rows - best.rows
            if found.value - best.value <= _standard_error(gains, valid):
                break
            best = found
        if best.settings.groups == 1:
            return best
        place = SIZES.index(best.settings.ess)
        near = SIZES[max(0, place - 1) : place] + SIZES[place + 1 : place + 2]
        best = better(best, [best_of([replace(best.settings, ess=ess)]) for ess in near])
        parents = [network.parents for network in best.split.networks]
        rows = best.split.chances(self.data.codes) * times
        others = [replace(best.settings, weight=weight) for weight in WEIGHTS if weight != best.settings.weight]
        return better(best, [tried(each, self.fitted(each, parents, rows)) for each in others])

    def mixture(self, trial, count):
        """Networks of several splits.

        Parameters
        ----------
        trial : Trial
            With the first split.
        count : int
            How many networks.

        Returns
        -------
        Split
        """
        splits, settings = [trial.split], trial.settings
        left = count - settings.groups
        while left > 0:
            rng = np.random.default_rng((self.seed, len(splits), 1))
            times = rng.multinomial(self.data.n_rows, self.data.counts / self.data.n_rows)
            if left < settings.groups:
                settings = replace(settings, groups=1)
            splits.append(self.split(settings, self.whole(settings, times), times, len(splits)))
            left -= settings.groups
            LOG.info("networks learned: %d of %d", count - left, count)
        shares = np.concatenate([split.shares * len(split.networks) / count for split in splits])
        return Split(tuple(network for split in splits for network in split.networks), shares)


def _standard_error(values, data):
    """Of the mean of these values of the stored rows; 0 for a single row."""
    variance = np.average((values - np.average(values, weights=data.counts)) ** 2, weights=data.counts)
    return float(np.sqrt(variance / max(1, data.n_rows - 1)))


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
        header, separator, missing, counts, states_of, max_clique, seed.

    Raises
    ------
    CliquewiseError
        Data that cannot be read, or do not fit each other; too little memory; tables that are too large.
    """
    header, counts, separator, seed = (options[key] for key in ("header", "counts", "separator", "seed"))
    data = read_csv(train, header, options["missing"], counts, separator=separator)
    rows = read_rows(valid, header, counts, separator)
    data = with_states(data, [rows, *read_states(options["states_of"], data, header, separator)])
    check_rows(data)
    told = f"{len(numbers)} networks on {data.n_stored} rows"
    check_fits(bytes_of_groups(data, len(numbers)), None, told, "ask for fewer --networks")
    rows = replace(data, codes=codes_for(data, rows), counts=rows.counts, source=valid)
    task = Task("mnmodel mixture", None, Scoring(), OutputOptions())
    with task.running(threads=threads) as monitor:
        learner = MixtureLearner(data, seed, monitor)
        learner.compile_kernels()
        best = learner.choose(rows, len(numbers), options["max_clique"])
        LOG.info("chosen: %s", best.settings)
        found = learner.mixture(best, len(numbers))
        tables = [network.tables() for network in found.networks]
    told = {"program": "mnmodel mixture", **best.settings.lines(), "rows": str(data.n_rows), "seed": str(seed)}
    for number, network, share in zip(numbers, tables, found.shares.tolist(), strict=True):
        write_model(filled(path, number), network, fmt, {**told, "weight": f"{share:.6f}"})
