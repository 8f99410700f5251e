"""How time and memory of each tool grow with rows, variables and the bound on cliques.

The data are samples of networks with known edges (`mntools sample`), of 32 variables and 1000 rows where neither is
what grows. Searches do a fixed number of steps, all else runs to its end. Times are processor seconds of one thread,
start-up and reading included, so that they depend little on what else the machine does; a run of more than `LONGEST`
seconds is the last of its series.
"""

import csv
import os
import subprocess
from pathlib import Path

from tests.bench.running import row, table
from tests.commands import ROOT, command_line

LONGEST = 100.0
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
MOST = {"junctor": 32, "dmscore": 64, "coarsen ic": 480}  # variables


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
        subprocess.run([*command_line("mntools"), "sample", *map(str, words)], check=True, cwd=ROOT)
    return path


def measured(words):
    """Processor seconds and megabytes of a run."""
    line = [*command_line(words[0]), *map(str, words[1:]), "--threads", "1", "-q", "-o", os.devnull]
    process = subprocess.Popen(line, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(line)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def grown(folder, only=None):
    """Measure: yields dicts of tool, axis, size, seconds, megabytes.

    Parameters
    ----------
    folder : str
        Where the samples go.
    only : sequence of str, optional
        The tools.
    """
    for tool in only or TOOLS:
        measured(words_of(tool, sampled(folder, 1000, 16), 3))  # compiles
        for axis, points in series():
            for size, rows, variables, clique in points:
                if (clique and TOOLS[tool][1] is None) or variables > MOST.get(tool, variables):
                    continue
                seconds, megabytes = measured(words_of(tool, sampled(folder, rows, variables), clique))
                yield {"tool": tool, "axis": axis, "size": size, "seconds": seconds, "megabytes": megabytes}
                if seconds > LONGEST:
                    break


def growth(arguments, folder=ROOT / "build/growth"):
    """Measure, print a table for each axis and draw them: growth.csv and growth.png in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "growth.csv"
    found = list(csv.DictReader(kept.open())) if kept.exists() else []
    done = {one["tool"] for one in found}
    for tool in arguments.only or TOOLS:
        if tool not in done:  # a measurement that was ended goes on with the tools that are left
            found += [{key: str(value) for key, value in one.items()} for one in grown(folder, [tool])]
            with kept.open("w", newline="") as file:
                writer = csv.DictWriter(file, ("tool", "axis", "size", "seconds", "megabytes"))
                writer.writeheader()
                writer.writerows(found)
    show(found)
    draw(found, folder / "growth.png")


def show(found):
    """Print the tables: seconds / megabytes by tool and size."""
    for axis, points in series():
        sizes = [str(point[0]) for point in points]
        table(f"Processor seconds and MB by {axis}", "tool", *sizes)
        for tool in dict.fromkeys(one["tool"] for one in found):
            cells = {one["size"]: one for one in found if one["tool"] == tool and one["axis"] == axis}
            told = (cells.get(size) for size in sizes)
            row(tool, *(f"{float(one['seconds']):.1f}, {float(one['megabytes']):.0f}" if one else "" for one in told))


def draw(found, path):
    """Draw seconds above and megabytes below against each axis, all on logarithmic scales."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 3, figsize=(10, 5.5), sharey="row")
    for column, (axis, _) in zip(panels.T, series(), strict=True):
        for panel, what in zip(column, ("seconds", "megabytes"), strict=True):
            for tool in dict.fromkeys(one["tool"] for one in found):
                points = [one for one in found if one["tool"] == tool and one["axis"] == axis]
                x, y = ([float(one[key]) for one in points] for key in ("size", what))
                panel.loglog(x, y, marker="o", markersize=3, label=tool)
            panel.set_ylabel(what if axis == "rows" else "")
            panel.grid(True, which="major", linewidth=0.3)
        column[1].set_xlabel(axis)
    panels[0, 0].legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=90, metadata={"Software": None})
    pyplot.close(figure)
