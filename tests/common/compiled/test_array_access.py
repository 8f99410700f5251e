"""Accesses of kernels to arrays, compared with numpy's."""

import numpy as np
import pytest

from cliquewise.common.compiled import jit
from cliquewise.common.compiled.mode import mode


@jit.kernel
def read(array, i):
    return array[i]


@jit.kernel
def write(array, i, value):
    array[i] = value


@jit.kernel
def read_at(array, i, j):
    return array[i, j]


@jit.kernel
def write_at(array, i, j, value):
    array[i, j] = value


@jit.kernel
def sum_of_row(matrix, i, place):
    row = matrix[i]
    total = row[0] - row[0] + row.shape[0] * row.size
    for value in row[1:]:
        total += value
    return total + matrix[place][1]


@jit.kernel
def ends_and_shape(array):
    return array[0, 0], array[-1, -1], array.shape


DTYPES = np.uint8, np.int32, np.int64, np.uint64, np.float64, np.bool_
INDICES = np.int64, np.int32, np.uint64, np.uint8


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INDICES)
def test_elements_are_those_of_numpy(dtype, index):
    array = (np.arange(24) % 5).astype(dtype).reshape(4, 6)
    for i, j in ((0, 0), (1, 5), (3, 2)):
        assert read(array[1], index(j)) == array[1, j]
        assert read_at(array, index(i), index(j)) == array[i, j]
    changed = array.copy()
    write(changed[2], index(3), dtype(1))
    write_at(changed, index(3), index(0), dtype(1))
    array[2, 3] = array[3, 0] = 1
    assert np.array_equal(changed, array)


@pytest.mark.parametrize("index", [np.int64, np.int32, np.int8])
def test_negative_indices_count_from_the_end(index):
    array = np.arange(24).reshape(4, 6)
    assert read(array[0], index(-2)) == 4
    assert read_at(array, index(-1), index(-6)) == 18
    write_at(array, index(-4), index(-1), 7)
    assert array[0, 5] == 7
    assert ends_and_shape(array) == (0, 23, (4, 6))


@pytest.mark.parametrize("index", [*INDICES, np.int8])
def test_rows_of_matrices_are_those_of_numpy(index):
    array = np.arange(24).reshape(4, 6)
    for i in (0, 3, -1)[: 3 if np.dtype(index).kind == "i" else 2]:
        assert sum_of_row(array, index(i), (index(2),)) == 36 + array[i, 1:].sum() + 13


def test_values_are_converted_to_the_type_of_the_array():
    array = np.zeros(3, np.int32)
    write(array, 0, 2.75)
    write(array, 1, True)
    write(array, 2, np.uint8(200))
    assert array.tolist() == [2, 1, 200]


@pytest.mark.parametrize("of", [lambda a: a[::2], lambda a: a[:, 1::2], lambda a: a.T, lambda a: a[::-1, ::-1]])
def test_arrays_that_are_not_contiguous(of):
    array, other = of(np.arange(24.0).reshape(4, 6)), of(np.arange(24.0).reshape(4, 6))
    assert read_at(array, 1, 2) == array[1, 2] and read(array[:, 1], -1) == array[-1, 1]
    write_at(array, -1, 0, 99.0)
    other[-1, 0] = 99.0
    assert np.array_equal(array, other)


@pytest.mark.skipif(mode() != "tuned", reason="numba writes its own code")
def test_an_element_takes_few_instructions(monkeypatch):
    """numba stored the whole array on the stack for each access."""
    from numba.core.codegen import CPUCodeLibrary

    written = []
    add = CPUCodeLibrary.add_ir_module
    monkeypatch.setattr(
        CPUCodeLibrary, "add_ir_module", lambda self, code: written.append(str(code)) or add(self, code)
    )

    def constant(number):
        def summed(x):
            return x[number] + x[number + 1]

        return jit.kernel(summed)

    assert constant(2)(np.arange(5)) == 5
    assert any("summed" in text and "getelementptr" in text and "alloca" not in text for text in written)
