"""mntools plot: the picture of a run's trace."""

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from cliquewise.mntools.trace_plot import r_hat_over_time, read_trace
from tests.commands import ROOT
from tests.oracles import diagnostics as oracle

pytest.importorskip("matplotlib")
SEARCH = "seconds,step,score\n0.1,5,-20\n1.0,9,-12.5\n2.5,30,-12\n"


def sampled(rounds=40, apart=0.0):
    """A trace of two ladders, of which the first ten rounds do not count."""
    rng = np.random.default_rng(1)
    rows = ["seconds,step,ladder,adapting,score,edges"]
    for i in range(rounds):
        for ladder in range(2):
            rows.append(f"{i / 10},{i},{ladder},{int(i < 10)},{rng.normal() + apart * ladder:.6f},3")
    return "\n".join(rows) + "\n"


def test_r_hat_is_that_of_the_draws_so_far(workplace):
    workplace({"a.trace": sampled(), "b.trace": sampled(apart=9.0), "c.trace": sampled(15)})
    trace = read_trace("a.trace")
    seconds, values = r_hat_over_time(trace)
    counting = trace["score"].reshape(-1, 2).T[:, 10:]
    assert seconds[-1] == 3.9 and values[-1] == pytest.approx(oracle.r_hat(counting.tolist()))
    assert values[0] == pytest.approx(oracle.r_hat(counting[:, :8].tolist()))
    assert r_hat_over_time(read_trace("b.trace"))[1].min() > 1.5 > 1.3 > values[-1]
    assert len(r_hat_over_time(read_trace("c.trace"))[0]) == 0


def test_r_hat_is_drawn_below_scores_in_a_panel_of_its_own(run, workplace):
    folder = workplace({"a.trace": sampled(), "s.trace": SEARCH})
    sizes = []
    for trace in ("s", "a"):
        assert run("mntools", "plot", f"{trace}.trace", "-o", f"{trace}.png").code == 0
        sizes.append(struct.unpack(">II", (folder / f"{trace}.png").read_bytes()[16:24]))  # of the header, IHDR
    assert sizes == [(1056, 576), (1056, 896)]  # 6.6 by 3.6 inches, and 2 more; 160 pixels per inch


@pytest.mark.slow
def test_pictures(run, workplace):
    folder = workplace({"a.trace": sampled(), "s.trace": SEARCH, "c.trace": sampled(1)})
    for trace, name in [("a", "a.svg"), ("a", "b.svg"), ("s", "s.svg"), ("c", "c.png"), ("s", "s.pdf")]:
        done = run("mntools", "plot", f"{trace}.trace", "-o", name)
        assert done.code == 0, done.stderr
    assert (folder / "a.svg").read_bytes() == (folder / "b.svg").read_bytes()
    lines = [(folder / name).read_text().count('<g id="line2d') for name in ("a.svg", "s.svg")]
    assert lines[0] >= lines[1] + 3  # another ladder, R-hat, and what is good


def test_refusals(refuse, workplace):
    workplace(
        {"t": SEARCH, "empty": "", "short": "seconds,score\n", "no": "seconds,step\n1,2\n", "x": "seconds,score\n1,a\n"}
    )
    refuse("mntools plot -o x.png", 2, "Missing argument 'TRACE'")
    refuse("mntools plot t -o x.gif", 2, "-o x.gif: the name must end in .png, .svg or .pdf")
    refuse("mntools plot empty -o x.png", 1, "empty: ")
    refuse("mntools plot short -o x.png", 1, "short: no rows; expected a trace")
    refuse("mntools plot no -o x.png", 1, "no: no column 'score'; expected a trace")
    refuse("mntools plot x -o x.png", 1, "x:2: 'a' in the column 'score' is not a number that can be drawn")
    for value in ("nan", "-inf", "1e308", ""):
        Path("y").write_text(f"seconds,score\n1,2\n2,{value}\n")
        refuse("mntools plot y -o x.png", 1, f"y:3: '{value}' in the column 'score' is not a number that can be drawn")


@pytest.mark.slow
def test_a_real_trace(run, workplace):
    workplace({})
    done = run("mnposterior", ROOT / "data/zoo.csv", "--iterations", 4_000_000, "--trace", "zoo.trace")
    assert done.code == 0, done.stderr
    assert not math.isnan(r_hat_over_time(read_trace("zoo.trace"))[1][-1])
    assert run("mntools", "plot", "zoo.trace", "-o", "zoo.svg").code == 0
