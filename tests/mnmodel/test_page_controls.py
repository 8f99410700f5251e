"""The controls of a page in a real browser do what they say."""

import csv
import io
import time
from itertools import combinations
from xml.etree import ElementTree

import pytest

from cliquewise.common.drawing.page import Page, Strengths, page_of_drawing
from cliquewise.common.drawing.picture import Drawing
from cliquewise.common.drawing.style import DEFAULT
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import read_graph
from tests.mnmodel.browser import click, press, resize, shown
from tests.mnmodel.page_models import SMALL, bars, expected_bars, layered_network, page_of
from tests.mnmodel.test_page import HOSTILE
from tests.random_models import named_model


def test_undo_redo_and_reset(look):
    driver = look(page_of(SMALL))
    driver.execute_script("choose({variable: 0})")
    states = [bars(driver)]
    for v, s in ((0, 1), (2, 0), (3, 1)):
        driver.execute_script(f"toggleState({v}, {s})")
        states.append(bars(driver))
    for where, expected in (
        ("#undo", 2),
        ("#undo", 1),
        ("#redo", 2),
        ("#reset", 0),
        ("#undo", 2),
        ("#undo", 1),
        ("#undo", 0),
    ):
        click(driver, where)
        assert bars(driver) == states[expected], where
    assert [driver.find_element("id", name).is_enabled() for name in ("undo", "redo", "reset")] == [False, True, False]


def test_a_finding_is_removed_by_its_button(look):
    driver = look(page_of(SMALL))
    driver.execute_script("toggleState(0, 0); toggleState(3, 1)")
    click(driver, "#findings .chips li:first-child button")
    assert driver.execute_script("return [...past[now].keys()]") == [3]


def test_a_click_in_the_picture(look):
    """Real clicks: on the row of a state, on the name of a box, on an edge, and beside everything."""
    from selenium.webdriver import ActionChains

    driver = look(page_of(SMALL))
    canvas = driver.find_element("id", "picture")

    def at(x, y):
        """Click at a place of the page."""
        place = canvas.rect
        ActionChains(driver).move_to_element_with_offset(
            canvas, round(x - place["width"] / 2), round(y - place["height"] / 2)
        ).click().perform()

    where = "const {{x, y}} = scene.boxes[{v}]; return [(x + {x}) * view.k + view.x, (y + {y}) * view.k + view.y]"
    at(*driver.execute_script(where.format(v=3, x=20, y=26 + 16 + 8)))  # its second state
    assert driver.execute_script("return [chosen.variable, [...past[now].get(3)]]") == [3, [0, 1]]
    at(*driver.execute_script(where.format(v=3, x=20, y=26 + 16 + 8)))  # not known again
    at(*driver.execute_script(where.format(v=0, x=20, y=10)))
    assert driver.execute_script("return [chosen.variable, past[now].size, [...scene.lit].sort()]") == [
        0,
        0,
        [0, 1, 2, 3],
    ]
    middle = (
        "const [a, b] = data.edges[{e}].map(v => scene.boxes[v]), mid = (b, s) => b[s] + b[s === 'x' ? 'w' : 'h'] / 2;"
        "const shift = scene.boxes[2]; shift.x += 4000; fitView();"
        "return ['x', 'y'].map(s => (mid(a, s) + mid(b, s)) / 2 * view.k + view[s])"
    )
    at(*driver.execute_script(middle.format(e=1)))
    assert driver.execute_script("return data.edges[chosen.edge]") == list(
        driver.execute_script("return data.edges[1]")
    )
    at(4, 4)
    assert driver.execute_script("return [Object.keys(chosen).length, scene.lit]") == [0, None]


