"""Pages: what they are made of, and what is refused. `test_page_in_browser` opens them."""

import base64
import hashlib
import html.parser
import json
import re
import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.drawing.page import MAX_PAGE_VERTICES, SHOWN, Page, Strengths, page_data, page_text
from cliquewise.common.errors import LimitError
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.models.model_file import MODEL_FORMATS, read_model, write_model
from cliquewise.common.models.model_header import header_of, network_lines
from cliquewise.common.run.resources import memory_bound
from cliquewise.mnmodel.evidence import EvidenceOptions
from cliquewise.mnmodel.information import edge_information
from cliquewise.mnmodel.page import drawn_graph
from tests.commands import ROOT
from tests.mnmodel.page_models import layered_network, page_of
from tests.mnmodel.test_large_models import large_network
from tests.random_inputs import csv_text, random_dataset
from tests.random_models import named_model

DATA = random_dataset(5, 5, 80, 3)


class Elements(html.parser.HTMLParser):
    """The elements of a page as a browser would see them: [(tag, attributes)], and the texts in them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.texts, self.open = [], {}, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Remember it."""
        self.found.append((tag, dict(attributes)))
        self.open = True

    def handle_endtag(self, tag):
        """End the element: the text after it is not in it."""
        self.open = False

    def handle_data(self, data):
        """Remember the text of the last element."""
        if self.open:
            self.texts[len(self.found) - 1] = self.texts.get(len(self.found) - 1, "") + data

    def all(self, tag):
        """(attributes, text) of each element of a kind."""
        return [(a, self.texts.get(i, "")) for i, (name, a) in enumerate(self.found) if name == tag]


def data_of(text):
    """The JSON in a page."""
    return json.loads(next(body for attributes, body in Elements(text).all("script") if "id" in attributes))


def a_page(network, **more):
    return Page("net", Dag.from_parents(network.parents, network.names), {"score": "-1.5"}, model=network, **more)


@pytest.fixture
def work(workplace):
    """A folder with data, a chordal graph that was learned with ess 4, a ring, and probabilities of edges."""
    return workplace({
        "data.csv": csv_text(DATA), "net.edges": "# score -12.5\n# ess 4\n# variables 5\n0,1\n0,2\n1,2\n2,3\n",
        "ring.edges": "# variables 5\n0,1\n1,2\n2,3\n0,3\n",
        "some.edges": "# variables 5\n# columns u,v,probability\n0,1,0.25\n1,2,1\n0,4,0.5\n",
    })  # fmt: skip


def shown_by(run, *words):
    """The data of the page that a command writes."""
    done = run(*words, "-q", "-o", "page.html")
    assert done.code == 0, done.stderr
    with open("page.html", encoding="utf-8") as file:
        return data_of(file.read())


def test_a_page_contains_the_model(run, model):
    network, page = read_model(model), shown_by(run, "mnmodel", "page", model)
    assert [page["names"], page["states"]] == [list(network.names), [list(s) for s in network.states]]
    assert [page["tables"], page["parents"]] == [
        [t.ravel().tolist() for t in network.tables], [list(p) for p in network.parents],
    ]  # fmt: skip
    assert page["title"] == "net.bif" and page["strengths"] is None
    header = dict(page["header"])
    assert header["network-score"] == "-12.5" and header["network-ess"] == "4" and header["rows"] == "80"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", header["file-date"])


def test_a_chordal_network_is_drawn_without_arrows(run, model, work):
    page = shown_by(run, "mnmodel", "page", model)
    assert not page["directed"] and page["edges"] == [[0, 1], [0, 2], [1, 2], [2, 3]]
    (work / "net.arcs").write_text("# variables 5\n0,1\n2,1\n1,4\n")
    assert run("mnmodel", "fit", "data.csv", "net.arcs", "-q", "-o", "arcs.bif").code == 0
    page = shown_by(run, "mnmodel", "page", "arcs.bif")
    assert page["directed"] and page["edges"] == [[0, 1], [1, 4], [2, 1]]
    assert sorted(map(sorted, page["cliques"])) == [[0, 1, 2], [1, 4], [3]]


def test_a_false_header_does_not_hide_arrows():
    network = named_model(3)
    assert len(network.moral_graph().edges) > sum(map(len, network.parents))
    assert drawn_graph(network, {"network": "chordal"}).directed


