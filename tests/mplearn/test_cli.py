"""The mplearn command: refusals in one line, sweeps, shards of blankets, the trace, mntools."""

import csv
import shlex
import sys
from pathlib import Path

import pytest

from cliquewise.common.models.any_graph import read_graph
from tests.commands import ROOT
from tests.reading import header_of

ZOO = ROOT / "data/zoo.csv"
VOTES = ROOT / "data/votes.csv"
QUIET = "mplearn -q -o OUT"
ONLY = "--blankets-only"
# command: (exit code, its line on stderr); files in capitals are those of `folder`
REFUSED = {
    f"{QUIET} SCORES": (2, "mplearn needs data, not scores; give a CSV file"),
    f"{QUIET} ZOO --prior mine": (2, "--prior mine: unknown prior; choose one of uniform, sparse"),
    f"{QUIET} ZOO --score pic --prior sparse": (2, "--prior has no effect with --score pic; leave it out, or"),
    f"{QUIET} ZOO --penalty printed": (2, "--penalty has no effect with --score mpl; leave it out, or use --score"),
    f"{QUIET} ZOO --threshold 0.1": (2, "--threshold has no effect with --score mpl; leave it out, or use --score"),
    f"{QUIET} ZOO --lambda 1": (2, "--lambda has no effect with --score mpl; leave it out, or use --score l1lr"),
    f"{QUIET} ZOO --score cmi": (2, "--score cmi needs --threshold"),
    f"{QUIET} ZOO --score l1lr": (2, "--score l1lr needs --lambda"),
    f"{QUIET} ZOO --score cmi --threshold 1,x": (2, "Invalid value for '--threshold': 'x' is not a number"),
    f"{QUIET} ZOO --score l1lr --lambda 1 --combine hc": (2, "--combine hc does not go with --score l1lr; leave"),
    f"{QUIET} ZOO --score l1lr --lambda 1 --max-blanket 3": (2, "--max-blanket has no effect with --score l1lr; leave"),
    f"{QUIET} ZOO --score l1lr --lambda 1": (2, "--score l1lr is for binary data; column 'legs' has 6 states"),
    f"{QUIET} ZOO --score cmi --threshold 1,2": (2, "several values make several networks; put {} for the value into"),
    f"{QUIET}-{{}} ZOO --score cmi --threshold 1,2 --blankets SHARD": (
        2,
        "--blankets: the file has the blankets of one setting; give",
    ),
    f"{QUIET}-{{}} ZOO --score cmi --threshold 1,2 --trace t": (2, "several values make several networks; put {} for"),
    f"{QUIET} ZOO --score l1lr --lambda 1 --blankets SHARD": (2, "--score l1lr does not go with --blankets; leave one"),
    f"{QUIET} ZOO --variables 0-3": (2, "--variables needs --blankets-only; add that, or leave it out"),
    f"{QUIET} ZOO {ONLY} --variables 3-1": (2, "Invalid value for '--variables': '3-1' is neither an index nor a"),
    f"{QUIET} ZOO {ONLY} --variables 3-17": (2, "--variables: there is no variable 17; the data have 0 to 16"),
    f"{QUIET} ZOO {ONLY} --variables leg": (2, "--variables: no column 'leg'; did you mean 'legs'?"),
    f"{QUIET} ZOO {ONLY} --combine or": (2, "--combine has no effect with --blankets-only; leave one of them"),
    f"{QUIET} ZOO {ONLY} --blankets SHARD": (2, "--blankets-only has no effect with --blankets; leave one of"),
    f"{QUIET} ZOO {ONLY} --names": (2, "--names has no effect with --blankets-only; leave one of them out"),
    f"{QUIET} ZOO --blankets SHARD": (1, "SHARD: no blanket of variable 2 and 14 more; find it with --variables"),
    f"{QUIET} ZOO --blankets NETWORK": (1, "NETWORK:1: '# format edges': not a file of blankets"),
    f"{QUIET} ZOO --blankets OTHER": (1, "OTHER:1: blankets of 4 variables; the data have 17"),
    f"{QUIET} ZOO --blankets MIXED": (
        1,
        "MIXED:2: '# ess 2', but '# ess 1' above; parts must be made with the same options",
    ),
    f"{QUIET} ZOO --blankets TWICE": (1, "TWICE:2: variable 0 has another blanket above"),
    f"{QUIET} ZOO --blankets ITSELF": (1, "ITSELF:1: variable 3 is in its own blanket"),
    f"{QUIET} ZOO --blankets DOUBLED": (1, "DOUBLED:1: a variable is twice in the blanket of variable 3"),
    f"{QUIET} ZOO --blankets STRANGE": (1, "STRANGE:2: unknown variable 17; the data have 17"),
    f"{QUIET} ZOO --blankets TEXT": (1, "TEXT:1: 'a: b': expected `variable: member,member,...`"),
    f"{QUIET} ZOO --combine pbo --pbo-limit 17": (1, "1,678 candidate blankets, --pbo-limit is 17; raise it, or use"),
}


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    files = {
        "ZOO": ZOO.read_text(),
        "SCORES": "2 2\n0\n-1\n-2\n-3\n",
        "SHARD": "# variables 17\n0: 1\n1:\n",
        "NETWORK": "# format edges\n0,1\n",
        "OTHER": "# variables 4\n",
        "MIXED": "# ess 1\n# ess 2\n",
        "TWICE": "0: 1\n0: 1,2\n",
        "ITSELF": "3: 1,3\n",
        "DOUBLED": "3: 1,2,1\n",
        "STRANGE": "1:\n0: 17\n",
        "TEXT": "a: b\n",
    }
    return workplace(files)