def test_dragging_a_bar_in_the_picture(look):
    from selenium.webdriver import ActionChains

    driver = look(page_of(SMALL))
    canvas = driver.find_element("id", "picture")
    x, y, wide, width, height = driver.execute_script(
        "const bar = barOf(scene, onScreen(scene.boxes[2], view), 2, 1, view.k);"
        "return [bar.x, bar.y + bar.h / 2, bar.w, canvas.clientWidth, canvas.clientHeight]"
    )
    chain = ActionChains(driver, duration=20)
    chain.move_to_element_with_offset(canvas, round(x + wide / 10 - width / 2), round(y - height / 2)).click_and_hold()
    for _ in range(4):
        chain.move_by_offset(round(wide / 8), 0)
    chain.release().perform()
    (likelihood,) = driver.execute_script("return [...past[now].values()].map(finding => [...finding])")
    assert bars(driver)[2][1] == pytest.approx(0.6, abs=0.08) and min(likelihood) > 0
    assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars({2: likelihood})]
    assert driver.execute_script("return [chosen.variable, past.length, press]") == [2, 2, None]


def test_moving_the_picture_and_a_box(look):
    from selenium.webdriver import ActionChains

    driver = look(page_of(SMALL))
    canvas, view = driver.find_element("id", "picture"), "return [view.x, view.y, view.k]"
    x, y, k = driver.execute_script(view)
    wide, high = canvas.size["width"], canvas.size["height"]
    ActionChains(driver, duration=20).move_to_element_with_offset(
        canvas, 6 - wide // 2, 6 - high // 2
    ).click_and_hold().move_by_offset(30, 40).move_by_offset(10, 0).release().perform()
    assert driver.execute_script(view) == [pytest.approx(x + 40), pytest.approx(y + 40), k]
    turn = "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: 300, clientY: 300, cancelable: true}))"
    driver.execute_script(turn)
    assert driver.execute_script("return view.k") > 1.3 * k
    click(driver, "#fit")
    assert driver.execute_script(view) == [pytest.approx(x), pytest.approx(y), pytest.approx(k)]
    before = driver.execute_script("return scene.boxes[0].x")
    place = driver.execute_script(
        "const box = scene.boxes[0]; return [(box.x + 20) * view.k + view.x, (box.y + 8) * view.k + view.y]"
    )
    ActionChains(driver, duration=20).move_to_element_with_offset(
        canvas, round(place[0] - wide / 2), round(place[1] - high / 2)
    ).click_and_hold().move_by_offset(20, 0).move_by_offset(20, 0).release().perform()
    assert driver.execute_script("return scene.boxes[0].x") == pytest.approx(before + 40 / k, abs=1)


def test_two_fingers_zoom(look):
    driver = look(page_of(SMALL))
    k = driver.execute_script("return view.k")
    for kind, a, b in (("pointerdown", 300, 400), ("pointermove", 300, 500), ("pointerup", 300, 500)):
        for finger, x in ((11, a), (12, b)):
            driver.execute_script(
                "const [kind, pointerId, clientX] = arguments; canvas.setPointerCapture = () => {};"
                "canvas.dispatchEvent(new PointerEvent(kind, {pointerId, clientX, clientY: 300, bubbles: true}))",
                kind, finger, x,
            )  # fmt: skip
    assert driver.execute_script("return view.k") == pytest.approx(2 * k, rel=1e-6)
    assert driver.execute_script("return past[now].size") == 0


def test_search(look):
    driver = look(page_of(layered_network(25, 3)))
    box = driver.find_element("id", "search")
    box.send_keys("able 1")
    found = [item.text for item in driver.find_elements("css selector", "#found [role=option]")]
    assert found == ["variable 1", *(f"variable {v}" for v in range(10, 18))]  # nine of eleven
    assert driver.execute_script("return scene.found.size") == 11
    press(driver, "arrow_down", "arrow_down", "enter")
    assert driver.execute_script("return [chosen.variable, scene.found]") == [11, None]
    assert driver.execute_script(
        "const {x, w} = scene.boxes[11], middle = (x + w / 2) * view.k + view.x;"
        "return view.k >= 1.1 && Math.abs(middle - canvas.clientWidth / 2) < 1"
    )
    press(driver, "/")
    box.send_keys("nothing like it")
    assert "No variable" in shown(driver, "#found")
    press(driver, "escape")
    assert not driver.find_element("id", "found").is_displayed() and box.get_attribute("value") == ""