@pytest.mark.parametrize("seed", range(20))
def test_the_junction_tree_is_valid(seed):
    """Every family is in a clique, and the cliques with a variable hang together through the ones above them."""
    network = named_model(seed, [f"v{i}" for i in range(12)], [("a", "b")] * 12)
    page = page_data(a_page(network))
    cliques, up = [set(clique) for clique in page["cliques"]], page["up"]
    assert all(any({v, *above} <= clique for clique in cliques) for v, above in enumerate(network.parents))
    assert all(-1 <= above < i for i, above in enumerate(up))
    for v in range(network.n):
        tops = [i for i, clique in enumerate(cliques) if v in clique and (up[i] < 0 or v not in cliques[up[i]])]
        assert len(tops) == 1


def test_boxes_do_not_overlap():
    boxes = page_data(a_page(named_model(1)))["boxes"]
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0 and y >= 0
        for a, b, c, d in boxes[:i]:
            assert x >= a + c or a >= x + w or y >= b + d or b >= y + h


def test_strengths(run, model):
    by_score = shown_by(run, "mnmodel", "page", model, "--data", "data.csv")
    assert by_score["meaning"] == "score lost without the edge (bdeu, ess 4)"
    drawn = shown_by(run, "mntools", "draw", "net.edges", "--data", "data.csv")
    assert by_score["strengths"] == pytest.approx(drawn["strengths"]) and len(set(drawn["strengths"])) == 4
    listed = shown_by(run, "mnmodel", "page", model, "--probabilities", "some.edges")
    assert listed["strengths"] == [0.25, 0.0, 1.0, 0.0] and listed["meaning"] == "probability of the edge"
    assert shown_by(run, "mnmodel", "page", model, "--strength", "mi")["strengths"] is None
    assert "strengths" not in shown_by(run, "mnmodel", "page", model, "--structure")


def test_strengths_go_with_their_edges_if_columns_are_in_another_order(run, model, work):
    before = shown_by(run, "mnmodel", "page", model, "--data", "data.csv")
    lines = (work / "data.csv").read_text().splitlines()
    (work / "turned.csv").write_text("".join(",".join(reversed(line.split(","))) + "\n" for line in lines))
    after = shown_by(run, "mnmodel", "page", model, "--data", "turned.csv")
    assert after["strengths"] == pytest.approx(before["strengths"])


@pytest.mark.slow
def test_of_many_edges_the_strongest_are_laid_out_and_shown():
    n, rng = 16, np.random.default_rng(1)
    edges = tuple(combinations(range(n), 2))
    values = tuple(rng.permutation(len(edges)) + 1.0)
    whole = page_data(Page("net", Graph(n, edges), strengths=Strengths("x", values)))
    assert whole["weak"] == len(edges) - SHOWN * n and len(whole["edges"]) == len(whole["strengths"]) == len(edges)
    forest = set(heaviest_tree(n, dict(zip(edges, values, strict=True))))
    others = sorted({*edges} - forest, key=lambda edge: -values[edges.index(edge)])[: SHOWN * n - len(forest)]
    shown = tuple(sorted({*forest, *others}))
    part = page_data(Page("net", Graph(n, shown), strengths=Strengths("x", (1.0,) * len(shown))))
    assert part["weak"] == 0 and part["boxes"] == whole["boxes"]
    unknown = page_data(Page("net", Graph(n, edges), strengths=Strengths("x", None)))
    assert unknown["weak"] == page_data(Page("net", Graph(n, edges)))["weak"] == 0


def heaviest_tree(n, weights):
    """Kruskal's algorithm."""
    part, tree = list(range(n)), []
    for u, v in sorted(weights, key=lambda edge: -weights[edge]):
        if part[u] != part[v]:
            part = [part[u] if one == part[v] else one for one in part]
            tree.append((u, v))
    return tree


def test_a_page_of_a_graph(run, work):
    page = shown_by(run, "mntools", "draw", "net.edges")
    assert "states" not in page and "strengths" not in page and page["names"] == list("01234")
    assert sorted(page["cliques"]) == [[0, 1, 2], [2, 3], [4]] and dict(page["header"])["score"] == "-12.5"
    assert shown_by(run, "mntools", "draw", "ring.edges")["cliques"] == []
    assert shown_by(run, "mntools", "draw", "some.edges")["strengths"] == [0.25, 0.5, 1.0]
    assert read_graph("some.edges").graph.edges == ((0, 1), (0, 4), (1, 2))


