"""The linear program of the bounds: trying to branch leaves it as it was, and a bound for fewer families is cheap."""

from types import SimpleNamespace

import highspy
import numpy as np
import pytest

from cliquewise.common.bounds import row_program
from cliquewise.common.bounds.branching import branch_and_bound, prove
from cliquewise.common.bounds.callbacks import Callbacks
from cliquewise.common.bounds.cutting import CuttingPlaneLoop, Rules
from cliquewise.common.bounds.families import FamilyPool
from cliquewise.common.bounds.incumbent import Incumbent, KnownScore, rounded
from cliquewise.common.bounds.node import first_node
from cliquewise.common.bounds.relaxation import Relaxation
from cliquewise.common.bounds.row_program import SilentHighs, StoppedError
from cliquewise.common.bounds.violated_rows import Solution, separate
from tests.as_oracles import mask_of
from tests.oracles.graphs import chordal_graphs, is_chordal
from tests.oracles.rows import perfect_families
from tests.random_inputs import random_set_scores
from tests.slow import slow

N, NEAR = 6, 1e-6
UNKNOWN, ANSWER = highspy.HighsModelStatus.kUnknown, SilentHighs.getModelStatus


def choice_of(seed):
    """All families of six variables with random scores."""
    scores = random_set_scores(seed, N)
    return FamilyPool(N, np.arange(1 << N, dtype=np.uint64), np.array([scores[frozenset_of(m)] for m in range(1 << N)]))


def frozenset_of(mask):
    return frozenset(v for v in range(N) if mask >> v & 1)


def program_of(pool, rows=(), required=(), should_continue=lambda: True):
    """A solved program with all families that are left, and some rows."""
    program = Relaxation(pool, required, 1000.0, should_continue)
    program.add_columns(np.flatnonzero(pool.alive))
    for more in rows:
        program.add_rows(more)
    program.solve()
    return program


def tightened(pool, rounds=2):
    """The program after rounds of separation, and its rows."""
    rows = []
    for _ in range(rounds):
        program = program_of(pool, rows)
        rows.append(separate(solution_of(program)))
    return program_of(pool, rows), rows


def solution_of(program):
    used = program.x > 1e-7
    return Solution(N, *program.pool.masks(program.columns[used]), program.x[used])


def test_the_gap_allows_for_rounding():
    """A family whose loss is the whole gap but for the rounding of sums can be in a better network."""
    for bound in (-5000.0, -4990.0):
        exact = bound + 5000.0
        assert exact + 1e-6 < KnownScore(-5000.0).gap(bound) < exact + 1e-5


@pytest.mark.parametrize("known, stopped, bound, solved", [
    (-9.0, None, -6.0, "whole a b"),
    (-9.0, "whole", -4.0, "whole"),
    (-9.0, "b", -6.0, "whole a b"),
    (-9.0, "a", -5.0, "whole a"),
    (-6.0, None, -6.0, "whole a"),
])  # fmt: skip
def test_the_bound_is_the_highest_of_the_parts_that_are_left(known, stopped, bound, solved):
    """Those not split count, too, and the one in which the time ends; that with the highest bound is solved next."""
    tree = {"whole": (-4.0, {"b": -6.0, "a": -5.0}), "a": (-7.0, {}), "b": (-6.0, {})}
    done = []

    def solve(part):
        done.append(part.name)
        if part.name == stopped:
            raise StoppedError
        part.bound, parts = tree[part.name]
        return [SimpleNamespace(name=name, bound=bound) for name, bound in parts.items()]

    proof = branch_and_bound(SimpleNamespace(name="whole", bound=-4.0), KnownScore(known), solve)
    assert (proof.bound, proof.finished, " ".join(done)) == (bound, bound == known, solved)
    assert proof.nodes == len(done) and proof.root_bound == -4.0


