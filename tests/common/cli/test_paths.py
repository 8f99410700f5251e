"""The files of a command line, over all commands.

No output is an input or another output, under any name; outputs that cannot be written are refused before the work.
"""

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest

from cliquewise.common.cli.paths import InputPath, OutputPath, TracePath
from cliquewise.common.learning.options import filled
from tests.commands import ROOT, all_commands, command_line, run_process
from tests.slow import slow_cases

SWEEP = "0.02"  # a value of the sweeps below, and a part of each input's name
(
    DATA, NETWORK, OTHERS, BLANKETS, BIF, CUTS, CLAIMS, TABLE, FIGURE, PART, SCORED, PROOF, TRACE, EVIDENCE,
    ROWS, PROBABILITIES, MODEL, TWO_KINDS, FOLDS, INCOMPLETE, FROM_INCOMPLETE, COMPLETED, STATES, EVID, START,
    DIRECTED, ARCS, TURNED, TIERS, ORDER, STRENGTHS,
) = (f"{name}-{SWEEP}" for name in (
    "data network others blankets bif cuts claims table figure part scored proof trace evidence rows "
    "probabilities model two_kinds folds incomplete from_incomplete completed states evid start directed "
    "arcs turned tiers order strengths"
).split())  # fmt: skip
ABOUT = 'title = "t"\npaper = "p"\n'
FILES = {
    INCOMPLETE: "a,b\n0,1\n1,0\n0,?\n",
    FROM_INCOMPLETE: "# missing em\n# completions 1\n# completion-seed 1\n# completion-rounds 1\n"
    "# format cliques\n0\n1\n",
    COMPLETED: "a,b,count\n0,1,1\n1,0,1\n0,1,1\n",
    DATA: (ROOT / "data/tiny.csv").read_text(),
    NETWORK: "0,1\n1,2\n",
    OTHERS: "0,2\n",
    BLANKETS: "0: 1\n1: 0\n2:\n",
    STATES: "column,state\ngrass,dry\ngrass,wet\n",
    CUTS: "column,cut\nV0,0.5\n",
    CLAIMS: "# score -1\n0,1\n",
    SCORED: "# score -15.054265\n0,1\n",
    PART: "# shard 1/1\n# variables 1\n0:\n",
    TABLE: ABOUT + 'keys = ["n"]\n[[column]]\nhead = "score"\n',
    FIGURE: ABOUT + '[figure]\nkind = "lines"\nx = "n"\ny = "s"\nxlabel = "n"\nylabel = "s"\nseries = []\n',
    PROOF: "# certificate 1\n# score-type bdeu\n# ess 1\n# variables 3\n# max-clique 3\n# root 0\n"
    "# upper-bound -11\nstep\n6548505/67108864 0,1,2 0,2\n6548505/67108864 0,1,2 0,1\n167266041/67108864 - 1 2\nend\n",
    TRACE: "seconds,step,score\n0.1,0,-15\n0.2,9,-14\n",
    BIF: "network x {}\nvariable grass { type discrete [ 2 ] { dry, wet }; }\n"
    "variable rain { type discrete [ 2 ] { no, yes }; }\n"
    "probability ( grass ) { table 0.5, 0.5; }\n"
    "probability ( rain ) { table 0.5, 0.5; }\n",
    EVIDENCE: "rain\nno\n",
    EVID: "1 0 1\n",
    DIRECTED: "# format arcs\n0,1\n1,2\n",
    ARCS: "rain,sprinkler\n",
    TURNED: "sprinkler,rain\n",
    TIERS: "rain\nsprinkler,grass\n",
    ORDER: "rain\nsprinkler\ngrass\n",
    START: "".join(
        f"variable {v} {{ type discrete [2] {{ 0, 1 }}; }}\nprobability ( {v} ) {{ table 0.5, 0.5; }}\n" for v in "ab"
    ),
    ROWS: "grass,rain\ndry,no\nwet,yes\n",
    MODEL: '{"format": "cliquewise network", "variables": ['
    '{"name": "rain", "states": ["no", "yes"], "parents": [], "probabilities": [[0.5, 0.5]]},'
    '{"name": "sprinkler", "states": ["off", "on"], "parents": [], "probabilities": [[0.5, 0.5]]},'
    '{"name": "grass", "states": ["dry", "wet"], "parents": [], "probabilities": [[0.5, 0.5]]}]}',
    STRENGTHS: "u,v,given,gain,probability,cmi,g2,df,p,p-holm\n0,1,,1,0.7,0.1,2,1,0.1,0.1\n",
    PROBABILITIES: "# format edges\n# columns u,v,probability\ngrass,rain,0.5\n",
    FOLDS: "# program mnmodel cv\n# folds 2\n# seed 1\n"
    "# data a237c5dbbe863f84e25ec5e6865eede5e8f74b4a49211d2f976b39c0888d8238\n"
    "setting,fold,rows,edges,log_likelihood,log_likelihood_error\n"
    "lsmarkov --iterations 1,1,3,1,-3.6,1\n",
    TWO_KINDS: "a,b\n" + "0,0\n1,1\n" * 20 + "0,1\n1,0\n" * 20,
}


