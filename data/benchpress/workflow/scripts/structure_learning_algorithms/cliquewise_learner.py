"""Runs a learner of cliquewise for Benchpress: the script of all modules `cliquewise_*`.

Snakemake runs this file with an object `snakemake`. Its wildcards are the fields of the module's JSON object, as text:
each becomes the option of the same name (`max_clique` is `--max-clique`), and `None` leaves the option out. The learner
is a process of its own with its own threads and one clock: `timeout` seconds after its start it is asked to end, and
writes the best network it has. One that has none yet leaves an empty file, which Benchpress reads as a time-out.

The data have a row of names, then the number of states of each variable, then the rows. The second line is left out for
the learner, which counts the states that occur.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

OF_BENCHPRESS = ("output_dir", "data", "seed", "mcmc_seed", "timeout", "edgeConstraints")  # no options of a learner
WITHOUT_SEED = ("coarsen", "mplearn")
GRACE = 30  # seconds to write what was found, after the time is up


def read_data(path: str) -> tuple[list[str], str]:
    """The names of the variables, and the text of the data without the line of the numbers of states."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines]
    if len(rows) < 3:
        sys.exit(f"{path}: {len(rows)} lines; the data need a line of names, one of numbers of states, and rows")
    for column, (name, arity, *cells) in enumerate(zip(*rows, strict=True)):
        states = {*cells} - {"", "NA"}
        if not arity.isdecimal() or len(states) > int(arity):
            sys.exit(
                f"{path}:2, column {column + 1} ({name}): {arity!r} is not the number of its {len(states)} states; "
                "these learners need discrete data with a line of arities"
            )
    return rows[0], "\n".join([lines[0], *lines[2:], ""])


def edge_constraints(path: str, names: list[str]) -> tuple[set, set]:
    """The required and the forbidden edges of a file of constraints: sets of (u, v), u < v.

    An edge of a network has no direction. It is forbidden if it is named, in whatever direction, by a forbidden edge or
    group, or if the tiers forbid it both ways. Statements about directions only is passed over, as are names that the
    data do not have.
    """
    constraints = json.loads(Path(path).read_text(encoding="utf-8-sig"))

    def edges(pairs: Iterable) -> set:
        known = [(names.index(u), names.index(v)) for u, v in pairs if u in names and v in names and u != v]
        return {(min(edge), max(edge)) for edge in known}

    def named(kind: str) -> set:
        groups = (itertools.product(one["cause"], one["effect"]) for one in constraints.get(f"{kind}_groups") or ())
        return edges(itertools.chain(constraints.get(f"{kind}_edges") or (), *groups))

    tiers, settings = constraints.get("tiers") or [], constraints.get("tier_settings") or {}
    apart: list = []
    if settings.get("forbid_within_tiers"):
        apart += [pair for tier in tiers for pair in itertools.combinations(tier, 2)]
    if settings.get("can_only_cause_next_tier"):
        far = [(one, other) for i, one in enumerate(tiers) for other in tiers[i + 2 :]]
        apart += [pair for one, other in far for pair in itertools.product(one, other)]
    return named("required"), named("forbidden") | edges(apart)


def constraint_options(program: str, path: str, names: list[str], folder: Path) -> list[str]:
    """The options that make a learner keep the constraints; mnposterior receives the edges that are left."""
    required, forbidden = edge_constraints(path, names)
    files = {"required-edges": required, "forbidden-edges": forbidden}
    if program == "mnposterior":
        if required:
            sys.exit(f"{path}: mnposterior cannot require edges; leave required_edges and required_groups out")
        files = {"allowed-edges": {*itertools.combinations(range(len(names)), 2)} - forbidden} if forbidden else {}
    words = []
    for option, edges in files.items():
        if edges or option == "allowed-edges":
            head = f"# format edges\n# variables {len(names)}\n"
            (folder / option).write_text(head + "".join(f"{u},{v}\n" for u, v in sorted(edges)))
            words += [f"--{option}", str(folder / option)]
    return words


def command_line(program: str, wildcards: dict[str, str], threads: int) -> list[str]:
    """The command and the options that the module's JSON object stands for."""
    words = [program, "--header", "yes", "--separator", "comma", "--indices", "--threads", str(threads)]
    if program not in WITHOUT_SEED:
        words += ["--seed", wildcards.get("mcmc_seed", wildcards["seed"])]
    for name, value in wildcards.items():
        if name not in OF_BENCHPRESS and value != "None":
            words += [f"--{name.replace('_', '-')}", value]
    return words


def adjacency(names: list[str], text: str, directed: bool) -> str:
    """The CSV of an adjacency matrix, a line of names first, of the text of an edge or arc list."""
    matrix = [["0"] * len(names) for _ in names]
    for line in text.splitlines():
        if not line.startswith("#"):
            u, v = map(int, line.split(",")[:2])
            matrix[u][v] = "1"
            if not directed:
                matrix[v][u] = "1"
    return "".join(",".join(row) + "\n" for row in [names, *matrix])


def ended(words: list[str], timeout: float | None) -> tuple[int, bool]:
    """Run a learner; its exit code, and whether it was asked to end because the time was up."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=sys.stderr) as learner:
        try:
            return learner.wait(timeout), False
        except subprocess.TimeoutExpired:
            learner.terminate()
        try:
            return learner.wait(GRACE), True
        except subprocess.TimeoutExpired:
            learner.kill()
            return learner.wait(), True


def learn(inputs: dict, outputs: dict, program: str, wildcards: dict[str, str], threads: int) -> None:
    """Learn from the data of a rule and write the rule's files."""
    names, text = read_data(inputs["data"])
    timeout = None if wildcards["timeout"] == "None" else float(wildcards["timeout"])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        data, found, trajectory = (folder / name for name in ("data.csv", "found", "trajectory"))
        data.write_text(text, encoding="utf-8")
        form = "arcs" if program == "twlearn" else "edges"
        words = [*command_line(program, wildcards, threads), str(data), "--format", form, "-o", str(found)]
        if program == "mnposterior":
            words += ["--trajectory", str(trajectory)]
        if inputs.get("edgeConstraints"):
            words += constraint_options(program, inputs["edgeConstraints"], names, folder)
        start = time.perf_counter()
        code, late = ended(words, timeout)
        seconds = time.perf_counter() - start
        if code != 0 and not late:
            sys.exit(code)  # the learner has said why
        result = ""
        if program == "mnposterior":
            result = trajectory.read_text(encoding="utf-8") if trajectory.exists() else ""
        elif found.exists():
            result = adjacency(names, found.read_text(encoding="utf-8"), form == "arcs")
    Path(outputs["graph"]).write_text(result, encoding="utf-8")
    Path(outputs["time"]).write_text(f"{seconds}\n")
    Path(outputs["ntests"]).write_text("None\n")


if "snakemake" in globals():
    rule = globals()["snakemake"]
    files = dict(rule.input.items()), dict(rule.output.items())
    learn(*files, rule.params["program"], dict(rule.wildcards.items()), rule.threads)
