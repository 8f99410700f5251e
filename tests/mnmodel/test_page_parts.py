"""Pages in Chromium: dots and cards, parts of a network, cases, tables of families, findings at the start."""

import itertools

import numpy as np
import pytest

from cliquewise.common.drawing.page import COMPACT_FROM, Page, page_data
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.appearance import Appearance
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.mixture import Mixture
from tests.mnmodel.browser import click, requested, shown
from tests.mnmodel.page_models import SMALL, layered_network, page_of


def run(driver, script):
    return driver.execute_script(script)


def press_at(driver, x, y):
    """A click of the pointer at a place of the picture."""
    run(driver, f"""const at = canvas.getBoundingClientRect();
        for (const type of ['pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(type, {{
          pointerId: 1, clientX: at.left + {x}, clientY: at.top + {y}, bubbles: true}}));""")  # fmt: skip


@pytest.fixture
def large(look):
    """The page of a network that is shown as dots."""
    network = layered_network(COMPACT_FROM + 10, 3)
    return look(page_of(network)), network


def test_large_networks_are_dots_and_a_card_for_what_is_chosen(large):
    driver, network = large
    assert run(driver, "return scene.isDots(view.k)")
    run(driver, "fitView(); paint()")
    x, y = run(driver, "return dotOf(onScreen(scene.boxes[7], view))")
    press_at(driver, x, y)
    assert run(driver, "return chosen.variable") == 7
    box = run(
        driver, "const {width, height} = canvas.getBoundingClientRect(); return cardOf(scene, 7, view, width, height)"
    )
    press_at(driver, box["x"] + 20, box["y"] + 26 + 8)  # the first row of the card
    assert run(driver, "return [...past[now].keys()]") == [7]
    truth = network.marginals(np.where(np.arange(network.n) == 7, 0, -1)[None].astype(np.int32))[1]
    for v in range(network.n):
        assert run(driver, f"return [...tree.marginal({v})]") == pytest.approx(truth[v][0], abs=1e-9)


def test_small_networks_are_dots_where_there_is_no_room_for_bars(look):
    """On a telephone: every name in full, none over another, and a click on a name chooses its variable."""
    driver = look(page_of(layered_network(30, 3)))
    assert not run(driver, "return scene.isDots(0.5)")
    written = run(
        driver,
        """const texts = [], text = CanvasPen.prototype.text;
        CanvasPen.prototype.text = function (...words) { texts.push(words); text.apply(this, words); };
        Object.assign(view, {k: 0.3, x: 30, y: 30}); paint();
        CanvasPen.prototype.text = text;
        return texts.filter(([name]) => scene.names.includes(name)).map(([name, x, y, size, style]) => {
          const width = textWidth(name, size, false);
          return [name, x - (style.anchor === 'middle' ? width / 2 : 0), y, width];
        });""",
    )
    assert len(written) > 15
    for i, (name, x, y, width) in enumerate(written):
        for other, left, line, room in written[:i]:
            apart = x >= left + room or left >= x + width or abs(y - line) >= 14
            assert apart, (name, other)
    name, x, y, width = written[0]
    press_at(driver, x + width / 2, y)
    assert run(driver, "return scene.names[chosen.variable]") == name


SIZES = """
const sizes = [], text = CanvasPen.prototype.text;
CanvasPen.prototype.text = function (...words) { sizes.push(words[3]); text.apply(this, words); };
view.k = arguments[0]; choose({variable: 3}); paint();
CanvasPen.prototype.text = text;
return Math.min(...sizes);
"""


def test_nothing_is_written_smaller_than_eleven_pixels(large, look):
    driver, _ = large
    for scale in (0.3, 0.6, 1.0):
        assert driver.execute_script(SIZES, scale) >= 11
    driver = look(page_of(layered_network(20, 3)))
    for scale in (0.3, 0.5, 0.7, 1.0):
        assert driver.execute_script(SIZES, scale) >= 11


def test_only_a_part_of_the_network(large):
    driver, network = large
    parents = network.parents
    ancestors, waiting = {40}, [40]
    while waiting:
        found = set(parents[waiting.pop()]) - ancestors
        ancestors |= found
        waiting += found
    children = [v for v in range(network.n) if 40 in parents[v]]
    blanket = {40, *parents[40], *children, *itertools.chain(*(parents[v] for v in children))}
    for kind, members in (("ancestors", ancestors), ("Markov blanket", blanket)):
        run(driver, f"choose({{variable: 40}}); showOnly('{kind}', 40)")
        assert set(run(driver, "return [...scene.only.members]")) == members
        assert f"Only {kind} of" in shown(driver, "#only")
    click(driver, "#only")
    assert run(driver, "return scene.only") is None