@dataclass
class Run:
    """A command line that succeeds: which file is read for which parameter, and further words."""

    command: str
    inputs: dict
    words: str = ""
    outputs: dict = field(default_factory=dict)  # those that are needed
    without: tuple = ()  # outputs that do not go with these inputs

    @property
    def several(self):
        """Whether it writes several results."""
        return "{}" in self.outputs.get("path", "")

    def line(self, **outputs):
        """Its words, with these outputs."""
        given = {**self.inputs, **self.outputs, **outputs}
        words = self.command.split()
        for param in COMMANDS[self.command].params:
            if param.name in given:
                words += [*_option(param), given.pop(param.name)]
        assert not given
        return [*words, *shlex.split(self.words)]

    def params(self, kind):
        """The command's parameters of this type."""
        params = [param for param in COMMANDS[self.command].params if isinstance(param.type, kind)]
        without = self.without if "--missing em" in self.words else (*self.without, "completed")
        return [param for param in params if param.name not in without]


def _option(param):
    return [max(param.opts, key=len)] if isinstance(param, click.Option) else []


COMMANDS = all_commands()
SEVERAL = f"--score cmi --threshold 0.01,{SWEEP}"
ONE_RUN = ("trace", "checkpoint", "certificate", "networks", "cpdag")  # not where several runs compete
EDGES = {"required_edges": NETWORK, "forbidden_edges": OTHERS}
KNOWN = {
    **{"required_arcs": ARCS, "forbidden_arcs": TURNED, "tiers": TIERS, "total_order": ORDER},
    **{"allowed_edges": NETWORK, **EDGES},
}
RUNS = [
    Run(
        "lsmarkov",
        {"data": DATA, "init": NETWORK, "allowed_edges": NETWORK, **EDGES},
        "--iterations 1",
    ),
    Run("lsmarkov", {"data": DATA, "edge_priors": PROBABILITIES, "states": STATES}, "--iterations 1"),
    Run("lsmarkov", {"data": DATA, "choose": DATA}, "--ess 1,2 --iterations 1", without=ONE_RUN),
    Run("lsmarkov", {"data": INCOMPLETE}, "--iterations 1 --missing em"),
    Run(
        "mnposterior",
        {"data": DATA, "init": NETWORK, "allowed_edges": NETWORK, "edge_priors": PROBABILITIES},
        "--iterations 2000",
    ),
    Run("junctor", {"data": DATA, "allowed_edges": NETWORK, **EDGES}, without=("certificate",)),
    Run("junctor", {"data": DATA}, "--method ilp"),
    Run("junctor", {"data": DATA, "edge_priors": PROBABILITIES}, without=("certificate",)),
    Run("junctor", {"data": DATA, "choose": DATA}, "--ess 1,2", without=ONE_RUN),
    Run("coarsen", {"data": DATA, "edge_priors": PROBABILITIES}, "--max-clique 3"),
    Run("coarsen", {"data": DATA, "choose": DATA}, "--ess 1,2 --max-clique 3", without=ONE_RUN),
    Run("coarsen", {"data": DATA, "start": NETWORK, **EDGES}, "--max-clique 3"),
    Run("mplearn", {"data": DATA, "given": BLANKETS, **EDGES}),
    Run("mplearn", {"data": DATA}, SEVERAL, {"path": "out{}"}),
    Run("twlearn", {"data": DATA, "template": NETWORK}, "-w 1 --iterations 1", without=("networks",)),
    Run("twlearn", {"data": DATA, **KNOWN}, "-w 1 --method milp"),
    Run("twlearn", {"data": DATA, "edge_priors": PROBABILITIES}, "-w 1 --iterations 1", without=("networks",)),
    Run("twlearn", {"data": DATA, "choose": DATA}, "--ess 1,2 -w 1 --iterations 1", without=ONE_RUN),
    Run("dmscore", {"data": DATA}, "1 2"),
    Run("mntools score", {"data": DATA, "graph": NETWORK, "edge_priors": PROBABILITIES}),
    Run("mntools check", {"data": DATA, "graph": NETWORK, "edge_priors": PROBABILITIES}),
    Run("mntools check", {"data": DATA, "graph": DIRECTED, **KNOWN}),
    Run("mntools strength", {"data": DATA, "graph": NETWORK, "edge_priors": PROBABILITIES}),
    Run("mntools check", {"data": DATA, "graph": NETWORK, "certificate": PROOF}, "--score bdeu --ess 1"),
    Run("mntools check", {"data": INCOMPLETE, "graph": FROM_INCOMPLETE, "completed": COMPLETED}),
    Run("mntools bound", {"data": DATA, "graph": NETWORK, "edge_priors": PROBABILITIES}, "--time-limit 1"),
    Run("mntools compare", {"learned": NETWORK, "truth": NETWORK}),
    Run("mntools convert", {"data": DATA, "graph": NETWORK}),
    Run("mntools draw", {"data": DATA, "graph": NETWORK, "edge_priors": PROBABILITIES}, "", {"path": "out.png"}),
    Run("mntools draw", {"graph": BIF, "edges": PROBABILITIES}, "", {"path": "out.png"}),
    Run("mntools draw", {"graph": CLAIMS, "strength": STRENGTHS}, "", {"path": "out.png"}),
    Run("cliquewise learn", {"data": DATA, "edge_priors": PROBABILITIES}, "-o out --time-limit 1"),
    Run("mnmodel sample", {"model": BIF, "evid": EVID}, "--rows 2"),
    Run("mnmodel fit", {"data": INCOMPLETE, "graph": START, "start_from": START}, "--missing em"),
    Run("mnmodel fit", {"data": DATA, "graph": NETWORK, "states_of": DATA}),
    Run("mnmodel loglik", {"files": BIF, "weights_from": DATA}, f"{BIF} {DATA}"),
    Run("mnmodel loglik", {"files": DATA, "states_of": DATA}, f"{NETWORK} {DATA}"),
    Run("mnmodel query", {"model": BIF, "given_rows": EVIDENCE}, "--of grass"),
    Run("mnmodel query", {"model": BIF, "evid": EVID}, "--of rain"),
    Run("mnmodel marginals", {"model": BIF, "given_rows": EVIDENCE, "evid": EVID}),
    Run("mnmodel mpe", {"model": BIF, "given_rows": EVIDENCE, "evid": EVID}),
    Run("mnmodel entropy", {"model": BIF, "evid": EVID}),
    Run("mnmodel information", {"model": BIF, "evid": EVID}),
    Run("mnmodel partition", {"model": BIF, "evid": EVID}),
    Run("mnmodel d-separated", {"graph": NETWORK}, "0 2 --given 1"),
    Run("mnmodel blanket", {"graph": NETWORK}, "1"),
    Run("mnmodel kl", {"model": BIF, "other": BIF}),
    Run("mnmodel describe", {"data": DATA}),
    Run("mnmodel states", {"data": DATA}),
    Run("mnmodel impute", {"model": BIF, "data": DATA}),
    Run("mnmodel predict", {"model": BIF, "data": DATA}, "--target grass"),
    Run("mnmodel page", {"model": BIF, "data": ROWS, "evid": EVID}),
    Run("mnmodel page", {"model": BIF, "probabilities": PROBABILITIES}),
    Run("mntools average", {"networks": NETWORK}),
    Run("mnmodel cv", {"data": DATA, "others": FOLDS}, "-q --folds 2 -- lsmarkov --iterations 1"),
    Run("mnmodel cluster", {"data": TWO_KINDS}, "", {"path": "out{}"}),
    Run("mnmodel mixture", {"train": DATA, "valid": DATA, "states_of": DATA, "others": MODEL}, "--iterations 1"),
    Run("mnmodel discretize", {"data": NETWORK}, "--bins 2 --columns V0"),
    Run("mnmodel discretize", {"data": NETWORK, "stored": CUTS}),
    Run("mntools merge", {"parts": PART}),
    Run("mntools best", {"networks": SCORED, "data": DATA}),
    Run("mntools best", {"networks": SCORED, "data": DATA, "edge_priors": PROBABILITIES}),
    Run("papers measure", {"network": CLAIMS, "trace": DATA}, "true"),
    Run("papers table", {"spec": TABLE}, "--records ."),
    Run("papers plot", {"spec": FIGURE}, "--records .", {"path": "out.png"}),
    Run("mntools plot", {"trace": TRACE}, "", {"path": "out.png"}),
    Run("papers report", {"specs": TABLE}, "--records ."),
]
DRAWING = ("mntools draw", "mntools plot", "papers plot")
ENDINGS = ("/", "//", "/.", "/./", "/x/..", "/../{}")  # of no file, but what is written to has none of them
WAYS = [
    *("plain", "./", "roundabout", "absolute", "symbolic", "hard"),
    *(f"{way} {ending}" for way in ("plain", "symbolic") for ending in ENDINGS),
    *("//", "{}", "{} of a link"),  # the last two for a sweep
]
CASES = [(one, key, way) for one in RUNS for key in one.inputs for way in WAYS[: None if one.words == SEVERAL else -2]]
SOME, OTHERS = CASES[::7], [case for k, case in enumerate(CASES) if k % 7]
each_run = pytest.mark.parametrize("one", RUNS, ids=lambda one: f"{one.command} {one.words}".strip())


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    return workplace(FILES)


