"""Positions, titles and descriptions of GeNIe's, Hugin's and Netica's files: kept through conversion."""

from dataclasses import replace

import numpy as np
import pytest

from cliquewise.common.models.any_graph import parse_graph
from cliquewise.common.models.appearance import Appearance
from cliquewise.common.models.model_file import parse_model, read_model, write_model
from tests.random_models import named_model

TITLES = ("Rain?", 'the "road"', "a\\b & <c>", "größe", "", "z")
NET = """net { }
node b { states = ("x" "y"); label = "the; \\"b\\""; position = (10 -20); HR_Desc = "two words"; }
node a { states = ("x" "y"); position = (30 40); }
potential (b) { data = (0.5 0.5); }
potential (a | b) { data = ((0.1 0.9) (0.2 0.8)); }
"""
XDSL = """<smile><nodes><cpt id="a"><state id="x"/><state id="y"/><probabilities>0.3 0.7</probabilities></cpt>
<cpt id="b"><state id="x"/><state id="y"/><parents>a</parents><probabilities>0.3 0.7 1 0</probabilities></cpt></nodes>
<extensions><genie><node id="b"><name>The B</name><position>10 20 30 60</position><comment>why</comment></node>
<node id="a"><name>a</name><position>100 0 200 10</position></node></genie></extensions></smile>"""
DNE = """bnet w {
node a { kind = NATURE; states = (x, y); parents = (); probs = (0.3, 0.7); title = "The A"; comment = "why";
    visual V1 { center = (66, 60); dispform = BELIEFBARS; }; };
node b { kind = NATURE; states = (x, y); parents = (a); probs = ((0.3, 0.7), (1, 0)); visual V1 { center = (5, 6); }; };
};
"""


def test_what_other_programs_write():
    net = parse_model(NET, "net")
    assert net.appearances == (Appearance((10, -20), 'the; "b"', "two words"), Appearance((30, 40)))
    genie = parse_model(XDSL, "net")
    assert genie.names == ("b", "a")
    assert genie.appearances == (Appearance((20, -40), "The B", "why"), Appearance((150, -5)))
    netica = parse_model(DNE, "net")
    assert netica.appearances == (Appearance((66, -60), "The A", "why"), Appearance((5, -6)))
    assert parse_model(NET.replace("10 -20", "10 x"), "net").positions is None
    assert parse_model(XDSL.replace("20 30 60", "20 30"), "net").positions is None
    assert parse_graph(NET, "net").positions == ((10, -20), (30, 40))
    assert parse_graph(NET, "net", ("a", "b")).positions == ((30, 40), (10, -20))


@pytest.mark.parametrize("seed", range(10))
def test_they_are_kept_through_all_formats_that_have_them(tmp_path, seed):
    rng = np.random.default_rng(seed)
    network = named_model(seed)
    shown = tuple(Appearance((float(x), float(y)), title, title[::-1]) for (x, y), title in
                  zip(rng.integers(-500, 500, (6, 2)), TITLES, strict=True))  # fmt: skip
    read = replace(network, appearances=shown)
    for fmt in ("net", "xdsl", "json", "net", "xdsl"):
        write_model(tmp_path / "net", read, fmt, {})
        read = read_model(tmp_path / "net")
        assert read.names == network.names and read.appearances == shown, fmt
    some = replace(network, appearances=(Appearance((1.0, 2.0)), *(Appearance() for _ in range(5))))
    write_model(tmp_path / "net", some, "net", {})
    assert read_model(tmp_path / "net").positions is None


def test_files_without_them_are_as_before(tmp_path):
    write_model(tmp_path / "net", named_model(1), "net", {})
    assert "position" not in (tmp_path / "net").read_text()
    assert read_model(tmp_path / "net").appearances is None


def test_a_table_that_a_function_of_hugin_made(caplog):
    caplog.set_level("INFO", "cliquewise")
    made = NET.replace("data = ((0.1", 'model_nodes = (b); model_data = ("f(b)"); data = ((0.1')
    assert parse_model(made, "net").tables[1].tolist() == [[0.1, 0.9], [0.2, 0.8]]
    assert "the table of 'a' was made by a function" in caplog.text
