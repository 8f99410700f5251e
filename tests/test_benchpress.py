"""The modules for Benchpress in data/benchpress: their files, and their script on data in Benchpress's format."""

import json
import os
import random
import runpy
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.commands import ROOT, all_commands, run_process
from tests.oracles.benchpress import adjacency_of, kept_apart, networks_of
from tests.reading import read_csv

MODULES = ROOT / "data/benchpress/workflow/rules/structure_learning_algorithms"
SCRIPTS = ROOT / "data/benchpress/workflow/scripts/structure_learning_algorithms"
SCRIPT = SCRIPTS / "cliquewise_learner.py"
FOLDERS = sorted(MODULES.iterdir())
LEARNERS = {
    "lsmarkov": {"max_clique": "3", "iterations": "2000", "edgeConstraints": "None"},
    "junctor": {"score": "bic", "max_clique": "3", "edgeConstraints": "None"},
    "coarsen": {"method": "ic", "edgeConstraints": "None"},
    "mplearn": {"prior": "sparse", "combine": "hc", "edgeConstraints": "None"},
    "twlearn": {"treewidth": "2", "iterations": "2000"},
    "mnposterior": {"iterations": "20000", "mcmc_seed": "7", "max_clique": "3", "edgeConstraints": "None"},
}
# Fields that are no options of a learner, and what Benchpress's own schema defines.
OF_BENCHPRESS = {"id", "timeout", "edgeConstraints", "mcmc_seed", "mcmc_estimator", "threshold", "burnin_frac"}
DEFINED = {
    "flexnonnegnumnull",
    "flexnatnumnull",
    "flexnatnum",
    "flexnonnegintnull",
    "flexnonnegint",
    "flexprob",
    "flexprobnull",
}
FILES = {"rule.smk", "schema.json", "info.json", "docs.rst", "bibtex.bib"}
INFO = {
    *("title", "title_full", "version", "package", "docs_url", "outputs", "graph_types", "meta_description"),
    *("data_types", "data_missingness", "intervention_types", "mcmc", "edge_constraints", "language"),
}


def load(path):
    """A JSON file of the modules."""
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def script(here):
    """The script's functions, with a folder of data: five variables in a chain of copies with errors."""
    draw, rows = random.Random(1), []
    for _ in range(60):
        row = [draw.randrange(3)]
        for _ in range(4):
            row.append(row[-1] if draw.random() < 0.8 else draw.randrange(3))
        rows.append(",".join(map(str, row)) + "\n")
    (here / "seed=1.csv").write_text("1,2,3,4,5\n3,3,4,3,3\n" + "".join(rows))
    functions = runpy.run_path(str(SCRIPT))
    return SimpleNamespace(functions=functions, folder=here, **functions)


@pytest.fixture
def learned(script, run, monkeypatch):
    """Runs a rule with the learner in this process: `learned(program, edgeConstraints=path, **wildcards)`."""

    def invoke(program, constraints=None, **fields):
        done = []

        def ended(words, timeout):
            done.append(run(*words))
            return done[-1].code, False

        monkeypatch.setitem(script.learn.__globals__, "ended", ended)
        inputs = {"data": "seed=1.csv", **({"edgeConstraints": constraints} if constraints else {})}
        outputs = {"graph": "graph.csv", "time": "time.txt", "ntests": "ntests.txt"}
        wildcards = {"output_dir": "results", "data": "x", "seed": "1", "timeout": "None", **fields}
        try:
            script.learn(inputs, outputs, program, wildcards, 1)
        except SystemExit as stop:
            return SimpleNamespace(stop=stop.code, stderr=done[-1].stderr if done else "")
        return (script.folder / "graph.csv").read_text()

    return invoke


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_files_of_a_module(folder):
    """Every field is an option of the command with its choices, and the example is complete."""
    program = folder.name.removeprefix("cliquewise_")
    assert {path.name for path in folder.iterdir()} == FILES
    options = {option.opts[0]: option for option in all_commands()[program].params}
    schema = load(folder / "schema.json")
    item = schema["items"]
    assert schema["type"] == "array" and item["type"] == "object" and item["additionalProperties"] is False
    assert {"id", "timeout"} <= {*item["required"]} <= {*item["properties"]}
    for name, field in item["properties"].items():
        assert field["description"] and ("$ref" not in field or field["$ref"].removeprefix("#/$defs/") in DEFINED)
        option = options.get("--" + name.replace("_", "-"))
        assert (name in OF_BENCHPRESS) == (option is None)
        if "enum" in field:
            choices = getattr(option.type, "choices", None) or option.metavar.strip("[]").split("|")
            assert {*field["enum"]} - {None} <= {*choices}
    assert all({*item["required"]} <= {*example} <= {*item["properties"]} for example in item["examples"])
    info = load(folder / "info.json")
    assert {*info} == INFO and info["mcmc"] == (info["outputs"] == ["graphtraj"]) == ("mcmc_seed" in item["required"])
    assert info["edge_constraints"] == ("edgeConstraints" in item["properties"])
    keys = [
        line.split("{")[1].rstrip(",")
        for line in (folder / "bibtex.bib").read_text().splitlines()
        if line.startswith("@")
    ]
    cited = (folder / "docs.rst").read_text()
    assert keys and all(f":footcite:p:`{key}`" in cited for key in keys)
    assert (folder / (folder / "rule.smk").read_text().split('"')[1]).resolve() == SCRIPTS / "cliquewise.smk"