def test_of_many_edges_the_weakest_are_hidden_until_the_slider_is_moved(look):
    edges = tuple(combinations(range(20), 2))
    values = tuple(float(1 + 7 * e % 190) for e in range(190))
    driver = look(Page("net", Graph(20, edges), strengths=Strengths("x", values)))
    hidden = driver.execute_script("return [...scene.hidden]")
    assert 128 <= sum(hidden) <= 131 and shown(driver, "#hidden") == f"{sum(hidden)}"
    least = min(value for value, off in zip(values, hidden, strict=True) if not off)
    assert least > max(value for value, off in zip(values, hidden, strict=True) if off)
    driver.execute_script("const slider = byId('weak'); slider.value = 0; slider.dispatchEvent(new Event('input'))")
    assert sum(driver.execute_script("return [...scene.hidden]")) == 0


def test_the_slider_hides_weak_edges(look):
    driver = look(page_of(layered_network(25, 3)))
    strengths = driver.execute_script("return data.strengths")
    driver.execute_script("const slider = byId('weak'); slider.value = 40; slider.dispatchEvent(new Event('input'))")
    hidden = driver.execute_script("return [...scene.hidden]")
    count = int(0.4 * len(strengths))
    assert sum(hidden) == count and shown(driver, "#hidden") == str(count) and count > 3
    assert max(s for s, h in zip(strengths, hidden, strict=True) if h) <= min(
        s for s, h in zip(strengths, hidden, strict=True) if not h
    )
    lines = driver.execute_script(
        "return [...svgPicture().querySelectorAll('path[stroke]')].map(path => path.getAttribute('d'))"
    )
    assert sum(line.count("M") for line in lines) == len(strengths) - count


def test_the_keyboard(look):
    driver = look(page_of(SMALL))
    driver.execute_script("canvas.focus()")
    k = driver.execute_script("return view.k")
    press(driver, "+")
    assert driver.execute_script("return view.k") == pytest.approx(1.25 * k)
    press(driver, "-", "0", "shift+arrow_left")
    assert driver.execute_script("return view.k") == pytest.approx(k)
    press(driver, "arrow_right")
    first = driver.execute_script("return chosen.variable")
    assert SMALL.names[first] in ("rain", "grass")  # those with most neighbours
    walked = {first}
    for key in ("arrow_left", "arrow_up", "arrow_right", "arrow_down") * 2:
        press(driver, key)
        walked.add(driver.execute_script("return chosen.variable"))
    assert len(walked) >= 3
    driver.execute_script("choose({variable: 3})")
    press(driver, "2")
    assert bars(driver) == [pytest.approx(row, abs=1e-12) for row in expected_bars({3: [0, 1]})]
    press(driver, "control+z")
    assert driver.execute_script("return past[now].size") == 0
    press(driver, "control+y", "u", "shift+U")
    assert driver.execute_script("return past[now].size") == 1
    press(driver, "m", "c")
    assert driver.execute_script("return [explaining, kept !== null]") == [True, True]
    press(driver, "r", "?")
    assert driver.execute_script("return past[now].size") == 0 and driver.find_element("id", "keys").is_displayed()
    press(driver, "escape")
    assert driver.execute_script("return Object.keys(chosen).length") == 0
    driver.execute_script("choose({variable: 2}); document.querySelector('#chosen [data-key=\"bar 0\"]').focus()")
    before = bars(driver)[2][0]
    press(driver, "arrow_right", "arrow_right")
    assert bars(driver)[2][0] == pytest.approx(before + 0.1, abs=1e-12)


