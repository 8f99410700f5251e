"""Certificates of upper bounds by the commands: junctor writes them, mntools check verifies what a file claims."""

from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.reading import header_of

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    "change, message",
    [
        (("# max-clique 3\n", ""), "the certificate is about cliques of at most 3, the network's 17"),
        (("# max-clique 3\n", "# max-clique 4\n"), "the certificate is about cliques of at most 3, the network's 4"),
    ],
)
def test_a_certificate_about_smaller_cliques_than_claimed_is_refused(run, change, message):
    zoo = ROOT / "data/zoo.csv"
    assert run("junctor", zoo, "--max-clique", 3, "--certificate", "proof", "-o", "net").code == 0
    text = Path("net").read_text()
    assert change[0] in text
    Path("net").write_text(text.replace(*change))
    done = run("mntools", "check", "net", "--data", zoo, "--certificate", "proof")
    assert done.code == 1 and message in done.stdout


def test_a_certificate_that_proves_less_than_claimed_is_refused(run):
    """An empty network with the header of the optimal one, its own score and no gap."""
    zoo = ROOT / "data/zoo.csv"
    assert run("junctor", zoo, "--max-clique", 3, "--certificate", "proof", "--indices", "-o", "net").code == 0
    done = run("mntools", "check", "net", "--data", zoo, "--certificate", "proof")
    assert done.code == 0 and "not checked" not in done.stdout, done.stdout
    left_out = ("# score -", "# upper-bound", "# gap")
    lines = [line for line in Path("net").read_text().splitlines(True) if line[0] == "#"]
    lines = [line for line in lines if not line.startswith(left_out)] + [f"{v}\n" for v in range(17)]
    Path("empty").write_text("".join(lines))
    score = run("mntools", "score", zoo, "empty").stdout.strip()
    claims = f"# score {score}\n# upper-bound {score}\n# gap 0.000000\n", f"# score {score}\n"
    for claim, message in zip(
        claims, (f"upper-bound {score} claimed, the certificate proves", "leaves a gap of"), strict=True
    ):
        Path("empty").write_text(claim + "".join(lines))
        done = run("mntools", "check", "empty", "--data", zoo, "--certificate", "proof")
        assert done.code == 1 and message in done.stdout
        done = run("mntools", "check", "empty", "--data", zoo)
        assert done.code == 0 and "; not checked: status optimal" in done.stdout and "(no --certificate)" in done.stdout
    optimum = float(header_of(Path("net").read_text())["score"])
    lines = [line for line in lines if not line.startswith("# status")]
    for upper, code in ((optimum, 0), (optimum - 1e-4, 1)):
        claim = f"# score {score}\n# upper-bound {upper:.6f}\n# gap {upper - float(score):.6f}\n"
        Path("empty").write_text(claim + "".join(lines))
        done = run("mntools", "check", "empty", "--data", zoo, "--certificate", "proof")
        assert done.code == code and ("claimed, the certificate proves" in done.stdout) == bool(code), done.stdout


def test_commands_write_and_check_certificates(run):
    zoo = ROOT / "data/zoo.csv"
    done = run("junctor", zoo, "--max-clique", 3, "--certificate", "proof", "-o", "net")
    assert done.code == 0, done.stderr
    check = run("mntools", "check", "net", "--data", zoo, "--certificate", "proof")
    assert check.code == 0 and "no network with cliques of at most 3 scores more than" in check.stdout
    text = Path("proof").read_text()
    score = next(line for line in text.splitlines() if line.startswith("# upper-bound"))
    Path("low").write_text(text.replace(score, f"# upper-bound {float(score.split()[-1]) - 0.01}"))
    low = run("mntools", "check", "net", "--data", zoo, "--certificate", "low")
    assert low.code == 1 and "wrong: part 1 of 1" in low.stdout and "the bound is not proved" in low.stdout
    other = run("mntools", "check", "net", "--data", zoo, "--certificate", "proof", "--ess", 2, "--score", "bdeu")
    assert other.code == 1
    for options in (("--method", "dp"), ("--allowed-edges", "net"), ("--required-edges", "net")):
        refused = run("junctor", zoo, "--max-clique", 3, "--certificate", "x", *options)
        assert refused.code == 2 and "--certificate is not supported with" in refused.stderr
    assert run("mntools", "check", "net", "--certificate", "proof").code == 2


def test_a_certificate_about_all_sets_of_a_score_file_covers_larger_bounds(run, tmp_path):
    """The file has no larger sets than pairs; `--max-clique 3` allows no more networks."""
    scores, net, proof = (tmp_path / name for name in ("scores", "net", "proof"))
    scores.write_text("3 2\n0\n-1\n-1\n-1.5\n-1\n-1.25\n-3\n")
    done = run("junctor", scores, "--max-clique", 3, "--certificate", proof, "-o", net)
    assert done.code == 0, done.stderr
    check = run("mntools", "check", net, "--data", scores, "--certificate", proof)
    assert check.code == 0 and "no network with cliques of at most 2 scores more than -1.7" in check.stdout