@pytest.mark.parametrize("line", REFUSED)
def test_refusals(refuse, line):
    refuse(line, *REFUSED[line])


OPTIONS = [
    "",
    "--ess 10 --combine pbo",
    "--prior sparse",
    "--combine and",
    "--combine or --max-blanket 2",
    "--score pic",
    "--score pic --penalty parameters --combine pbo",
    "--score cmi --threshold 0.05",
    "--score cmi --threshold 0.05 --combine hc",
    "--score mpl --format graphml",
    "--score mpl --format json",
    "--score mpl --format dot --names",
]


@pytest.mark.fast_cases(8)
@pytest.mark.parametrize("options", OPTIONS)
def test_result_is_certified_and_says_what_it_is(run, options):
    done = run("mplearn", "-q", ZOO, *shlex.split(options), "-o", "net")
    assert done.code == 0 and done.stdout == done.stderr == ""
    check = run("mntools", "check", "net", "--data", ZOO)
    assert check.code == 0 and "largest blanket" in check.stdout, check.stdout
    assert "score not checked" in run("mntools", "check", "net").stdout
    header = read_graph("net").header
    assert header["program"] == "mplearn"
    score = run("mntools", "score", "-q", ZOO, "net").stdout
    assert float(score) == pytest.approx(float(header["score"]), abs=2e-6)


def test_mntools_sees_a_wrong_score(run):
    text = run("mplearn", "-q", ZOO).stdout
    claimed = header_of(text)["score"]
    Path("net").write_text(text.replace(claimed, "-500.000000"))
    check = run("mntools", "check", "-q", "net", "--data", ZOO)
    assert check.code == 1
    assert check.stdout == f"wrong: score claimed -500.000000, recomputed {claimed}\n"
    other = run("mntools", "check", "-q", "net", "--data", ZOO, "--ess", 3)
    assert other.code == 1 and claimed not in other.stdout
    as_chordal = run("mntools", "check", "-q", "net", "--data", ZOO, "--score", "bdeu")
    assert as_chordal.code == 1 and as_chordal.stdout.startswith("wrong: not chordal: chordless cycle")


def test_mntools_on_other_graphs_and_scores(run):
    """A score of blankets can be asked for of any graph, and its terms add up."""
    Path("net").write_text("# variables 17\n0,1\n1,2\n2,3\n0,3\n")
    total = float(run("mntools", "score", "-q", ZOO, "net", "--score", "mpl", "--ess", 2).stdout)
    terms = run("mntools", "score", "-v", ZOO, "net", "--score", "mpl", "--ess", 2).stdout.splitlines()
    assert len(terms) == 18 and terms[0].endswith("variable 0 given 1,3") and terms[9].endswith("given nothing")
    assert sum(float(term.split()[0]) for term in terms[:-1]) == pytest.approx(total, abs=1e-4)
    refused = run("mntools", "score", "-q", ZOO, "net", "--score", "cmi")
    assert refused.code == 1 and "a cmi score without '# threshold'" in refused.stderr
    Path("claimed").write_text("# score-type mpl\n# variables 2\n0,1\n")
    refused = run("mntools", "score", "-q", "SCORES", "claimed")
    assert refused.code == 1 and "a mpl score needs data, not a score file" in refused.stderr


