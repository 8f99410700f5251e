"""Lists of the best networks: `junctor --networks`, `mntools check` of true and forged ones, `mntools average`."""

import math
import random
import re
from pathlib import Path

import pytest

from cliquewise.common.files.network_list import parse_networks
from tests.commands import ROOT

ZOO = ROOT / "data/zoo.csv"
FIRST = "--columns hair,feathers,eggs,milk,airborne,aquatic,predator,toothed".split()


@pytest.fixture
def listed(run, here):
    """The twelve best networks of eight variables, with their proof: the text."""
    options = ("--ess", 10, "--max-clique", 3, "--best", 12, "--networks", "nets", "--certificate", "proof")
    done = run("junctor", ZOO, *FIRST, *options, "-o", "net")
    assert (
        done.code == 0 and "12 networks, scores down to -" in done.stderr and "12 proved to be the best" in done.stderr
    )
    return Path("nets").read_text()


def verdict(run, text, proof="proof"):
    """The answer of the check to a text: the exit code and the line."""
    Path("forged").write_text(text)
    done = run("mntools", "check", "forged", "--data", ZOO, "--certificate", proof, "-q")
    return done.code, done.stdout


def test_a_list_and_its_proof(run, listed):
    code, verdict_line = verdict(run, listed)
    assert code == 0 and re.match(
        r"ok: 12 networks, 12 different, no other with cliques of at most 3 scores more", verdict_line
    )
    done = run("mntools", "check", "nets", "--data", ZOO, "-q")
    assert done.stdout.endswith("not checked: upper-bound-of-others (no --certificate)\n")
    found = parse_networks(listed, "nets")
    assert found.header["names"].split(",") == FIRST[1].split(",") and found.header["status"] == "optimal"
    assert run("mntools", "check", "net", "--data", ZOO, "-q").code == 0


def _shifted(lines, by):
    """The score of the fifth network, changed."""
    at = [k for k, line in enumerate(lines) if line.startswith("# score ")][4]
    return [*lines[:at], f"# score {float(lines[at].split()[2]) + by:.6f}", *lines[at + 1 :]]


def _without(lines, number):
    """A network left out, and the numbers in the header changed."""
    at = [k for k, line in enumerate(lines) if line.startswith("# score ")][number]
    return [line.replace(" 12", " 11") for line in [*lines[:at], *lines[at + 2 :]]]


def _swapped(lines):
    """Two neighbours of different scores in the other order."""
    at = [k for k, line in enumerate(lines) if line.startswith("# score ")]
    k = next(k for k, j in zip(at, at[1:], strict=False) if lines[k] != lines[j])
    return [*lines[:k], *lines[k + 2 : k + 4], *lines[k : k + 2], *lines[k + 4 :]]


def _twice(lines):
    """A network in the place of the next one."""
    at = [k for k, line in enumerate(lines) if line.startswith("# score ")][3]
    return [*lines[: at + 2], *lines[at : at + 2], *lines[at + 4 :]]


FORGED = {
    "number proved": (
        lambda lines: [re.sub("proved [0-9]+$", "proved 99", line) for line in lines],
        "'# proved 99', but there are 12 networks",
    ),
    "a network left out": (lambda lines: _without(lines, 2), "is about all but 12 networks, and 11 are"),
    "a network left out, not counted": (
        lambda lines: [line.replace("networks 11", "networks 12") for line in _without(lines, 2)],
        "'# networks 12', but 11 are listed",
    ),
    "other order": (_swapped, "scores more than the one before it"),
    "score": (lambda lines: _shifted(lines, 1e-3), r"score claimed .*, recomputed .* \(network 5, line"),
    "duplicate": (_twice, r"network 5 \(line \d+\) is network 4 again"),
    "number wanted": (lambda lines: [line.replace("best 12", "best 11") for line in lines], "but '# best 11'"),
    "bound": (
        lambda lines: [re.sub("(of-others -.*)$", lambda m: "of-others -500", line) for line in lines],
        "upper-bound-of-others -500.000000 claimed, the certificate proves -",
    ),
    "bound too high": (
        lambda lines: [re.sub("(of-others -.*)$", lambda m: "of-others -1", line) for line in lines],
        "'# proved 12', but others may score -1.000000",
    ),
    "no others": (
        lambda lines: [re.sub("(of-others -.*)$", "of-others -inf", line) for line in lines],
        "upper-bound-of-others -inf claimed, the certificate proves -",
    ),
    "all proved": (
        lambda lines: [line for line in lines if "upper-bound-of-others" not in line],
        "status optimal claimed without a bound on the others",
    ),
    "within": (lambda lines: [line.replace("best 12", "within 0.001") for line in lines], "less than the first, but"),
}  # fmt: skip


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("what", FORGED)
def test_forged_lists(run, listed, what):
    forge, message = FORGED[what]
    lines = forge(listed.splitlines())
    Path("forged").write_text("\n".join(lines) + "\n")
    done = run("mntools", "check", "forged", "--data", ZOO, "--certificate", "proof", "-q")
    assert done.code == 1 and re.search(message, done.stdout + done.stderr)


