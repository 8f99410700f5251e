"""Networks learned from data with missing cells: cells are removed, and the networks are evaluated on complete rows.

At random: each cell with the same probability. Given others: cells of every second column only, four in five where the
column before them, which keeps all its cells, does not have its most frequent state, and one in ten where it has. Each
way to treat missing cells gives a table to `lsmarkov`, which takes `STEPS` steps with cliques of at most `LARGEST`; the
probabilities are fitted to the complete rows (drop), to the rows with "missing" as a state (state; a test row then has
the probability given that none of its cells is missing), to the filled rows (most frequent), or by EM (em).
"""

from dataclasses import replace

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.data.incomplete import without_missing_state
from cliquewise.common.data.labels import MISSING_LABEL
from cliquewise.common.data.merging import merged
from cliquewise.common.inference.completions import CompletionPlan, complete
from cliquewise.common.inference.em import fit_em
from cliquewise.common.inference.em_limits import EmLimits
from cliquewise.common.models.held_out import held_out_logs
from cliquewise.common.models.model_fit import fit, parents_of_chordal
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.learn import learn
from tests.bench.running import SHARED, row, table, wanted
from tests.bench.scores import distances, known_network, with_error
from tests.commands import ROOT
from tests.reading import read_csv

SETS = ("nltcs", "plants", "alarm", "votes")
SHARES = (0.05, 0.1, 0.2, 0.4)
GIVEN_OTHERS = "given others"
WAYS = ("drop", "state", "most frequent", "em", "all cells")
ESS, LARGEST, STEPS = 10.0, 6, 200_000
ROWS, TEST_ROWS = 5000, 20_000  # of samples
PARTS = 5  # of votes: every fifth row is a test row
COMPLETIONS = 5
EM = EmLimits(tolerance=0.5, rounds=60)


def source(name):
    """(learning rows, test rows, true network or None) of a data set, without missing cells."""
    if name == "alarm":
        network = known_network(name)
        drawn = network.sample(ROWS + TEST_ROWS, np.random.default_rng(1))
        return replace(drawn, codes=drawn.codes[:ROWS]), drawn.codes[ROWS:], network
    if name == "votes":
        data = read_csv(ROOT / "data" / "votes.csv", missing="drop", warn=False)
        test = np.arange(data.n_rows) % PARTS == PARTS - 1
        return replace(data, codes=data.codes[~test]), data.codes[test], None
    files = (SHARED / "debd" / f"{name}.{part}.csv" for part in ("train", "test"))
    data, test = (read_csv(path, "no", warn=False) for path in files)
    return data, test.codes, None


def removed(codes, share, rng):
    """Which cells are removed: bool[rows, n]; `share` is a number or GIVEN_OTHERS."""
    if share != GIVEN_OTHERS:
        return rng.random(codes.shape) < share
    missing = np.zeros(codes.shape, bool)
    for v in range(1, codes.shape[1], 2):
        usual = codes[:, v - 1] == np.bincount(codes[:, v - 1]).argmax()
        missing[:, v] = rng.random(len(codes)) < np.where(usual, 0.1, 0.8)
    return missing


def learned(data):
    """The Graph that the search finds."""
    with Monitor(Limits(iterations=STEPS), threads=1) as monitor:
        return learn(data, Scoring("bdeu", ESS), Config(max_clique=LARGEST, cache_mb=256), monitor).graph


def with_missing(data, missing):
    """(the data with missing cells as a state, and as IncompleteData)."""
    codes = np.where(missing, data.arity, data.codes).astype(np.int32)
    states = tuple(
        (*labels, MISSING_LABEL) if any_missing else labels
        for labels, any_missing in zip(data.states, missing.any(axis=0), strict=True)
    )
    table = merged(Dataset(data.names, states, codes, data.source))
    return table, without_missing_state(table)


def treated(data, missing, way):
    """(Graph, fitted network, log probability that no cell is missing) by one treatment of these; None: no row."""
    if way == "drop":
        kept = ~missing.any(axis=1)
        if not kept.any():
            return None
        data = replace(data, codes=data.codes[kept])
    elif way == "most frequent":
        usual = [
            np.bincount(column[~is_missing]).argmax()
            for column, is_missing in zip(data.codes.T, missing.T, strict=True)
        ]
        data = replace(data, codes=np.where(missing, usual, data.codes).astype(np.int32))
    elif way != "all cells":
        as_state, incomplete = with_missing(data, missing)
        data = as_state if way == "state" else complete(incomplete, CompletionPlan(COMPLETIONS))
    graph = learned(data if way == "em" else merged(data))
    parents = parents_of_chordal(graph)
    if way == "em":
        return graph, fit_em(incomplete, parents, ESS, EM).network, 0.0
    network = fit(merged(data), parents, ESS)
    return graph, network, log_known(network) if way == "state" else 0.0


def log_known(network):
    """The logarithm of the probability that no cell of a row is missing."""
    known = {
        v: np.array([float(label != MISSING_LABEL) for label in labels]) for v, labels in enumerate(network.states)
    }
    return float(network.tables().log_likelihood(np.full((1, len(network.states)), -1), known)[0])


def incomplete(arguments):
    """Mean log probability of a complete test row, less than that of all cells, and edges."""
    heads = [text for way in WAYS for text in (way, "edges")]
    title = (
        "Log probability of a test row: that of all cells, and how much less with missing cells (standard error); edges"
    )
    for name in wanted(SETS, arguments):
        data, test, true = source(name)
        table(f"{name}. {title}{', F1' if true else ''}", "removed", *heads)
        whole = None
        for share in (*SHARES, GIVEN_OTHERS):
            gaps = removed(data.codes, share, np.random.default_rng(7))
            cells = [f"{share}, {gaps.mean():.2f}" if share == GIVEN_OTHERS else share]
            whole = whole or treated(data, gaps, "all cells")
            best = held_out_logs(whole[1], test)
            for way in WAYS:
                done = whole if way == "all cells" else treated(data, gaps, way)
                if done is None:
                    cells += ["no row", ""]
                    continue
                logs = held_out_logs(done[1], test) - done[2]
                cells.append(with_error(best if way == "all cells" else best - logs, 4))
                edges = len(done[0].edges)
                cells.append(edges if true is None else f"{edges}, {distances(done[0], true.moral_graph())[1]:.3f}")
            row(*cells)
