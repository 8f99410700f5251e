"""Checkpoints of every learner with one forged value and the right digest: refused in one line, or resumed."""

import pytest

from cliquewise.common.files.checkpointfile import read_checkpoint
from tests.commands import ROOT
from tests.forged_checkpoints import FORGED, RUNS, forgeries, resume
from tests.slow import slow


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("name", [*(name for name in RUNS if name != "mixture"), *slow("mixture")])
@pytest.mark.parametrize("count", [10, *slow(25)])
def test_a_forged_value_is_refused_or_harmless(workplace, name, count):
    workplace({"data.csv": (ROOT / "data/zoo.csv").read_text()})
    head, state = RUNS[name].checkpoint()
    assert state, "a state to forge"
    assert resume(name, head, state) is None  # unchanged
    assert [
        trouble for key, value in forgeries(1, count, state) if (trouble := resume(name, head, {**state, key: value}))
    ] == []


@pytest.mark.fast_cases(7)
@pytest.mark.parametrize(("name", "key", "value"), FORGED)
def test_forged_values_that_were_not_refused(workplace, name, key, value):
    workplace({"data.csv": (ROOT / "data/zoo.csv").read_text()})
    head, state = RUNS[name].checkpoint()
    assert key in state
    assert resume(name, head, {**state, key: value(state[key])}, refused=key) is None
    assert read_checkpoint("kept")[1].keys() == state.keys()