@pytest.mark.parametrize("seed", range(4))
def test_trial_branching_finds_the_values_of_the_parts_and_leaves_the_program_unchanged(seed):
    pool = choice_of(seed)
    program, rows = tightened(pool)
    value, columns = program.value, program.columns.copy()
    edges = solution_of(program).edges()[0]
    assert len(edges)
    for edge in edges:
        without, held = program.without_and_with(edge, 10_000)
        part = pool.copy()
        part.forbid(edge)
        assert without == pytest.approx(program_of(part, rows).value, abs=NEAR)
        assert held == pytest.approx(program_of(pool, rows, (int(edge),)).value, abs=NEAR)
    program.solve()
    assert program.value == pytest.approx(value, abs=NEAR) and (program.columns == columns).all()


def test_a_few_pivots_do_not_change_the_next_solution_either():
    program, _ = tightened(choice_of(1))
    value = program.value
    for edge in solution_of(program).edges()[0]:
        program.without_and_with(edge, 1)
    program.solve()
    assert program.value == pytest.approx(value, abs=NEAR)


@pytest.mark.parametrize("seed", range(4))
def test_an_improved_program_approaches_the_solved_one(seed):
    program, rows = tightened(choice_of(seed))
    solved, other = program.value, Relaxation(program.pool, (), 100.0)
    other.add_columns(program.columns[::2])
    values = []
    for part in rows:  # rows and columns come between
        other.improve(100)
        values.append(other.value)
        other.add_rows(part)
    other.add_columns(program.columns[1::2])
    for steps in (100, 4000, 4000):
        other.improve(steps)
        assert other.value >= solved - NEAR and (other.multipliers >= 0.0).all() and (other.x >= 0.0).all()
        assert len(other.x) == len(other.columns) and len(other.multipliers) == len(other.rows.base)
    assert other.value == pytest.approx(solved, abs=1e-2)
    again = Relaxation(program.pool, (), 100.0)
    again.add_rows(other.rows)
    again.add_columns(other.columns)
    again.begin(other.start(np.arange(len(other.least))))
    assert (again.x == other.x).all() and (again.multipliers == other.multipliers).all()
    again.improve(1)
    assert solved - NEAR <= again.value <= other.value + 1e-2
    other.solve()
    assert other.value == pytest.approx(solved, abs=NEAR)


def test_the_bound_of_fewer_families_is_that_of_the_same_multipliers():
    pool = choice_of(2)
    program, _ = tightened(pool)
    priced = (program.rows, program.multipliers)
    before = pool.bound(*priced)
    pool.alive[np.flatnonzero(pool.profit == pool.best[pool.families.child])[::2]] = False
    again = pool.bound_again()
    assert again < before
    assert again == pool.bound(*priced)


@pytest.mark.parametrize("failures", [1, 2])
def test_a_program_without_an_answer_is_solved_from_nothing_or_given_up(monkeypatch, caplog, failures):
    """HiGHS has ended so after minutes; the bound so far must not be lost."""
    asked = []

    def status(highs):
        asked.append(highs)
        return UNKNOWN if len(asked) <= failures else ANSWER(highs)

    value = program_of(choice_of(1)).value
    monkeypatch.setattr(SilentHighs, "getModelStatus", status)
    if failures == 1:
        assert program_of(choice_of(1)).value == pytest.approx(value)
    else:
        with pytest.raises(StoppedError):
            program_of(choice_of(1))
        assert "HiGHS finds no answer" in caplog.text


def test_required_edges_are_not_split_over():
    """Approximate solutions can have less than 1 of them."""
    child, parents = np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 0, 2], np.uint64)
    solution = Solution(3, child, parents, np.array([1.0, 0.4, 0.6, 0.3, 0.7]))
    assert solution.branching_candidates((), 2).tolist() == [3, 6]
    assert solution.branching_candidates((3,), 2).tolist() == [6]
    assert solution.openness((3,)) == pytest.approx([0.0, 0.3])


