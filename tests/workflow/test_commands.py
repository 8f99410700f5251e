"""The commands that `cliquewise learn` tells, pasted one after another in another folder, make the same files."""

import gzip
import re
import shlex
import shutil
from html import unescape
from pathlib import Path

import numpy as np
import pytest


def rows_of(n=150, seed=5):
    """a drives b and the number m; s is written in several ways, t has an order; k says how often, w how much."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        a = int(rng.random() < 0.5)
        b = a if rng.random() < 0.9 else 1 - a
        m = f"{20 + 5 * a + rng.normal():.2f}"
        s = ("no", ("yes", "Yes")[number % 2])[b if rng.random() < 0.8 else a]
        t = ("low", "mid", "high")[rng.integers(2)]
        rows.append((f"P{number:04d}", "yn"[a], "yn"[b], m, s, t, str(rng.integers(4)), f"{rng.random():.3f}"))
    return rows


NAMES = ("id", "a", "b", "m", "s", "t", "k", "w")


def text_of(rows, names=NAMES, chosen=NAMES, separator=",", change=lambda row: row):
    """Some columns of the rows as text."""
    places = [NAMES.index(name) for name in chosen]
    head = dict(zip(NAMES, names, strict=True))
    lines = [[head[name] for name in chosen], *([change(row)[place] for place in places] for row in rows)]
    return "".join(separator.join(line) + "\n" for line in lines)


def with_gaps(row):
    """Missing cells by words: in the number, in a column of states."""
    number = int(row[0][1:])
    return (*row[:2], "unknown" if number % 9 == 0 else row[2], "-99" if number % 11 == 0 else row[3], *row[4:])


def german(row):
    return (*row[:3], row[3].replace(".", ","), *row[4:])


def weighted_table():
    """Semicolons, decimal commas, a word for missing, an identifier and a constant, and weights with decimals."""
    rng = np.random.default_rng(3)
    rows = ["id;w;age;job;empty;city"]
    for k in range(300):
        age = rng.integers(18, 90)
        job = "abc"[rng.integers(3)] if age < 60 else "ret"
        cell = f"{age},5" if rng.random() > 0.05 else "unk"
        city = "X" if job == "a" or rng.random() < 0.5 else "Y"
        rows.append(f"{1000 + 7 * k};{rng.integers(1, 300) / 100:.2f};{cell};{job};x;{city}")
    return "\n".join(rows) + "\n"


def declared_table():
    """Weka's format, with a state that no row has."""
    rng = np.random.default_rng(1)
    head = "@relation x\n@attribute color {red,green,blue,never}\n@attribute size numeric\n@attribute class {yes,no}\n"
    colors = [["red", "green", "blue"][k] for k in rng.integers(3, size=200)]
    likely = [(0.9 if color == "red" else 0.2) > rng.random() for color in colors]
    sizes = rng.normal(3, 1, 200)
    rows = [f"{color},{size:.3f},{'yes' if is_in else 'no'}" for color, size, is_in in zip(colors, sizes, likely)]  # noqa: B905
    return head + "@data\n" + "\n".join(rows) + "\n"


PLAIN = ("id", "a", "b", "m", "s", "t")
ARFF = "@relation r\n@attribute a {n,y}\n@attribute t {low,mid,high}\n@attribute m numeric\n@data\n"
FILES = {
    "all.csv": text_of(rows_of()),
    "plain.csv": text_of(rows_of(), chosen=PLAIN),
    "words.csv": text_of(rows_of(), chosen=("id", "a", "b", "s", "t")),
    "gaps.csv": text_of(rows_of(), chosen=PLAIN, change=with_gaps),
    "german.csv": text_of(rows_of(), chosen=PLAIN, separator=";", change=german),
    "names.csv": text_of(rows_of(), names=("0", "1", "a,b", "the m", "s;t", "5", "6", "7"), chosen=NAMES[:6]).replace(
        "a,b", '"a,b"'
    ),
    "numbers.csv": text_of(rows_of(), names=("9", "3", "1", "7", "2", "5", "6", "8"), chosen=("a", "b", "m", "t")),
    "headless.csv": text_of(rows_of(), chosen=PLAIN).partition("\n")[2],
    "states.csv": "column,state\nt,low\nt,mid\nt,high\na,y\na,n\na,maybe\n",
    "asia.dat": "a b c\n2 3 2\n" + "0 1 0\n1 0 1\n1 1 1\n0 0 0\n" * 20,
    "weighted.csv": weighted_table(),
    "jobs.csv": "column,state\njob,a\njob,b\njob,c\njob,ret\njob,never\n",
    "spelled.csv": "a,b\n" + "1,x\n1.0,x\n2,y\n2,y\n2,z\n" * 20,
    "ones.csv": "1,2,3\n" + "1,0,5\n0,1,5\n1,1,5\n0,0,5\n" * 20,
    "declared.arff": declared_table(),
    "visits.arff": ARFF + "".join(f"{row[1]},{row[5]},{row[3]}\n" for row in rows_of()),
}
CASES = [
    "plain.csv",
    "words.csv",
    "words.csv --columns a:t",
    "all.csv --counts k --drop w",
    "all.csv --weights w --drop k",
    "all.csv --weights w --weight-scale none --columns a:s",
    "all.csv --weights k --weight-scale none --drop w,id",
    "plain.csv --columns id:m,t",
    "plain.csv --drop t,id",
    "words.csv --states states.csv",
    "plain.csv --states states.csv --keep id",
    "plain.csv --same-states fold",
    "words.csv --same-states exact",
    "gaps.csv",
    "gaps.csv --na=unknown,m=-99 --max-clique 3 --seed 7 --bins 3",
    "german.csv",
    "german.csv --decimal comma --separator semicolon",
    "names.csv",
    "numbers.csv --header yes",
    "headless.csv --header no",
    "asia.dat --arities yes",
    "asia.dat --header yes --arities yes --ess 10",
    "visits.arff",
    "declared.arff",
    "weighted.csv --weights w",
    "weighted.csv --weights w --weight-scale none --columns age:city --separator semicolon",
    "weighted.csv --columns job,city,age --bins 3 --seed 4",
    "weighted.csv --drop w --states jobs.csv --na age=unk",
    "weighted.csv --weights w --missing state --bins 2",
    "weighted.csv --missing drop --drop w --na age=unk",
    "spelled.csv --same-states exact --ess 2",
    "ones.csv --header yes",
    "packed.csv.gz --counts k",
    "- --weights w --drop k",
]
MADE = re.compile(r"<code>(.*?)</code>", re.DOTALL)