def test_shards_make_the_whole(run):
    whole = run("mplearn", "-q", ZOO).stdout
    shards = [run("mplearn", "-q", ZOO, "--blankets-only", "--variables", part) for part in ("9-16", "0-4,5-8")]
    assert all(shard.code == 0 for shard in shards)
    Path("all").write_text("".join(shard.stdout for shard in shards))
    assert run("mplearn", "-q", ZOO, "--blankets", "all").stdout.splitlines()[5:] == whole.splitlines()[5:]
    piped = run("mplearn", "-q", ZOO, "--blankets", "-", "--combine", "or", input=Path("all").read_bytes())
    assert piped.stdout == run("mplearn", "-q", ZOO, "--combine", "or").stdout
    assert header_of(shards[0].stdout)["status"] == "complete"
    together = run("mplearn", "-q", ZOO, "--blankets-only").stdout
    lines = [line for line in together.splitlines() if not line.startswith("#")]
    assert sorted(lines) == sorted(line for line in Path("all").read_text().splitlines() if line[0] != "#")


def test_an_index_that_is_the_name_of_another_column_is_told(run, workplace):
    workplace({"numbers.csv": "2,1,0\nx,x,y\ny,y,x\n" * 9})
    command = "mplearn", "numbers.csv", "--header", "yes", "--blankets-only", "-o", "-", "--variables"
    message = """--variables: 2 is read as an index, that of the column '0'; for the column '2' give '"2"'"""
    assert message in run(*command, "1,2").stderr
    assert "read as an index" not in run(*command, "1").stderr
    by_name = run(*command, '"2"')
    assert "read as an index" not in by_name.stderr and by_name.stdout.splitlines()[-1].startswith("0:")


def test_variables_by_name_and_few_blankets_are_shown(run):
    """The next command is not shown: it needs the blankets of all variables."""
    by_name = run("mplearn", ZOO, "--blankets-only", "--variables", "milk,feathers", "-o", "by-name")
    run("mplearn", "-q", ZOO, "--blankets-only", "--variables", "1,3", "-o", "by-index")
    assert Path("by-name").read_bytes() == Path("by-index").read_bytes()
    names = header_of(Path("by-name").read_text())["names"].split(",")
    for line in Path("by-name").read_text().splitlines()[-2:]:
        variable, _, members = line.partition(": ")
        shown = ", ".join(names[int(v)] for v in members.split(",")) or "none"
        assert f"blanket of {names[int(variable)]}: {shown}\n" in by_name.stderr
    assert "next:" not in by_name.stderr


FOUND = {  # options that find blankets: others, and the message about each that differs
    "": {
        "--ess 2": ["--ess 1 (here 2)"],
        "--prior sparse": ["--prior uniform (here sparse)"],
        "--max-blanket 3": ["--max-blanket none (here 3)"],
        "--ess 10 --prior sparse --max-blanket 1": ["--ess 1 (here 10)", "--prior uniform (here sparse)",
                                                    "--max-blanket none (here 1)"],
        "--score pic": ["--score mpl (here pic)"],
    },
    "--ess 2.5 --max-blanket 2": {"": ["--ess 2.5 (here 1)", "--max-blanket 2 (here none)"]},
    "--max-blanket 0": {"": ["--max-blanket 0 (here none)"]},
    "--score pic": {
        "--score pic --penalty parameters": ["--penalty printed (here parameters)"],
        "--score cmi --threshold 0.1": ["--score pic (here cmi)"],
        "": ["--score pic (here mpl)"],
    },
    "--score cmi --threshold 0.1": {"--score cmi --threshold 0.2": ["--threshold 0.1 (here 0.2)"]},
}  # fmt: skip


@pytest.mark.parametrize("options", FOUND)
def test_blankets_are_combined_as_they_were_found(run, refuse, options):
    Path("b").write_text(run("mplearn", "-q", ZOO, "--blankets-only", *options.split()).stdout)
    done = run("mplearn", ZOO, "--blankets", "b", *options.split())
    assert done.code == 0 and "assumed" not in done.stderr
    assert done.stdout == run("mplearn", "-q", ZOO, *options.split()).stdout
    for others, differences in FOUND[options].items():
        message = f"b: blankets found with {', '.join(differences)}; give the same options, or find them again"
        refuse(f"mplearn -q ZOO --blankets b {others}", 2, message)


