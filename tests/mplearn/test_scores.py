"""Scores of Markov blankets: the learner's two ways, the certificate's, and the definition."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.certify.blankets import PRIORS as CERTIFIED_PRIORS
from cliquewise.common.certify.blankets import certify_blankets, local_score
from cliquewise.common.data.merging import merged
from cliquewise.common.drawing.strength import edge_strengths
from cliquewise.common.errors import DataError
from cliquewise.common.files.header_words import PENALTIES
from cliquewise.common.files.result_header import Claims
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.scorer import counting_table
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.extensions import KINDS, Extensions
from cliquewise.mplearn.local import LocalScores
from cliquewise.mplearn.priors import PRIORS, Blankets
from tests.oracles import blankets as oracle
from tests.oracles.families import bdeu_of_family
from tests.random_inputs import arity_of, clique_scores, dataset_of, random_dataset, random_set_scores, rows_of

nojit = pytest.mark.nojit
SCORINGS = {
    "mpl": BlanketScoring(),
    "mpl, ess 20": BlanketScoring(ess=20.0),
    "mpl, sparse": BlanketScoring(prior="sparse"),
    "pic": BlanketScoring("pic"),
    "pic by parameters": BlanketScoring("pic", penalty="parameters"),
    "cmi": BlanketScoring("cmi", threshold=0.02),
}
BASES = {"bdeu": BlanketScoring(), "ll": BlanketScoring("cmi", threshold=0.0)}  # what extensions are scored by


def defined(data, scoring):
    """The local score of a BlanketScoring as the oracle has it: a function of a variable and a set."""
    rows, arity = rows_of(data), arity_of(data)

    def local(variable, members):
        q = int(np.prod([arity[u] for u in members]))
        if scoring.kind == "pic":
            return oracle.local_pic(rows, arity, variable, members, scoring.penalty)
        if scoring.kind == "cmi":
            return oracle.local_likelihood(rows, variable, members) - len(rows) * scoring.threshold * len(members)
        prior = -np.log(2.0) * q * (arity[variable] - 1) if scoring.prior == "sparse" else 0.0
        return bdeu_of_family(rows, arity, variable, members, scoring.ess) + prior

    return local


def claims_of(scoring, score=None):
    """The header of a file that is scored so."""
    how = {"prior": scoring.prior, "penalty": scoring.penalty, "threshold": scoring.threshold}
    return Claims(score, scoring.kind, scoring.ess, **how)


@nojit
@pytest.mark.parametrize("name", SCORINGS)
@pytest.mark.parametrize("seed, n_rows", [(0, 1), (4, 2), (1, 7), (2, 60), (3, 150)])
def test_local_scores_are_those_of_the_definition(name, seed, n_rows):
    scoring = SCORINGS[name]
    data = random_dataset(seed, n_vars=5, n_rows=n_rows, max_arity=5, constant=seed == 2)
    local, should = LocalScores(data, scoring), defined(data, scoring)
    by = claims_of(scoring)
    for v in range(5):
        others = [u for u in range(5) if u != v]
        for members in [m for size in range(5) for m in combinations(others, size)]:
            expected = should(v, members)
            assert local.score(v, members) == pytest.approx(expected, abs=1e-9), members
            assert local_score(data, v, members, by) == pytest.approx(expected, abs=1e-9), members


@nojit
@pytest.mark.parametrize("ess", [200.0, 1e5, 1e6])
@pytest.mark.parametrize("parts", [1, 3])
def test_a_constant_gains_nothing_with_a_large_prior(parts, ess):
    data = replace(random_dataset(1, n_vars=5, n_rows=90, constant=True), denominator=parts)
    local = LocalScores(data, BlanketScoring(ess=ess)).score
    for members in ((), (0,), (0, 1), (0, 1, 2)):
        assert abs(local(4, members)) < 1e-12
        assert local(3, (*members, 4)) == pytest.approx(local(3, members), abs=1e-12)


@nojit
@pytest.mark.parametrize("base", KINDS)
@pytest.mark.parametrize("seed, n_rows, max_arity", [(0, 1, 3), (1, 3, 2), (2, 64, 2), (3, 70, 6), (4, 300, 3)])
def test_extensions_are_scored_like_single_blankets(base, seed, n_rows, max_arity):
    data = random_dataset(seed, n_vars=6, n_rows=n_rows, max_arity=max_arity, constant=seed == 3)
    rows, arity = rows_of(data), arity_of(data)
    found = Extensions(counting_table(data), base, 2.5, threads=1)
    for v in range(6):
        for members in ([], [(v + 1) % 6], [(v + 5) % 6, (v + 2) % 6, (v + 1) % 6]):
            scores = found.scores(v, members)
            for u in range(6):
                if u == v or u in members:
                    assert scores[u] == -np.inf
                elif base == "bdeu":
                    assert scores[u] == pytest.approx(bdeu_of_family(rows, arity, v, {*members, u}, 2.5), abs=1e-9)
                else:
                    assert scores[u] == pytest.approx(oracle.local_likelihood(rows, v, {*members, u}), abs=1e-9)


def check_extensions(found, local, asked):
    """The scores of blankets with one more member are those of these blankets alone."""
    for v, members in asked:
        scores = found.scores(v, members)
        for u in set(range(len(scores))) - {v, *members}:
            assert scores[u] == pytest.approx(local.score(v, [*members, u]), abs=1e-7), (v, members, u)


def test_extensions_of_many_rows():
    """Where cells are intersected word by word, and counts are beyond the table."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, [2, 2, 3, 2, 4, 2], (5000, 6))
    codes[:, 3] = np.where(rng.random(5000) < 0.8, codes[:, 0], codes[:, 3])
    data = dataset_of(codes)
    for base, scoring in BASES.items():
        found = Extensions(counting_table(data), base, 1.0, threads=1)
        check_extensions(found, LocalScores(data, scoring), [(0, []), (1, [0]), (4, [0, 2]), (2, [1, 3, 4, 5])])