def test_there_is_a_module_for_every_learner():
    assert {folder.name for folder in FOLDERS} == {f"cliquewise_{name}" for name in LEARNERS}


def test_the_configuration_has_the_fields_of_the_schemas():
    algorithms = load(ROOT / "data/benchpress/config/cliquewise.json")["resources"]["structure_learning_algorithms"]
    for folder in FOLDERS:
        for one in algorithms[folder.name]:
            item = load(folder / "schema.json")["items"]
            assert {*item["required"]} <= {*one} <= {*item["properties"]}


@pytest.mark.parametrize("program", LEARNERS)
def test_a_learner_writes_what_benchpress_reads(script, learned, run, program):
    """The graph is that of the command on the rows alone; twlearn's matrix is directed, the others are symmetric."""
    text = learned(program, **LEARNERS[program])
    assert isinstance(text, str), text
    lines = (script.folder / "seed=1.csv").read_text().splitlines(keepends=True)
    (script.folder / "rows.csv").write_text("".join([lines[0], *lines[2:]]))
    fields = {name: value for name, value in LEARNERS[program].items() if name not in OF_BENCHPRESS}
    words = [word for name, value in fields.items() for word in (f"--{name.replace('_', '-')}", value)]
    words += ["--seed", LEARNERS[program].get("mcmc_seed", "1")] * (program not in ("coarsen", "mplearn"))
    words += ["--samples", "samples"] * (program == "mnposterior") + ["--names", "-q", "-o", "alone"]
    words += ["--format", "arcs" if program == "twlearn" else "edges", "--header", "yes", "--threads", "1"]
    assert run(program, "rows.csv", *words).code == 0
    if program == "mnposterior":
        found = [edges for _, edges in networks_of(text)]
        samples = (script.folder / "samples").read_text().splitlines()[2:]
        cliques = [[clique.split(",") for clique in line.split()] for line in samples]
        pairs = [{(u, v) for clique in one for u in clique for v in clique if u < v} for one in cliques]
        assert found == [{(str(int(u) + 1), str(int(v) + 1)) for u, v in one} for one in pairs] and len(found) > 50
    else:
        names, ones = adjacency_of(text)
        edges = {
            tuple(line.split(",")) for line in (script.folder / "alone").read_text().splitlines() if line[0] != "#"
        }
        edges |= {(v, u) for u, v in edges} if program != "twlearn" else set()
        assert {(names[u], names[v]) for u, v in ones} == edges and len(edges) >= 3
        assert names == ["1", "2", "3", "4", "5"]
    assert float((script.folder / "time.txt").read_text()) > 0
    assert (script.folder / "ntests.txt").read_text() == "None\n"


@pytest.mark.parametrize(
    "text, message",
    [
        ("a,b\n2,2\n", "2 lines"),
        ("a,b\n0.5,1.5\n0.1,2.5\n", "'0.5' is not the number"),
        ("a,b\n0,1\n1,0\n2,1\n", "column 1 (a): '0' is not the number of its 2 states"),
    ],
)
def test_data_that_are_not_discrete_are_refused(script, learned, text, message):
    (script.folder / "seed=1.csv").write_text(text)
    assert message in learned("lsmarkov", iterations="1").stop


def test_a_refusal_of_the_learner_ends_the_job(learned):
    done = learned("lsmarkov", score="bic", ess="1", iterations="1")
    assert done.stop == 2 and "--ess has no effect with --score bic" in done.stderr


def random_constraints(draw):
    """Constraints on variables 1 to 7, of which 6 and 7 are not in the data."""

    def some(most):
        return draw.sample("1234567", draw.randint(1, most))

    def edges():
        return [draw.sample("1234567", 2) for _ in range(draw.randrange(4))]

    constraints = {"forbidden_edges": edges(), "required_edges": edges(), "context_tier": ["3"], "source_nodes": ["1"]}
    names = draw.sample("1234567", 6)
    constraints["tiers"] = [names[:2], names[2:4], names[4:]][: draw.randint(0, 3)]
    settings = ("forbid_within_tiers", "can_only_cause_next_tier")
    constraints["tier_settings"] = {key: draw.random() < 0.5 for key in settings}
    constraints["forbidden_groups"] = [{"cause": some(2), "effect": some(2)} for _ in range(draw.randrange(3))]
    return {key: value for key, value in constraints.items() if draw.random() < 0.8}


def test_edge_constraints(script):
    """Against the definition; some files begin with a byte order mark, as that of Benchpress does."""
    draw, names = random.Random(2), ["1", "2", "3", "4", "5"]
    sizes = set()
    for i in range(300):
        constraints = random_constraints(draw)
        (script.folder / "known.json").write_text("\ufeff" * (i % 2) + json.dumps(constraints), encoding="utf-8")
        required, forbidden = script.edge_constraints("known.json", names)
        assert {(names[u], names[v]) for u, v in forbidden} == kept_apart(constraints, names)
        asked = {tuple(sorted(edge)) for edge in constraints.get("required_edges", []) if {*edge} <= {*names}}
        assert {(names[u], names[v]) for u, v in required} == asked
        sizes.add(len(forbidden))
    assert sizes >= {0, 1, 2, 3, 4, 5}