def content():
    """The files and what they hold, and their numbers, since a file may be replaced by an equal one."""
    return {path.name: (path.stat().st_ino, path.read_bytes()) for path in Path().iterdir() if path.is_file()}


def other_name(path, way):
    """Another name of an input; makes the links that it needs."""
    way, slash, ending = way.partition(" /")
    if slash:
        return other_name(path, way) + f"/{ending}".replace("{}", path)
    if way == "//":
        return os.path.abspath(path).replace("/", "//")
    if way == "symbolic":
        os.symlink(path, "symbolic")
        os.symlink("symbolic", "link")
        return "link"
    if way in ("hard", "{} of a link"):
        os.link(path, f"hard-{SWEEP}")
        return "hard-{}" if way != "hard" else f"hard-{SWEEP}"
    if way == "roundabout":
        os.mkdir("below")
    names = {"plain": path, "./": f"./{path}", "roundabout": f"below/../{path}", "absolute": os.path.abspath(path)}
    return names.get(way, path.replace(SWEEP, "{}"))


def test_every_command_is_run_with_all_its_inputs():
    for name, command in COMMANDS.items():
        inputs = {param.name for param in command.params if isinstance(param.type, InputPath)}
        run = {key for one in RUNS if one.command == name for key in one.inputs}
        assert inputs - {"states", "table"} == run - {"states"}, name  # read as lsmarkov does; data in another place


