"""Scores a second by the number of rows that differ: counted on bit planes, and row by row."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.sets.set_orders import set_count

VARIABLES, LARGEST = 30, 3
ROWS = {"10000": 10_000, "100000": 100_000, "1000000": 1_000_000}


def binary(n_rows):
    """Independent binary variables, of which hardly two rows are equal."""
    codes = (np.random.default_rng(1).random((n_rows, VARIABLES)) < 0.4).astype(np.uint8)
    return Dataset(tuple(f"V{v}" for v in range(VARIABLES)), (("0", "1"),) * VARIABLES, np.asfortranarray(codes))


def rate(data, threads, planes):
    """Scores a second of all sets of up to LARGEST variables."""
    scorer = SetScorer(data, threads=threads)
    table = scorer.scores.table
    if not planes:
        table = table._replace(first_plane=np.full(data.n, -1))
        scorer.scores = scorer.scores._replace(table=table)
    with ThreadPoolExecutor(threads) as pool:
        scorer.precompute(1, pool.map)
        began = time.perf_counter()
        scorer.precompute(LARGEST, pool.map)
        return set_count(data.n, LARGEST) / (time.perf_counter() - began), table.columns.shape[1]
