"""A run that is ended again and again, and resumed, ends as one that never was."""

import random

import pytest

from cliquewise.coarsen import learn as coarsening
from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import learn as exact
from cliquewise.junctor.config import Config as Exact
from cliquewise.lsmarkov import exact as few_variables
from cliquewise.lsmarkov import learn as searching
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.mnposterior import learn as posterior
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mplearn import learn as mplearning
from cliquewise.mplearn.blanket_scoring import BlanketScoring as Local
from cliquewise.mplearn.config import Config as Blankets
from cliquewise.twlearn import learn as treewidth
from cliquewise.twlearn.config import Config as Width
from tests.learning import run, run_in_parts
from tests.random_inputs import random_dataset
from tests.slow import slow

MPLEARN = {
    "mplearn hc": (mplearning.learn, Local("mpl", 1.0), Blankets(), {}),
    "mplearn and": (mplearning.learn, Local("pic"), Blankets("and"), {}),
    "mplearn pbo": (mplearning.learn, Local("mpl", 2.0), Blankets("pbo"), {}),
    "mplearn blankets": (mplearning.blankets, Local("mpl", 1.0), Blankets(), {}),
}
FORCED = Coarsening("fic", "forest", forced=3, forced_length=2)
COARSEN = {
    "coarsen ic": (coarsening.learn, Scoring("bdeu", 5.0), Coarsening(), {}),
    "coarsen fic": (coarsening.learn, Scoring("bic"), FORCED, {}),
    "coarsen greedy": (coarsening.learn, Scoring("bdeu", 5.0), Coarsening("greedy", "empty"), {}),
}
BDEU = Scoring("bdeu", 1.0)
TWLEARN = {
    "twlearn chordal": (treewidth.learn, BDEU, Width(3, "chordal"), {"iterations": 14 * 1000 * 60 + 77}),
    "twlearn climb": (treewidth.learn, BDEU, Width(3, "climb"), {"iterations": 80}),
    "twlearn s2": (treewidth.learn, BDEU, Width(3, "s2"), {"iterations": 20_000}),
    "twlearn skp": (treewidth.learn, BDEU, Width(2, "skp"), {"iterations": 333}),
}
EXACT = {
    "junctor dp": (exact.learn, BDEU, Exact(max_clique=3, method="dp"), {}),
    "junctor ilp": (exact.learn, BDEU, Exact(max_clique=3, method="ilp"), {}),
    "twlearn milp": (treewidth.learn, BDEU, Width(2, "milp"), {}),
}  # of equally good networks, any
SEARCHED = {"iterations": 3_000_077}
LSMARKOV = {
    "lsmarkov": (searching.learn, BDEU, Search(max_clique=4), SEARCHED),
    "lsmarkov as published": (searching.learn, BDEU, Search("ecai2020"), {"iterations": 20_000}),
    "lsmarkov growing": (searching.learn, BDEU, Search("ecai2020", dynamic_bound=True), {"iterations": 20_000}),
}
CHAINS = PosteriorConfig("chains", max_clique=4, ladders=2)
POSTERIOR = {"mnposterior": (posterior.learn, BDEU, CHAINS, {"iterations": 1_000_000})}
LEARNERS = {**POSTERIOR, **LSMARKOV, **MPLEARN, **COARSEN, **TWLEARN}


@pytest.mark.slow
@pytest.mark.parametrize("mosts", [(3, 9), *slow(range(2, 10))], ids=["few", "many"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_in_parts_ends_like_a_whole_one(tmp_path, name, mosts, monkeypatch):
    monkeypatch.setattr(few_variables, "FEW_VARIABLES", 0)  # so that lsmarkov searches
    learn, scoring, config, limits = LEARNERS[name]
    rng = random.Random(name)
    data = random_dataset(7, n_vars=9, n_rows=300)
    whole = run(learn, data, scoring, config, **limits)
    for number, threads in enumerate((1, 3)):
        stops = [1, *(rng.choice([rng.randrange(1, most), rng.random() * 0.03]) for most in mosts)]
        path = str(tmp_path / str(number))
        result, parts = run_in_parts(learn, path, data, scoring, config, stops=stops, threads=threads, **limits)
        assert result == whole and parts > 1, stops
        again, _ = run_in_parts(learn, path, data, scoring, config, stops=(), **limits)
        assert again == whole


@pytest.mark.parametrize("name", EXACT)
def test_an_exact_run_in_parts_ends_as_good_as_a_whole_one(tmp_path, name):
    learn, scoring, config, limits = EXACT[name]
    rng = random.Random(name)
    data = random_dataset(7, n_vars=9, n_rows=300)
    whole = run(learn, data, scoring, config, **limits)
    for number in range(2):
        stops = [rng.random() * most for most in (0.1, 0.3, 0.6, 1.0)]
        result, _ = run_in_parts(learn, str(tmp_path / str(number)), data, scoring, config, stops=stops, **limits)
        assert result.status == whole.status == OPTIMAL
        assert result.score == pytest.approx(whole.score, abs=1e-6)
        assert result.upper_bound == pytest.approx(whole.upper_bound, abs=1e-6)


@pytest.mark.slow
def test_a_run_that_is_ended_after_its_last_step_has_the_same_status(tmp_path):
    """Forced steps that were all done: the status is that of a run which ended by itself."""
    learn, scoring, config, _ = LEARNERS["coarsen fic"]
    data = random_dataset(7, n_vars=9, n_rows=300)
    whole = run(learn, data, scoring, config)
    for stop in range(1, 12):
        result, _ = run_in_parts(learn, str(tmp_path / str(stop)), data, scoring, config, stops=[stop])
        assert result == whole, stop
