"""mplearn on networks with known edges, compared with Tables 3, 4 and 6 of Pensar et al. (2014).

The paper's means are over ten distributions with ten samples each, and for the four Bayesian networks over a hundred
samples; ours are over as many distributions (or samples) as asked for. The synthetic networks are random, so both
means have errors; z is the difference in units of its standard error, taken as sqrt(2) times ours for the synthetic
networks (ten distributions on either side) and as ours with a tenth more for the others.

The thresholds of CMI are the paper's, taken as bits: so taken they reproduce its Tables 4 and 8, as nats they do not.
"""

import math
import statistics

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.models.bif import parse_bif
from cliquewise.mnmodel.synthetic import draw_network
from cliquewise.mplearn import learn as mplearn
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.blankets import eligible_edges, mutual_edges
from cliquewise.mplearn.config import PBO_LIMIT, Config
from cliquewise.mplearn.duplicate_columns import duplicate_columns
from cliquewise.mplearn.pbo_program import count_candidates
from tests.bench.published import errors as published_errors
from tests.bench.published import table
from tests.learning import run

METHODS = ("MPL", "PIC", "CMI and", "CMI or", "L1LR and", "L1LR or")
MPL_D64 = published_errors("mpl-table4", "d", METHODS)["64"]
MPL_NETWORKS = published_errors("mpl-table6a", "network", METHODS[:4])
PHASES = {
    (int(row["d"]), int(row["rows"])): tuple(f"{row[f'{one} TP']} / {row[f'{one} FP']}" for one in ("PBO", "HC"))
    for row in table("mpl-table3")
}
# CMI in bits, L1LR
THRESHOLDS = (0.25, 0.1, 0.075, 0.05, 0.025, 0.01, 0.0075, 0.005, 0.0025, 0.001, 0.00075, 0.0005)
WEIGHTS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


def blankets(data, scoring=None, config=None):
    """The blankets that mplearn finds, on all cores."""
    return run(mplearn.blankets, data, scoring or BlanketScoring(), config or Config(), threads=None)


def edges_of(data, scoring=None, config=None):
    """The edges of the network that mplearn learns, on all cores."""
    return run(mplearn.learn, data, scoring or BlanketScoring(), config or Config(), threads=None).graph.edges


def errors(edges, truth):
    """True and false positives: a pair of int."""
    return len({*edges} & truth), len({*edges} - truth)


def tuned(data, truth, runs):
    """The errors of G_and and G_or, each at the setting with the least Hamming distance to the truth.

    Parameters
    ----------
    data : Dataset
    truth : set of (int, int)
    runs : iterable of (Scoring, Config)

    Returns
    -------
    (int, int), (int, int)
        True and false positives of G_and and of G_or.
    """
    best = {}
    for scoring, config in runs:
        pairs = [(one.variable, one.members) for one in blankets(data, scoring, config)]
        for rule, edges in (("and", mutual_edges(pairs)), ("or", eligible_edges(pairs))):
            true, false = errors(edges, truth)
            if rule not in best or false - true < best[rule][1] - best[rule][0]:
                best[rule] = (true, false)
    return best["and"], best["or"]


def methods(data, truth):
    """The errors of each method on one sample: {name: (true positives, false positives)}.

    Parameters
    ----------
    data : Dataset
    truth : set of (int, int)
    """
    found = {
        "MPL": errors(edges_of(data), truth),
        "PIC": errors(edges_of(data, BlanketScoring("pic")), truth),
        "PIC, parameters": errors(edges_of(data, BlanketScoring("pic", penalty="parameters")), truth),
    }
    sweep = ((BlanketScoring("cmi", threshold=value * math.log(2.0)), Config()) for value in THRESHOLDS)
    found["CMI and"], found["CMI or"] = tuned(data, truth, sweep)
    middle = 0.75 * math.sqrt(data.n_rows)  # Table 8: the values chosen are near it
    near = [value for value in WEIGHTS if middle / 2.6 <= value <= 2.6 * middle]
    found["L1LR and"], found["L1LR or"] = tuned(data, truth, ((None, Config(lasso=value)) for value in near))
    return found


def summary(errors_of_all, published, spread):
    """Table cells: mean and standard error of true and false positives, the published ones, and the z of both.

    Parameters
    ----------
    errors_of_all : list of (int, int)
    published : (float, float) or None
    spread : float
        The difference's standard error, in units of ours.
    """
    cells, z = [], []
    for k in range(2):
        values = [one[k] for one in errors_of_all]
        mean, error = statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))
        cells.append(f"{mean:.2f} ± {error:.2f}")
        if published is not None:
            off = mean - published[k]
            z.append(f"{off / (spread * error):+.1f}" if error else f"({off:+.2f})")
    return *cells, "" if published is None else "{:.2f} / {:.2f}".format(*published), ", ".join(z)