def test_strengths_that_are_no_numbers():
    graph = Graph(3, ((0, 1), (1, 2)))
    page = page_data(Page("net", graph, strengths=Strengths("x", (float("inf"), -1.0))))
    assert page["strengths"] == [None, -1.0]


HOSTILE = (
    "</script><script>alert(1)</script>",
    '"quoted"',
    "<!--",
    "\u202eright to left",
    "it's ${7*7}",
    "a\nb\u2028",
    "שלום",
)


def test_hostile_names_stay_text():
    states = [(f"{name}<b>", "&lt;", "\ud800") for name in HOSTILE]
    network = named_model(2, HOSTILE, states)
    text = page_text(
        Page(HOSTILE[0], Dag.from_parents(network.parents, network.names), {"k": HOSTILE[2]}, model=network)
    )
    elements = Elements(text)
    assert [attributes.get("type") for attributes, _ in elements.all("script")] == ["application/json", None]
    assert elements.all("b") == [] and text.count("</script>") == 2 and text.encode()
    data = data_of(text)
    assert data["names"] == list(HOSTILE) and data["states"] == [list(labels) for labels in states]
    assert data["title"] == HOSTILE[0] and data["header"] == [["k", HOSTILE[2]]]


def test_the_policy_admits_this_page_only():
    elements = Elements(page_text(Page("net", Graph(2, ((0, 1),)))))
    (policy,) = [a["content"] for a, _ in elements.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == parts["base-uri"] == parts["form-action"] == "'none'" and "unsafe" not in policy
    bodies = {"script-src": elements.all("script")[-1][1], "style-src": elements.all("style")[0][1]}
    for kind, body in bodies.items():
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert parts[kind] == f"'sha256-{digest}'", kind
    for tag, attributes in elements.found:
        assert not {"src", "style", "srcset"} & {*attributes} and not any(key.startswith("on") for key in attributes), (
            tag
        )
        assert attributes.get("href", "data:,") == "data:,"


def test_text_is_never_interpreted_as_html():
    script = Elements(page_text(Page("net", Graph(2, ((0, 1),))))).all("script")[-1][1]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|Function\(", script)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", script) and "import" not in script


def test_a_model_too_large_to_answer_has_its_probabilities(run, work, monkeypatch):
    network = layered_network(12, 5)
    write_model("large.bif", network, "bif", {})
    monkeypatch.setattr("cliquewise.common.drawing.page.MAX_STEPS", 10)
    words = ("mnmodel", "page", "large.bif", "-o", "large.html", "--given", "variable 3=s1", "--likelihood",
             "variable 5=" + ",".join(["0.5"] * len(network.states[5])))  # fmt: skip
    done = run(*words)
    page = data_of(Path("large.html").read_text(encoding="utf-8"))
    codes = np.full((1, 12), -1, np.int32)
    codes[0, 3] = 1
    logs, tables = network.marginals(codes)
    assert done.code == 0 and "too large to take findings in a page: they need" in done.stderr
    assert page["marginals"] == pytest.approx(np.concatenate([table[0] for table in tables]), abs=1e-7)
    assert page["log"] == pytest.approx(logs[0]) and page["cliques"] == [] and "tables" not in page
    known = edge_information(EvidenceOptions().read(network, "large.bif"))
    assert page["strengths"] == pytest.approx([known[min(edge), max(edge)] for edge in page["edges"]])
    assert "strengths" not in page_data(page_of(network))


def test_probabilities_out_of_reach_have_no_bars(monkeypatch, caplog):
    monkeypatch.setattr("cliquewise.common.drawing.page.MAX_STEPS", 10)
    network = large_network()
    findings = {v: (0.0, 1.0) for v, name in enumerate(network.names) if name.startswith("c")}
    dag, places = Dag.from_parents(network.parents, network.names), [(50.0 * v, 10.0 * v) for v in range(network.n)]
    with memory_bound(100_000):
        page = page_data(Page("net", dag, {}, None, network, None, places, findings))
    lacking = {network.names[at // 2] for at, p in enumerate(page["marginals"]) if p is None}
    assert "p1" in lacking and "b1" not in lacking and page["log"] is None
    assert f"no bars for {len(lacking)} of {network.n} variables" in caplog.text


def test_too_many_variables_are_refused():
    with pytest.raises(LimitError, match=f"3001 variables; a page shows at most {MAX_PAGE_VERTICES}"):
        page_text(Page("net", Graph(MAX_PAGE_VERTICES + 1, ())))


@pytest.mark.parametrize("fmt", MODEL_FORMATS)
def test_headers_of_models(tmp_path, fmt):
    header = {"program": "mnmodel fit", "ess": "10", **network_lines("chordal", {"score": "-1.5", "note": "a\nb"})}
    write_model(tmp_path / "net", named_model(1), fmt, header)
    expected = {
        "program": "mnmodel fit",
        "ess": "10",
        "network": "chordal",
        "network-score": "-1.5",
        "network-note": "a b",
    }
    assert header_of((tmp_path / "net").read_text()) == expected
    assert header_of('{"header": 3}') == header_of("{") == header_of("network x {}") == {}


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("mnmodel page net.bif -o no/page.html", 1, "no/page.html: there is no folder no; make it first"),
        ("mnmodel page net.edges -o x.html", 1, "net.edges"),
        ("mnmodel page net.bif --missing drop -o x.html", 2, "--missing needs --data"),
        ("mnmodel page net.bif --strength score -o x.html", 2, "--strength score needs --data"),
        ("mnmodel page net.bif --strength mi --structure", 2, "--strength mi does not go with --structure"),
        ("mnmodel page net.bif --strength mi --data data.csv", 2, "--data has no effect with --strength mi"),
        ("mnmodel page net.bif --probabilities some.edges --data data.csv", 2, "--probabilities has no effect with"),
        ("mnmodel page net.bif --probabilities net.edges -o x.html", 1, "net.edges: edges without probabilities"),
        ("mnmodel page net.bif -o net.bif", 2, "--output net.bif: MODEL is read from that file"),
        ("mntools draw net.edges -o x.tif", 2, "-o x.tif: the name must end in .png, .svg, .pdf or .html"),
    ],
)
def test_refusals(model, refuse, line, code, message):
    refuse(line, code, message)


def test_data_without_a_variable_of_the_model(model, work, refuse):
    (work / "less.csv").write_text("x0,x1\n0,1\n1,0\n")
    refuse(
        "mnmodel page net.bif --data less.csv --header yes -o x.html", 1, "less.csv: no column 'x2', which the model"
    )


def test_the_parts_of_a_page_are_installed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = settings["package-data"]["cliquewise.common.drawing"]
    parts = [path.relative_to(ROOT / "common/drawing") for path in (ROOT / "common/drawing/web").iterdir()]
    assert len(parts) == 15 and all(any(path.match(pattern) for pattern in patterns) for path in parts)


@pytest.mark.parametrize("rule", ["arcs", "em"])
def test_strengths_are_those_that_draw_shows(run, workplace, rule):
    """Of arcs by families, an exclusive or has no dependent pairs; of incomplete data by the completed rows."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 200))
    c = a ^ b ^ (rng.random(200) < 0.05)
    cells = np.column_stack([a, b, c]).astype(str)
    if rule == "em":
        cells[rng.random(cells.shape) < 0.1] = "?"
    head = "# score-type bdeu\n# ess 1\n# format arcs\n# variables 3\n# names a,b,c\na,c\nb,c\n"
    workplace({"d.csv": "\n".join(["a,b,c", *map(",".join, cells.tolist())]) + "\n", "net": head})
    if rule == "em":
        done = run(
            "lsmarkov", "d.csv", "--missing", "em", "--ess", 10, "--iterations", 500, "--names", "-q", "-o", "net"
        )
        assert done.code == 0, done.stderr
    assert run("mnmodel", "fit", "d.csv", "net", "-q", "-o", "m.bif").code == 0
    pages = ("mnmodel", "page", "m.bif"), ("mntools", "draw", "net")
    strengths = []
    for words in pages:
        assert run(*words, "--data", "d.csv", "-o", "page.html", "-q").code == 0
        strengths.append(json.loads(re.search(r'"strengths":(\[[^\]]*\])', Path("page.html").read_text())[1]))
    assert strengths[0] == pytest.approx(strengths[1]) and len(strengths[0]) >= 2 and max(strengths[0]) > 30
