"""`mntools draw`: what its widths show, and how pictures look."""

import json
import re
import struct

import numpy as np
import pytest

import cliquewise

NET = "# variables 4\n0,1\n1,2\n"


def test_widths_by_probability(run, workplace):
    """A network and a list of probabilities: the edges are those of the network, with the widths of the list."""
    folder = workplace({"net": "# variables 3\n0,1\n1,2\n", "p.edges": "# columns u,v,probability\n0,1,0.9\n0,2,0.2\n"})
    done = run("mntools", "draw", "net", "--probabilities", "p.edges", "-o", "net.svg")
    assert done.code == 0 and "edges that the network does not have are left out: 1" in done.stderr
    listed = (folder / "net.svg").read_bytes()
    assert run("mntools", "draw", "net", "-o", "net.svg").code == 0 and (folder / "net.svg").read_bytes() != listed
    done = run("mntools", "draw", "net", "--probabilities", "net", "-o", "net.svg")
    assert done.code == 1 and "net: edges without probabilities" in done.stderr


def drawn(folder, name="net.svg"):
    return (folder / name).read_bytes()


def size_of(png):
    return struct.unpack(">II", png[16:24])


def test_options_of_a_picture(run, workplace):
    """Each changes the picture, and the same options give the same bytes."""
    folder = workplace({"net": NET})
    seen = set()
    for words in ([], ["--title", "Four"], ["--no-legend"], ["--grey"], ["--size", "3x2"], ["--layout", "layered"]):
        for _ in range(2):
            done = run("mntools", "draw", "net", *words, "-o", "net.svg")
            assert done.code == 0, done.stderr
            seen.add(drawn(folder))
    assert len(seen) == 6
    assert run("mntools", "draw", "net", "--layout", "organic", "-o", "net.svg").code == 0 and drawn(folder) in seen


def test_the_size_is_that_asked_for(run, workplace):
    folder = workplace({"net": NET})
    assert run("mntools", "draw", "net", "--size", "3x2", "-o", "net.png").code == 0
    assert size_of(drawn(folder, "net.png")) == (480, 320)
    done = run("mntools", "draw", "net", "--size", "0.5,0.5", "-o", "net.png")
    assert done.code == 0 and "names are" in done.stderr and "choose a larger one" in done.stderr
    refused = {
        "3": "'3' is not a size; give width and height in inches, 12x8",
        "0x3": "size 0x3: expected width and height, above 0 and at most 200 inches",
        "201x3": "size 201x3: expected",
    }
    for size, message in refused.items():
        done = run("mntools", "draw", "net", "--size", size, "-o", "net.png")
        assert done.code == 2 and message in done.stderr


def test_grey_has_no_colours(run, workplace):
    folder = workplace({"net": NET, "p.edges": "# columns u,v,probability\n0,1,0.9\n1,2,0.2\n"})
    assert run("mntools", "draw", "net", "--probabilities", "p.edges", "--grey", "-o", "net.svg").code == 0
    colours = set(re.findall(r"#[0-9a-f]{6}", drawn(folder).decode()))
    assert len(colours) > 3 and all(one[1:3] == one[3:5] == one[5:] for one in colours)


def test_least_probability(run, workplace):
    listed = "# variables 3\n# columns u,v,probability\n0,1,0.9\n0,2,0.2\n"
    folder = workplace({"net": "# variables 3\n0,1\n0,2\n", "p.edges": listed, "one.edges": "# variables 3\n"
                        "# columns u,v,probability\n0,1,0.9\n", "two.arcs": "# variables 3\n0,1\n0,2\n"})  # fmt: skip
    assert run(*"mntools draw one.edges -o net.svg".split()).code == 0
    wanted = drawn(folder)
    for words in ("p.edges", "net --probabilities p.edges"):
        assert run(*f"mntools draw {words} --min-probability 0.5 -o net.svg".split()).code == 0
        assert drawn(folder) == wanted, words
    assert run(*"mntools draw p.edges --min-probability 0.2 -o net.svg".split()).code == 0 and drawn(folder) != wanted
    done = run(*"mntools draw net --min-probability 0.5 -o net.svg".split())
    assert done.code == 2 and "net: its edges have no probabilities; leave out --min-probability" in done.stderr


def test_losing_edges_are_explained(run, workplace):
    """A legend says what a dashed red line is; pictures are drawn as paths, so the words are asked for here."""
    from cliquewise.common.drawing.picture import Drawing, _Footer, _legend_values

    values = _legend_values([3.0, -2.0])
    assert [text for text, _ in _Footer(Drawing(None, [3.0, -2.0]), values).entries][-1] == "below 0: better without"
    assert not any("below" in text for text, _ in _Footer(Drawing(None, [3.0]), _legend_values([3.0])).entries)