def test_a_finding_tints_what_it_changes_and_dims_nothing(look):
    driver = look(page_of(SMALL))
    run(driver, "choose({variable: 3}, false, false); toggleState(3, 1)")
    before, after = (SMALL.marginals(np.array([[-1, -1, -1, k]], np.int32))[1] for k in (-1, 1))
    for v in range(4):
        wanted = abs(after[v] - before[v]).sum() / 2
        assert run(driver, f"return scene.changed[{v}]") == pytest.approx(wanted, abs=1e-9)
    assert run(driver, "return scene.dim") is False
    run(driver, "choose({variable: 1})")
    assert run(driver, "return scene.dim") is True


def test_the_table_of_a_variable_given_all_its_parents(look):
    driver = look(page_of(SMALL))
    v = 3
    run(driver, f"choose({{variable: {v}}}); document.querySelector('.family').open = true")
    cells = [float(cell.text) for cell in driver.find_elements("css selector", ".family td.p")]
    assert cells == pytest.approx(SMALL.tables[v].ravel().tolist(), abs=6e-5)
    states = [cell.text for cell in driver.find_elements("css selector", ".family td:not(.p)")]
    assert states == [*itertools.chain(*itertools.product(*(SMALL.states[u] for u in SMALL.parents[v])))]


def test_cases_are_kept_compared_saved_and_loaded(look):
    driver = look(page_of(SMALL))
    click(driver, "#cases summary")
    run(driver, "toggleState(3, 1); keepCase(); toggleState(2, 0); keepCase(); setFindings(new Map())")
    text = run(driver, "return casesText()")
    names = SMALL.names
    assert text == f"{names[2]},{names[3]}\n,{SMALL.states[3][1]}\n{SMALL.states[2][0]},{SMALL.states[3][1]}\n"
    driver.execute_script("cases.length = 0; loadCases(arguments[0])", text)
    assert run(driver, "return cases.map(one => [...one.findings.keys()])") == [[3], [2, 3]]
    run(driver, "choose({variable: 0})")
    found = run(
        driver, "const p = caseParts(0)[1].querySelectorAll('td'); return [...p].map(td => Number(td.textContent))"
    )
    codes = np.array([[-1, -1, -1, 1], [-1, -1, 0, 1]], np.int32)
    assert found == pytest.approx(SMALL.marginals(codes)[1][0].ravel().tolist(), abs=6e-5)
    assert run(driver, "return past[now].size") == 0 and run(driver, "return [...tree.marginal(0)]") == pytest.approx(
        SMALL.marginals(np.full((1, 4), -1, np.int32))[1][0][0], abs=1e-12
    )
    click(driver, "#cases .pair button")
    assert run(driver, "return [...past[now].keys()]") == [3]


def test_a_page_opens_with_findings(look):
    page = page_of(SMALL)
    driver = look(Page(page.title, page.graph, page.header, page.strengths, page.model, findings={3: [0.0, 1.0]}))
    assert SMALL.names[3] in shown(driver, "#findings") and run(driver, "return [...past[now].keys()]") == [3]
    assert not requested(driver)[1:]


def test_all_states_of_the_explanation_are_in_the_panel(look):
    driver = look(page_of(SMALL))
    click(driver, "#explain")
    click(driver, ".explained summary")
    lines = shown(driver, ".explained dl").splitlines()
    best = run(driver, "return [...scene.explanation]")
    assert lines == [text for v in range(4) for text in (SMALL.names[v], SMALL.states[v][best[v]])]


def test_boxes_are_at_the_positions_of_the_file_or_in_layers():
    """At the file's places; in layers if directed."""
    names, dag = ("a", "b", "c"), Dag(3, ((0, 1), (1, 2)), ("a", "b", "c"))
    boxes = page_data(Page("t", dag))["boxes"]
    assert boxes[0][1] < boxes[1][1] < boxes[2][1]
    placed = page_data(Page("t", dag, positions=np.array([[0, 0], [500, 0], [0, 400]])))["boxes"]
    assert placed[0][1] == placed[1][1] > placed[2][1] and placed[0][0] < placed[1][0]
    assert page_data(Page("t", dag))["descriptions"] is None and len(names) == 3
    assert Appearance().position is None