def commands_in(report):
    """The commands of a report, without those of how to continue."""
    steps = report.partition("<pre")[2]
    commands = [unescape(line) for line in MADE.findall("<pre" + steps)]
    return commands[: next(k for k, line in enumerate(commands) if line.startswith("mnmodel page")) + 1]


def pasted(command, run, stdin):
    """Run a command as a shell would; learners and tools in this process."""
    words = shlex.split(command)
    if words[0] == "cp":
        shutil.copy(*words[1:])
    elif words[:2] == ["mkdir", "-p"]:
        Path(*words[2:]).mkdir(parents=True)
    else:
        done = run(*words, input=stdin)
        assert done.code == 0, (command, done.stderr)


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (k % 2)) for k, case in enumerate(CASES)]
)
def test_the_commands_make_the_same_files(run, tmp_path, monkeypatch, case):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        for name, text in FILES.items():
            (folder / name).write_text(text)
        (folder / "packed.csv.gz").write_bytes(gzip.compress(FILES["all.csv"].encode(), mtime=0))
    stdin = FILES["all.csv"].encode() if case.startswith("-") else b""
    monkeypatch.chdir(first)
    monkeypatch.setattr("cliquewise.workflow.learn.CHAINS", 0.002)  # the others end early
    words = ("learn", *shlex.split(case), "-o", "the out", "--time-limit", 100)
    done = run("cliquewise", *words, input=stdin)
    assert done.code == 0, done.stderr
    commands = commands_in((first / "the out/report.html").read_text())
    for command in commands:
        assert f": {command}\n" in done.stderr or command.split()[1] in ("draw", "page"), command
    monkeypatch.chdir(second)
    made = set()
    for command in commands:
        pasted(command, run, stdin)
        name = command.rpartition("'the out/")[2].rstrip("'") if "'the out/" in command else ""
        made |= {name} - {""}
        if name == "probabilities.edges":  # the chains end by the clock: other draws of the same edges
            kept = [(folder / "the out" / name).read_text().splitlines() for folder in (first, second)]
            keys, again = ([line.split()[1] for line in lines if line.startswith("# ")] for lines in kept)
            assert set(keys) - {"left-out"} == set(again) - {"left-out"}
            (second / "the out" / name).write_bytes((first / "the out" / name).read_bytes())
    files = {path.name for path in (first / "the out").iterdir()}
    assert files == made | {"report.html", "steps.json", "held-out.json"}
    for name in made:
        one, other = (re.sub(b'"file-date",".*?"', b"", (folder / "the out" / name).read_bytes())
                      for folder in (first, second))  # fmt: skip
        assert one == other, name
    further = [unescape(line) for line in MADE.findall((first / "the out/report.html").read_text())]
    further = further[further.index(commands[-1]) + 1 :]
    assert [line.split()[1] for line in further if "600" not in line][-1] == "check"
    sampled = next(command for command in commands if command.startswith("mnposterior"))
    for command in further:
        if "--time-limit 600" in command:
            assert command == re.sub("--time-limit [^ ]*", "--time-limit 600", sampled)
        done = run(*shlex.split(command.replace("--time-limit 600", "--time-limit 0.2")), input=stdin)
        assert done.code == 0, (command, done.stderr)
    graph, *reading = shlex.split(further[-1])[2:]
    strength = run("mntools", "strength", *reading, graph)
    assert strength.code == 0 and strength.stdout.startswith("u,v,"), strength.stderr