@pytest.mark.parametrize(
    "learner, count", [("junctor --method dp", 8), ("junctor --method ilp", 8), ("twlearn -w 2", 11)]
)
def test_a_list_of_all_networks(run, here, learner, count):
    """There are no others, which the file says; that is no proof that some were left out."""
    name, *words = learner.split()
    done = run(name, ZOO, *words, "--columns", "hair,milk,eggs", "--networks", "nets", "-o", "net")
    assert done.code == 0 and f"{count} networks, " in done.stderr and f"{count} proved" in done.stderr
    done = run("mntools", "check", "nets", "--data", ZOO, "-q")
    assert done.code == 0 and done.stdout.startswith(f"ok: {count} networks, {count} different")
    assert ("# upper-bound-of-others -inf\n" in Path("nets").read_text()) == ("ilp" not in learner)


def test_a_certificate_does_not_hide_a_network(run, listed):
    """One that is left out has no proof, though all numbers agree; nor is there one of a single network."""
    Path("fewer").write_text(Path("proof").read_text().replace("# networks 12", "# networks 11"))
    code, line = verdict(run, "\n".join(_without(listed.splitlines(), 2)) + "\n", "fewer")
    assert code == 1 and "the bound is not proved" in line
    done = run("mntools", "check", "net", "--data", ZOO, "--certificate", "proof", "-q")
    assert done.code == 1 and "the bound is not proved" in done.stdout


def test_average_by_score(run, listed):
    scores = [float(score) for score in re.findall("# score (.*)", listed)]
    weights = [math.exp(score - scores[0]) for score in scores]
    nets = parse_networks(listed, "nets").files
    chance = sum(weight for weight, net in zip(weights, nets, strict=True) if (1, 4) in net.graph.edges) / sum(weights)
    done = run("mntools", "average", "nets", "--weight-by", "score")
    assert f"feathers,airborne,{chance:.6f}" in done.stdout and "# networks 12\n" in done.stdout


def test_known_edges_of_a_list(run, here):
    """Without the file of known edges these are said to be unchecked; with another one they are wrong."""
    Path("no").write_text("hair,milk\n")
    options = ("--max-clique", 3, "--within", 2, "--networks", "nets", "--forbidden-edges", "no", "-o", "net", "-q")
    assert run("junctor", ZOO, *FIRST, *options).code == 0
    assert (
        "not checked: upper-bound-of-others (no --certificate), forbidden-edges"
        in run("mntools", "check", "nets", "--data", ZOO, "-q").stdout
    )
    done = run("mntools", "check", "nets", "--data", ZOO, "--forbidden-edges", "no", "-q")
    assert done.code == 0 and "forbidden-edges" not in done.stdout
    done = run("mntools", "check", "nets", "--data", ZOO, "--required-edges", "no", "-q")
    assert done.code == 1 and "(network 1, line" in done.stdout


def test_samples_can_be_averaged_and_checked(run, listed):
    run("mnposterior", ZOO, "--iterations", 500, "--max-clique", 3, "--samples", "samples", "-o", "p", "-q")
    done = run("mntools", "average", "samples")
    assert done.code == 0 and "# networks " in done.stdout
    assert run("mntools", "check", "samples", "--data", ZOO, "-q").stdout.startswith("ok: ")
    done = run("mntools", "score", ZOO, "samples")
    assert done.code == 1 and "a list of networks, for mntools average and check" in done.stderr


@pytest.mark.parametrize(
    "text, message",
    [
        ("# networks 1\n# format samples\n0,1 x\n", "expected cliques of indices"),
        ("# networks 2\n# format samples\n0,1\n", "'# networks 2', but 1 are listed"),
        ("# networks 1\n# format samples\n0,1\n# ess 3\n", "'# ess' below a network"),
        ("# networks 1\n# format samples\n# score 1\n# score 2\n0,1\n", "a second '# score'"),
        ("# networks 1\n# format samples\n0,1\n# score -1\n", "'# score' without a network"),
        ("# networks 1\n# format samples\n# names a,a\n0,1\n", "a name is listed twice"),
        ("# networks 1\n# format samples\n# names a,b\n0,2\n", "vertex"),
        ("# networks 1\n# format samples\n# ess 1\n# ess 2\n0,1\n", "given twice"),
        ("# networks 1\n# format samples\n# best 2\n0,1\n", "best claimed of networks without scores"),
    ],
)
def test_malformed_lists(run, here, text, message):
    Path("list").write_text(text)
    done = run("mntools", "check", "list")
    assert done.code == 1 and message in done.stdout + done.stderr