def test_no_file_is_named_by_plain_text():
    """Whatever takes text takes no file, or the property below would not see it."""
    text = {
        (name, param.name)
        for name, command in COMMANDS.items()
        for param in command.params
        if isinstance(param.type, click.types.StringParamType | click.Path | click.File)
    }
    names = {
        (name, key)
        for name in COMMANDS
        for key in ("of", "given", "likelihood", "soft", "do")
        if name.startswith("mnmodel ")
    }
    names |= {(name, key) for name in COMMANDS for key in ("columns", "drop", "na", "sheet")}  # of tables
    names |= {
        ("mnmodel predict", "target"),
        ("mnmodel cv", "target"),
        ("mnmodel cv", "words"),
        ("mnmodel discretize", "target"),
        ("mnmodel discretize", "keep"),
    }
    names |= {("papers measure", "fields"), ("papers report", "title"), ("mntools draw", "title")}
    names |= {("mnmodel d-separated", "first"), ("mnmodel d-separated", "second"), ("mnmodel blanket", "name")}
    names |= {(name, key) for name in ("twlearn", "mntools check") for key in ("roots", "leaves")}
    names |= {("mntools strength", "ends")}
    names |= {(name, key) for name in COMMANDS for key in ("counts", "weights")}
    assert text <= {("mplearn", "prior"), ("mnmodel sample", "components"), ("mnmodel discretize", "columns"), *names}