@pytest.mark.parametrize("program", ["lsmarkov", "junctor", "coarsen", "mplearn"])
def test_learners_keep_constraints(script, learned, program):
    (script.folder / "known.json").write_text(
        '{"forbidden_edges": [["2", "1"]], "required_groups": [{"cause": ["5"], "effect": ["1"]}]}'
    )
    fields = {**LEARNERS[program], "edgeConstraints": "known.json"}
    _, free = adjacency_of(learned(program, **LEARNERS[program]))
    _, kept = adjacency_of(learned(program, constraints="known.json", **fields))
    assert (0, 1) in free and (0, 4) not in free
    assert (0, 1) not in kept and (0, 4) in kept and (4, 0) in kept


def test_sampled_networks_keep_constraints(script, learned):
    known = script.folder / "known.json"
    known.write_text('{"forbidden_edges": [["2", "1"]]}')
    fields = {**LEARNERS["mnposterior"], "edgeConstraints": "known.json"}
    chain = networks_of(learned("mnposterior", constraints="known.json", **fields))
    assert chain and not any(("1", "2") in edges for _, edges in chain)
    known.write_text('{"required_edges": [["2", "1"]]}')
    assert "mnposterior cannot require edges" in learned("mnposterior", constraints="known.json", **fields).stop


FAKE = {  # stands for a learner: what it does when it is asked to end
    "writes": "trap 'echo 0,1 > $OUT; exit 130' TERM",
    "has nothing": "trap 'exit 130' TERM",
    "does not end": "trap '' TERM",
}


@pytest.mark.parametrize("does", FAKE)
def test_a_run_is_ended_at_the_time_limit(script, monkeypatch, does):
    """The learner is asked to end, and then killed; without a network the file is empty, as Benchpress wants it."""
    program = script.folder / "lsmarkov"
    program.write_text(f'#!/bin/bash\nOUT="${{@: -1}}"\n{FAKE[does]}\nfor i in {{1..600}}; do sleep 0.1; done\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.folder), prepend=":")
    monkeypatch.setitem(script.learn.__globals__, "GRACE", 0.5)
    outputs = {"graph": "graph.csv", "time": "time.txt", "ntests": "ntests.txt"}
    script.learn({"data": "seed=1.csv"}, outputs, "lsmarkov", {"seed": "1", "timeout": "0.5"}, 1)
    text = (script.folder / "graph.csv").read_text()
    assert adjacency_of(text)[1] == {(0, 1), (1, 0)} if does == "writes" else text == ""
    assert float((script.folder / "time.txt").read_text()) >= 0.5


SNAKEFILE = f"""
module_name, mcmc_modules = "cliquewise_lsmarkov", ["cliquewise_mnposterior"]

def path(kind):
    fields = "score={{score}}/iterations={{iterations}}/edgeConstraints={{edgeConstraints}}/timeout={{timeout}}"
    return lambda name: f"{{{{output_dir}}}}/{{kind}}/{{{{data}}}}/{{name}}/{{fields}}/seed={{{{seed}}}}/file"

alg_input_data = lambda: "{{output_dir}}/data/{{data}}/seed={{seed}}.csv"
alg_output_adjmat_path, alg_output_time_path, alg_output_ntests_path = map(path, ("graph", "time", "ntests"))
alg_output_seqgraph_path_nocomp = path("chain")

include: "{MODULES}/cliquewise_lsmarkov/rule.smk"
"""


@pytest.mark.skipif(shutil.which("snakemake") is None, reason="snakemake is not installed")
def test_the_rule_runs_in_snakemake(script):
    """With the names that Benchpress's Snakefile gives to a module."""
    (script.folder / "Snakefile").write_text(SNAKEFILE)
    (script.folder / "results/data/x").mkdir(parents=True)
    shutil.copy(script.folder / "seed=1.csv", script.folder / "results/data/x/seed=1.csv")
    end = "x/cliquewise_lsmarkov/score=bic/iterations=100/edgeConstraints=None/timeout=None/seed=1/file"
    here = {
        "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(script.folder / "cache"),
        "CLIQUEWISE_CACHE": os.environ.get("CLIQUEWISE_CACHE", str(Path.home() / ".cache/cliquewise")),
    }
    done = run_process(["snakemake", "--cores", "1", f"results/graph/{end}"], cwd=script.folder, env=here)
    assert done.code == 0, done.stderr
    assert len(adjacency_of((script.folder / "results/graph" / end).read_text())[1]) >= 6


def test_the_script_reads_what_the_program_reads(script):
    names, text = script.read_data("seed=1.csv")
    (script.folder / "rows.csv").write_text(text)
    data = read_csv("rows.csv", header="yes")
    assert list(data.names) == names and data.n == 5 and text.count("\n") == 61