def test_every_control_is_reached_by_tab(look):
    driver = look(page_of(SMALL))
    driver.execute_script("choose({variable: 3}); document.activeElement.blur()")
    reached = set()
    for _ in range(40):
        press(driver, "tab")
        reached.add(
            driver.execute_script("const e = document.activeElement; return e.id || e.dataset.key || e.textContent")
        )
    wanted = {
        "search",
        "compare",
        "explain",
        "weak",
        "svg",
        "csv",
        "print",
        "theme",
        "help",
        "picture",
        "zoom-in",
        "fit",
    }
    assert wanted | {"state 0", "bar 0", "state 1", "rain"} <= reached
    unnamed = driver.execute_script(
        "return [...document.querySelectorAll('button, input, select, [role=slider]')]"
        ".filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels && e.labels.length))"
        ".map(e => e.outerHTML)"
    )
    assert unnamed == []


def test_export(look):
    driver = look(page_of(SMALL))
    driver.execute_script("toggleState(3, 1)")
    (picture, kind, svg), (numbers, _, text) = driver.execute_script(
        "const saved = []; save = (...what) => saved.push(what); byId('svg').click(); byId('csv').click(); return saved"
    )
    assert (picture, kind, numbers) == ("net.svg", "image/svg+xml", "net-probabilities.csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["variable"], row["state"]) for row in rows] == [
        (n, s) for n, labels in zip(SMALL.names, SMALL.states, strict=True) for s in labels
    ]
    assert [float(row["probability"]) for row in rows] == pytest.approx(
        [p for row in expected_bars({3: [0, 1]}) for p in row], abs=1e-12
    )
    texts = [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {*SMALL.names, "100.0"} <= {*texts} and "http" not in svg.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("scale", [0.7, 0.9, 1.0, 1.6])
def test_numbers_do_not_lie_on_bars(look, scale):
    driver = look(page_of(SMALL))
    gaps = driver.execute_script(
        "const scale = arguments[0], box = {x: 0, y: 0, w: 130 * scale}, size = Math.max(11, 10 * scale);"
        "const bar = barOf({states: [['False', 'True']], explanation: null}, box, 0, 0, scale);"
        "return [box.w - 8 * scale - textWidth('100.0', size, false) - bar.x - bar.w, bar.w]",
        scale,
    )
    assert min(gaps) > 2


def test_a_file_is_saved(look, tmp_path):
    driver = look(page_of(SMALL))
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "saved")}
    )
    click(driver, "#csv")
    target, end = tmp_path / "saved/net-probabilities.csv", time.monotonic() + 30
    while not target.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert target.read_text().startswith("variable,state,probability\nrain,no,0.7")


def test_print_shows_the_picture_and_the_findings(look):
    driver = look(page_of(SMALL), dark=True)
    driver.execute_script("toggleState(3, 1); window.dispatchEvent(new Event('beforeprint'))")
    assert driver.execute_script(
        "return [byId('sheet').querySelectorAll('svg text').length > 8, byId('about').open]"
    ) == [True, True]
    assert driver.execute_script("return document.documentElement.dataset.theme") == "light"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert (
        driver.find_element("css selector", "#sheet svg").is_displayed()
        and not driver.find_element("id", "tools").is_displayed()
    )
    assert driver.find_element("id", "findings").is_displayed()
    resize(driver, 1200, 800, True)
    driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert driver.execute_script("return [byId('sheet').children.length, document.documentElement.dataset.theme]") == [
        0,
        "dark",
    ]


