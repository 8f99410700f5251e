"""Certificates of upper bounds: those written are valid, and nothing false can be proved."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.bounds.bound import solve
from cliquewise.common.bounds.callbacks import Callbacks
from cliquewise.common.bounds.cutting import CuttingPlaneLoop, Rules
from cliquewise.common.bounds.incumbent import Incumbent
from cliquewise.common.bounds.problem import Problem
from cliquewise.common.bounds.proof_log import ProofLog
from cliquewise.common.bounds.proof_trimming import certificate
from cliquewise.common.bounds.violated_rows import SeparationLimits
from cliquewise.common.certify.bound import certify_bound
from cliquewise.common.certify.set_scores import set_score
from cliquewise.common.errors import DataError
from cliquewise.common.files.prooffile import BoundProof, ProofPart, ProofRow, format_proof
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import TIME_LIMIT
from cliquewise.common.run.stop_token import TIME_UP
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from cliquewise.mntools.proof_reader import read_proof
from tests.learning import Recorder, learner
from tests.oracles.learners import best_chordal
from tests.oracles.rows import step_bound
from tests.random_inputs import clique_scores, random_dataset, random_set_scores, without
from tests.slow import slow_cases

pytestmark = pytest.mark.usefixtures("here")

learn = learner(junctor.learn, Config(method="ilp", certificate=True))
WEAK = Rules(separation=SeparationLimits(grown=0, each=1), patience=5)  # so that it has to branch
ROUGH = replace(WEAK, many=5, slow=-1)  # programs are improved before they are solved
PARTLY = replace(WEAK, whole=20, part=12)  # most rounds price some families only


def noise(seed, n):
    """Scores without any order, which the relaxation often does not solve."""
    rng = np.random.default_rng(seed)
    sets = [frozenset(s) for size in range(n + 1) for s in combinations(range(n), size)]
    return {s: float(rng.normal(0.0, 10.0) - 3.0 * len(s)) if s else 0.0 for s in sets}


def optimum(n, scores, width):
    """The best score of all chordal graphs with such cliques."""
    return best_chordal(n, scores.__getitem__, width)[0]


def proved(source, width, rules=None):
    """The certificate of the optimum, by `solve` alone, and the optimum."""
    with Monitor(threads=1) as monitor:
        problem = Problem(source, Scoring(), monitor, width)
        assert problem.compute()
        known = Incumbent(problem.n)
        proof = solve(problem.n, problem.sets, problem.scores, known, rules, log=ProofLog())
        assert proof.finished
        return certificate(problem, proof, known.score, {}, lambda: True), known.score, proof


def parts(whole):
    """All parts of a proof."""
    return [whole, *(inner for part in whole.parts or [] for inner in parts(part))]


@pytest.mark.parametrize("seed", range(4))
def test_forbidden_sets_and_no_others_are_left_out(seed):
    forbidden, scores = [frozenset((0, 1)), frozenset((2, 3, 4))], noise(seed, 5)
    source = clique_scores(without(scores, forbidden), 5, 4)
    found, score, _ = proved(source, 4)
    assert score == pytest.approx(optimum(5, without(scores, forbidden), 4), abs=1e-6)
    assert certify_bound(found, source) == ()
    lower = replace(found, upper_bound=Fraction(score) - Fraction(1, 10**5))
    assert "the bound is not proved" in certify_bound(lower, source)[0]


SEVERAL = (ROUGH, PARTLY, WEAK, replace(PARTLY, many=5, slow=-1))


@pytest.mark.parametrize(
    ("rules", "problems"), [(None, 12), *slow_cases((None, 24), *((rules, 24) for rules in SEVERAL))]
)
def test_every_small_optimum_is_proved_and_nothing_better(rules, problems):
    split = 0
    for seed in range(problems):
        n = 6 - seed % 5 // 2
        width = min(n, 2 + seed % 3)
        scores = noise(seed, n)
        source = clique_scores(scores, n, width)
        found, score, _ = proved(source, width, rules)
        assert score == pytest.approx(optimum(n, scores, width), abs=1e-6)
        assert score < found.upper_bound < score + 1e-5
        assert certify_bound(found, source) == ()
        split += found.whole.edge is not None
        lower = replace(found, upper_bound=Fraction(score) - Fraction(1, 10**5))
        assert "the bound is not proved" in certify_bound(lower, source)[0]
    assert split > 2 or rules is None


def test_what_a_better_network_rules_out_is_proved():
    """In the last round a network is found, and by it the multipliers at hand rule out all families that are left."""
    data = random_dataset(1018, n_vars=11, n_rows=58, max_arity=3)
    found, _, _ = proved(data, 4, Rules(many=144, slow=-1, patience=3))
    assert certify_bound(found, data) == ()


def test_every_child_has_its_share_of_the_families_that_enter():
    """Each child's largest gain is part of the bound, so that all of them enter, and no child takes all places."""
    data = random_dataset(2, n_vars=10, n_rows=60, max_arity=3)
    unequal = 0

    def look(work):
        nonlocal unequal
        pool, program = work.node.pool, work.program
        gain = np.where(pool.alive, pool.profit - program.prices[pool.families.child], -np.inf)
        gain[program.columns] = -np.inf
        child, _ = work._pricing()
        assert set(pool.families.child[gain > 1e-6]) <= set(child.tolist())
        assert np.bincount(child, minlength=1).max() <= 10
        if len(child):
            largest = pool.families.child[np.argsort(-gain)[: len(child)]]
            unequal += np.bincount(largest).max() > 10

    with Monitor(threads=1) as monitor:
        problem = Problem(data, Scoring(), monitor, 4)
        assert problem.compute()
        known = problem.incumbent(Graph(problem.n, ()))
        proof = solve(problem.n, problem.sets, problem.scores, known, Rules(columns=100), Callbacks(on_round=look))
    assert proof.finished and unequal


