"""How many arcs of a known network are found with the right direction, without and with its tiers.

A network that is known is sampled, and its topological levels are given as tiers: those of variables without parents,
of their children, and so on. The counts are of arcs of the truth that the learned network has in the same direction,
those it has turned, and the edges that only one has; and of the compelled arcs (`--cpdag`) how many are right.
"""

import statistics
import tempfile
from pathlib import Path

from cliquewise.common.models.any_graph import read_graph
from tests.bench.running import example_model, ours, row, table, wanted
from tests.reading import read_csv

NETWORKS = {"alarm": 4, "insurance": 4, "child": 3}  # with the treewidth of the search
ROWS = (100, 1000, 10000)
WAYS = ("nothing", "two tiers", "tiers", "order")
ITERATIONS = 1_000_000


def levels(dag):
    """The topological level of each variable: 0 without parents, else one above the highest parent."""
    level = {}
    for v in dag.order():
        level[v] = max((level[u] + 1 for u in dag.parents()[v]), default=0)
    return level


def written(folder, way, truth):
    """The option for a way, with its file; the truth's own numbers of levels, or their halves as two tiers."""
    level, names = levels(truth), truth.names
    if way == "nothing":
        return ()
    half = (max(level.values()) + 1) / 2
    key = {"two tiers": lambda v: level[v] >= half, "tiers": level.__getitem__, "order": lambda v: 0}[way]
    order = sorted(range(truth.n), key=lambda v: (level[v], v)) if way != "order" else list(truth.order())
    parts = [[v for v in order if key(v) == one] for one in sorted({key(v) for v in order})]
    path = Path(folder) / way.replace(" ", "-")
    path.write_text("\n".join(",".join(names[v] for v in part) for part in parts) + "\n")
    return ("--order" if way == "order" else "--tiers", path)


def compared(learned, truth):
    """Correct, reversed, missing and extra arcs of a learned Dag."""
    here, wanted_arcs = {*learned.arcs}, {*truth.arcs}
    right = len(here & wanted_arcs)
    turned = sum((v, u) in here for u, v in wanted_arcs)
    return right, turned, len(wanted_arcs) - right - turned, len(here) - right - turned


def known_directions(arguments):
    """A table for each network."""
    for name in wanted(NETWORKS, arguments):
        with tempfile.TemporaryDirectory() as folder:
            bif, width = example_model(name, folder), NETWORKS[name]
            heads = "arcs right", "of the edges found", "turned", "lacking", "further", "compelled", "of these right"
            table(f"{name}, treewidth {width}, medians of {arguments.seeds} samples", "rows", "known", *heads)
            for rows in ROWS:
                found = {way: [] for way in WAYS}
                for seed in range(1, arguments.seeds + 1):
                    data = Path(folder) / f"{rows}-{seed}.csv"
                    ours("mnmodel", "sample", bif, "--rows", rows, "--seed", seed, "-q", "-o", data)
                    names = read_csv(data, missing="state", warn=False).names
                    truth = read_graph(bif, names).dag
                    for way in WAYS:
                        found[way].append(measured(folder, data, truth, width, written(folder, way, truth)))
                for way in WAYS:
                    middle = [statistics.median(column) for column in zip(*found[way], strict=True)]
                    right, turned, lacking, further, compelled, good = middle
                    shares = f"{right / len(truth.arcs):.2f}", f"{right / max(1, right + turned):.2f}"
                    row(rows, way, *shares, *(f"{x:g}" for x in (turned, lacking, further, compelled, good)))


def measured(folder, data, truth, width, words):
    """The numbers of `compared`, of compelled arcs, and of those of them that are right."""
    out, of_class = Path(folder) / "net.arcs", Path(folder) / "class.dot"
    search = "--method", "chordal", "--iterations", ITERATIONS
    ours("twlearn", data, "-q", "-w", width, *search, *words, "-o", out, "--cpdag", of_class, "--missing", "state")
    found = read_graph(out, truth.names).dag
    pdag = read_graph(of_class, truth.names)
    compelled = {*(pdag.dag or pdag.pdag).arcs} if pdag.dag or pdag.pdag else set()
    return (*compared(found, truth), len(compelled), len(compelled & {*truth.arcs}))