@pytest.mark.parametrize(
    "options, message",
    [
        ("--best 3", "--best needs --networks"),
        ("--within 3", "--within needs --networks"),
        ("--networks nets --gap 0.1", "--networks has no effect with --gap"),
        ("--networks net", "is written to that file; name another"),
    ],
)
def test_refusals(run, here, options, message):
    done = run("junctor", ZOO, *FIRST, *options.split(), "-o", "net")
    assert done.code == 2 and re.search(message, done.stderr)


@pytest.fixture
def directed(run, here):
    """The eight best classes of Bayesian networks on eight variables: the text."""
    Path("tiers").write_text("milk,eggs\nhair,feathers,airborne,aquatic,predator,toothed\n")
    options = ("-w", 2, "--tiers", "tiers", "--best", 8, "--networks", "nets", "-o", "net")
    done = run("twlearn", ZOO, *FIRST, *options)
    assert done.code == 0 and "8 networks, scores down to -" in done.stderr
    return Path("nets").read_text()


def verdict_of(run, text):
    """The verdict on a text, with the tiers."""
    Path("forged").write_text(text)
    done = run("mntools", "check", "forged", "--data", ZOO, "--tiers", "tiers", "-q")
    return done.code, done.stdout + done.stderr


def turned(line):
    """An equivalent network: an arc turned whose ends have the same other parents."""
    parents = [set(filter(None, field.split("<")[1].split(","))) for field in line.split()]
    u, v = next((u, v) for v, own in enumerate(parents) for u in map(int, own) if parents[u] == own - {str(u)})
    parents[v].discard(str(u))
    parents[u].add(str(v))
    return " ".join(f"{v}<" + ",".join(sorted(own)) for v, own in enumerate(parents))


def test_a_list_of_classes(run, directed):
    code, line = verdict_of(run, directed)
    assert code == 0 and line.startswith("ok: 8 networks, 8 different; not checked: upper-bound-of-others")
    found = parse_networks(directed, "nets")
    assert found.header["equivalence-classes"] == "yes" and found.header["status"] == "optimal"
    scores = [float(score) for score in re.findall("# score (.*)", directed)]
    weights = [math.exp(score - scores[0]) for score in scores]
    held = [(2, 3) in net.graph.edges for net in found.files]  # eggs, milk
    chance = sum(w for w, has in zip(weights, held, strict=True) if has) / sum(weights)
    done = run("mntools", "average", "nets", "--weight-by", "score")
    assert f"eggs,milk,{chance:.6f}" in done.stdout
    assert run("mntools", "average", "nets", "--weight-by", "score", "--directions").code == 0


def test_a_list_of_completed_rows(run, here):
    """The likelihood of the observed cells is that of the first network alone."""
    rng = random.Random(4)
    rows = [(a, a if rng.random() < 0.8 else "x", rng.choice("xy")) for a in rng.choices("xy", k=30)]
    cells = [[cell if rng.random() < 0.9 else "" for cell in row] for row in rows]
    Path("t.csv").write_text("a,b,c\n" + "".join(",".join(row) + "\n" for row in cells))
    done = run("junctor", "t.csv", "--missing", "em", "--networks", "nets", "--best", "4", "-o", "net", "-q")
    assert done.code == 0 and "# log-likelihood" in Path("net").read_text()
    for path in ("net", "nets"):
        done = run("mntools", "check", path, "--data", "t.csv", "-q")
        assert done.code == 0 and done.stdout.startswith("ok: "), done.stdout
    assert "4 networks, 4 different" in done.stdout


FORGED_CLASSES = {
    "equivalent": (lambda lines: [*lines[:-2], lines[-4], turned(lines[-3])], r"is equivalent to network 7"),
    "twice": (lambda lines: [*lines[:-2], *lines[-4:-2]], r"is equivalent to network 7"),
    "a cycle": (lambda lines: [*lines[:-1], "0<1 1<0 2< 3< 4< 5< 6< 7<"], "not acyclic"),
    "treewidth": (lambda lines: [*lines[:-1], "0< 1<0 2<0,1 3<0,1,2 4< 5< 6< 7<"], "treewidth"),
    "tiers": (lambda lines: [*lines[:-1], "0< 1< 2<0 3< 4< 5< 6< 7<"], "hair -> eggs.*tier"),
    "order": (lambda lines: [*lines[:-16], *lines[-2:], *lines[-14:-2], *lines[-16:-14]], "scores more than the one"),
    "a vertex left out": (lambda lines: [*lines[:-1], "0< 1< 2< 3< 4< 5< 6<"], "the parents of each of 8 vertices"),
    "its own parent": (lambda lines: [*lines[:-1], "0<0 1< 2< 3< 4< 5< 6< 7<"], "a parent that is no other vertex"),
}  # fmt: skip


@pytest.mark.slow
def test_forged_classes(run, directed):
    for what, (forge, wanted) in FORGED_CLASSES.items():
        code, line = verdict_of(run, "\n".join(forge(directed.splitlines())) + "\n")
        assert code == 1 and re.search(wanted, line), (what, line)