@pytest.mark.fast_cases(11)
@each_run
def test_a_run_leaves_its_inputs_as_they_were(run, one):
    if one.command in DRAWING:
        pytest.importorskip("matplotlib")
    before = content()
    ending = "{}" if one.several else ".png" if one.command in DRAWING else ""
    made = {param.name: f"new-{param.name}{ending}" for param in one.params(OutputPath)}
    done = run(*one.line(**made), "-q")
    assert done.code == 0, done.stderr
    after = content()
    assert before.items() <= after.items() and (len(after) > len(before) or not made)


@pytest.mark.fast_cases(49)
@pytest.mark.parametrize(
    "one, source, way", SOME + slow_cases(*OTHERS), ids=lambda part: getattr(part, "command", part)
)
def test_no_output_is_an_input(run, one, source, way):
    """The property: for each input, each of its names, and each output."""
    name = other_name(one.inputs[source], way)
    before = content()
    for target in one.params(OutputPath):
        done = run(*one.line(**{target.name: name}))
        assert content() == before
        assert done.code == 2 and "is read from that file; name another\n" in done.stderr, done.stderr
        assert _option(target)[0] in done.stderr


@each_run
def test_no_file_is_written_twice(run, one):
    outputs = one.params(OutputPath)
    if len(outputs) < 2:
        pytest.skip("one output")
    name, link = ("new{}", "link{}") if one.words == SEVERAL else ("new", "link")
    os.symlink(name.replace("{}", SWEEP), link.replace("{}", SWEEP))
    before = content()
    for second in (name, f"./{name}", link):
        done = run(*one.line(**{outputs[0].name: name, outputs[1].name: second}))
        assert done.code == 2 and " is written to that file; name another\n" in done.stderr, done.stderr
        assert content() == before
    if one.words == SEVERAL:
        done = run("mplearn", DATA, "--score", "cmi", "--threshold", "1,1.0", "-o", name)
        assert done.code == 0 and content().keys() - before.keys() == {"new1"}  # the same value twice


@each_run
def test_names_are_checked_before_the_work(run, one):
    """A name that is too long is reported even before a missing input."""
    os.unlink(DATA)
    for target in one.params(OutputPath):
        done = run(*one.line(**{target.name: "long{}" * 60}))
        assert done.code == 1 and done.stderr.endswith(": cannot be written: File name too long\n"), done.stderr
        assert done.stderr.count("\n") == 1


@each_run
def test_an_output_in_a_missing_folder_is_refused(run, one):
    before = content()
    for target in one.params(OutputPath):
        name = "gone/new{}" if one.several else "gone/new.png" if one.command in DRAWING else "gone/new"
        done = run(*one.line(**{target.name: name}))
        assert (done.code, done.stdout) == (1, "") and ": there is no folder gone; make it first\n" in done.stderr
        assert content() == before


@each_run
def test_a_missing_input_is_reported(run, one):
    """Inputs one after the other; the others are there."""
    if one.command == "papers measure":
        pytest.skip("the command that it measures writes them")
    before = content()
    for key in one.inputs:
        done = run(*Run(one.command, {**one.inputs, key: "gone"}, one.words, one.outputs).line())
        assert (done.code, done.stdout) == (1, ""), done.stderr
        assert "gone: cannot be read: No such file or directory\n" in done.stderr
        assert content() == before


@each_run
def test_standard_input_is_read_once(run, one):
    if len(one.inputs) < 2:
        pytest.skip("one input")
    before = content()
    done = run(
        *Run(one.command, {**one.inputs, **dict.fromkeys([*one.inputs][:2], "-")}, one.words, one.outputs).line()
    )
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.endswith("standard input can be read only once; name a file for the other\n")
    assert content() == before


