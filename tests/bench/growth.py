"""How time and memory of each tool grow with rows, variables and the bound on cliques.

The data are samples of networks with known edges (`mnmodel sample`), of 32 variables and 1000 rows where neither is
what grows. Searches do a fixed number of steps, all else runs to its end. Times are processor seconds of one thread,
start-up and reading included, so that they depend little on what else the machine does; a run that would take more than
`LONGEST` seconds or `MEMORY` is ended, and is the last of its series.
"""

import csv
import os
import resource
import signal
from functools import partial
from pathlib import Path

from tests.bench.running import ended, ours, row, table
from tests.commands import ROOT, command_line

LONGEST, MEMORY = 60, 6  # processor seconds, gigabytes
FIELDS = ("tool", "axis", "size", "seconds", "megabytes")
STEPS = ("--iterations", 1_000_000)
TOOLS = {  # the words of a command, and the option that bounds cliques (twlearn: treewidth, one less)
    "lsmarkov": (("lsmarkov", "DATA", *STEPS), "--max-clique"),
    "coarsen greedy": (("coarsen", "DATA", "--method", "greedy"), "--max-clique"),
    "coarsen ic": (("coarsen", "DATA"), "--max-clique"),
    "mplearn": (("mplearn", "DATA"), None),
    "twlearn": (("twlearn", "DATA", "--method", "chordal", *STEPS), "-w"),
    "junctor": (("junctor", "DATA"), "--max-clique"),
    "dmscore": (("dmscore", "DATA", 1), ""),
}
CLIQUE = {"coarsen ic": 3, "junctor": 3, "dmscore": 3}  # the bound where something else grows; else there is none
ROWS, VARIABLES, CLIQUES = (1000, 10_000, 100_000), (16, 32, 64, 160, 480, 1600), (3, 4, 5, 6, 8)
WIDE = 160
MAX_VARIABLES = {"junctor": 32, "dmscore": 64, "coarsen ic": 480}  # variables


def series():
    """The axes: yields name, and (size, rows, variables, bound on cliques) of each point."""
    yield "rows", [(rows, rows, 32, None) for rows in ROWS]
    yield "variables", [(variables, 1000, variables, None) for variables in VARIABLES]
    yield "clique", [(clique, 1000, 32, clique) for clique in CLIQUES]


def words_of(tool, data, clique):
    """The words of a run."""
    words, option = TOOLS[tool]
    words = [data if word == "DATA" else word for word in words]
    bound = clique or CLIQUE.get(tool) or (4 if tool == "twlearn" else None)
    if bound is None or option is None:
        return words
    return [*words, *([option] if option else []), bound - (option == "-w")]


def sampled(folder, rows, variables):
    """Data of so many rows and variables: a path."""
    path = Path(folder) / f"{rows}-{variables}.csv"
    if not path.exists():
        words = ("--components", "grid", "--replicas", variables // 16, "--rows", rows, "-q", "-o", path)
        ours("mnmodel", "sample", *words)
    return path


def measured(words):
    """Processor seconds and megabytes of a run, or (what is too much, "")."""
    limits = ("--threads", 1, "--memory", MEMORY, "-q", "-o", os.devnull)
    limited = partial(resource.setrlimit, resource.RLIMIT_CPU, (LONGEST, LONGEST))
    done = ended([*command_line(words[0]), *words[1:], *limits], preexec_fn=limited)
    if done.code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"> {LONGEST} s", ""
    if "GB may be used" in done.errors:
        return f"> {MEMORY} GB", ""
    if done.code:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.reason}")
    return done.processor, done.megabytes


def points(only=None):
    """All that is to be measured: yields (tool, axis, size, rows, variables, bound on cliques or None)."""
    for tool in only or TOOLS:
        for axis, sizes in series():
            for size, rows, variables, clique in sizes:
                if not (clique and TOOLS[tool][1] is None) and variables <= MAX_VARIABLES.get(tool, variables):
                    yield tool, axis, size, rows, variables, clique


def growth(arguments, folder=ROOT / "build/growth"):
    """Measure, print a table for each axis and draw them: growth.csv and growth.png in `folder`.

    A measurement that was ended goes on with the points that are left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "growth.csv"
    found = list(csv.DictReader(kept.open())) if kept.exists() else []
    for tool, axis, size, rows, variables, clique in points(arguments.only):
        mine = [one for one in found if (one["tool"], one["axis"]) == (tool, axis)]
        if any(one["size"] == str(size) or not one["megabytes"] for one in mine):
            continue
        if not mine:  # compiles; sets of many variables have kernels of their own
            many = axis == "variables" and MAX_VARIABLES.get(tool, WIDE) >= WIDE
            measured(words_of(tool, sampled(folder, 1000, WIDE if many else 16), clique and 3))
        taken = measured(words_of(tool, sampled(folder, rows, variables), clique))
        found.append({key: str(value) for key, value in zip(FIELDS, (tool, axis, size, *taken), strict=True)})
        with kept.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(found)
    show(found)
    draw(found, folder / "growth.png")


def show(found):
    """Print the tables: processor seconds / megabytes by tool and size."""
    for axis, points in series():
        sizes = [str(point[0]) for point in points]
        table(f"Processor seconds / MB by {axis}", "tool", *sizes)
        for tool in dict.fromkeys(one["tool"] for one in found):
            cells = {one["size"]: one for one in found if one["tool"] == tool and one["axis"] == axis}
            row(tool, *(_shown(cells.get(size)) for size in sizes))


def _shown(one):
    """A cell of the tables."""
    if one is None:
        return ""
    return f"{float(one['seconds']):.1f} / {float(one['megabytes']):.0f}" if one["megabytes"] else one["seconds"]


def draw(found, path):
    """Draw seconds above and megabytes below against each axis, all on logarithmic scales."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    figure, panels = pyplot.subplots(2, 3, figsize=(10, 5.5), sharey="row")
    for column, (axis, points) in zip(panels.T, series(), strict=True):
        for panel, what in zip(column, ("seconds", "megabytes"), strict=True):
            for tool in dict.fromkeys(one["tool"] for one in found):
                mine = [one for one in found if (one["tool"], one["axis"]) == (tool, axis) and one["megabytes"]]
                x, y = (
                    zip(*sorted((float(one["size"]), float(one[what])) for one in mine), strict=True)
                    if mine
                    else ((), ())
                )
                panel.loglog(x, y, marker="o", markersize=3, label=tool)
            panel.set_ylabel(what if axis == "rows" else "")
            panel.set_xticks([point[0] for point in points], [f"{point[0]:,}" for point in points])
            panel.minorticks_off()
            panel.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
            panel.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
            panel.grid(True, which="major", linewidth=0.3)
        column[1].set_xlabel("largest clique" if axis == "clique" else axis)
    panels[0, 0].legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=90, metadata={"Software": None})
    pyplot.close(figure)
