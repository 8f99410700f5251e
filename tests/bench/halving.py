"""What it does to halve and to double each constant of a package's table, for the column "as measured" of its README.

    python -m tests.bench.halving PACKAGE RESULTS [--only FILE.NAME]... [--cells] [--write]

Runs are those of `tests.bench.halved_runs`: fixed seeds and iterations, one thread, and the clock of the processor, so
that the load of the machine changes no score. Each changed program is a process of its own. It starts as a copy of
this one, which has loaded what all programs share, and imports the package, and all that uses it, again from a folder
in which one line of one file differs; so values that are derived from the constant, and machine code, change too. The
program as it is runs in the same way, before every few constants for its time, and with other seeds for the scatter of
its figures. Runs that end by a clock, as those of windows, vary with the load.

RESULTS gets a line of JSON for each run. A run that it has is not repeated, so that an interrupted measurement goes on;
`--cells` makes no runs, it prints what the file has; `--write` puts this into the empty cells of the README. The
differences in a cell are from the mean of all groups of seeds of the program as it is.
"""

import argparse
import hashlib
import importlib
import inspect
import logging
import math
import re
import statistics
import sys
import tempfile
import time
from functools import partial
from operator import attrgetter
from pathlib import Path

from tests.bench.ablation import by_processor, in_a_process
from tests.bench.halved_runs import NOTHING, RUNS, SEED_GROUPS
from tests.bench.results import Results
from tests.commands import ROOT
from tests.constants import ROW, assigned, lines_of

EVERY = 8  # constants between two runs of the program as it is
SAME_TIME, SAME_SHORT_TIME = 0.08, 0.3  # the times of the same program vary by about half of that; up to a second


def table_of(command):
    """The rows of a package's table: {(file, constant): (range, cell as measured)}."""
    found = (ROW.fullmatch(line) for line in lines_of(command))
    return {(row[1], row[2]): (row[4], row[6].strip()) for row in found if row}


def halved_and_doubled(value, allowed):
    """Both values of a constant within its range, None where there is none.

    Of a factor above 1 the logarithm is halved and doubled; of shares with the sum 1 all but the first.

    >>> halved_and_doubled(5, ">= 1"), halved_and_doubled(0.7, "0 to 1"), halved_and_doubled(1, ">= 1")
    ((2, 10), (0.35, 1.0), (None, 2))
    """
    return tuple(_times(value, factor, allowed) for factor in (0.5, 2.0))


def _times(value, factor, allowed):
    if allowed == "sum 1":
        others = [round(one * factor, 12) for one in value[1:]]
        return (round(1.0 - sum(others), 12), *others)
    if isinstance(value, tuple):
        numbers = tuple(_times(one, factor, allowed) for one in value)
        return None if numbers == value or None in numbers else numbers
    if allowed == "> 1":
        return round(value**factor, 3)
    least, most = _ends(allowed)
    changed = round(value * factor) if isinstance(value, int) else float(f"{value * factor:.12g}")
    changed = type(value)(min(max(changed, least), most))
    return None if changed == value else changed


def _ends(allowed):
    """The smallest and the largest value of a range as the tables write it."""
    between = re.fullmatch(r"([\d.e-]+) to ([\d.e-]+)", allowed)
    if between:
        return float(between[1]), float(between[2])
    least, most = re.fullmatch(r">=? ([\d.]+)", allowed), re.fullmatch(r"<=? ([\d.]+)", allowed)
    return float(least[1]) if least else -math.inf, float(most[1]) if most else math.inf


def changed_tree(folder, command, file, name, value):
    """The program in a folder, with one constant changed, by links to all other files."""
    place, changed = ROOT, Path(command, f"{file}.py")
    for part in changed.parts:
        folder.mkdir(exist_ok=True)
        for path in place.iterdir():
            if path.name != part:
                (folder / path.name).symlink_to(path)
        place, folder = place / part, folder / part
    folder.write_text(with_constant(place.read_text(encoding="utf-8"), name, value), encoding="utf-8")


