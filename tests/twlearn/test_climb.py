"""The search over arcs against its definition, and against all networks of a few variables."""

import itertools

import numpy as np
import pytest

from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.coarsen.learn import learn as coarsen
from cliquewise.common.errors import DataError
from cliquewise.common.files.graphfile import GraphFile
from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.knowledge import knowledge_of
from cliquewise.common.graphs.statements import Statements
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED
from cliquewise.common.run.saved import Saved
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import CACHE_MB, Scoring
from cliquewise.twlearn import climb as module
from cliquewise.twlearn.arc_gains import ListedGains, SetGains
from cliquewise.twlearn.arcs_kernels import add_parent, drop_parents, step
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.elimination_kernels import insert, rebuild, reorder
from cliquewise.twlearn.hill_climber import KICK_SIZE, HillClimber, _arcs, _elimination
from cliquewise.twlearn.learn import learn, method_for
from cliquewise.twlearn.template import Template, template_of
from tests.learning import Recorder, learned
from tests.oracles.families import bdeu_of_family
from tests.oracles.networks import arc_moves, is_acyclic, later_neighbours, moral_edges, treewidth_by_sets
from tests.random_inputs import arity_of, random_dataset, rows_of
from tests.twlearn.scored import certified, families_of
from tests.twlearn.test_families import listed
from tests.twlearn.test_parent_search import chained
from tests.twlearn.test_pieces import check


def climber_of(data, width, most, kind="sets", monitor=None):
    """A HillClimber without arcs."""
    monitor = monitor or Monitor(threads=1)
    if kind == "sets":
        gains = SetGains(data, Scoring(), CACHE_MB, monitor)
    else:
        gains = ListedGains(families_of(data, most))
    climber = HillClimber(gains, width, most, monitor)
    climber.begin()
    return climber


def every_arc(n, most):
    """An Arcs with all candidates."""
    return _arcs(np.array([[u for u in range(n) if u != v] for v in range(n)], np.int32), most)


def parents_in(arcs):
    return tuple(frozenset(arcs.parents[v, : arcs.count[v]].tolist()) for v in range(len(arcs.count)))


def later_in(elimination):
    return [frozenset(row[:count].tolist()) for row, count in zip(elimination.later, elimination.count, strict=True)]


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "width", "seed"), [(4, 1, 0), (6, 2, 1), (9, 2, 2), (12, 3, 3), (70, 4, 4)])
def test_the_elimination_order_is_as_defined(n, width, seed):
    """Families come and go: what is later is what the order makes later; only where that is too much one is refused."""
    rng, arcs, elimination = np.random.default_rng(seed), every_arc(n, width), _elimination(n, width)
    elimination.order[:] = rng.permutation(n)
    elimination.place[elimination.order] = np.arange(n)
    refused = ordered = 0
    for _ in range(160):
        v = int(rng.integers(min(n, 20)))
        if rng.random() < 0.2:
            drop_parents(arcs, v, False)
            assert rebuild(elimination, arcs)
            continue
        k = int(rng.integers(min(n - 1, 20)))
        if arcs.count[v] == width or arcs.state[v, k]:
            continue
        clique = np.array([v, arcs.candidates[v, k], *arcs.parents[v, : arcs.count[v]]], np.int64)
        network = parents_in(arcs)
        network = (*network[:v], frozenset(clique[1:].tolist()), *network[v + 1 :])
        before, order = later_in(elimination), elimination.order.tolist()
        by_order = later_neighbours(n, moral_edges(network), order)
        if insert(elimination, clique, len(clique)):
            assert later_in(elimination) == by_order
        else:
            refused += 1
            assert max(map(len, by_order)) > width and later_in(elimination) == before
            found = reorder(elimination, arcs, clique, len(clique))
            assert sorted(elimination.order.tolist()) == list(range(n))
            assert [elimination.order[place] for place in elimination.place] == list(range(n))
            if not found:
                assert (later_in(elimination), elimination.order.tolist()) == (before, order)
                continue
            ordered += 1
            assert later_in(elimination) == later_neighbours(n, moral_edges(network), elimination.order.tolist())
            assert max(map(len, later_in(elimination))) <= width
        add_parent(arcs, v, k)
    assert refused and (ordered or n < 6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [2, 3])
