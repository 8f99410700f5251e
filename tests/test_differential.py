"""`make differential` runs, and reports what is wrong; a few of its cases are run here."""

import pytest

from cliquewise.common.run.result import OPTIMAL
from tests.differential import __main__ as differential
from tests.differential import learners, optima, poor_starts, tables


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize("seed", range(30))
def test_no_learner_exceeds_the_optimum_and_searches_find_it(tmp_path, seed):
    case = learners.Case(seed, tmp_path)
    assert case.run() == []
    assert all(name.startswith(("coarsen", "mplearn")) for name in case.missed)  # which need not find it


@pytest.mark.slow
def test_all_ways_to_an_optimum_agree(capsys):
    assert differential.main(12, 7, "optima") == 0
    assert capsys.readouterr().out == "optima: 12 cases, 0 with a disagreement\n"


def test_the_cases_are_of_every_kind(tmp_path):
    cases = [optima.Case(seed, tmp_path) for seed in range(200)]
    descriptions = " ".join(case.description for case in cases)
    assert all(f"{shape} scores" in descriptions for shape in optima.SHAPES) and all(
        str(how) in descriptions for how in optima.LAYOUTS
    )
    assert 5 < sum(case.refused is not None for case in cases) < 40
    assert 20 < sum(case.allowed is not None for case in cases) < 80
    assert 30 < sum(case.bound is None for case in cases) < 150


@pytest.mark.parametrize("seed", [8, 13])
def test_a_disagreement_is_reported(tmp_path, monkeypatch, seed):
    """Where one way ends with a network that is not the best, and where a file is read that must be refused."""
    case = optima.Case(seed, tmp_path)
    case.refused, case.allowed = None, None
    found = case._learn

    def wrong(learn, config, **limits):
        result = found(learn, config, **limits)
        object.__setattr__(result, "score", result.score - 0.5)
        return result

    monkeypatch.setattr(case, "_learn", wrong)
    problems = " ".join(case.run())
    for name in ("junctor dp", "junctor ilp", "lsmarkov"):
        assert f"{name} ends {OPTIMAL} with" in problems and f"{name}: wrong: score claimed" in problems


@pytest.mark.parametrize("seed", [3028, 3044])
def test_programs_find_the_optimum_from_a_poor_network(tmp_path, seed):
    """Either was called optimal at a worse network while SCIP used symmetries that its later constraints break."""
    assert poor_starts.Case(seed, tmp_path).run() == []


@pytest.mark.slow
def test_readers_of_tables_agree(capsys):
    assert differential.main(60, 7, "tables") == 0
    assert capsys.readouterr().out == "tables: 60 cases, 0 with a disagreement\n"


def test_a_row_too_many_is_reported(tmp_path, monkeypatch):
    """Where the numbers of states are taken as a row by the reader and by the rules."""
    case = next(
        case
        for case in (tables.Case(seed, tmp_path) for seed in range(1000))
        if case.arities is not None and case.header == "words" and len(case.rows) == 24 and not case.options
    )
    assert case.run() == []
    case.options = {"arities": "no", "header": "yes"}
    case.arities = None
    assert any("25 rows instead of 24" in problem for problem in case.run())
