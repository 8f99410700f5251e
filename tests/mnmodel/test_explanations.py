"""Most probable states of models whose tables are too large: found by toulbar2, against enumeration."""

import math
import re

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import LimitError
from cliquewise.common.exact import toulbar2
from cliquewise.common.models.model_file import write_model
from cliquewise.common.run.resources import memory_bound
from tests.mnmodel.test_inference import random_case
from tests.mnmodel.test_large_models import SMALL, children, large_network
from tests.oracles import questions
from tests.slow import slow

needs_solver = pytest.mark.skipif(toulbar2.find_spec("pytoulbar2") is None, reason="pytoulbar2 is not installed")


@pytest.fixture
def work(workplace):
    """A folder with a network of which all tables together do not fit into `SMALL`."""
    place = workplace({"rows.csv": "p0,c0_0\nn,\ny,y\n,n\n"})
    write_model("net.bif", large_network(), "bif", {})
    return place


@pytest.mark.fast_cases(1)
@needs_solver
@pytest.mark.parametrize("seed", [*range(3), *slow(*range(3, 10))])
def test_found_states_are_most_probable(seed):
    _, network, joint, codes, likelihoods = random_case(seed)
    likely = questions.weighted(joint, likelihoods)
    logs, full, found = network.most_probable_by_search(codes, likelihoods)
    for row, log, completed, one in zip(codes.tolist(), logs.tolist(), full.tolist(), found, strict=True):
        known = {v: k for v, k in enumerate(row) if k >= 0}
        best = max(p for state, p in likely.items() if all(state[v] == k for v, k in known.items()))
        if best == 0:
            assert log == -math.inf
            continue
        assert all(completed[v] == k for v, k in known.items()) and one.is_optimal and one.gap < 1e-6
        assert log == pytest.approx(math.log(likely[tuple(completed)]), abs=1e-9)
        assert log == pytest.approx(math.log(best), abs=1e-6)


@needs_solver
@pytest.mark.parametrize("known", [[], ["--given", children()], ["--likelihood", "p0=0.1,0.9", "--given", "z=y"]])
def test_a_search_replaces_tables_that_are_too_large(work, run, known):
    whole, part = (run("mnmodel", "mpe", "net.bif", *known, *more) for more in ([], ["--memory", SMALL]))
    assert whole.code == part.code == 0 and "branch and bound" not in whole.stderr
    states, found = (done.stdout.splitlines()[1].split(",") for done in (whole, part))
    assert found[:-1] == states[:-1] and found[-1] in ("nan", states[-1])
    message = r"net.bif: found by branch and bound; with the evidence, ln p (\S+), optimal within (\S+)\n"
    log, gap = map(float, re.search(message, part.stderr).groups())
    evidence = re.search(r"(?:evidence|expected likelihood of the evidence) (\S+)[\n;]", whole.stderr)
    assert gap < 1e-5 and log == pytest.approx(float(evidence[1] if evidence else 0) + float(states[-1]), abs=1e-5)


@pytest.mark.slow
@needs_solver
def test_rows_are_searched_one_by_one(work, run):
    whole, part = (run("mnmodel", "mpe", "net.bif", "--given-rows", "rows.csv", *more)
                   for more in ([], ["--memory", SMALL]))  # fmt: skip
    assert whole.code == 0 and part.stderr.count("optimal within") == 3 and "row 3: found by" in part.stderr
    first, second = ([line.rsplit(",", 1)[0] for line in done.stdout.splitlines()] for done in (whole, part))
    assert first == second
    assert run("mnmodel", "mpe", "net.bif", "--format", "uai", "--memory", SMALL, "-q").stdout.startswith("MPE\n")


@needs_solver
def test_a_search_that_ends_early_says_what_is_left(work, run, monkeypatch):
    with monkeypatch.context() as limited:
        limited.setattr(toulbar2, "MAX_BACKTRACKS", 1)
        done = run("mnmodel", "mpe", "net.bif", "--given", children(), "--memory", SMALL)
    log, gap = map(float, re.search(r"ln p (\S+); others may be better by up to (\S+)\n", done.stderr).groups())
    best = run("mnmodel", "mpe", "net.bif", "--given", children(), "--memory", SMALL)
    assert 0 < float(re.search(r"ln p (\S+), optimal", best.stderr)[1]) - log + 1e-6 <= gap + 1e-5


@needs_solver
def test_a_model_from_python_is_searched_too(work):
    model = cliquewise.read_model("net.bif")
    whole = model.mpe({"z": "y"})
    with memory_bound(100_000):
        assert model.mpe({"z": "y"}) == whole


def test_without_the_solver_its_package_is_named(work, monkeypatch, refuse):
    monkeypatch.setattr(toulbar2, "find_spec", lambda name: None)
    refuse(f"mnmodel mpe net.bif --memory {SMALL}", 1, "exact inference needs a table of 8192 numbers")
    network = large_network()
    with pytest.raises(LimitError, match=r"pip install 'cliquewise\[mpe\]'"):
        network.most_probable_by_search(np.full((1, network.n), -1))


@needs_solver
def test_questions_that_a_search_cannot_answer_are_refused(work, refuse):
    roots = ",".join(f"p{i}" for i in range(13))
    refuse(
        f"mnmodel mpe net.bif --of {roots} --given {children()} --memory {SMALL}", 1, "exact inference needs a table"
    )


@needs_solver
def test_a_failure_of_the_solver_is_one_line(work, monkeypatch, refuse):
    monkeypatch.setattr(toulbar2.sys, "executable", "/bin/false")
    refuse(f"mnmodel mpe net.bif --memory {SMALL}", 1, "exact inference needs a table of 8192 numbers")
    network = large_network()
    with pytest.raises(LimitError, match="toulbar2 failed, with code 1$"):
        network.most_probable_by_search(np.full((1, network.n), -1))