def test_a_new_order_is_mostly_found_where_one_exists(seed, width):
    """Where a family does not fit into the order, another order of the vertices on the way mostly has room for it."""
    rng, missed, tried = np.random.default_rng(seed), 0, 0
    for _ in range(60):
        n, arcs, elimination = 7, every_arc(7, width), _elimination(7, width)
        elimination.order[:] = rng.permutation(n)
        elimination.place[elimination.order] = np.arange(n)
        for v in rng.integers(1, n, 20).tolist():
            k = int(rng.integers(v))
            if arcs.count[v] == width or arcs.state[v, k]:
                continue
            clique = np.array([v, arcs.candidates[v, k], *arcs.parents[v, : arcs.count[v]]], np.int64)
            found = insert(elimination, clique, len(clique))
            if not found:
                found = reorder(elimination, arcs, clique, len(clique))
                network = parents_in(arcs)
                network = (*network[:v], frozenset(clique[1:].tolist()), *network[v + 1 :])
                fits = treewidth_by_sets(n, moral_edges(network)) <= width
                assert fits or not found
                tried, missed = tried + fits, missed + (fits and not found)
            if found:
                add_parent(arcs, v, k)
    assert tried > 10 and missed <= tried // 8


@pytest.mark.nojit
@pytest.mark.parametrize("kind", ["sets", "listed"])
@pytest.mark.parametrize("seed", range(3))
def test_each_move_is_the_best_one(seed, kind):
    """Without a bound: no arc more, less or reversed gains more, and at the end none gains."""
    data = random_dataset(seed, n_vars=5, n_rows=80, max_arity=3)
    rows, arity, climber, steps = rows_of(data), arity_of(data), climber_of(data, 4, 2, kind), 0
    known = listed(families_of(data, 2))

    def score(network):
        if kind == "listed" and any(own not in known[v] for v, own in enumerate(network)):
            return -np.inf
        return sum(bdeu_of_family(rows, arity, v, own, 1.0) for v, own in enumerate(network))

    while True:
        network = parents_in(climber.arcs)
        best = max(map(score, arc_moves(network, 2)))
        moved = step(climber.arcs, climber.elimination)
        for v in climber.arcs.changed[climber.arcs.changed >= 0].tolist():
            climber.gains.fill(climber.arcs, v)
        if not moved:
            assert best <= score(network) + 1e-7
            break
        assert climber.score == pytest.approx(best, abs=1e-7) and best > score(network)
        steps += 1
    assert steps > 2


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "width", "seed"), [(2, 1, 0), (9, 1, 1), (12, 2, 2), (25, 3, 3), (70, 4, 4)])
def test_climbs_and_kicks_keep_the_bound_and_the_score(n, width, seed):
    data = chained(n, 60, seed)
    climber = climber_of(data, width, min(3, width))
    climber.first_climbs(seed)
    check(data, climber, width)
    for i in range(8):
        before, network = climber.score, climber.parents()
        stays = climber.kick(i % n, 1 + i % 3, np.random.default_rng(i))
        check(data, climber, width)
        assert climber.score >= before if stays else (climber.score, climber.parents()) == (before, network)
        gains = climber.arcs.gains.copy()
        for v in range(n):
            climber.gains.fill(climber.arcs, v)
        assert np.allclose(gains, climber.arcs.gains, atol=1e-7)


@pytest.mark.nojit
def test_a_kick_reaches_so_many_steps_of_the_moral_graph():
    climber = climber_of(chained(25, 60, 1), 3, 3)
    climber.first_climbs(1)
    edges = moral_edges([frozenset(own) for own in climber.parents()])
    for reach, seed in itertools.product(range(1, 5), range(10)):
        region = climber._around(seed, reach, np.random.default_rng(seed))
        steps = [{seed}]
        for _ in range(reach):
            steps.append({u for one in edges for u in one if steps[-1] & {*one}} | steps[-1])
        taken = [len(inner & set(region)) for inner in steps]
        whole = [len(inner) for inner in steps]
        assert region[0] == seed and len(set(region)) == len(region) == taken[-1] <= KICK_SIZE * reach
        assert all(a == b or a == len(region) for a, b in zip(taken, whole, strict=True)), "the near ones first"
        assert len(region) >= min(3, whole[-1])
    assert len(climber._around(0, 4, np.random.default_rng(2))) > KICK_SIZE


