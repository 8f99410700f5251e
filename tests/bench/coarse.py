"""The improvement of local search after coarsening."""

import tempfile
from pathlib import Path

from cliquewise.common.models.any_graph import read_graph
from tests.bench.figures import COARSEN
from tests.bench.running import SHARED, ours, row, table, wanted


def coarsened(data, folder, *options):
    """The network (GraphFile), its score, and the seconds of the command."""
    out = Path(folder) / "out"
    seconds = ours("coarsen", data, "-q", "--format", "edges", "-o", out, *options).seconds
    file = read_graph(out)
    return file, float(file.header["score"]), seconds


def searched(arguments):
    """IC and then local search, cliques of at most 4, ess 1, against the published optima."""
    heads = ("data", "optimal gain", "IC", "with --search", "seconds in all")
    table(f"coarsen --search {arguments.seconds:g}, ess 1: gain over the spanning tree", *heads)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted(COARSEN, arguments):
            tree, optimum = COARSEN[name]
            data = SHARED / "coarsen" / f"{name}.csv"
            _, before, _ = coarsened(data, folder, "--max-clique", 4)
            options = ("--max-clique", 4, "--search", arguments.seconds)
            _, score, seconds = coarsened(data, folder, *options)
            row(name, optimum, f"{before - tree:.2f}", f"{score - tree:.2f}", f"{seconds:.0f}")