@pytest.mark.fast_cases(33)
@each_run
def test_devices_may_be_named_several_times(run, one):
    """Also on both sides: an empty input is then what is wrong."""
    outputs = {param.name: os.devnull for param in one.params(OutputPath)}
    if "path" in outputs and one.command not in DRAWING and not one.several:
        done = run(*one.line(**outputs), "-q")
        assert (done.code, done.stderr) == (0, "")
        done = run(*Run(one.command, dict.fromkeys(one.inputs, os.devnull), one.words).line(**outputs), "-q")
        assert done.code == 1 and "/dev/null" in done.stderr and "that file" not in done.stderr


def test_standard_output_carries_results_only(run):
    tracing = [one for one in RUNS if one.params(TracePath)]
    assert len({one.command for one in tracing}) == 9
    for one in tracing:
        for param in one.params(TracePath):
            for name in ("-", "/dev/stdout"):
                done = run(*one.line(**{param.name: name}))
                assert (done.code, done.stdout) == (2, "") and "standard output carries results only" in done.stderr


def test_two_results_do_not_share_standard_output(run):
    """A network with a CPDAG behind it, or predictions with a matrix, are no file of either kind."""
    tried = set()
    for one in RUNS:
        params = one.params(OutputPath)
        if any(param.name == "path" and param.type.by_default for param in params):
            for param in params:
                if param.name != "path" and not isinstance(param.type, TracePath):
                    done = run(*one.line(**{param.name: "-"}))
                    assert (done.code, done.stdout) == (2, ""), done
                    assert "both are written to standard output; name a file for one" in done.stderr
                    tried.add(param.opts[0])
    assert {"--cpdag", "--confusion"} <= tried


@pytest.mark.slow
def test_standard_streams_are_files_too(folder):
    """`<` and `>>` name files as options do; so does a descriptor of the shell."""
    before = content()
    words = f"{shlex.join(command_line('mntools'))} convert"
    convert = f"{words} {NETWORK}"
    lines = {
        f"{words} - -o {NETWORK} < {NETWORK}": f"--output {NETWORK}: GRAPH is read from that file; name another",
        f"{convert} >> {NETWORK}": "standard output: GRAPH is read from that file; send it to another",
        f"{convert} -o /dev/stdout >> {NETWORK}": "standard output: GRAPH is read from that file; send it to another",
        f"{convert} -o /dev/fd/3 3>> {NETWORK}": "--output /dev/fd/3: GRAPH is read from that file; name another",
    }
    for line, message in lines.items():
        done = run_process(["bash", "-c", line])
        assert (done.code, done.stdout, done.stderr) == (2, "", f"mntools: {message}\n"), line
        assert content() == before


@pytest.mark.parametrize("ending", ["/", "/.", "/./", "//", "/.."])
def test_the_name_of_a_folder_is_refused_as_a_file(run, ending):
    """Neither a new file is made nor an old one replaced."""
    Path("old").write_text("old\n")
    before = content()
    for name in ("old", "new"):
        done = run("mntools", "convert", NETWORK, "-o", name + ending)
        assert done.code == 1 and f"{name}{ending}: is a folder; name a file to write to\n" in done.stderr
        assert content() == before


def test_a_link_into_no_folder_names_that_folder(run, folder):
    os.symlink("gone/net", "link")
    done = run("mntools", "convert", NETWORK, "-o", "link")
    assert (done.code, done.stderr) == (1, f"mntools: link: there is no folder {folder}/gone; make it first\n")
    done = run("mntools", "convert", NETWORK, "-o", "gone/net")
    assert (done.code, done.stderr) == (1, "mntools: gone/net: there is no folder gone; make it first\n")


def test_two_files_of_one_folder_may_be_written(run):
    done = run("mnmodel", "sample", "--rows", "2", "--edges", "a", "-o", "b", "-q")
    assert done.code == 0 and os.path.getsize("a") > 0 < os.path.getsize("b")


def test_names_of_a_sweep():
    assert filled("a{}b{}", 0.1) == "a0.1b0.1"
    assert filled("a{}", None) == "a{}" and filled(None, 1.0) is None
