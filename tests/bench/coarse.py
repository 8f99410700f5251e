"""coarsen on the tables of its paper, and how far local search goes past it."""

import csv
import tempfile
from pathlib import Path

import numpy as np

from cliquewise.common.files.graphfile import read_graph
from tests.bench.figures import COARSEN, COARSENING, DRAWS, FORCED
from tests.bench.running import SHARED, row, table, timed, wanted


def random_columns(data, count, seed, folder):
    """A copy of a CSV with so many of its columns, drawn at random, in their order."""
    with data.open(newline="") as stream:
        rows = list(csv.reader(stream))
    chosen = np.sort(np.random.default_rng([count, seed]).choice(len(rows[0]), count, replace=False))
    path = Path(folder) / f"{data.stem}-{count}-{seed}.csv"
    path.write_text("".join(",".join(line[v] for v in chosen) + "\n" for line in rows))
    return path


def coarsened(data, folder, *options):
    """The network (GraphFile), its score, and the seconds of the command."""
    out = Path(folder) / "out"
    seconds, _ = timed("coarsen", data, "-q", "--format", "edges", "-o", out, *options)
    file = read_graph(out)
    return file, float(file.header["score"]), seconds


def coarsening(arguments):
    """Iterative coarsening and the greedy search."""
    heads = ("data", "tree", "IC as published", "optimal gain", "IC", "seconds", "greedy", "seconds")
    table("coarsen, cliques of at most 4, ess 1: gain over the spanning tree, the whole command", *heads)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted(COARSEN, arguments):
            tree, optimum = COARSEN[name]
            cells = []
            for method in ("ic", "greedy"):
                words = (SHARED / "coarsen" / f"{name}.csv", "-q", "--max-clique", 4, "--method", method)
                seconds, _ = timed("coarsen", *words, "-o", f"{folder}/out")
                score = float((Path(folder) / "out").read_text().split("# score ")[1].split()[0])
                cells += [f"{score - tree:.2f}", f"{seconds:.1f}"]
            row(name, tree, COARSENING[name], optimum, *cells)


def draws(arguments):
    """Random columns of qsar_androgen_receptor, ess 1, no bound on cliques: IC for three lengths, and greedy."""
    data = SHARED / "coarsen" / "qsar_androgen_receptor.csv"
    limit = ("--time-limit", arguments.seconds)
    heads = ("variables", "draw", "forest", "greedy", "s", "length", "IC", "s", "status", "published mean", "s")
    table(f"{data.stem}, ess 1, at most {arguments.seconds:g} s: gains over the forest", *heads)
    with tempfile.TemporaryDirectory() as folder:
        for count in (int(name) for name in wanted([str(n) for n in DRAWS], arguments)):
            for seed in range(1, arguments.seeds + 1):
                drawn = random_columns(data, count, seed, folder)
                _, forest, _ = coarsened(drawn, folder, "--method", "forest")
                _, greedy, spent = coarsened(drawn, folder, "--method", "greedy")
                for length, (gain, published) in DRAWS[count].items():
                    options = ("--start", "forest", "--max-length", length, *limit)
                    file, score, seconds = coarsened(drawn, folder, *options)
                    ours = (length, f"{score - forest:.1f}", f"{seconds:.1f}", file.header["status"])
                    others = (f"{forest:.1f}", f"{greedy - forest:.1f}", f"{spent:.1f}")
                    row(count, seed, *others, *ours, gain or "", published)


def forced(arguments):
    """Table 5: edges of an optimal network found (per cent), and edges found that are not in it."""
    heads = ("data", "optimum by", "forest", "greedy", "FIC 0", "1", "2", "published: forest", "greedy", "0", "1", "2")
    table("Cliques of at most 4, ess 1: sensitivity - false discovery rate, per cent", *heads)
    methods = [("--method", "forest", "--start", "tree"), ("--method", "greedy")]
    methods += [("--method", "fic", "--preset", "pgm2020", "--forced", steps) for steps in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted(FORCED, arguments):
            data, best = SHARED / "coarsen" / f"{name}.csv", Path(folder) / "best"
            exact = len(data.open().readline().split(",")) <= 20
            words = ("junctor",) if exact else ("lsmarkov", "--time-limit", arguments.seconds)
            timed(words[0], data, *words[1:], "-q", "--max-clique", 4, "--format", "edges", "-o", best)
            optimal, cells = {*read_graph(best).graph.edges}, []
            for options in methods:
                file, _, _ = coarsened(data, folder, "--max-clique", 4, *options)
                found = {*file.graph.edges}
                right = len(found & optimal)
                cells.append(f"{100 * right / len(optimal):.0f} - {100 * (1 - right / len(found)):.0f}")
            row(name, words[0], *cells, *FORCED[name])


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
