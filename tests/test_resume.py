"""A run that is ended again and again, and resumed, ends as one that never was."""

import random

import pytest

from cliquewise.mplearn import learn as mplearning
from cliquewise.mplearn.config import Config as Blankets
from cliquewise.mplearn.local import Scoring as Local
from tests.learning import run, run_in_parts
from tests.random_inputs import random_dataset

MPLEARN = {
    "mplearn hc": (mplearning.learn, Local("mpl", 1.0), Blankets(), {}),
    "mplearn and": (mplearning.learn, Local("pic"), Blankets("and"), {}),
    "mplearn pbo": (mplearning.learn, Local("mpl", 2.0), Blankets("pbo"), {}),
    "mplearn blankets": (mplearning.blankets, Local("mpl", 1.0), Blankets(), {}),
}
LEARNERS = MPLEARN


@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_in_parts_ends_like_a_whole_one(tmp_path, name):
    learn, scoring, config, limits = LEARNERS[name]
    rng = random.Random(name)
    data = random_dataset(7, n_vars=9, n_rows=300)
    whole = run(learn, data, scoring, config, **limits)
    for number, threads in enumerate((1, 2, 3)):
        stops = [rng.choice([rng.randrange(1, 12), rng.random() * 0.03]) for _ in range(8)]
        path = str(tmp_path / str(number))
        result, parts = run_in_parts(learn, path, data, scoring, config, stops=stops, threads=threads, **limits)
        assert result == whole and parts > 1, stops
        again, _ = run_in_parts(learn, path, data, scoring, config, stops=(), **limits)
        assert again == whole