def test_a_page_takes_title_and_layout_but_no_look(run, workplace):
    folder = workplace({"net": NET})
    assert run("mntools", "draw", "net", "--title", "Four & more", "--layout", "layered", "-o", "n.html").code == 0
    text = (folder / "n.html").read_text()
    assert '"title":"Four & more"' in text
    boxes = json.loads(text.partition('"boxes":')[2].partition("]]")[0] + "]]")
    assert boxes[1][1] < boxes[0][1] == boxes[2][1]  # b, the centre of the path, is on top
    for words in (["--grey"], ["--size", "3x2"], ["--no-legend"]):
        done = run("mntools", "draw", "net", *words, "-o", "n.html")
        assert done.code == 2 and f"{words[0]} has no effect on a page; leave it out, or write" in done.stderr


NET_FILE = """net { }
node b { states = ("x" "y"); label = "The B"; position = (300 -20); }
node a { states = ("x" "y"); position = (30 40); }
node c { states = ("x" "y"); position = (31 41); }
potential (b | a) { data = ((0.5 0.5) (0.1 0.9)); }
potential (a) { data = (0.1 0.9); }
potential (c) { data = (0.1 0.9); }
"""


def boxes_of(page):
    """Left, top, width and height of each box of a page, y downwards."""
    return json.loads(page.read_text().partition('"boxes":')[2].partition("]]")[0] + "]]")


@pytest.mark.parametrize("command", ["mntools draw", "mnmodel page"])
def test_variables_stand_where_the_file_has_them(run, workplace, command):
    """Those that would overlap are pushed apart; --layout places them again."""
    folder = workplace({"m.net": NET_FILE})
    assert run(*command.split(), "m.net", "-o", "m.html").code == 0
    b, a, c = boxes_of(folder / "m.html")
    assert b[0] > a[0] + a[2] and b[0] > c[0] + c[2] and b[1] > a[1]  # right of both, and below
    assert a[0] + a[2] <= c[0] or a[1] >= c[1] + c[3] or c[1] >= a[1] + a[3] or c[0] + c[2] <= a[0]


def test_a_title_that_is_no_text_is_refused(run, workplace):
    workplace({"net": NET})
    for path in ("n.png", "n.html"):
        done = run("mntools", "draw", "net", "--title", "caf\udce9", "-o", path)  # é in ISO-8859-1
        assert done.code == 2 and "title 'caf\\udce9': not UTF-8 text; write it in UTF-8" in done.stderr


def test_layouts_and_titles_of_a_model(run, workplace):
    folder = workplace({"m.net": NET_FILE, "plain.net": NET_FILE.replace('label = "The B"; ', "")})
    seen = {}
    for name in ("m.net", "plain.net"):
        for words in ([], ["--layout", "organic"], ["--layout", "layered"]):
            assert run("mntools", "draw", name, *words, "-o", "net.svg").code == 0
            seen[name, *words] = drawn(folder)
    assert len(set(seen.values())) == 6
    model = cliquewise.read_model("m.net")
    assert model.network.titles == ("The B", "a", "c")
    assert model.draw().content != cliquewise.read_model("plain.net").draw().content
    assert model.draw().content != model.draw(layout="organic").content


def test_equal_positions_of_all_variables_are_ignored(run, workplace):
    folder = workplace({"m.net": re.sub(r"position = \([^)]*\)", "position = (0 0)", NET_FILE), "o.net": NET_FILE})
    for name, words in (("m.net", []), ("o.net", ["--layout", "organic"])):
        assert run("mntools", "draw", name, *words, "-o", f"{name}.svg").code == 0
    assert drawn(folder, "m.net.svg") == drawn(folder, "o.net.svg")


def test_places_of_a_file_keep_their_order_and_no_boxes_overlap():
    from cliquewise.common.drawing.layout import place_as_given

    rng = np.random.default_rng(4)
    for _ in range(10):
        positions, sizes = rng.uniform(0, 300, (12, 2)), rng.uniform(20, 90, (12, 2))
        centres = place_as_given(positions, sizes)
        apart = np.abs(centres[:, None] - centres[None]) - (sizes[:, None] + sizes[None]) / 2
        assert (apart.max(axis=2)[~np.eye(12, dtype=bool)] >= -1e-6).all()
        far = np.array([[0.0, 0.0], [1000.0, 500.0], [500.0, -700.0]])
        found = place_as_given(far, np.full((3, 2), 20.0))
        assert found - found[0] == pytest.approx(far)


