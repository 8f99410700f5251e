"""The rows by which the steps of a workflow score networks of a table with missing cells."""

from dataclasses import replace

import numpy as np

import cliquewise
from cliquewise.common.files.result_header import plan_numbers
from cliquewise.common.inference.completions import CompletionPlan, complete
from cliquewise.common.learning.incomplete import COMPLETIONS
from cliquewise.common.networks.completed import completed_rows
from cliquewise.workflow.config import WorkflowOptions
from cliquewise.workflow.learn import Source, _best, edge_gains
from cliquewise.workflow.steps import Steps
from tests.random_inputs import random_dataset


def incomplete_table(rows=200, seed=2):
    """Five columns in which some cells are missing."""
    data = random_dataset(seed, 5, rows)
    kept = np.random.default_rng(seed).random(data.codes.shape) < 0.9
    found = {}
    for name, codes, known in zip(data.names, data.codes.T, kept.T, strict=True):
        found[name] = [f"s{k}" if is_known else None for k, is_known in zip(codes, known, strict=True)]
    return found


def test_links_are_scored_on_the_rows_of_the_search_also_if_time_ended_its_rounds(monkeypatch):
    monkeypatch.setattr("cliquewise.common.learning.incomplete._TIME_SHARE", 0.0)
    data = cliquewise.read_csv(incomplete_table(), missing="em")
    source = Source(("t.csv",), data, {}, Steps(None), {})
    network, gains = _best(data, source, WorkflowOptions(time_limit=10))
    assert network.header["completion-steps"] == "0"
    rows = completed_rows(network.header, "network", data)
    assert gains == edge_gains(network, rows) and len(gains) == len(network.edges) > 0
    unlimited = replace(CompletionPlan(*plan_numbers(network.header, "network")), steps=None)
    assert gains != edge_gains(network, complete(data, unlimited))


def test_completed_rows_in_memory_give_the_result_of_the_incomplete_ones():
    data = cliquewise.read_csv(incomplete_table(), missing="em")
    rows = complete(data, CompletionPlan(COMPLETIONS))
    found = [cliquewise.junctor(one, max_clique=3) for one in (data, replace(rows, reading=data.reading))]
    assert found[0].header == found[1].header and found[0].edges == found[1].edges