def test_extensions_where_some_rows_stand_for_several():
    """Rows with and without bits in one cell: a thousand different rows, a quarter of them repeated."""
    rng = np.random.default_rng(6)
    codes = rng.integers(0, [2, 2, 3, 2, 4, 2, 300, 5], (1500, 8))
    codes = np.concatenate([codes, codes[:400].repeat(rng.integers(1, 40, 400), axis=0)])
    data = dataset_of(codes)
    table = counting_table(data)
    assert 300 < len(table.weights) < 500 and table.columns.shape[1] > 1400
    asked = [(0, []), (1, [0]), (4, [0, 2]), (2, [1, 3, 4, 5]), (7, [6]), (6, [])]
    for base, scoring in BASES.items():
        check_extensions(Extensions(table, base, 1.0, threads=1), LocalScores(data, scoring), asked)


@nojit
def test_extensions_of_counts_in_parts_of_rows():
    """Half of the rows are there five times, the others with a few other cells: each stands for a fifth of a row."""
    rng = np.random.default_rng(8)
    codes = rng.integers(0, [2, 2, 3, 2, 40], (80, 5)).repeat(5, axis=0)
    codes[200:][rng.random((200, 5)) < 0.2] = 0
    data = replace(merged(dataset_of(codes)), denominator=5)
    table = counting_table(data)
    for base, scoring in {**BASES, "bdeu": BlanketScoring(ess=2.0)}.items():
        local, found = LocalScores(data, scoring), Extensions(table, base, 2.0, 1, data.denominator)
        for v, members in [(0, []), (1, [0]), (3, [0, 2]), (2, [4]), (4, [])]:
            scores = found.scores(v, members)
            for u in set(range(5)) - {v, *members}:
                assert scores[u] == pytest.approx(local.score(v, [*members, u]), abs=1e-9)
                by = claims_of(scoring)
                assert scores[u] == pytest.approx(local_score(data, v, [*members, u], by), abs=1e-9)


def test_a_state_for_almost_every_row():
    """500 states in 600 rows, and one row more than fits in a byte."""
    rng = np.random.default_rng(1)
    wide = np.concatenate([np.arange(500), rng.integers(0, 500, 100)])
    codes = np.column_stack([wide, wide % 2, rng.integers(0, 3, 600)])
    data = dataset_of(codes)
    rows, arity = rows_of(data), arity_of(data)
    assert arity[0] == 500
    local, found = LocalScores(data, BlanketScoring()), Extensions(counting_table(data), "bdeu", 1.0, threads=1)
    for v, members in [(0, (1,)), (1, (0,)), (2, (0, 1)), (0, (1, 2))]:
        expected = bdeu_of_family(rows, arity, v, members)
        assert local.score(v, members) == pytest.approx(expected, abs=1e-8)
        assert found.scores(v, list(members[1:]))[members[0]] == pytest.approx(expected, abs=1e-8)