def with_constant(text, name, value):
    """The text of a module in which a constant has another value."""
    for found, node in assigned(text):
        if found == name:
            lines = text.splitlines(keepends=True)
            line = lines[node.lineno - 1]
            new = line[: node.col_offset] + repr(value) + lines[node.end_lineno - 1][node.end_col_offset :]
            return "".join(lines[: node.lineno - 1]) + new + "".join(lines[node.end_lineno :])
    raise SystemExit(f"halving: no constant {name}")


def modules_that_use(packages):
    """The loaded modules of some packages, and all that have something from them."""
    ours = {one for one in sys.modules if one.startswith("cliquewise.") and one != "cliquewise.common"}
    found = {one for one in ours if one.startswith(packages)}
    while more := {
        one for one in ours - found if any(_home(value) in found for value in vars(sys.modules[one]).values())
    }:
        found |= more
    return found


def _home(value):
    """The module of a value, or the value if it is one."""
    return value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)


def measured(run, seeds, command="", file="", name="", value=None):
    """Figures, digests and processor seconds of the cases of a run, with all seeds, by a program with one change."""

    def task():
        package, commands = sys.modules["cliquewise"], {one.split("/")[0] for one in RUNS} - {"common"}
        changed = (f"cliquewise.{command.replace('/', '.')}", *(f"cliquewise.{one}" for one in commands))
        for module in modules_that_use(changed):
            del sys.modules[module]
        if name:
            changed_tree(Path(folder), command, file, name, value)
            package.__path__ = [folder]
            sys.modules["cliquewise.common"].__path__ = [f"{folder}/common"]
        by_processor()
        run.warm_up()
        found = []
        for case in run.cases:
            for seed in seeds:
                began = time.process_time()
                figure, result = run.measure(case, seed)
                seconds = time.process_time() - began
                found.append((case, seed, figure, hashlib.sha256(result.encode()).hexdigest()[:12], seconds))
        return found

    with tempfile.TemporaryDirectory() as folder:
        return in_a_process(task)


def measure(command, results, only):
    """Make all runs that are missing: of the constants without a figure, or of those that are asked for."""
    wanted = [key for key, (_, cell) in table_of(command).items() if ".".join(key) in only or not (only or cell)]
    for title, run in RUNS[command].items():
        rows = [key for key in wanted if run.is_for(*key)]
        rows.sort(key=lambda key: key[0].endswith("_kernels"))  # which have to be compiled, last
        for group in range(SEED_GROUPS if rows else 0):
            results.made((command, title, f"seeds {group}"), partial(measured, run, run.seeds(group), command))
        for place, (file, name) in enumerate(rows):
            if place % EVERY == 0:
                results.made((command, title, f"before {file}.{name}"), partial(measured, run, run.seeds(0), command))
            for which, value in zip(("half", "double"), values_of(command, file, name), strict=True):
                if value is not None:
                    key = (command, title, file, name, which, str(value))
                    found = results.made(key, partial(measured, run, run.seeds(0), command, file, name, value))
                    print(*key, found if isinstance(found, str) else "", flush=True)


def values_of(command, file, name):
    """Half and double of a constant."""
    module = importlib.import_module(f"cliquewise.{command.replace('/', '.')}.{file}")
    return halved_and_doubled(attrgetter(name)(module), table_of(command)[file, name][0])


def cells(command, results):
    """The cells of all constants that were measured: {(file, constant): text}."""
    found = {}
    for key, runs in results.kept.items():
        if key[0] == command and len(key) == 6 and RUNS[command].get(key[1], NOTHING).is_for(*key[2:4]):
            _, title, file, name, _, value = key
            text = runs if isinstance(runs, str) else _compared(runs, command, title, results)
            found.setdefault((file, name), []).append((value.strip("()"), text))
    return {key: _cell(parts) for key, parts in found.items()}


