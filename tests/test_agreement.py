"""All learners of chordal networks agree with exhaustive search; a new one joins by a line in LEARNERS."""

import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.lsmarkov.learn import Search, learn
from cliquewise.lsmarkov.team import Limits
from tests.oracles.learners import best_chordal
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of

# name: how it learns from data with an ess and a bound on cliques
LEARNERS = {
    "lsmarkov": lambda data, ess, bound: learn(
        data, ess=ess, search=Search(max_clique=bound, limits=Limits(iterations=100_000))
    ),
    "lsmarkov --preset ecai2020": lambda data, ess, bound: learn(
        data,
        ess=ess,
        search=Search("ecai2020", max_clique=bound, restart_rate=20, limits=Limits(iterations=20_000)),
    ),
}


@pytest.mark.parametrize("seed", range(20))
def test_the_optimum_of_five_variables(seed):
    ess, rows, bound = (0.5, 1.0, 10.0, 50.0)[seed % 4], (20, 80, 400)[seed % 3], (None, 3, 4)[seed // 2 % 3]
    data = random_dataset(100 + seed, n_vars=5, n_rows=rows, max_arity=4, constant=seed == 7)
    best, _ = best_chordal(5, set_score(rows_of(data), arity_of(data), "bdeu", ess), bound)
    for name, learner in LEARNERS.items():
        result = learner(data, ess, bound)
        assert result.score == pytest.approx(best, abs=1e-7), name
        assert certify(result.graph, data, ess=ess, claimed=result.score, max_clique=bound).ok, name