def test_blankets_of_other_data_are_refused(run, refuse):
    """As many columns of other names, and rows chosen or counted in another way."""
    rows = [f"{'yn'[k % 2]},{'yn'[k // 2 % 2]},{'' if k == 7 else 'yn'[k % 3 == 0]},{1 + k % 2}" for k in range(40)]
    for name, names in (("one", "A,B,C,W"), ("two", "A,X,C,W")):
        Path(name).write_text("\n".join([names, *rows]) + "\n")
    found = "mplearn -q one --missing drop --counts W --blankets-only -o b"
    assert run(*found.split()).code == 0 and "# names A,B,C\n" in Path("b").read_text()
    assert run(*"mplearn -q one --missing drop --counts W --blankets b -o net".split()).code == 0
    other = "b: blankets of other columns: 'B' where the data have 'X'"
    refuse("mplearn -q two --missing drop --counts W --blankets b", 1, other)
    text = Path("b").read_text()
    Path("short").write_text(text.replace("# names A,B,C", "# names A,B"))
    refuse(
        "mplearn -q one --missing drop --counts W --blankets short",
        1,
        "short: 2 names in '# names', the data have 3 columns",
    )
    settings = "--missing drop (here state), --counts W (here none), --weights none (here W)"
    message = f"b: blankets found with {settings}; give the same options, or find them again"
    refuse("mplearn -q one --missing state --weights W --blankets b", 2, message)
    without_program = text.splitlines()[1:]
    Path("b").write_text("\n".join(without_program) + "\n")
    assert run(*"mplearn -q one --missing state --weights W --blankets b -o net".split()).code == 0


def test_what_a_file_of_blankets_does_not_say_is_assumed(run):
    """By hand, or by an older version, which left the uniform prior out; 1.0 is 1."""
    lines = [f"{v}: {v ^ 1}" for v in range(16)] + ["16:"]
    for header, assumed in (
        ([], "--score mpl, --ess 1, --prior uniform, --max-blanket none"),
        (["# score-type mpl", "# ess 1.0"], "--prior uniform, --max-blanket none"),
    ):
        done = run("mplearn", ZOO, "--blankets", "-", input="\n".join([*header, *lines]).encode())
        message = f"mplearn: standard input has no record of how its blankets were found; assumed: {assumed}\n"
        assert done.code == 0 and message in done.stderr


def test_blankets_by_regression_go_with_any_score(run):
    pytest.importorskip("sklearn")
    votes = (ROOT / "data/votes.csv", "--missing", "drop")
    Path("b").write_text(run("mplearn", "-q", *votes, "--score", "l1lr", "--lambda", "5", "--blankets-only").stdout)
    for options in (["--ess", "3"], ["--score", "pic"]):
        done = run("mplearn", *votes, "--blankets", "b", "--combine", "and", *options)
        assert done.code == 0 and "assumed" not in done.stderr
        assert header_of(done.stdout)["blankets"] == "l1lr" and header_of(done.stdout)["lambda"] == "5"


def test_blankets_of_a_file_are_combined_as_they_are(run):
    found = run("mplearn", "-q", ZOO, "--blankets-only").stdout.splitlines()
    others = {0: "1", 1: "0", 3: "16"}
    emptied = [line if line[0] == "#" else line.split(":")[0] + ":" for line in found]
    changed = [f"{line} {others.get(int(line[:-1]), '')}".strip() if line[0] != "#" else line for line in emptied]
    Path("changed").write_text("\n".join(changed) + "\n")
    for combine, edges in (("and", ((0, 1),)), ("or", ((0, 1), (3, 16)))):
        done = run("mplearn", "-q", ZOO, "--blankets", "changed", "--combine", combine, "-o", "net")
        assert done.code == 0 and read_graph("net").graph.edges == edges, done.stderr


