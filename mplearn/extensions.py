"""Scores of all one-variable extensions of a blanket: the data in two forms, and work space for each thread."""

import math

import numpy as np

from mplearn.extensions_kernels import (
    BDEU,
    LIKELIHOOD,
    ROW_COST,
    SMALL,
    Groups,
    RowTable,
    ScanScratch,
    group_rows,
    pack,
    score_extensions,
)

KINDS = {"bdeu": BDEU, "ll": LIKELIHOOD}


class Extensions:
    """What every thread scans.

    Parameters
    ----------
    dataset : Dataset
    base : str
        bdeu or ll.
    ess : float
        Equivalent sample size, > 0.
    threads : int
        How many work spaces to make.
    """

    def __init__(self, dataset, base, ess, threads):
        self.kind = KINDS[base]
        self.ess = float(ess)
        self.table = row_table(dataset)
        self.ln_arity = np.log(dataset.arity)
        self._spaces = [_work_space(self.table) for _ in range(threads)]

    def scores(self, variable, blanket, thread=0):
        """Local scores, without prior or penalty, of a variable with each other variable added to its blanket.

        Parameters
        ----------
        variable : int
        blanket : list of int
        thread : int
            Whose work space to use.

        Returns
        -------
        float64[n_vars]
            Natural logarithms; minus infinity for the variable and its blanket. Overwritten by the next call.
        """
        groups, scratch, skipped, out = self._spaces[thread]
        skipped[:] = False
        skipped[[variable, *blanket]] = True
        group_rows(self.table, variable, np.array(blanket, np.int64), groups, scratch)
        ln_q = math.fsum(self.ln_arity[blanket])
        score_extensions(self.table, self.kind, self.ess, variable, ln_q, skipped, groups, scratch, out)
        return out


def row_table(dataset):
    """The RowTable of a Dataset."""
    arity = dataset.arity
    columns = np.ascontiguousarray(dataset.codes.T, np.uint8 if arity.max() <= 256 else np.int32)
    first_plane = np.concatenate([[0], np.cumsum(arity - 1)])
    planes = np.zeros((first_plane[-1], -(-dataset.n_rows // 64)), np.uint64)
    pack(columns, arity, first_plane[:-1], planes)
    return RowTable(columns, planes, first_plane[:-1], arity)


def _work_space(table):
    """Groups, ScanScratch, skipped and out of one thread."""
    n_vars, n_rows = table.columns.shape
    words, largest = table.planes.shape[1], int(table.arity.max())
    patterns = np.zeros((max(1, min(n_rows, ROW_COST * n_rows // words)), words), np.uint64)
    rows, ends = (lambda: np.zeros(n_rows, np.int32)), (lambda: np.zeros(n_rows + 1, np.int32))
    states = lambda: np.zeros(largest, np.int32)  # noqa: E731
    groups = Groups(rows(), ends(), ends(), patterns, rows(), np.zeros(3, np.int64))
    scratch = ScanScratch(
        rows(), ends(), ends(), states(), states(), states(), states(), np.zeros(SMALL), np.zeros(SMALL)
    )
    return groups, scratch, np.zeros(n_vars, bool), np.zeros(n_vars)