def test_rounds_that_price_some_families_save_most_of_those_that_price_all():
    """They find the rows and columns; the bound of the node is that of the others."""
    data = random_dataset(3, n_vars=12, n_rows=60, max_arity=3)
    found = {}
    for whole in (10**6, 500):
        bounds = []

        def look(work, bounds=bounds):
            if work.program.pool is work.node.pool:
                bounds.append(work.node.bound)
            else:
                assert work.node.bound == bounds[-1] and len(work.program.pool.alive) < len(work.node.pool.alive)

        with Monitor(threads=1) as monitor:
            problem = Problem(data, Scoring(), monitor, 4)
            assert problem.compute()
            known = problem.incumbent(Graph(problem.n, ()))
            rules = Rules(whole=whole, part=100)
            proof = solve(problem.n, problem.sets, problem.scores, known, rules, Callbacks(on_round=look))
        assert proof.finished and proof.bound == pytest.approx(known.score, abs=1e-6)
        found[whole] = known.score, len(bounds)
    assert found[500][0] == pytest.approx(found[10**6][0], abs=1e-9)
    assert found[500][1] < 0.7 * found[10**6][1], found


def test_a_bound_behind_the_value_of_its_program_waits_for_families(monkeypatch):
    """Rows would lower that value still further, and the bound follows when no family is missing."""
    data, found = random_dataset(3, n_vars=14, n_rows=40, max_arity=3), []
    rules = Rules(many=5, slow=-1, patience=2, progress=9.0, columns=14)
    separate = CuttingPlaneLoop._separate

    def watched(work, priced):
        is_late = work.program.is_approximate and (work._lags or work.idle > rules.patience)
        rows = separate(work, priced)
        if is_late and len(priced[0]):
            found.append(len(rows.base))
        return rows

    monkeypatch.setattr(CuttingPlaneLoop, "_separate", watched)
    proved(data, 4, rules)
    assert found and not any(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "each, patience, progress, seeds",
    [(1, 0, 10.0, range(2)), *slow_cases((1, 0, 10.0, range(2, 4)), (1, 1, 10.0, range(4)), (2, 1, 0.3, range(4)))],
)
def test_a_run_that_branches_at_once_ends_with_a_proof(each, patience, progress, seeds):
    """Without progress it branches, but not while no edge is open."""
    rules = Rules(separation=SeparationLimits(grown=0, each=each), patience=patience, progress=progress)
    for seed in seeds:
        scores = noise(seed, 6)
        found, score, _ = proved(clique_scores(scores, 6, 4), 4, rules)
        assert score == pytest.approx(optimum(6, scores, 4), abs=1e-6)
        assert certify_bound(found, clique_scores(scores, 6, 4)) == ()


def random_rows(rng, n, required):
    """Rows of all kinds, true or not allowed."""
    rows = []
    for _ in range(rng.integers(0, 6)):
        sets = [frozenset(rng.choice(n, rng.integers(1, n), replace=False).tolist()) for _ in range(rng.integers(1, 4))]
        base = frozenset() if rng.random() < 0.5 else frozenset(rng.integers(0, n, rng.integers(1, 3)).tolist())
        base |= sets[0] if base and (len(sets) == 1 or rng.random() < 0.3) else frozenset()
        if not base and rng.random() < 0.9:
            sets.append(rng.choice(required) if required and rng.random() < 0.5 else frozenset({int(rng.integers(n))}))
        rows.append(ProofRow(Fraction(int(rng.integers(1, 5000)), 1000), base, tuple(sets)))
    return rows


