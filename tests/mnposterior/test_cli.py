"""The command mnposterior: which method it chooses, formats, and what it refuses."""

import pytest

from cliquewise.common.models.any_graph import read_graph
from tests.commands import ROOT

TINY, WINE, ZOO = (ROOT / f"data/{name}.csv" for name in ("tiny", "wine", "zoo"))
CHOICES = {
    (WINE, ""): "exact",
    (ZOO, ""): "chains",
    (WINE, "--method chains"): "chains",
    (ZOO, "--method exact"): "exact",
    (ZOO, "--draws 5"): "exact",
    (WINE, "--draws 5 --time-limit 5"): "exact",
    (WINE, "--time-limit 5"): "chains",
    (WINE, "--iterations 5"): "chains",
    (WINE, "--ladders 2"): "chains",
    (WINE, "--samples some"): "chains",
    (WINE, "--trajectory some"): "chains",
    (WINE, "--trace some"): "chains",
    (WINE, "--checkpoint some"): "chains",
    (TINY, "--init NET"): "chains",
}


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    return workplace({"net.edges": "0,1\n"})


@pytest.mark.parametrize("data, words", CHOICES)
def test_the_method_is_chosen_by_the_number_of_variables_and_the_options(run, data, words):
    done = run("mnposterior", data, *words.replace("NET", "net.edges").split(), "--dry-run", "-q")
    assert done.code == 0, done.stderr
    assert f"method {CHOICES[data, words]}\n" in done.stdout


@pytest.mark.parametrize("method, words", [("exact", "--draws 200"), ("chains", "--iterations 20000 --ladders 2")])
def test_the_chosen_method_is_that_of_the_option(run, method, words):
    chosen, named = (run("mnposterior", TINY, *words.split(), *more, "-q") for more in ((), ("--method", method)))
    assert chosen.code == named.code == 0, chosen.stderr
    assert chosen.stdout == named.stdout
    assert ("# draws 200\n" in chosen.stdout) == (method == "exact")
    assert ("# ladders 2\n" in chosen.stdout) == (method == "chains")


@pytest.mark.parametrize("form", ["edges", "dot", "graphml", "json"])
def test_every_format_holds_the_probabilities(run, form):
    done = run("mnposterior", TINY, "--draws", 300, "--format", form, "-q", "-o", "found")
    assert done.code == 0, done.stderr
    found = read_graph("found")
    assert found.graph.edges and len(found.graph.probabilities) == len(found.graph.errors) == len(found.graph.edges)
    again = run("mnposterior", TINY, "--draws", 300, "-q", "-o", "edges")
    assert again.code == 0 and read_graph("edges").graph.probabilities == pytest.approx(found.graph.probabilities)


def test_a_time_limit_before_the_first_exact_draw_is_no_interruption(refuse):
    line = f"mnposterior {ZOO} --method exact --time-limit 0.001 -q"
    refuse(line, 1, "the time was up before the first exact draw; allow more, or use --method chains")


def test_seeds_of_exact_draws(run, folder):
    done = run("mnposterior", TINY, "--draws", 300, "--seeds", "1-2", "-q", "-o", "net-{}")
    assert done.code == 0, done.stderr
    for seed in "12":
        alone = run("mnposterior", TINY, "--draws", 300, "--seed", seed, "-q")
        assert alone.stdout == (folder / f"net-{seed}").read_text()


def test_a_run_of_chains_without_a_limit_says_how_long_it_takes(run):
    done = run("mnposterior", ZOO, "--dry-run")
    assert "chains for 60 s (--time-limit or --iterations change that)" in done.stderr
    assert "seconds 60\n" in done.stdout


def test_chains_whose_edges_are_all_required_have_mixed(run, tmp_path):
    (tmp_path / "data.csv").write_text("a,b,c\n0,0,1\n0,1,1\n1,1,0\n1,0,0\n")
    (tmp_path / "priors.csv").write_text("u,v,probability\na,b,1\na,c,1\nb,c,1\n")
    line = "mnposterior", tmp_path / "data.csv", "--edge-priors", tmp_path / "priors.csv", "--method", "chains"
    for iterations in (100, 20_000):  # few draws, and many
        done = run(*line, "--iterations", iterations, "--threads", 1)
        assert done.code == 0 and "converged" not in done.stderr
    edges = [line.rpartition(",") for line in done.stdout.splitlines()[-3:]]
    assert [found for found, _, _ in edges] == ["a,b,1.000000", "a,c,1.000000", "b,c,1.000000"]
    assert all(0 < float(error) < 0.05 for _, _, error in edges)  # of few draws that all agree


@pytest.mark.parametrize("states, is_outweighed", [(12, True), (2, False)])
def test_an_edge_of_probability_1_that_the_data_outweigh(run, workplace, states, is_outweighed):
    """Independent columns: of many states, a network without the edge scores more by more than 36.7."""
    rows = [f"{k % states},{k // states % states}\n" for k in range(2 * states**2)]
    workplace({"data.csv": "a,b\n" + "".join(rows), "priors.csv": "a,b,1\n"})
    done = run("mnposterior", "data.csv", "--edge-priors", "priors.csv", "--header", "yes")
    assert done.code == 0 and ("a,b,1.000000," in done.stdout) != is_outweighed
    assert ("edge a,b has probability 0.00: its 1 in --edge-priors counts as" in done.stderr) == is_outweighed


def test_refusals(refuse, folder):
    refuse(f"mnposterior {ZOO} --format cliques", 2, "Invalid value for '--format'")
    refuse(f"mnposterior {ZOO} --edge-prior 1", 2, "Invalid value for '--edge-prior'")
    refuse(f"mnposterior {ZOO} --ladders 1", 2, "Invalid value for '--ladders'")
    refuse(f"mnposterior {ZOO} --samples {ZOO}", 2, f"--samples {ZOO}: DATA is read from that file")
    refuse(f"mnposterior {ZOO} --method exact --ladders 2", 2, "--ladders has no effect with --method exact")
    refuse(f"mnposterior {ZOO} --method chains --draws 2", 2, "--draws has no effect with --method chains")
    refuse(f"mnposterior {ZOO} --samples x --draws 2", 2, "--samples has no effect with --draws")
    refuse(f"mnposterior {WINE} --method exact --checkpoint x", 2, "--checkpoint has no effect with --method exact")
    refuse(f"mnposterior {WINE} --draws 0", 2, "Invalid value for '--draws'")
    exact = f"mnposterior {WINE} -q --draws"
    refuse(f"{exact} 10 --memory 0.001", 1, "14 variables and 10 draws need 0.0769 GB, 0.001 GB may be used")
    refuse(f"{exact} 10 --memory 0.001 --dry-run", 1, "the tables need 0.0769 GB, 0.001 GB may be used (--memory)")
    refuse(f"{exact} {'9' * 18}", 1, f"14 variables and {'9' * 18} draws need 1.76e+11")
    refuse(f"{exact} {'9' * 23}", 2, "--draws: a number of 23 digits")
    refuse(f"{exact} {'9' * 400}", 2, "--draws: a number of 400 digits")
    (folder / "wide.csv").write_text(",".join("ab" * 13) + "\n" + ",".join("ba" * 13) + "\n")
    refuse("mnposterior wide.csv -q --header no --draws 5", 1, "26 variables; --method exact takes at most 24")
    refuse(
        "mnposterior wide.csv -q --header no --draws 5 --dry-run", 1, "26 variables; --method exact takes at most 24"
    )
