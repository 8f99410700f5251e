"""Networks by the score: edges found on samples of known networks, and log probabilities of held-out rows.

Networks are those of `lsmarkov` after some steps of search from the best forest, with cliques of at most `LARGEST`
variables, so that scores with a weak penalty end too.
"""

import statistics

import numpy as np

from cliquewise.common.data.merging import merged
from cliquewise.common.data.states import ordered_dataset
from cliquewise.common.models.bif import parse_bif
from cliquewise.common.models.held_out import folds, held_out_logs
from cliquewise.common.models.model_fit import fit, parents_of_chordal
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.data.papers.fetch import from_package
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.learn import learn
from tests.bench.running import SHARED, row, table, wanted
from tests.commands import ROOT
from tests.reading import read_csv

SCORES = {
    **{f"bdeu, ess {ess:g}": Scoring("bdeu", ess) for ess in (0.1, 1.0, 10.0, 100.0)},
    "qnml": Scoring("qnml"),
    "bic": Scoring("bic"),
    "ebic, gamma 0.5": Scoring("ebic"),
    "aic": Scoring("aic"),
}
KNOWN = ("child", "alarm", "hailfinder")  # of pgmpy: 20, 37 and 56 variables
ROWS = (500, 2000, 10_000)
OWN = ("votes", "soybean", "digits")  # in data/
DEBD = ("nltcs", "plants")
LARGEST, STEPS, PARTS = 6, 20_000, 2
FITTED_ESS = 1.0  # of the prior of probabilities of bic, ebic and aic; as mnmodel fit does


def learned(data, scoring):
    """The network that the search finds, a Graph."""
    with Monitor(Limits(iterations=STEPS), threads=1) as monitor:
        return learn(data, scoring, Config(max_clique=LARGEST, cache_mb=256), monitor).graph


def known_network(name):
    """A BayesianNetwork of pgmpy's."""
    return parse_bif(from_package(f"{name}.bif.gz").decode(), name)


def distances(found, true):
    """(edges too many or too few, F1) of a Graph and the true one."""
    both, all_edges = len(set(found.edges) & set(true.edges)), len(found.edges) + len(true.edges)
    return all_edges - 2 * both, 2 * both / all_edges


def sampled(network, rows, seed):
    """Rows drawn from a network; states that none of them has are unknown, as in a file."""
    data = network.sample(rows, np.random.default_rng([rows, seed]))
    return merged(ordered_dataset(data.names, data.states, data.codes))


def known(network, rows, scoring, samples):
    """Edges, edges too many or too few, and F1 of the networks of some samples: three lists."""
    true = network.moral_graph()
    graphs = [learned(sampled(network, rows, seed), scoring) for seed in range(samples)]
    return [len(graph.edges) for graph in graphs], *zip(*(distances(graph, true) for graph in graphs), strict=True)


def with_error(values, digits):
    """The mean and its standard error as text."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} ± {error:.{digits}f}"


def table_of_data(name):
    """A real data set."""
    if name in DEBD:
        return read_csv(SHARED / "debd" / f"{name}.train.csv", "no", merge=True, warn=False)
    return read_csv(ROOT / "data" / f"{name}.csv", missing="state", merge=True, warn=False)


def held_out(data, scoring):
    """Edges of the network of all rows, and the log probabilities of rows of other parts, by two-fold validation."""
    ess, logs = scoring.ess if scoring.score_type == "bdeu" else FITTED_ESS, []
    for part, test in folds(data, PARTS, 1):
        parents = parents_of_chordal(learned(part, scoring))
        network = fit(part, parents, ess, sequential=scoring.score_type == "qnml")
        logs.append(np.repeat(held_out_logs(network, test.codes), test.counts))
    return len(learned(data, scoring).edges), np.concatenate(logs)


def scores(arguments):
    """Both tables; `--seeds` samples of each known network and number of rows."""
    heads = [f"{rows} rows: {what}" for rows in ROWS for what in ("edges", "wrong", "F1")]
    for name in wanted(KNOWN, arguments):
        network = known_network(name)
        of = f"{name}, {network.n} variables, {len(network.moral_graph().edges)} edges: {arguments.seeds} samples"
        table(f"{of}, mean ± standard error", "score", *heads)
        for score, scoring in SCORES.items():
            cells = []
            for rows in ROWS:
                edges, wrong, f1 = known(network, rows, scoring, arguments.seeds)
                cells += [f"{statistics.mean(edges):.0f}", with_error(wrong, 1), with_error(f1, 3)]
            row(score, *cells)
    heads = ("data", "score", "edges", "log probability of a row", "less that of the best")
    table("Two-fold cross-validation: mean and standard error, and paired difference", *heads)
    for name in wanted((*OWN, *DEBD), arguments):
        data = table_of_data(name)
        logs = {score: held_out(data, scoring) for score, scoring in SCORES.items()}
        best = max(logs, key=lambda score: logs[score][1].mean())
        for score, (edges, rows) in logs.items():
            less = "" if score == best else with_error(logs[best][1] - rows, 4)
            row(name, score, edges, with_error(rows, 4), less)