def _cell(parts):
    """The text of pairs (value, text)."""
    if len({text for _, text in parts}) == 1:
        return f"{' and '.join(value for value, _ in parts)}: {parts[0][1]}"
    return "; ".join(f"{value}: {text}" for value, text in parts)


def _as_it_is(command, title, results):
    """The runs of the program as it is, for each group of seeds."""
    groups = [results.kept.get((command, title, f"seeds {group}")) for group in range(SEED_GROUPS)]
    return [one for one in groups if isinstance(one, list)]


def _base_seconds(command, title, results):
    """The median seconds of the program as it is, with the first group of seeds."""
    keys = [(command, title, "seeds 0")]
    keys += [key for key in results.kept if key[:2] == (command, title) and key[2].startswith("before ")]
    return statistics.median(sum(one[4] for one in results.kept[key]) for key in keys)


def _mean(runs, case):
    """The mean figure of a case."""
    return statistics.fmean(one[2] for one in runs if one[0] == case)


def _compared(runs, command, title, results):
    """A changed program beside the one as it is: differences of the cases, ratio of the times."""
    groups = _as_it_is(command, title, results)
    base = _base_seconds(command, title, results)
    ratio = sum(one[4] for one in runs) / base
    is_stated = abs(ratio - 1.0) > (SAME_TIME if base > 1.0 else SAME_SHORT_TIME)
    time_words = [f"{ratio:.2f} of the time"] if is_stated else []
    if [one[3] for one in runs] == [one[3] for one in groups[0]]:
        return ", ".join(["same results", *time_words])
    run = RUNS[command][title]
    every = [one for group in groups for one in group]
    compare = _by_seeds if run.count > 2 else _by_means
    changes = [compare(runs, every, case, f"+.{run.digits}f") for case in run.cases]
    return ", ".join(changes + time_words)


def _by_means(runs, every, case, form):
    """The difference of the means."""
    return f"{_mean(runs, case) - _mean(every, case):{form}}"


def _by_seeds(runs, every, case, form):
    """The median of the differences of the same seeds, and their range."""
    before = {one[1]: one[2] for one in every if one[0] == case}
    changes = sorted(one[2] - before[one[1]] for one in runs if one[0] == case)
    middle = statistics.median(changes)
    return f"{middle:{form}}" + f" ({changes[0]:{form}} to {changes[-1]:{form}})" * (changes[0] < changes[-1])


def scatter(command, results):
    """Print for each run and case the mean, and the standard deviation of a mean over the seeds of one group."""
    for title, run in RUNS[command].items():
        groups = _as_it_is(command, title, results)
        for case in run.cases if len(groups) > 1 else ():
            means = [_mean(group, case) for group in groups]
            print(f"{title}, {case}: mean {statistics.fmean(means):.3f}, scatter {statistics.stdev(means):.3f}")


def write(command, found):
    """Put the cells into the empty ones of a README."""
    path = ROOT / command / "README.md"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for place, line in enumerate(lines):
        row = ROW.fullmatch(line.rstrip("\n"))
        if row and not row[6].strip() and (row[1], row[2]) in found:
            lines[place] = line.rstrip("\n").removesuffix("|").rstrip() + f" {found[row[1], row[2]]} |\n"
    path.write_text("".join(lines), encoding="utf-8")


def main():
    """Measure, print, and perhaps write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.halving")
    parser.add_argument("command", choices=RUNS)
    parser.add_argument("results")
    parser.add_argument("--only", action="append", default=[], help="FILE.NAME; by default the empty cells")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cells", action="store_true", help="make no runs")
    arguments = parser.parse_args()
    logging.disable()
    results = Results(arguments.results)
    if not arguments.cells:
        for run in RUNS[arguments.command].values():
            run.warm_up()
        measure(arguments.command, results, set(arguments.only))
    found = cells(arguments.command, results)
    for (file, name), text in found.items():
        print(f"{file}.{name}: {text}")
    scatter(arguments.command, results)
    if arguments.write:
        write(arguments.command, found)


if __name__ == "__main__":
    main()