def test_a_part_is_not_split_before_its_program_is_as_good_as_the_bound_it_began_with():
    """Its program has lost rows and columns; the first rounds find them again."""
    rounds = 0
    for seed in range(4):
        before = prove(choice_of(seed), Incumbent(N)).bound + 1e-3
        known, values = Incumbent(N), []
        node = first_node(choice_of(seed), known)
        node.bound = before
        callbacks = Callbacks(on_round=lambda loop, values=values: values.append(loop.program.value))
        loop = CuttingPlaneLoop(node, known, Rules(patience=0), callbacks)
        assert loop.run() or values[-1] <= before
        rounds = max(rounds, sum(value > before for value in values))
    assert rounds > 1


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(4))
def test_a_solution_is_rounded_to_a_chordal_network_by_families_of_the_program(seed):
    """Not by others, of which there can be millions; one without parents always is at hand."""
    pool, rng = choice_of(seed), np.random.default_rng(seed)
    scores = random_set_scores(seed, N)
    pool.bound(pool.empty_rows(0), np.zeros(0))
    child, parents = pool.masks(np.arange(len(pool.alive)))
    for edges in chordal_graphs(5)[:: 100 + seed]:
        (families, *_) = perfect_families(N, edges)
        wanted = pool.find(np.array(list(families)), np.array([mask_of(p) for p in families.values()]))
        program = Relaxation(pool)
        program.add_columns(np.union1d(wanted, rng.choice(len(pool.alive), 40, replace=False)))
        program.x[:] = np.isin(program.columns, wanted)
        graph, score = rounded(program)
        assert set(graph.edges) == set(edges)
        assert score == pytest.approx(sum(scores[p | {v}] - scores[p] for v, p in families.items()))
        program.x[:] = rng.random(len(program.x))
        graph, score = rounded(program)
        assert is_chordal(N, set(graph.edges))
        offered = set(zip(*(part[program.columns].tolist() for part in (child, parents)), strict=True))
        offered |= {(v, 0) for v in range(N)}
        assert any(
            {(v, int(mask_of(p))) for v, p in order.items()} <= offered for order in perfect_families(N, graph.edges)
        )


def test_a_solution_is_rounded_when_all_families_of_a_variable_are_excluded():
    pool = choice_of(1)
    pool.bound(pool.empty_rows(0), np.zeros(0))
    pool.profit[pool.families.child == 2], pool.best[2] = -np.inf, -np.inf
    program = Relaxation(pool)
    program.add_columns(np.arange(len(pool.alive)))
    program.x[:] = 0.0
    graph, score = rounded(program)
    assert is_chordal(N, set(graph.edges)) and np.isfinite(score)


@pytest.mark.parametrize("every", [2, *slow(1, 3)])
def test_solutions_are_rounded_as_often_as_asked(monkeypatch, every):
    """In the first round, then after so many; `every` 1 was never, but at the end."""
    rounded, rounds = [], []
    monkeypatch.setattr(CuttingPlaneLoop, "_offer_rounded", lambda self: rounded.append(self.rounds))
    pool, known = choice_of(3), Incumbent(N)
    known.score = -1e3

    def count(work):
        rounds.append(work.rounds)
        if len(rounds) == 50:  # nothing is known that would end the branching
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove(pool, known, Rules(rounding=every), Callbacks(on_round=count))
    assert max(rounds) > 3
    assert {number for number in rounds if number % every == 1 % every} <= {*rounded}


def test_checks_for_a_stop_come_after_pivots_and_not_by_the_clock(monkeypatch):
    """A program that goes on after a check takes another way, so a slow machine must not have more checks."""
    _, rows = tightened(choice_of(1))
    monkeypatch.setattr(row_program, "SLICE", 0)  # one pivot
    checks = []
    program_of(choice_of(1), rows, should_continue=lambda: checks.append(1) or True)
    assert len(checks) > 10
    with pytest.raises(StoppedError):
        program_of(choice_of(1), rows, should_continue=lambda: False)