def test_a_page_of_a_model_too_large_to_answer_takes_no_findings(look, monkeypatch):
    monkeypatch.setattr("cliquewise.common.drawing.page.MAX_STEPS", 1)
    driver = look(page_of(SMALL))
    assert "too large to take findings" in shown(driver, "#findings")
    before = run(driver, "return [...tree.marginals]")
    run(driver, "toggleState(0, 1); choose({variable: 0}); document.body.focus()")
    for key in "1umcr":
        run(driver, f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}'}}))")
    run(driver, "choose({edge: 0}); highlight(null); fitView(); paint()")
    assert run(driver, "return [...tree.marginals]") == before and run(driver, "return past[now].size") == 0
    assert "too large to take findings" in run(driver, "return byId('announcement').textContent")
    assert not run(driver, "return byId('undo').checkVisibility()")


@pytest.fixture
def folded(look, monkeypatch):
    """The page of a network with three communities, which opens with them folded."""
    monkeypatch.setattr("cliquewise.common.drawing.page.COMPACT_FROM", 20)
    monkeypatch.setattr("cliquewise.common.drawing.page.LAYERED_UP_TO", 20)
    rng = np.random.default_rng(2)
    parents = [() if v % 12 == 0 else (v - v % 12, *((v - 1,) if v % 12 > 1 else ())) for v in range(36)]
    parents[12], parents[24] = (3,), (15,)
    tables = [rng.dirichlet([1, 1], 2 ** len(parent_set)) for parent_set in parents]
    names = tuple(f"v{v}" for v in range(36))
    return look(page_of(BayesianNetwork(names, (("n", "y"),) * 36, tuple(parents), tuple(tables))))


def test_communities_are_circles_until_they_are_opened(folded):
    middles = "return circles(scene.boxes.map(box => onScreen(box, view)))"
    run(folded, "fitView(); paint()")
    assert run(folded, "return data.communities") == [list(range(12 * k, 12 * k + 12)) for k in range(3)]
    assert run(folded, "return data.names.filter((_, v) => scene.visible(v))") == []
    assert len(run(folded, middles)) == 3 and run(folded, "return byId('fold').textContent") == "Unfold"
    one = next(one for one in run(folded, middles) if one["i"] == 1)
    press_at(folded, one["x"], one["y"])
    assert run(folded, "return data.names.flatMap((_, v) => (scene.visible(v) ? [v] : []))") == list(range(12, 24))
    run(folded, "pick(2)")  # found by its name: its community opens
    assert run(folded, "return scene.visible(2) && chosen.variable === 2")
    click(folded, "#fold")
    assert run(folded, "return scene.visible(30)") and run(folded, "return byId('fold').textContent") == "Fold"
    click(folded, "#fold")
    assert run(folded, "return [2, 13, 30].some(scene.visible)") is False
    run(folded, "view.k = 2")  # closer than names need
    assert run(folded, "return scene.visible(2)") and run(folded, middles) == []


def record(driver, method, place):
    """Keep one of the arguments of each stroke of the pen in `strokes`."""
    run(driver, f"""window.strokes = []; const drawn = CanvasPen.prototype.{method};
        CanvasPen.prototype.{method} = function (...words) {{
          strokes.push(words[{place}]); drawn.apply(this, words); }};""")  # fmt: skip


def test_findings_and_changes_are_seen_on_circles(folded):
    run(folded, "fitView(); paint()")
    record(folded, "rect", 5)
    plain = run(folded, "strokes.length = 0; paint(); return strokes.map(one => one.fill)")
    known = run(folded, "setFinding(0, likelihoodOf(0, 1)); strokes.length = 0; paint(); return strokes")
    assert [one["fill"] for one in known] != plain
    assert sum(one["stroke"] == run(folded, "return scene.colours.finding") for one in known) == 1


def test_the_class_of_a_mixture_is_always_shown(look, monkeypatch):
    monkeypatch.setattr("cliquewise.common.drawing.page.COMPACT_FROM", 3)
    mixture = Mixture((SMALL, SMALL), np.array([0.25, 0.75]))
    graph = Graph(5, SMALL.moral_graph().edges, mixture.names)
    driver = look(Page("mixed", graph, {}, None, mixture))
    run(driver, "choose({}); fitView()")
    record(driver, "text", 0)
    assert {"class", "25.0", "75.0"} <= set(run(driver, "paint(); return strokes"))
    size = "const {width, height} = canvas.getBoundingClientRect(); "
    box = run(driver, size + "return cardOf(scene, 4, view, width, height)")
    press_at(driver, box["x"] + 20, box["y"] + 26 + 8)
    assert run(driver, "return [...past[now].keys()]") == [4]