def test_more_configurations_than_a_float_can_count():
    """1100 binary variables, or three of 10^4 states: the score stays finite, a penalty on parameters does not."""
    rng = np.random.default_rng(2)
    data = dataset_of(np.vstack([rng.integers(0, 2, (3, 1100)), np.zeros(1100), np.ones(1100)]))
    others = range(1, 1100)
    for name in ("mpl", "cmi"):
        score = LocalScores(data, SCORINGS[name]).score(0, others)
        assert np.isfinite(score)
        assert local_score(data, 0, others, claims_of(SCORINGS[name])) == pytest.approx(score, abs=1e-6)
    for name in ("pic", "mpl, sparse"):
        assert LocalScores(data, SCORINGS[name]).score(0, others) < -1e300
        assert local_score(data, 0, others, claims_of(SCORINGS[name])) < -1e300


@nojit
def test_cmi_gains_are_conditional_mutual_information():
    data = random_dataset(7, n_vars=5, n_rows=80)
    rows = rows_of(data)
    local = LocalScores(data, BlanketScoring("cmi", threshold=0.05))
    for given in ([], [1], [1, 3]):
        gain = local.score(0, [*given, 2]) - local.score(0, given)
        expected = len(rows) * (oracle.mutual_information(rows, 0, 2, given) - 0.05)
        assert gain == pytest.approx(expected, abs=1e-9)


def test_every_prior_can_be_certified():
    assert PRIORS.keys() == CERTIFIED_PRIORS.keys()
    for name, prior in PRIORS.items():
        for r, q in [(1, 4), (2, 1), (2, 8), (5, 60)]:
            blankets = Blankets(0, (1, 2), None, 2, r, np.float64(q))
            assert float(prior(blankets)) == pytest.approx(CERTIFIED_PRIORS[name](q, r), abs=1e-12)


@pytest.mark.parametrize("name", SCORINGS)
def test_the_certificate_finds_every_false_claim(name):
    scoring = SCORINGS[name]
    data = random_dataset(3, n_vars=5, n_rows=90)
    graph = Graph(5, ((0, 1), (1, 2), (2, 3), (0, 3)))
    should = defined(data, scoring)
    score = sum(should(v, around) for v, around in enumerate(graph.neighbours()))
    good = certify_blankets(graph, data, claims_of(scoring, round(score, 6)))
    assert good.ok and good.score == pytest.approx(score, abs=1e-9)
    for wrong in (score + 2e-6, score - 1.0):
        assert certify_blankets(graph, data, claims_of(scoring, wrong)).problems[0].startswith("score claimed")
    other = Graph(5, ((0, 1), (1, 2), (2, 3), (0, 4)))
    assert not certify_blankets(other, data, claims_of(scoring, score)).ok
    assert certify_blankets(graph, None, claims_of(scoring, 0.0)).ok  # nothing to check it with


@pytest.mark.parametrize("name", SCORINGS)
def test_the_strength_of_an_edge_is_what_its_two_variables_lose(name):
    """What `mntools draw` shows."""
    scoring = SCORINGS[name]
    data = random_dataset(3, n_vars=5, n_rows=90)
    graph = Graph(5, ((0, 1), (1, 2), (2, 3), (0, 3)))
    should = defined(data, scoring)

    def score(edges):
        return sum(should(v, around) for v, around in enumerate(Graph(5, edges).neighbours()))

    lost = [score(graph.edges) - score(tuple(e for e in graph.edges if e != edge)) for edge in graph.edges]
    assert edge_strengths(graph, data, claims_of(scoring)) == pytest.approx(lost, abs=1e-8)


def test_what_the_certificate_cannot_score():
    data, graph = random_dataset(3, n_vars=3), Graph(3, ())
    with pytest.raises(DataError, match="a cmi score without '# threshold'"):
        certify_blankets(graph, data, Claims(0.0, "cmi"))
    with pytest.raises(DataError, match="no formula for it"):
        certify_blankets(graph, data, Claims(0.0, "mpl", 1.0, prior="mine"))
    with pytest.raises(DataError, match="needs data, not a score file"):
        certify_blankets(graph, clique_scores(random_set_scores(1, 3), 3, 3), Claims(0.0, "mpl", 1.0))


def test_claims_are_read_back():
    for scoring in SCORINGS.values():
        claims = claims_of(scoring, -1.5)
        header = claims.header()
        found = Claims.read(header, "net")
        assert found.header() == header and found.by_blankets
    for line, message in {
        ("penalty", "none"): f"expected one of {', '.join(PENALTIES)}",
        ("threshold", "-1"): "expected a number",
        ("score-type", "mdl"): "expected one of bdeu, bic, ll, ",
    }.items():
        with pytest.raises(DataError, match=message):
            Claims.read(dict([line]), "net")
