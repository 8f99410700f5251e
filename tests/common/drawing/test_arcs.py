"""Directed networks in pictures: an arrow's head at the box of the child, and the score that is lost without an arc."""

import numpy as np
import pytest

from cliquewise.common.drawing.picture import _heads
from cliquewise.common.drawing.strength import edge_strengths
from cliquewise.common.files.result_header import Claims
from cliquewise.common.graphs.dag import Dag
from tests.oracles.scores import bdeu
from tests.reading import read_csv

ROWS = "a,b,c\n" + "0,0,0\n0,1,1\n1,0,1\n1,1,0\n1,1,1\n0,0,1\n" * 3


def test_a_head_points_from_its_line_to_the_box():
    rng = np.random.default_rng(1)
    centres, sizes = rng.uniform(0, 400, (50, 2, 2)), rng.uniform(10, 60, (50, 2))
    widths = rng.uniform(1, 5, 50)
    for (start, end), size, (tip, *base) in zip(centres, sizes, _heads(centres, sizes, widths), strict=True):
        assert np.max(np.abs(tip - end) / (size / 2)) == pytest.approx(
            min(1.0, np.max(np.abs(start - end) / (size / 2)))
        )
        along = (end - start) / np.linalg.norm(end - start)
        middle = np.mean(base, axis=0)
        assert np.dot(tip - middle, along) == pytest.approx(np.linalg.norm(tip - middle))
        assert np.dot(base[0] - base[1], along) == pytest.approx(0.0, abs=1e-9)
        assert np.dot(tip - start, along[::-1] * (-1.0, 1.0)) == pytest.approx(0.0, abs=1e-9)


def test_the_strength_of_an_arc_is_what_its_family_loses(workplace):
    workplace({"d.csv": ROWS})
    data = read_csv("d.csv")
    dag = Dag(3, ((0, 2), (1, 0), (1, 2)), data.names)
    strengths = edge_strengths(dag, data, Claims(score_type="bdeu", ess=2.0))
    rows = data.codes.tolist()
    for (u, v), strength in zip(dag.arcs, strengths, strict=True):
        parent_set = set(dag.parents()[v])
        families = (parent_set | {v}, parent_set, parent_set - {u} | {v}, parent_set - {u})
        together, alone, without, rest = (bdeu(rows, data.arity, sorted(members), 2.0) for members in families)
        lost = (together - alone) - (without - rest)
        assert strength == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_draw_a_directed_network(run, workplace, suffix):
    workplace({"d.csv": ROWS, "net.arcs": "# format arcs\na,c\nb,c\n", "net.edges": "# format edges\na,c\nb,c\n"})
    for line in ("net.arcs --data d.csv", "net.edges --data d.csv"):
        name = line.split(".")[1].split()[0]
        assert run(*f"mntools draw {line} -q -o {name}.{suffix}".split()).code == 0
    with open(f"arcs.{suffix}", "rb") as arcs, open(f"edges.{suffix}", "rb") as edges:
        assert arcs.read() != edges.read()


def test_strengths_by_scores_of_blankets_are_refused(refuse, workplace):
    workplace({"d.csv": ROWS, "net": "# format arcs\na,c\nb,c\n"})
    message = "net: a directed graph, and mpl scores undirected ones"
    refuse("mntools score -q d.csv net --score mpl", 1, message)
    refuse("mntools draw -q net --data d.csv --score mpl -o x.png", 1, message)
