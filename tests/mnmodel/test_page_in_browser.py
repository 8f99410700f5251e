"""Pages in a real browser have the same probabilities as Python; `test_page_controls` has the rest."""

import csv
import io
import math
import random

import numpy as np
import pytest

from cliquewise.common.drawing.page import Page
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.empirical import Empirical
from cliquewise.mnmodel.page import ModelPageOptions, page_of_model
from tests.mnmodel.browser import click, drag, shown
from tests.mnmodel.page_models import SMALL, TRUTH, bars, expected_bars, layered_network, page_of, weighted
from tests.mnmodel.test_mixture_model import random_mixture

# Clicks on the buttons of the panel; after each one the marginals, the log probability, and whether there are bars.
CLICKS = """
return arguments[0].map(([what, v, s]) => {
  if (what === 'state') {
    choose({variable: v});
    document.querySelector(`#chosen [data-key="state ${s}"]`).click();
  } else byId(what).click();
  return [scene.impossible, scene.impossible ? null : logProbability, [...tree.marginals]];
});
"""


def random_clicks(network, count, seed):
    """Clicks, and the findings {variable: state} that hold after each one."""
    rng, past, now, clicks, held = random.Random(seed), [{}], 0, [], []
    for _ in range(count):
        what = rng.choices(["state", "undo", "redo", "reset"], [80, 10, 5, 5])[0]
        v = rng.randrange(network.n)
        s = rng.randrange(len(network.states[v]))
        if what == "state":
            findings = {u: t for u, t in past[now].items() if u != v} | ({} if past[now].get(v) == s else {v: s})
        else:
            findings = {}
        if what == "state" or (what == "reset" and past[now]):
            past = [*past[: now + 1], findings]
            now += 1
        now += {"undo": -1 * (now > 0), "redo": now < len(past) - 1}.get(what, 0)
        clicks.append([what, v, s])
        held.append(past[now])
    return clicks, held


def compare_clicks(driver, network, count, seed):
    """Click, and compare every probability with `common.junction.model`; how often findings were impossible."""
    clicks, held = random_clicks(network, count, seed)
    answers = driver.execute_script(CLICKS, clicks)
    codes = np.full((count, network.n), -1, dtype=np.int32)
    for row, findings in zip(codes, held, strict=True):
        row[list(findings)] = list(findings.values())
    start = np.cumsum([0, *map(len, network.states)])
    logs = network.posterior(codes, ())[0]
    impossible = np.array([answer[0] for answer in answers])
    assert (impossible == np.isneginf(logs)).all()
    possible = np.flatnonzero(~impossible)
    assert [answers[i][1] for i in possible] == pytest.approx(logs[possible], abs=1e-9)
    for v in range(network.n):
        expected = network.posterior(codes[possible], (v,))[1]
        found = np.array([answers[i][2][start[v] : start[v + 1]] for i in possible])
        for i, row in enumerate(possible):
            if v in held[row]:
                expected[i] = np.eye(len(network.states[v]))[held[row][v]]
        assert np.abs(found - expected).max() < 1e-9, network.names[v]
    return int(impossible.sum())


def test_a_hundred_clicks(look):
    network = layered_network(9, 1)
    assert compare_clicks(look(page_of(network)), network, 100, 1) == 0


def test_a_hundred_clicks_of_which_some_are_impossible(look):
    network = layered_network(8, 2, zeros=True)
    assert 5 < compare_clicks(look(page_of(network)), network, 100, 2) < 95