def random_first(rng, n):
    """Some variables, in any order."""
    return tuple(rng.permutation(n)[: rng.integers(1, n + 1)].tolist())


def random_part(rng, n, depth, required=()):
    """Some steps and, while depth lasts, a split."""
    part = ProofPart([random_rows(rng, n, required) for _ in range(rng.integers(1, 4))])
    if depth and rng.random() < 0.6:
        part.edge = tuple(sorted(rng.choice(n, 2, replace=False).tolist()))
        more = (*required, frozenset(part.edge))
        part.parts = [random_part(rng, n, depth - 1, required), random_part(rng, n, depth - 1, more)]
    return part


@pytest.mark.slow
def test_nothing_false_is_proved():
    """Random steps and splits never prove a bound below the optimum; some prove one above it."""
    good = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 6))
        width = int(rng.integers(1, n + 1))
        scores = random_set_scores(seed, n)
        best = Fraction(optimum(n, scores, width))
        source, first = clique_scores(scores, n, width), random_first(rng, n)
        whole = random_part(rng, n, 2)
        assert certify_bound(BoundProof(n, width, first, best - Fraction(1, 10**6), whole, {}), source) != (), seed
        above = best + Fraction(int(rng.integers(1, 400)), 100)
        good += certify_bound(BoundProof(n, width, first, above, whole, {}), source) == ()
    assert good > 20


