"""Which state a label means: against the oracle, for labels of all kinds among states of all kinds."""

import numpy as np
import pytest

from cliquewise.common.data.same_states import UNKNOWN, codes_of, other_spellings
from tests.oracles.labels import meant

WORDS = ["0", "0.0", "-0", "00", "0e5", "1", "1.0", "01", "1e0", "10e-1", "+1", "1.", ".5", "0.50", "5e-1", "1e400",
         "1e+400", "10e399", "1e999999999999999999999", "0.1", "0.10000000000000001", "True", "TRUE", "true", "tRuE",
         "False", "FALSE", "", "?", "NA", "na", "yes", "Yes", "yes ", "(0,5]", "(0.0, 5.0]", "(0,5)", "[0,5]",
         "(-inf,1)", "(-inf, 1.0)", "inf", "1_0", "10", "\u0661", "\u00bd"]  # fmt: skip


INTERVALS = ["(-inf,-1)", "[-1,0.5)", "(0.5,1]", "(0.50, 1)", "[1,5)", "[5,5]", "[1e0,1e400)", "(1e400,inf)", "(1,inf)",
             "[0,1e999999999999999999999)", "?"]  # fmt: skip


@pytest.mark.parametrize("words", [WORDS, INTERVALS], ids=["words", "intervals"])
@pytest.mark.parametrize("seed", range(20))
def test_states_meant_are_those_of_the_oracle(seed, words):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        states = rng.choice(words, rng.integers(1, 6), replace=False).tolist()
        others = [word for word in WORDS if words is WORDS or word != "\u0661"]  # which is a number for people
        labels = rng.choice(others, rng.integers(1, 9), replace=False).tolist()
        for fold in (False, True):
            codes = codes_of(labels, states, fold)
            for label, code in zip(labels, codes, strict=True):
                state = meant(label, states, fold)
                assert code == {None: -1, False: UNKNOWN}.get(state, code), (label, states)
                assert code < 0 or states[code] == state, (label, states)


def test_other_spellings():
    labels, states = ["0.0", "1", "", "x", "True"], ["0", "1", "TRUE", "?"]
    assert other_spellings(labels, states, codes_of(labels, states)) == [("0.0", 0), ("True", 2)]


def test_a_number_is_that_of_its_interval():
    """In a table as it was before it was cut, also with numbers that are written for people."""
    states = ["(-inf,64.2)", "[64.2,1000)", "[1000,inf)", "?"]
    assert codes_of(["64.2", "64.1999", "1e3", "NA", "heavy", "inf"], states) == [1, 0, 2, 3, UNKNOWN, UNKNOWN]
    assert codes_of(["64,2", "64,1", "999,99", "1000,0"], states) == [1, 0, 1, 2]
    assert codes_of(["\uff17\uff10", "\u0661"], states) == [1, 0]
    # a row by itself means the same as among others
    for label, code in (("64.1 l/min", 0), ("12 %", 0), ("1000 l/min", 2), ("64,2 mg", 1), ("$70", 1)):
        assert codes_of([label], states) == [code], label
    assert codes_of(["64 heavy ones"], states) == [UNKNOWN]
    assert codes_of(["70"], ["[0,1)", "[60,80)", "other"]) == [UNKNOWN]  # not all are intervals
    assert codes_of(["0.7"], ["[0,1)", "[0.5,2)"]) == [UNKNOWN]  # which of them?