def test_kicks_reach_further_after_sweeps_that_gained_nothing(monkeypatch):
    kicks, kick = [], HillClimber.kick

    def seen(climber, v, reach, random):
        before = climber.score
        stays = kick(climber, v, reach, random)
        kicks.append((reach, climber.score > before + 1e-7))
        return stays

    monkeypatch.setattr(HillClimber, "kick", seen)
    n = 12
    learned(learn, chained(n, 100), Config(2, "climb"), iterations=8 * n)
    expected = 1
    for number in range(len(kicks) // n):
        sweep = kicks[number * n : (number + 1) * n]
        assert {reach for reach, _ in sweep} == {expected}
        expected = 1 if any(gained for _, gained in sweep) or expected == module.PATIENCE else expected + 1
    assert max(kicks)[0] == module.PATIENCE


@pytest.mark.parametrize("seed", range(3))
def test_one_parent_each_gives_the_best_forest(seed):
    data = chained(30, 200, seed)
    forest = learned(coarsen, data, config=Coarsening("greedy", "forest", steps=StepLimits(2)))
    result = certified(data, learned(learn, data, Config(1, "climb"), iterations=31), 1)
    assert result.score >= forest.score - 1e-9


@pytest.mark.parametrize(("n", "width", "seed"), [(20, 2, 1), (40, 2, 2), (60, 3, 3)])
def test_no_worse_than_a_grown_chordal_graph(n, width, seed):
    data = chained(n, 200, seed)
    chordal = learned(coarsen, data, config=Coarsening("greedy", "forest", steps=StepLimits(width + 1)))
    result = certified(data, learned(learn, data, Config(width, "climb"), iterations=n + 1), width)
    assert result.score >= chordal.score - 1e-9


@pytest.mark.parametrize("method", ["chordal", "climb"])
@pytest.mark.parametrize("is_directed", [False, True])
def test_no_worse_than_the_template(method, is_directed):
    """Its parent sets are candidates, however many parents they have and however few sets are searched."""
    data = chained(30, 200)
    cliques = [tuple(range(v, v + 6)) for v in range(0, 24, 3)]
    graph, parents = Graph.from_cliques(30, cliques), [()] * 30
    for v in range(30):
        parents[v] = tuple(u for u in range(v) if any(u in one and v in one for one in cliques))
    template = Template(graph, tuple(range(30)), "net", tuple(parents))
    if not is_directed:
        template = template_of(GraphFile(graph, "cliques"), 5, "net")
        parents = template.parents
    score = Scoring("ll")
    found = learned(learn, data, Config(5, method, template=template, parent_sets=3), score, iterations=1)
    scorer = SetScorer(data, score)
    expected = sum(scorer.score((*own, v)) - scorer.score(own) for v, own in enumerate(parents))
    assert found.score >= expected - 1e-7


def test_results_depend_on_the_seed_and_not_on_threads(monkeypatch):
    monkeypatch.setattr(module, "PIECE_SIZE", 12)
    monkeypatch.setattr(module, "PIECE_MOVES", 14 * 200)
    data = chained(40)

    def found(seed, threads):
        config = Config(3, "climb", parent_sets=80, seed=seed)
        result = learned(learn, data, config, iterations=130, threads=threads)
        return result.graph, result.order, result.score, result.iterations

    first = found(1, 1)
    assert first == found(1, 3)
    assert first[1] != found(2, 1)[1]


@pytest.mark.slow
def test_more_variables_than_all_sets_allow():
    """The whole way for many variables: chosen by size, within the limit, reported on the way, certified."""
    data, recorder = chained(300, 300), Recorder()
    assert method_for(data, Config(4)) == "climb"
    result = certified(data, learned(learn, data, Config(4), Scoring(), seconds=3.0, recorder=recorder), 4)
    assert any("climbing" in text for text in recorder.texts) and recorder.rows[-1].score == pytest.approx(result.score)
    assert len(result.graph.arcs) > 300


def test_an_interrupted_run_has_the_network_so_far():
    data = chained(150, 200)
    recorder = Recorder(at_row=lambda monitor, row: row.iterations < 3 or monitor.interrupt())
    result = certified(data, learned(learn, data, Config(3, "climb"), seconds=60, recorder=recorder), 3)
    assert result.status == INTERRUPTED and len(result.graph.arcs) > 100


def test_interrupted_in_the_first_climb():
    recorder = Recorder(at_text=lambda monitor, text: "pairs of variables" in text and monitor.interrupt())
    result = certified(chained(90), learned(learn, chained(90), Config(3, "climb"), seconds=60, recorder=recorder), 3)
    assert result.status == INTERRUPTED


@pytest.mark.parametrize("width", [1, 4])
def test_stopped_in_the_first_climb_it_is_no_worse_than_the_best_forest(width, monkeypatch):
    """The first climb has made three arcs."""
    data, steps = chained(40, 200), itertools.count(1)

    def stopped(climber, v):
        climber.gains.fill(climber.arcs, v)
        if next(steps) == 3:
            climber.monitor.interrupt()

    monkeypatch.setattr(HillClimber, "_fill", stopped)
    forest = learned(coarsen, data, config=Coarsening("greedy", "forest", steps=StepLimits(2)))
    recorder = Recorder()
    result = certified(data, learned(learn, data, Config(width, "climb"), seconds=60, recorder=recorder), width)
    assert result.status == INTERRUPTED and result.score == pytest.approx(forest.score) == recorder.rows[-1].score


def test_stopped_while_the_chordal_network_grows(monkeypatch):
    """No gains are computed for a network that no climb can start from."""
    grown, filled = module.Climb._grown, []

    def stopped(climb, scorer, monitor):
        rows = grown(climb, scorer, monitor)
        monitor.interrupt()
        monkeypatch.setattr(SetGains, "fill", lambda gains, arcs, v: filled.append(v))
        return rows

    monkeypatch.setattr(module.Climb, "_grown", stopped)
    result = certified(chained(20), learned(learn, chained(20), Config(2, "climb"), seconds=60), 2)
    assert result.status == INTERRUPTED and not filled


@pytest.mark.parametrize("kind", ["required", "listed", "sets"])
def test_growth_is_compiled_only_if_it_can_be_tried(kind, monkeypatch):
    compiled, tried = [], []
    monkeypatch.setattr(module, "compile_grown", compiled.append)
    monkeypatch.setattr(module.Climb, "_try_growth", lambda climb, *_: tried.append(climb))
    n, known = 8, None
    if kind == "required":
        known = knowledge_of(Statements(required_arcs=((0, 1),)), n)
    data = chained(n, 60)
    if kind == "listed":
        families = families_of(data, 2)
        ends = families.start[1:-1]
        names = tuple(map(str, range(n)))
        data = ParentSets(names, tuple(np.split(families.parents, ends)), tuple(np.split(families.scores, ends)))
    learned(learn, data, Config(2, "climb", known=known), iterations=n + 1)
    assert len(compiled) == len(tried) == (kind == "sets")


@pytest.mark.parametrize("spoilt", ["at", "count", "order", "sweeps", "cycle"])
def test_an_invalid_checkpoint_is_refused(spoilt):
    """A checkpoint's arrays are looked at: a parent that is none, a cycle, an order that does not keep the bound."""
    climber = climber_of(chained(30, 100), 2, 2)
    climber.first_climbs(1)
    climber.reset()
    state = {**climber.state(), "sweeps": 1, "idle": 0, "pieces": 0, "moves_factor": 1}
    wrong = {
        "at": {"at": state["at"] + 100},
        "count": {"count": state["count"] + 3},
        "order": {"order": np.zeros(30, np.int64)},
        "sweeps": {"sweeps": -1},
        "cycle": {"at": np.zeros_like(state["at"]), "count": np.ones_like(state["count"])},
    }

    def restore(found):
        other, saved = climber_of(chained(30, 100), 2, 2), Saved(found, "some.checkpoint")
        other.restore(saved)
        module.Climb.record.load(saved, module.Climb(other, Config(2)))
        return other

    assert restore(state).parents() == climber.parents()
    with pytest.raises(DataError, match="some.checkpoint: a checkpoint whose"):
        restore({**state, **wrong[spoilt]})


def test_acyclic_tells_whether_arcs_have_a_cycle():
    assert is_acyclic([frozenset(), frozenset({0})]) and Dag.from_parents([(1,), (0,)]).order() is None
    assert len(arc_moves((frozenset(), frozenset()), 1)) == 2
    assert list(itertools.chain(*later_neighbours(3, {(0, 1), (0, 2)}, (0, 1, 2)))) in ([1, 2, 2], [2, 1, 2])
