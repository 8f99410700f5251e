"""The command `mnmodel sample`: the same seed gives the same bytes, and the files are those of the network."""

import numpy as np
import pytest

from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.version import version
from cliquewise.mnmodel.sample import SampleOptions, sample
from cliquewise.mnmodel.synthetic import draw_network
from tests.common.models.test_bif import WEATHER
from tests.reading import read_csv


@pytest.fixture
def weather(tmp_path):
    path = tmp_path / "weather.bif"
    path.write_text(WEATHER)
    return str(path)


def test_synthetic(run, tmp_path):
    data, edges = tmp_path / "d.csv", tmp_path / "d.edges"
    done = run("mnmodel", "sample", "--rows", "40", "--replicas", "2", "-o", data, "--edges", edges)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    sampled, truth = read_csv(data), read_graph(edges)
    assert (sampled.n_rows, sampled.n) == (40, 128)
    assert truth.header == {
        "program": "mnmodel sample",
        "version": version(),
        "components": "grid,hub,loop,clique",
        "replicas": "2",
        "network-seed": "1",
    }
    assert truth.kind == "edges" and truth.graph.edges == draw_network(replicas=2).graph.edges
    assert run("mnmodel", "sample", "--rows", "40", "--replicas", "2").stdout == data.read_text()


def test_the_progress_of_drawing(tmp_path):
    shown = []
    options = SampleOptions(components=("figure1a",), replicas=2, rows=9, path=str(tmp_path / "d.csv"))
    sample(options, lambda share, text: shown.append((share, text)))
    assert shown == [
        (0.5, "drawing 2 parts"),
        (1.0, "drawing 2 parts"),
        (None, "drawing 9 rows"),
        (None, "writing 9 rows"),
    ]


def test_a_bench_draws_the_same_in_memory(run, tmp_path):
    run("mnmodel", "sample", "--rows", "30", "--seed", "5", "--network-seed", "4", "-o", tmp_path / "d.csv")
    network = draw_network(rng=np.random.default_rng([4, 0]))
    here, there = network.sample(30, np.random.default_rng([5, 1])), read_csv(tmp_path / "d.csv")
    assert (here.names, here.states) == (there.names, there.states)
    assert np.array_equal(here.codes, there.codes)


def test_seeds(run):
    def draw(*args):
        return run("mnmodel", "sample", "--rows", "200", "--components", "figure1a,figure1c", *args).stdout

    assert draw() == draw("--seed", "1", "--network-seed", "1")
    assert len({draw(), draw("--seed", "2"), draw("--network-seed", "2"), draw("--replicas", "2")}) == 4


def test_bif(run, weather, tmp_path):
    edges = tmp_path / "e"
    done = run("mnmodel", "sample", weather, "--rows", "500", "--edges", edges, "--names")
    assert done.code == 0 and done.stdout.count("\n") == 501
    assert edges.read_text().splitlines()[-3:] == ['rain,"wet road"', "rain,mood", '"wet road",mood']
    (tmp_path / "d.csv").write_text(done.stdout)
    data = read_csv(tmp_path / "d.csv")
    assert data.names == ("rain", "wet road", "mood")
    assert data.states == (("no", "yes"), ("a bit", "dry", "wet"), ("5-12+", "<0.5"))
    again = run("mnmodel", "sample", "-", "--rows", "500", input=WEATHER.encode())
    assert again.stdout == done.stdout


def test_labels_that_need_quotes_come_back(run, tmp_path):
    label = ["a;b", "x'y", "tab\there", "1", "<5>", "ä b"]
    quoted = " ".join(f'"{x}"' for x in label)
    text = f"variable v {{ type discrete [ 6 ] {{ {quoted} }}; }}\n"
    text += 'variable "a name, quoted" { type discrete [ 1 ] { one }; }\n'
    text += 'probability ( "a name, quoted" ) { table 1; }\n'
    text += "probability ( v ) { table 0.2, 0.2, 0.15, 0.15, 0.15, 0.15; }\n"
    path = tmp_path / "d.csv"
    done = run("mnmodel", "sample", "-", "--rows", "300", "-o", path, input=text.encode())
    assert done.code == 0, done.stderr
    data = read_csv(path)
    assert sorted(data.states[0]) == sorted(label) and data.names == ("v", "a name, quoted")


def test_truth_against_what_was_learned(run, tmp_path):
    """The learned and the true edges go into `mntools compare` as they are, with or without names."""
    data = tmp_path / "d.csv"
    for names in ([], ["--names"]):
        truth = tmp_path / f"truth{len(names)}"
        run("mnmodel", "sample", "--rows", "2000", "--components", "figure1b", "-o", data, "--edges", truth, *names)
        for also in ([], ["--names"]):
            learned = tmp_path / f"learned{len(also)}"
            first, second = read_graph(truth).graph.edges[:2]
            text = "# variables 6\n" + "".join(f"{u},{v}\n" for u, v in (first, second, (4, 5)))
            (tmp_path / "plain").write_text(text)
            done = run(
                "mntools", "convert", tmp_path / "plain", "--data", data, "--format", "edges", "-o", learned, *also
            )
            assert done.code == 0, done.stderr
            done = run("mntools", "compare", learned, truth)
            assert done.stdout.startswith("tp 2 fp 1 fn 3 hamming 4 "), done.stderr