@pytest.mark.parametrize("with_rows", [False, True])
def test_a_hundred_clicks_on_a_mixture(look, with_rows):
    mixture = random_mixture(np.random.default_rng(4), [2, 3, 2, 4, 2, 3], 3, with_rows)
    assert any(isinstance(network, Empirical) for network in mixture.networks) == with_rows
    graph = mixture.networks[0].moral_graph()
    drawn = Graph(mixture.n, graph.edges, mixture.names)
    compare_clicks(look(Page("net", drawn, model=mixture)), mixture, 100, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
def test_a_hundred_clicks_on_random_models(look, seed):
    network = layered_network(5 * seed + 5, seed, zeros=seed % 3 == 2)
    compare_clicks(look(page_of(network)), network, 100, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alarm", "asia", "child", "hailfinder", "insurance"])
def test_a_hundred_clicks_on_known_models(look, shared, name):
    page = page_of_model(str(shared / f"data/mplearn/{name}.bif"), ModelPageOptions())
    compare_clicks(look(page), page.model, 100, 7)


def test_the_content_of_the_panel(look):
    driver = look(page_of(SMALL))
    driver.execute_script("choose({variable: 3})")
    click(driver, '#chosen [data-key="state 1"]')
    grass = sum(p for x, p in TRUTH.items() if x[3] == 1)
    text = shown(driver, "#findings")
    assert (
        "grass = wet" in text
        and f"Probability {grass:.4f}".rstrip("0") in text
        and f"{abs(math.log(grass)):.4f}" in text
    )
    assert "100.0 %" in shown(driver, "#chosen") and "Parents (2)" in shown(driver, "#chosen")
    assert shown(driver, "#changes").splitlines()[1] in ("rain", "sprinkler")
    assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars({3: [0, 1]})]
    click(driver, "#about summary")
    assert "-1.5" in shown(driver, "#about")


def test_evidence_of_probability_zero_is_reported(look):
    driver = look(page_of(SMALL))
    assert not driver.find_element("id", "alarm").is_displayed()
    for v in (0, 1):
        driver.execute_script(f"choose({{variable: {v}}})")
        click(driver, '#chosen [data-key="state 1"]')
    assert "probability of these findings is zero" in shown(driver, "#alarm")
    assert "Remove rain or sprinkler." in shown(driver, "#alarm")
    everything = shown(driver, "body") + driver.execute_script("return csvText() + svgPicture().textContent")
    assert "NaN" not in everything and "Infinity" not in everything
    click(driver, "#undo")
    assert not driver.find_element("id", "alarm").is_displayed()
    assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars({0: [0, 1]})]


def test_dragging_a_bar_is_a_soft_finding(look):
    driver = look(page_of(SMALL))
    driver.execute_script("choose({variable: 2}); toggleState(3, 1)")
    drag(driver, driver.find_element("css selector", '#chosen [data-key="bar 1"]'), 0.2, 0.75)
    likelihood = driver.execute_script("return [...past[now].get(2)]")
    assert max(likelihood) == 1 and 0 < min(likelihood) < 1
    assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars({3: [0, 1], 2: likelihood})]
    assert bars(driver)[2][1] == pytest.approx(0.75, abs=0.02)
    assert "~" in shown(driver, "#findings") and "likelihoods" in shown(driver, "#findings")
    assert driver.execute_script("return past.length") == 3  # one step to undo, however far it was dragged
    click(driver, "#undo")
    assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars({3: [0, 1]})]


def test_a_soft_finding_cannot_raise_what_is_impossible(look):
    driver = look(page_of(SMALL))
    driver.execute_script("toggleState(0, 1); choose({variable: 1})")
    drag(driver, driver.find_element("css selector", '#chosen [data-key="bar 1"]'), 0.1, 0.6)
    assert driver.execute_script("return past[now].size") == 1 and not driver.find_element("id", "alarm").is_displayed()
    assert "cannot change that" in driver.find_element("id", "announcement").get_attribute("textContent")


def test_the_most_probable_explanation(look):
    driver = look(page_of(SMALL))
    click(driver, "#explain")
    for findings in ({}, {3: [0, 1]}, {3: [0, 1], 2: [1.0, 0.3]}, {0: [0.2, 1.0], 2: [0, 1]}):
        script = "setFindings(new Map(arguments[0].map(([v, l]) => [v, Float64Array.from(l)])))"
        driver.execute_script(script, [*findings.items()])
        weights = weighted(findings)
        best = max(weights, key=weights.get)
        assert driver.execute_script("return [[...scene.explanation], explainedLog]") == [
            list(best), pytest.approx(math.log(weights[best]), abs=1e-12),
        ]  # fmt: skip
        assert "Most probable explanation" in shown(driver, "#findings")
        assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars(findings)]
    click(driver, "#explain")
    assert "explanation" not in shown(driver, "#findings")