def test_a_sweep_writes_a_file_for_each_value(run):
    done = run("mplearn", "-q", ZOO, "--score", "cmi", "--threshold", "0.02,0.2", "-o", "t{}", "--trace", "trace{}")
    assert done.code == 0
    few, many = (read_graph(f"t{value}") for value in ("0.2", "0.02"))
    assert (few.header["threshold"], many.header["threshold"]) == ("0.2", "0.02")
    assert len(few.graph.edges) < len(many.graph.edges) and Path("trace0.02").exists()
    one = run("mplearn", "-q", ZOO, "--score", "cmi", "--threshold", "0.02").stdout
    assert one == Path("t0.02").read_text()


def test_regression_without_its_library(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    done = run("mplearn", "-q", VOTES, "--missing", "drop", "--score", "l1lr", "--lambda", 8)
    assert done.code == 2 and done.stderr.count("\n") == 1
    assert "needs scikit-learn, which is not installed; pip install 'cliquewise[baselines]'" in done.stderr


def test_trace(run):
    done = run("mplearn", ZOO, "--combine", "pbo", "--trace", "trace")
    assert done.code == 0
    rows = list(csv.DictReader(Path("trace").read_text().splitlines()))
    phases = [row["phase"] for row in rows]
    assert phases == ["blanket"] * 17 + ["hc"] * (len(rows) - 18) + ["pbo"]
    assert [row["item"] for row in rows[:17]] == [str(v) for v in range(17)]
    climbed = [float(row["score"]) for row in rows[17:]]
    assert climbed == sorted(climbed)
    assert climbed[-1] == pytest.approx(float(header_of(done.stdout)["score"]), abs=1e-5)
    assert "candidates scored" in done.stderr and "optimal after" in done.stderr


@pytest.mark.slow
def test_the_time_limit_leaves_what_was_found(run, folder):
    """An exit code of 0, and a network whose claims are true; the checkpoint goes on from there."""
    data = ROOT / "data/digits.csv"
    words = ("mplearn", data, "-q", "--threads", 1, "--checkpoint", "state", "--resume")
    assert run(*words, "--time-limit", "0.001", "-o", "net").code == 0
    assert (
        "# status time limit" in (folder / "net").read_text()
        and run("mntools", "check", "net", "--data", data).code == 0
    )
    some = run("mplearn", data, "-q", "--threads", 1, "--time-limit", "0.001", "--blankets-only").stdout
    assert "# status time limit" in some and sum(not line.startswith("#") for line in some.splitlines()) < 55
    assert run(*words, "-o", "net").code == 0
    assert (folder / "net").read_text() == run("mplearn", data, "-q").stdout


def test_infinite_penalties_are_refused_before_the_search(refuse, here):
    (here / "must").write_text("# variables 230\n" + "".join(f"0,{v}\n" for v in range(1, 225)))
    rows = [",".join([str((17 * v + k * (v + 1)) % 30) for v in range(230)]) for k in range(60)]
    rows += [",".join([str(k)] * 230) for k in range(30)]
    (here / "wide.csv").write_text("\n".join([",".join(f"v{v}" for v in range(230)), *rows]))
    zoo = ROOT / "data/zoo.csv"
    refuse(f"mplearn {zoo} -q --score cmi --threshold 1e308 --combine hc", 2, "--threshold 1e+308: too large")
    message = "--required-edges: edge v0,v224 and 223 more at 'v0' make a blanket of infinite penalty; require fewer"
    for score in ("--score pic", "--prior sparse"):
        refuse(f"mplearn wide.csv -q {score} --required-edges must", 1, message)


def test_parts_that_were_cut_or_changed_are_not_combined(refuse, run, folder):
    parts = []
    for i in (1, 2, 3):
        run("mplearn", ZOO, "-q", "--blankets-only", "--shard", f"{i}/3", "-o", f"part{i}")
        parts.append((folder / f"part{i}").read_text())
    (folder / "all").write_text("".join(parts))
    assert run("mplearn", ZOO, "-q", "--blankets", "all", "-o", "net").code == 0
    (folder / "cut").write_text("".join(parts)[:-4])
    lines = "".join(parts).count("\n")
    refuse(f"mplearn {ZOO} -q --blankets cut", 1, f"cut:{lines}: the last line has no end: the file is cut off")
    at = parts[0].index("\n3: ")
    changed = parts[0][:at] + "\n3: 16" + parts[0][parts[0].index("\n", at + 1) :]
    (folder / "changed").write_text(changed + parts[1] + parts[2])
    refuse(f"mplearn {ZOO} -q --blankets changed", 1, "changed: a damaged part: its content is not that written")