@pytest.mark.parametrize("n, width, count", [(5, 4, 25), (67, 2, 6)])
def test_a_step_shows_the_bound_of_its_definition(n, width, count):
    """With more than 64 variables a set is no machine word."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        source, by, score = clique_scores(random_set_scores(seed, 5), 5, 5), Scoring(), random_set_scores(seed, 5)
        if n > 5:
            source, by = random_dataset(seed, n_vars=n, n_rows=20), Scoring("ll")
            score = {s: set_score(source, s, by) for k in range(3) for s in map(frozenset, combinations(range(n), k))}
        step, first = random_rows(rng, n, ()), random_first(rng, n)
        step = [row for row in step if row.base or any(len(member) == 1 for member in row.members)]
        rows = [(float(row.multiplier), row.base, row.members) for row in step]
        expected = step_bound(n, width, first, score.__getitem__, rows)
        proof = BoundProof(n, width, first, Fraction(-(10**6)), ProofPart([step]), {})
        (problem,) = certify_bound(proof, source, by)
        assert float(problem.split(" shows ")[1].split()[0]) == pytest.approx(expected, abs=1e-5)


def test_invalid_rows_are_refused():
    n = 3
    source = clique_scores(random_set_scores(1, n), n, n)

    def problem(*row):
        whole = ProofPart([[ProofRow(*row)]])
        return certify_bound(BoundProof(n, n, (0,), Fraction(1000), whole, {}), source)[0]

    one, pair = frozenset({0}), frozenset({0, 1})
    assert "a negative multiplier, -1/2" in problem(Fraction(-1, 2), frozenset(), (one,))
    assert "a row without members" in problem(Fraction(1), frozenset(), ())
    assert "no member that is in every network" in problem(Fraction(1), frozenset(), (pair,))
    assert certify_bound(BoundProof(n, n, (0,), Fraction(1000), ProofPart([[]]), {}), source) == ()


def test_an_edge_is_a_sure_member_only_where_it_is_required():
    n = 3
    source = clique_scores(random_set_scores(1, n), n, n)
    row = ProofRow(Fraction(1, 3), frozenset(), (frozenset({0, 1}),))
    high = Fraction(10**6)
    for inside, fine in ((0, False), (1, True)):
        halves = [ProofPart([[]]), ProofPart([[]])]
        halves[inside].steps.insert(0, [row])
        proof = BoundProof(n, n, (0,), high, ProofPart([], (0, 1), halves), {})
        assert (certify_bound(proof, source) == ()) == fine


def test_large_scores_are_computed_with_integers_of_any_size():
    n = 4
    scores = {s: 1e14 * value for s, value in random_set_scores(3, n).items()}
    source = clique_scores(scores, n, n)
    best = Fraction(optimum(n, scores, n))
    for above, fine in ((best + 10**6, True), (best - 10**6, False)):
        whole = proved(clique_scores(random_set_scores(3, n), n, n), n)[0].whole
        for part in parts(whole):
            for step in part.steps:
                step[:] = [replace(row, multiplier=row.multiplier * 10**14) for row in step]
        found = proved(clique_scores(random_set_scores(3, n), n, n), n)[0]
        assert (certify_bound(replace(found, whole=whole, upper_bound=above), source) == ()) == fine


@pytest.mark.parametrize("times", [1.0, 1e10, 1e14])
def test_no_denominator_makes_numbers_so_large_that_families_seem_to_be_left_out(times):
    """A step without multipliers shows little, whatever they are in; all families lose, as those of data do."""
    n = 4
    scores = {s: times * (value - 100.0 * len(s)) for s, value in random_set_scores(3, n).items()}
    source, low = clique_scores(scores, n, n), Fraction(optimum(n, scores, n) - times)
    nothing = ProofRow(Fraction(0, 1), frozenset(), (frozenset({0}),))
    for denominator in (1, 10**12, 10**40):
        row = replace(nothing, multiplier=Fraction(1, denominator))
        for step in ([], [nothing], [row]):
            proof = BoundProof(n, n, (0,), low, ProofPart([step]), {})
            assert "the bound is not proved" in certify_bound(proof, source)[0]


def test_certificates_are_read_back():
    found = []
    for seed in range(8):
        proof, _, _ = proved(clique_scores(noise(seed, 6), 6, 4), 4, WEAK)
        Path("proof").write_text(format_proof(proof))
        assert read_proof("proof") == proof
        found.append(len(parts(proof.whole)))
    assert max(found) > 1


def test_rows_are_written_once():
    """A row of two steps has a number in the second; files of older versions have a root, or no numbers either."""
    row, other = (
        ProofRow(Fraction(3, 8), frozenset(), (frozenset({1}),)),
        ProofRow(Fraction(1, 2), frozenset({0, 2}), (frozenset({0}),)),
    )
    whole = ProofPart([[row], [other, replace(row, multiplier=Fraction(5))]])
    proof = BoundProof(3, 2, (0, 2), Fraction(-3, 2), whole, {})
    text = format_proof(proof)
    assert text.endswith("# denominator 8\nstep\n3 - 1\nstep\n4 0,2 0\n40 1\nend\n")
    older = text.replace("certificate 4", "certificate 2").replace("first 0,2", "root 0")
    oldest = older.replace("# denominator 8\n", "").replace("certificate 2", "certificate 1")
    oldest = oldest.replace("\n3 - 1", "\n3/8 - 1").replace("\n4 0,2 0\n40 1\n", "\n1/2 0,2 0\n5 - 1\n")
    for one, first in ((text, (0, 2)), (older, (0,)), (oldest, (0,))):
        Path("proof").write_text(one)
        assert read_proof("proof") == replace(proof, first=first)


HEAD = "# certificate 1\n# variables 3\n# max-clique 2\n# root 0\n# upper-bound -1.5\n"


@pytest.mark.parametrize(
    "text, message",
    [
        ("0,1\n", "expected a file that junctor --certificate wrote"),
        (HEAD.replace("3", "x"), "'# variables x': expected a whole number"),
        (HEAD.replace("root 0", "root 3"), "max-clique 2 and first 3 with 3 variables"),
        (HEAD.replace("root 0", "first 1,3"), "max-clique 2 and first 1,3 with 3 variables"),
        (HEAD.replace("root 0", "first 1,1"), "'# first 1,1': expected different variables, by index"),
        (HEAD.replace("root 0", "first 1,"), "'# first 1,': expected different variables, by index"),
        (HEAD.replace("# root 0\n", ""), "'# first ': expected different variables, by index"),
        (HEAD.replace("-1.5", "1e400"), "no line '# upper-bound' with a number of at most 100 digits"),
        (HEAD.replace("-1.5", "-1e300000000"), "no line '# upper-bound' with a number of at most 100 digits"),
        (HEAD.replace("-1.5", "9" * 101), "no line '# upper-bound' with a number of at most 100 digits"),
        (HEAD.replace("-1.5", "-1_0"), "no line '# upper-bound' with a number"),
        (HEAD + "step\n1e300000000 - 0\nend\n", "expected a fraction as the multiplier"),
        (HEAD + "step\n1/0 - 0\nend\n", "expected a fraction as the multiplier"),
        (HEAD + f"step\n1/{'9' * 31} - 0\nend\n", "expected a fraction as the multiplier"),
        (HEAD + f"step\n1/{10**29 + 1} - 0\n1/{10**29 + 3} - 0\nend\n", "common denominator of at most 1e+40"),
        (HEAD + "step\n1/2 - \u0662\nend\n", "expected indices below 3"),
        (HEAD + "# gap 77\nend\n", "a line '# gap', which is not a claim that a certificate proves"),
        (HEAD + "# root 1\nend\n", "a second line '# root'"),
        (HEAD.replace("-1.5", "1/0"), "no line '# upper-bound' with a number"),
        (HEAD, "the end of the file: expected step, split u,v or end"),
        (HEAD + "end\nend\n", "'end': expected nothing after the last part"),
        (HEAD + "1/2 - 0\nend\n", "expected step, split u,v, end, or after a step a row"),
        (HEAD + "step\nhalf - 0\nend\n", "expected a fraction as the multiplier"),
        (HEAD + "step\n1 - 0\n1 2\nend\n", "'1 2': expected a row written out before, by a number up to 1"),
        (HEAD + "step\n1 0\nend\n", "expected a row written out before, by a number up to 0"),
        (HEAD + "step\n1 -\nend\n", "expected a row written out before"),
        (HEAD + "# denominator 0\nend\n", "'# denominator': expected a whole number from 1"),
        (HEAD + f"# denominator {10**40}\nstep\n1/3 - 0\nend\n", "common denominator of at most 1e+40"),
        (HEAD + "step\n1/2 - 3\nend\n", "expected indices below 3, separated by commas"),
        (HEAD + "step\n1/2 - 0,0\nend\n", "expected each index once"),
        (HEAD + "split 0\nend\n", "expected an edge u,v"),
    ],
)
def test_bad_files_are_refused_with_the_line(text, message):
    Path("proof").write_text(text)
    with pytest.raises(DataError) as error:
        read_proof("proof")
    assert message in str(error.value)


@pytest.mark.parametrize("score_type, ess", [("bdeu", 10.0), ("bic", 1.0)])
def test_optima_of_data_are_proved(score_type, ess):
    data = random_dataset(5, n_vars=9, n_rows=120, max_arity=3)
    result = learn(data, Config(3, method="ilp", certificate=True), score_type, ess)
    assert certify_bound(result.proof, data, Scoring(score_type, ess)) == ()
    assert result.score < result.proof.upper_bound < result.score + 1e-5
    assert (
        certify_bound(result.proof, random_dataset(6, n_vars=9, n_rows=120, max_arity=3), Scoring(score_type, ess))
        != ()
    )


def test_a_stopped_run_proves_the_bound_it_has():
    data = random_dataset(3, n_vars=14, n_rows=60, max_arity=3)
    recorder = Recorder(at_text=lambda monitor, text: text.startswith("best") and monitor.stop.set(TIME_UP))
    result = learn(data, Config(5, method="ilp", certificate=True), recorder=recorder)
    assert result.status == TIME_LIMIT and result.upper_bound > result.score + 1e-3
    assert certify_bound(result.proof, data) == ()
    assert result.proof.upper_bound == pytest.approx(result.upper_bound, abs=1e-4)


def test_problems_name_their_part_by_its_number_in_the_file():
    source = clique_scores(random_set_scores(1, 3), 3, 3)
    whole = ProofPart([[]], (0, 1), [ProofPart([[]], (0, 2), [ProofPart([[]]), ProofPart([[]])]), ProofPart([[]])])
    (problem,) = certify_bound(BoundProof(3, 3, (0,), Fraction(-(10**9)), whole, {}), source)
    assert problem.startswith("part 5 of 5: the bound is not proved")  # the last one read is the first one checked


@pytest.mark.parametrize("inside", [0, 1])
def test_a_split_over_a_decided_edge_has_one_part_with_networks(inside):
    """Solvers make such splits. The other part is about no network, so nothing needs to be proved of it."""
    proof, _, _ = proved(clique_scores(noise(0, 6), 6, 4), 4, WEAK)
    source, edge = clique_scores(noise(0, 6), 6, 4), proof.whole.edge
    assert edge is not None
    halves, nothing = list(proof.whole.parts), ProofPart([[]])
    halves[inside] = ProofPart([], edge, [nothing, halves[inside]] if inside else [halves[inside], nothing])
    again = replace(proof, whole=ProofPart(proof.whole.steps, edge, halves))
    assert certify_bound(again, source) == ()
    other = list(proof.whole.parts)
    other[inside] = ProofPart([], edge, [other[inside], nothing] if inside else [nothing, other[inside]])
    wrong = replace(proof, whole=ProofPart(proof.whole.steps, edge, other))
    assert "the bound is not proved" in certify_bound(wrong, source)[0]


def test_a_deep_file_is_read_and_refused_in_one_line():
    depth = 20_000
    Path("proof").write_text(HEAD + "split 0,1\n" * depth + "end\n" * (depth + 1))
    source = clique_scores(random_set_scores(1, 3), 3, 3)
    (problem,) = certify_bound(read_proof("proof"), source)
    assert len(problem) < 200