def synthetic(row, networks, sizes):
    """Table 4 at d = 64.

    Parameters
    ----------
    row : callable
        Recorder the cells of each row: rows, method, true positives, false positives, published, z.
    networks : int
        Distributions to draw; one sample of each.
    sizes : sequence of int
        Rows.
    """
    for size in sizes:
        found = {}
        for seed in range(1, networks + 1):
            network = draw_network(rng=np.random.default_rng([seed, 0]))
            data = network.sample(size, np.random.default_rng([seed, 1]))
            for name, pair in methods(data, {*network.graph.edges}).items():
                found.setdefault(name, []).append(pair)
        for name, pairs in found.items():
            row(size, name, *summary(pairs, MPL_D64[size].get(name), math.sqrt(2.0)))


def with_exchanged(data, u, v, scoring):
    """The edges learned when the columns u and v are exchanged."""
    order = [{u: v, v: u}.get(i, i) for i in range(data.n)]
    names, states = (tuple(of[i] for i in order) for of in (data.names, data.states))
    edges = edges_of(Dataset(names, states, np.asfortranarray(data.codes[:, order])), scoring)
    return [tuple(sorted((order[i], order[j]))) for i, j in edges]


def benchmarks(row, folder, samples, sizes, names):
    """Table 6(a): MPL and PIC on Bayesian networks; if columns are duplicates, also with the second of them first.

    Parameters
    ----------
    row : callable
        Recorder the cells of each row: network, rows, method, true positives, false positives, published, z.
    folder : Path
        Where the BIF files are.
    samples : int
        Of each network and size.
    sizes : sequence of int
        Rows.
    names : sequence of str
        Networks.
    """
    for name in names:
        network = parse_bif((folder / f"{name}.bif").read_text())
        truth = {*network.moral_graph().edges}
        for size in sizes:
            samples_of = [network.sample(size, np.random.default_rng([seed, 1])) for seed in range(1, samples + 1)]
            for method, scoring in (("MPL", BlanketScoring()), ("PIC", BlanketScoring("pic"))):
                for u, v in ((0, 0), *(group[:2] for group in duplicate_columns(samples_of[0]))):
                    pairs = [errors(with_exchanged(data, u, v, scoring), truth) for data in samples_of]
                    order = f", {network.names[v]} first" if u != v else ""
                    row(name, size, method + order, *summary(pairs, MPL_NETWORKS[name][size].get(method), 1.1))


def identical(row, networks, replicas, sizes):
    """Figure 5(a) and Table 3: how often hill climbing finds the best graph of the eligible edges.

    Parameters
    ----------
    row : callable
        Recorder the cells of each row: variables, rows, solved, identical, mean distance of the others, errors of pbo,
        errors of hc, both published.
    networks : int
        Distributions to draw; one sample of each.
    replicas : int
    sizes : sequence of int
        Rows.
    """
    for size in sizes:
        exact, climbed, apart = [], [], []
        for seed in range(1, networks + 1):
            network = draw_network(replicas=replicas, rng=np.random.default_rng([seed, 0]))
            data = network.sample(size, np.random.default_rng([seed, 1]))
            found = blankets(data)
            eligible = eligible_edges((one.variable, one.members) for one in found)
            if count_candidates(data.n, eligible) > PBO_LIMIT:
                continue
            truth = {*network.graph.edges}
            best, hc = (edges_of(data, None, Config(how, blankets=found)) for how in ("pbo", "hc"))
            exact.append(errors(best, truth))
            climbed.append(errors(hc, truth))
            apart.append(len({*best} ^ {*hc}))
        same = sum(distance == 0 for distance in apart)
        others = [distance for distance in apart if distance]
        means = [_pair(pairs) if pairs else "" for pairs in (exact, climbed)]
        published = PHASES.get((64 * replicas, size), ("", ""))
        rate = f"{same / len(apart):.2f}" if apart else ""
        distance = f"{statistics.mean(others):.1f}" if others else ""
        row(64 * replicas, size, f"{len(apart)} of {networks}", rate, distance, *means, *published)


def _pair(pairs):
    """The means of pairs, as text."""
    return " / ".join(f"{statistics.mean(values):.2f}" for values in zip(*pairs, strict=True))