def test_progress_is_reported(monkeypatch):
    from cliquewise.common.drawing.picture import Drawing, picture
    from cliquewise.common.graphs.graph import Graph

    texts = []
    picture("svg", Drawing(Graph(3, ((0, 1),))), progress=lambda share, text: texts.append((share, text)))
    assert [text for _, text in texts] == ["sizes of names", "layout", "drawing"]
    assert [share for share, _ in texts] == sorted(share for share, _ in texts)


def test_too_many_variables(run, workplace):
    workplace({"net": "# variables 2001\n0,1\n"})
    done = run("mntools", "draw", "net", "-o", "net.svg")
    assert done.code == 1 and "2001 variables; a picture shows at most 2000; write it for a viewer" in done.stderr
    command = re.search(r"mntools convert GRAPH -o \S+graphml", done.stderr)[0].replace("GRAPH", "net").split()
    assert run(*command).code == 0 and cliquewise.read_network("net.graphml").graph.n == 2001


def test_strengths_of_edges_from_data_or_from_a_file(run, workplace):
    """From data, and from a file of mntools strength: the same widths and lines; the rows behind only from data."""
    folder = workplace({"net": NET, "data.csv": "a b,c,d,e\n" + "0,0,0,1\n1,1,0,0\n1,1,1,1\n0,1,0,0\n" * 9})
    assert run("mntools", "strength", "data.csv", "net", "-o", "s.csv").code == 0
    done = run("mntools", "draw", "net", "--strength", "s.csv", "-o", "net.html")
    assert done.code == 1 and "is not an edge of the network, which has no names" in done.stderr
    assert run("mntools", "convert", "net", "--data", "data.csv", "--format", "edges", "-o", "named").code == 0
    pages = {}
    for words in (("--data", "data.csv"), ("--strength", "s.csv")):
        assert run("mntools", "draw", "named", *words, "-o", "net.html").code == 0
        text = drawn(folder, "net.html").decode()
        pages[words[0]] = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.S)[1])
    known, listed = pages["--data"], pages["--strength"]
    assert [one["lines"] for one in known["evidence"]] == [one["lines"] for one in listed["evidence"]]
    assert np.allclose(known["strengths"], listed["strengths"], atol=1e-6)
    assert all(one["table"] == [] for one in listed["evidence"])
    assert known["evidence"][0]["table"][0] == ["a b", "c", "rows"]
    row = next(line.split(",") for line in (folder / "s.csv").read_text().splitlines() if line.startswith("a b,c"))
    lines = known["evidence"][0]["lines"]
    assert lines[1] == f"Log Bayes factor {row[3]}, probability given all other edges {row[4]}"
    assert lines[2] == f"Conditional mutual information {row[5]} nats"
    assert row[7] == "1" and lines[3].startswith(f"G2 {row[6]} with 1 degree of freedom, p {row[8]}, ")
    assert run("mntools", "draw", "named", "--data", "data.csv", "-o", "one.svg").code == 0
    assert run("mntools", "draw", "named", "--strength", "s.csv", "-o", "two.svg").code == 0
    widths = [re.findall(r"stroke-width: ([\d.]+)", drawn(folder, name).decode()) for name in ("one.svg", "two.svg")]
    assert widths[0] == widths[1]


@pytest.mark.parametrize(
    "text, message",
    [
        ("u,v\n0,1\n", "expected the columns u,v,given,gain"),
        ("u,v,given,gain,probability,cmi,g2,df,p,p-holm\n0,1,,1,,,,,,\n", "no line of the edge 1,2"),
        ("u,v,given,gain,probability,cmi,g2,df,p,p-holm\n0,3,,1,,,,,,\n", "s.csv:2: 0,3 is not an edge of the network"),
        ("u,v,given,gain,probability,cmi,g2,df,p,p-holm\n0,1,,much,,,,,,\n", "gain 'much': expected a number"),
    ],
)
def test_strengths_that_do_not_fit(run, workplace, text, message):
    workplace({"net": NET, "s.csv": text})
    done = run("mntools", "draw", "net", "--strength", "s.csv", "-o", "net.svg")
    assert done.code == 1 and message in done.stderr


@pytest.mark.parametrize("words", ["draw net --data other.csv -o net.svg", "check net --data other.csv"])
def test_a_table_of_other_columns_is_refused_before_warnings_about_it(workplace, refuse, run, words):
    rows = "".join(f"p{k},2020-01-{k % 28 + 1:02d},{k * 7.5},x\n" for k in range(60))
    workplace({"other.csv": "a,b,c,d\n" + rows, "net": "# format edges\nage,sex\n"})
    done = run("mntools", *words.split())
    assert done.code == 1 and done.stderr.startswith("mntools: net:2: unknown vertex 'age'"), done.stderr
    assert len(done.stderr.splitlines()) == 1
