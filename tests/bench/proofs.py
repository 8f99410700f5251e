"""Proofs of junctor by cutting planes: the bound at the root, the program's size, processor time and memory."""

import tempfile
from pathlib import Path

from cliquewise.common.models.any_graph import read_graph
from tests.bench.running import SHARED, columns, ours, row, table, trace_of, wanted

UP_TO_60 = (
    *("flag", "horse", "autos", "wdbc", "steel", "bands", "soybean", "sponge", "spectf", "promoters", "lung-cancer"),
    *("insurance10000", "water10000", "mildew10000", "alarm10000", "connect-4", "barley5000", "hailfinder10000"),
    "kddcup",
)
# name: (file, columns or None for all, largest clique or None, further options)
CASES = {
    **{f"{name}, 3": (f"lsmarkov/{name}.csv", None, 3, ()) for name in UP_TO_60},
    **{f"{name}, 4": (f"lsmarkov/{name}.csv", None, 4, ()) for name in UP_TO_60},
    **{f"{name}, 5": (f"lsmarkov/{name}.csv", None, 5, ()) for name in UP_TO_60},
    "hypothyroid22": ("junctor/hypothyroid22.csv", None, None, ("--missing", "state")),
    "mushroom22": ("junctor/mushroom22.csv", None, None, ("--missing", "state")),
    **{f"{name}{n}": (f"coarsen/{name}.csv", n, None, ()) for name in ("Flag", "autos", "bands", "alarm")
       for n in (20, 22, 24, 26, 28) if (name, n) != ("autos", 28)},
}  # fmt: skip


def proofs(arguments):
    """Proved optima, ess 10: cliques of at most 3, 4, 5, and of any size."""
    heads = ("data, cliques of at most", "score", "gap", "gap at the root", "families", "columns", "parts", "s", "MB")
    table(f"junctor --method ilp, ess 10, one thread, at most {arguments.seconds:g} s of elapsed time", *heads)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted(CASES, arguments):
            file, n, largest, options = CASES[name]
            data = SHARED / file if n is None else columns(SHARED / file, n, folder)
            options += () if largest is None else ("--max-clique", largest)
            out, trace = Path(folder) / "out", Path(folder) / "trace"
            options += ("--ess", 10, "--method", "ilp", "--time-limit", arguments.seconds, "--threads", 1)
            done = ours("junctor", data, "-q", *options, "--trace", trace, "-o", out)
            row(name, *cells(out, trace), f"{done.processor:.0f}", f"{done.megabytes:.0f}")


def cells(out, trace):
    """Score, gap, gap at the root, families and columns at most, parts: from a result and its trace."""
    header = read_graph(out).header
    rounds = trace_of(trace)
    root = [float(one["bound"]) for one in rounds if one["node"] == "1"]
    score = float(header["score"])
    gap = max(0.0, min(root, default=score) - score)
    most = [max((int(one[key]) for one in rounds), default=0) for key in ("families", "columns", "node")]
    return header["score"], header.get("gap", "0.000000"), f"{gap:.3f}", *most
