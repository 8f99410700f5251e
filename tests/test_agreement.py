"""All learners against exhaustive search over networks of their kind; a new one joins by a line in a table."""

import itertools
from functools import cache
from itertools import combinations

import pytest

from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.coarsen.learn import learn as coarsen
from cliquewise.common.certify.certificate import certificate_of
from cliquewise.common.files.result_header import Claims
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor.config import Config as Exact
from cliquewise.junctor.learn import learn as junctor
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.lsmarkov.learn import learn as lsmarkov
from cliquewise.mplearn.blanket import Blanket
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.config import Config as Combination
from cliquewise.mplearn.learn import learn as mplearn
from cliquewise.twlearn.config import METHODS
from cliquewise.twlearn.config import Config as Bounded
from cliquewise.twlearn.learn import learn as twlearn
from tests.learning import learned
from tests.oracles import blankets as oracle
from tests.oracles.families import bdeu_of_family, parent_sets
from tests.oracles.learners import best_chordal, best_forest
from tests.oracles.networks import best_network
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of
from tests.slow import slow, slow_cases

NEAR = 1e-7

# chordal networks: the learner, how with a bound on cliques, iterations that find the optimum of five variables
EXACT = {
    "lsmarkov": (lsmarkov, lambda bound: Search(max_clique=bound), 100_000),
    "lsmarkov --preset ecai2020": (lsmarkov, lambda bound: Search("ecai2020", bound, restart_rate=20), 20_000),
    "junctor": (junctor, Exact, None),
}
# coarsen only adds edges, so it may miss the optimum: method, and whether it is never below the best forest
COARSENING = {"ic": True, "forest": True, "greedy": False, "fic": False}
CASES, SOME = list(itertools.product(range(3), (1, 2, 3))), [(0, 3), (1, 2), (2, 1)]  # seeds and widths
# twlearn: iterations that find the optimum of four variables; None where it is proved
BOUNDED = {"kp": None, "milp": None, "skp": 300, "s2": 4000, "chordal": 60_000, "climb": 100}


def certified(result, data, claims):
    """The result, which must be what it says."""
    found = certificate_of(result.graph, data, claims)
    assert found.ok, found
    return result


def case(seed):
    """Data of five variables, an ess, a bound on cliques, and the oracle's score of sets."""
    ess, rows, bound = (0.5, 1.0, 10.0, 50.0)[seed % 4], (20, 80, 400)[seed % 3], (None, 3, 4)[seed // 2 % 3]
    data = random_dataset(100 + seed, n_vars=5, n_rows=rows, max_arity=4, constant=seed == 7)
    return data, ess, bound, set_score(rows_of(data), arity_of(data), "bdeu", ess)


@pytest.mark.parametrize("seed", [*range(8), *slow(*range(8, 20))])
def test_the_optimum_of_five_variables(seed):
    data, ess, bound, score = case(seed)
    best, _ = best_chordal(5, score, bound)
    for name, (learn, config, iterations) in EXACT.items():
        result = learned(learn, data, config(bound), Scoring(ess=ess), iterations=iterations)
        certified(result, data, Claims(result.score, "bdeu", ess, max_clique=bound))
        assert result.score == pytest.approx(best, abs=NEAR), name


@pytest.mark.fast_cases(10)
@pytest.mark.parametrize("seed", range(20))
def test_coarsening_never_exceeds_the_optimum(seed):
    data, ess, bound, score = case(seed)
    best, forest = best_chordal(5, score, bound)[0], best_forest(5, score)[0]
    for method, at_least_the_forest in COARSENING.items():
        start = "forest" if method == "forest" else "best"
        config = Coarsening(method, start, steps=StepLimits(bound))
        result = learned(coarsen, data, config, Scoring(ess=ess))
        certified(result, data, Claims(result.score, "bdeu", ess, max_clique=bound))
        assert result.score <= best + NEAR, method
        assert not at_least_the_forest or result.score >= forest - NEAR, method


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_of_four_blankets(seed):
    """Pseudo-likelihood: over all edges pbo is the best of the 64 graphs, and nothing else exceeds it."""
    data, ess = random_dataset(seed, n_vars=4, n_rows=(30, 100, 400)[seed % 3], max_arity=3), (1.0, 5.0)[seed % 2]

    @cache
    def local(variable, members):
        return oracle.local_mpl(rows_of(data), arity_of(data), variable, members, ess)

    _, best = oracle.best_graph(4, combinations(range(4), 2), local)
    everything = tuple(Blanket(v, tuple(u for u in range(4) if u != v), 0.0) for v in range(4))
    for combine in ("pbo", "hc", "and", "or"):
        for blankets in (None, everything):
            scoring, config = BlanketScoring(ess=ess), Combination(combine, blankets=blankets)
            result = learned(mplearn, data, config, scoring)
            certified(result, data, Claims(result.score, "mpl", ess, prior="uniform"))
            assert result.score <= best + NEAR, combine
            if combine == "pbo" and blankets:
                assert result.score == pytest.approx(best, abs=NEAR) and result.status == OPTIMAL


@pytest.mark.parametrize(("seed", "width"), SOME + slow_cases(*(one for one in CASES if one not in SOME)))
def test_the_optimum_of_four_variables_within_a_treewidth(seed, width):
    assert {*BOUNDED} == {*METHODS}
    data, ess = random_dataset(20 + seed, n_vars=4, n_rows=(30, 100, 300)[seed], max_arity=3), (0.5, 1.0, 10.0)[seed]
    rows, arity = rows_of(data), arity_of(data)
    scores = [{s: bdeu_of_family(rows, arity, v, s, ess) for s in parent_sets(4, v, 3)} for v in range(4)]
    best, _ = best_network(scores, 3, width)
    for method, iterations in BOUNDED.items():
        result = learned(twlearn, data, Bounded(width, method), Scoring(ess=ess), iterations=iterations)
        claims = Claims(result.score, "bdeu", ess, treewidth=width, elimination_order=result.order, max_parents=3)
        certified(result, data, claims)
        assert result.score == pytest.approx(best, abs=NEAR), method
        assert iterations or result.status == OPTIMAL, method