def test_long_names_stay_within_the_panel(look):
    network = named_model(1, [f"{v} is the name of a variable " + "that goes on " * 12 + "x" * 90 for v in range(6)])
    driver = look(page_of(network, "t" * 200), 900)
    for what in ("{variable: 0}", "{variable: 5}", "{edge: 1}", "{clique: 0}"):
        driver.execute_script(f"choose({what}); toggleState(2, 0)")
        wide = "return [byId('panel'), document.documentElement].map(e => e.scrollWidth - e.clientWidth)"
        assert driver.execute_script(wide) == [0, 0], what


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False)])
def test_the_page_fits_the_window(look, width, dark):
    driver = look(page_of(layered_network(25, 3)), width, 740, dark)
    driver.execute_script("choose({variable: 8}); toggleState(8, 0)")
    assert driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]") == [width, width]
    assert driver.execute_script("return canvas.clientWidth > 250 && canvas.clientHeight > 250")
    assert driver.execute_script("return document.documentElement.dataset.theme") == ("dark" if dark else "light")
    if width < 760:  # a menu
        assert not driver.find_element("id", "theme").is_displayed()
        click(driver, "#menu")
        assert driver.execute_script("return document.documentElement.scrollWidth") == width
    click(driver, "#theme")
    assert driver.execute_script("return document.documentElement.dataset.theme") == ("light" if dark else "dark")


def test_colours_can_be_distinguished(look):
    """Contrast of text and of bars with their ground, light and dark (WCAG 2: 4.5 for text, 3 for graphics)."""
    driver = look(page_of(SMALL))

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for _ in "light", "dark":
        click(driver, "#theme")
        colours = driver.execute_script("return scene.colours")
        for one, other, least in (
            *(("ink", "box", 4.5), ("soft", "panel", 4.5), ("ink", "paper", 4.5), ("finding", "box", 4.5)),
            *(("bar", "track", 3), ("finding", "track", 3), ("strong", "paper", 3), ("losing", "paper", 3)),
        ):
            light, deep = sorted((luminance(colours[one]), luminance(colours[other])), reverse=True)
            assert (light + 0.05) / (deep + 0.05) >= least, (one, other)


def test_hostile_names_are_harmless(look):
    network = named_model(2, HOSTILE, [(f"{name}<img src=x onerror=alert(1)>", "&lt;", "") for name in HOSTILE])
    page = Page(HOSTILE[0], Dag.from_parents(network.parents, network.names), {HOSTILE[2]: HOSTILE[0]}, model=network)
    driver = look(page)
    for v in range(network.n):
        driver.execute_script(f"choose({{variable: {v}}}); toggleState({v}, 0)")
    driver.execute_script(
        "choose({edge: 0}); choose({clique: 0}); byId('search').value = '<'; search(); byId('about').open = true"
    )
    svg, text = driver.execute_script("return [new XMLSerializer().serializeToString(svgPicture()), csvText()]")
    ElementTree.fromstring(svg)
    assert [row["variable"] for row in csv.DictReader(io.StringIO(text, newline=""))][::3] == list(HOSTILE)
    assert (
        driver.execute_script(
            "return document.querySelectorAll('img, b[onclick], script:not([id]):not(:last-of-type)').length"
        )
        == 0
    )
    assert driver.title and HOSTILE[0] in driver.execute_script("return byId('title').textContent")


def test_a_page_without_probabilities(look, tmp_path):
    (tmp_path / "net.edges").write_text("# score -3\n# variables 5\n0,1\n0,2\n1,2\n2,3\n")
    file = read_graph(tmp_path / "net.edges")
    driver = look(page_of_drawing(file, Drawing(file.network, [3.0, 1.0, 2.0, -1.0]), DEFAULT))
    driver.execute_script("choose({variable: 2})")
    assert "Neighbours (3)" in shown(driver, "#chosen") and "Cliques (2)" in shown(driver, "#chosen")
    assert (
        not driver.find_element("id", "explain").is_displayed()
        and not driver.find_element("id", "findings").is_displayed()
    )
    driver.execute_script("choose({edge: 3})")
    assert "score lost without the edge: -1" in shown(driver, "#chosen")
    assert driver.execute_script("return svgPicture().querySelectorAll('path[stroke-dasharray]').length") == 1
    press(driver, "u", "c", "m", "r", "control+z", "1")  # keys of what is not there
