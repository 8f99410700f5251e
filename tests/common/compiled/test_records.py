"""Records that kernels take by address: every kind of field arrives, and two records of one shape are distinguished."""

from typing import NamedTuple

import numpy as np
import pytest

from cliquewise.common.compiled.jit import JIT, kernel
from cliquewise.common.compiled.records import by_address


@by_address
class Inner(NamedTuple):
    """A record that stands in another.

    values : float64[n]
    words : tuple
    """

    values: np.ndarray
    words: tuple


@by_address
class Outer(NamedTuple):
    """A field of each kind."""

    number: int
    real: float
    yes: bool
    table: np.ndarray
    bits: np.ndarray
    inner: Inner


@kernel
def total_of(inner):
    total = 0.0
    for i in range(inner.values.shape[0]):
        total += inner.values[i]
    return total * len(inner.words) + inner.words[0]


@kernel
def everything(outer, out):
    out[0] = outer.number
    out[1] = outer.real
    out[2] = 1.0 if outer.yes else 0.0
    out[3] = outer.table[1, 2]
    out[4] = outer.bits[2]
    out[5] = total_of(outer.inner)
    outer.table[0, 1] += 1.0


def outer(yes):
    """A record, its number negative."""
    inner = Inner(np.arange(4.0), (10, 20))
    table = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    return Outer(-7, 0.1, yes, table, np.array([1, 2, 200], np.uint8), inner)


@pytest.mark.nojit
@pytest.mark.parametrize("yes", [True, False])
def test_kernels_read_every_kind_of_field(yes):
    record, out = outer(yes), np.zeros(6)
    everything(record, out)
    assert out.tolist() == [-7.0, 0.1, float(yes), 5.0, 200.0, 22.0]
    assert record.table[0].tolist() == [0.0, 2.0, 2.0]


@pytest.mark.nojit
def test_a_replaced_field_is_seen():
    record, out = outer(True), np.zeros(6)
    everything(record, out)
    record = record._replace(number=3, inner=record.inner._replace(values=np.full(1000, 0.5)))
    everything(record, out)
    assert out[0] == 3.0 and out[5] == 1010.0
    assert type(record) is Outer and Outer.__name__ == "Outer" and Outer.__doc__ == "A field of each kind."


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_what_kernels_could_not_read_is_refused():
    with pytest.raises(TypeError, match=r"Inner\.values cannot be array\(float64, 1d, A\)"):
        total_of(Inner(np.arange(8.0)[::2], (1,)))
    with pytest.raises(TypeError, match=r"Inner\.words cannot be unicode"):
        total_of(Inner(np.arange(8.0), "words"))