def test_nothing_underflows(look):
    """A thousand children speak against a class, but one makes it certain: a star of cliques, its page is not drawn."""
    n = 1001
    tables = [[0.5, 0.5], *[[0.9, 0.1, 1e-3, 1 - 1e-3]] * (n - 2), [0.0, 1.0, 1.0, 0.0]]
    cliques, up, parents = [[0, v] for v in range(1, n)], [-1, *[0] * (n - 2)], [[], *[[0]] * (n - 1)]
    log, chance = look(page_of(SMALL)).execute_script(
        "const tree = new JunctionTree(...arguments);"
        "const findings = new Map(arguments[0].map((_, v) => [v, Float64Array.of(1, 0)]).slice(1));"
        "return [tree.propagate(findings), tree.marginal(0)[1]]",
        *([2] * n, cliques, up, parents, tables),
    )
    assert log == pytest.approx(math.log(0.5) + (n - 2) * math.log(1e-3), rel=1e-12) and chance == 1


def test_two_settings_side_by_side(look):
    driver = look(page_of(SMALL))
    driver.execute_script("toggleState(0, 1)")
    before = bars(driver)
    click(driver, "#compare")
    driver.execute_script("choose({variable: 3}); setFindings(new Map([[2, likelihoodOf(2, 0)]]))")
    assert "Grey bars: kept for comparison, with\nrain = yes" in shown(driver, "#findings")
    wide = driver.execute_script(
        "return [...document.querySelectorAll('#chosen .track i')].map(bar => parseFloat(bar.style.width))"
    )
    now = bars(driver)
    assert wide == pytest.approx([100 * p for s in (0, 1) for p in (before[3][s], now[3][s])], abs=1e-3)
    rows = list(csv.DictReader(io.StringIO(driver.execute_script("return csvText()"))))
    assert [float(row["before"]) for row in rows] == [p for row in before for p in row]
    click(driver, "#compare")
    assert "Grey bars" not in shown(driver, "#findings")


def test_tables_of_an_edge_and_a_clique(look):
    driver = look(page_of(SMALL))
    driver.execute_script("toggleState(2, 1); choose({edge: data.edges.findIndex(([u, v]) => u === 1 && v === 3)})")
    weights = weighted({2: [0, 1]})
    total = sum(weights.values())
    joint = [[sum(w for x, w in weights.items() if (x[1], x[3]) == (a, b)) / total for b in (0, 1)] for a in (0, 1)]

    def cells():
        return [float(cell.text) for cell in driver.find_elements("css selector", "#chosen td")]

    assert cells() == pytest.approx([p for row in joint for p in row], abs=6e-5)
    assert shown(driver, "#chosen h2") == "sprinkler \u2192 grass"
    for value, expected in (
        ("1", [p / sum(row) for row in joint for p in row]),
        ("2", [joint[a][b] / (joint[0][b] + joint[1][b]) for a in (0, 1) for b in (0, 1)]),
    ):
        click(driver, f'#chosen select option[value="{value}"]')
        assert cells() == pytest.approx(expected, abs=6e-5)
    driver.execute_script("choose({clique: data.cliques.findIndex(clique => clique.length === 3)})")
    rows = [
        [cell.text for cell in row.find_elements("css selector", "td")]
        for row in driver.find_elements("css selector", "#chosen tbody tr")
    ]
    heads = [head.text for head in driver.find_elements("css selector", "#chosen th")][1:]
    assert sorted(heads) == ["grass", "rain", "sprinkler"] and len(rows) == 8
    for chance, *labels in rows:
        state = {SMALL.names.index(name): label for name, label in zip(heads, labels, strict=True)}
        found = sum(w for x, w in weights.items() if all(SMALL.states[v][x[v]] == label for v, label in state.items()))
        assert float(chance) == pytest.approx(found / total, abs=6e-5)


def test_mutual_information_is_that_of_the_model(look):
    driver = look(page_of(SMALL))
    edges, found = driver.execute_script("return [data.edges, data.strengths]")
    for (u, v), value in zip(edges, found, strict=True):
        pair = {(a, b): sum(p for x, p in TRUTH.items() if (x[u], x[v]) == (a, b)) for a in (0, 1) for b in (0, 1)}
        one = {(w, s): sum(p for x, p in TRUTH.items() if x[w] == s) for w in (u, v) for s in (0, 1)}
        assert value == pytest.approx(
            sum(p * math.log(p / one[u, a] / one[v, b]) for (a, b), p in pair.items() if p), abs=1e-12
        )


@pytest.mark.slow
def test_a_thousand_variables(look):
    network = layered_network(1000, 5, near=12)
    driver = look(page_of(network))
    compare_clicks(driver, network, 10, 1)
    assert driver.execute_script("return performance.getEntriesByName('bars').length") == 1
