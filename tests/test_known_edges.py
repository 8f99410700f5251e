"""`--required-edges` and `--forbidden-edges`: learners against all networks that keep them, and what is refused."""

import itertools
from functools import cache

import numpy as np
import pytest

from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.coarsen.learn import learn as coarsen
from cliquewise.common.certify.certificate import certificate_of
from cliquewise.common.errors import UsageError
from cliquewise.common.files import input_stream
from cliquewise.common.files.result_header import Claims
from cliquewise.common.graphs.chordal import is_chordal, maximal_cliques
from cliquewise.common.graphs.edge_constraints import cover
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor.config import Config as Exact
from cliquewise.junctor.learn import learn as junctor
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.lsmarkov.learn import learn as lsmarkov
from cliquewise.mplearn.blanket import Blanket
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.config import Config as Combination
from cliquewise.mplearn.learn import learn as mplearn
from tests.commands import ROOT
from tests.learning import learned
from tests.oracles.families import bdeu_of_family
from tests.oracles.learners import scored_graphs
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of

PAIRS = list(itertools.combinations(range(5), 2))
WINE = ROOT / "data/wine.csv"


def known(seed, n=5):
    """Some edges required, and some others forbidden: two graphs."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in PAIRS if max(pair) < n]
    drawn = [pairs[i] for i in rng.permutation(len(pairs))]
    first, second = int(rng.integers(0, 4)), int(rng.integers(0, 4))
    return Graph(n, tuple(sorted(drawn[:first]))), Graph(n, tuple(sorted(drawn[first : first + second])))


def keeps(edges, required, forbidden):
    """Whether edges hold those required and none of those forbidden."""
    return {*required.edges} <= {*edges} and not {*edges} & {*forbidden.edges}


@pytest.mark.fast_cases(5)
@pytest.mark.parametrize("seed", range(12))
def test_chordal_networks_keep_known_edges(seed):
    """Searches find the optimum among those that keep the edges; coarsening keeps them and never exceeds it."""
    data, bound = random_dataset(seed, n_vars=5, n_rows=(20, 200)[seed % 2]), (None, 3)[seed // 2 % 2]
    required, forbidden = known(seed)
    edges = {"required": required, "forbidden": forbidden}
    score = set_score(rows_of(data), arity_of(data), "bdeu", 2.0)
    fitting = [value for value, edges in scored_graphs(5, score, bound) if keeps(edges, required, forbidden)]
    exact = {
        "lsmarkov": (lsmarkov, Search(max_clique=bound, **edges), 40_000),
        "junctor": (junctor, Exact(bound, method="ilp", **edges), None),
    }
    steps = {"steps": StepLimits(bound), **edges}
    near = {
        "greedy": (coarsen, Coarsening("greedy", "empty", **steps), None),
        "ic": (coarsen, Coarsening(**steps), None),
        "fic": (coarsen, Coarsening("fic", **steps), None),
        "forest": (coarsen, Coarsening("forest", "forest", **steps), None),
        "tree": (coarsen, Coarsening("forest", "tree", **steps), None),
    }
    for name, (learn, config, iterations) in {**exact, **near}.items():
        if not fitting and name != "junctor":
            with pytest.raises(UsageError, match="no network was found that has edge .* and the others required, "):
                learned(learn, data, config, Scoring(ess=2.0), iterations=iterations)
            continue
        if not fitting:
            continue
        result = learned(learn, data, config, Scoring(ess=2.0), iterations=iterations)
        claims = Claims(result.score, "bdeu", 2.0, max_clique=bound)
        assert certificate_of(result.graph, data, claims, constraints=config).ok, name
        assert keeps(result.graph.edges, required, forbidden), name
        assert result.score <= max(fitting) + 1e-7, name
        if name in exact:
            assert result.score == pytest.approx(max(fitting), abs=1e-7), name


def test_dynamic_program_and_published_search_within_edges():
    for seed in range(6):
        data, (_, forbidden) = random_dataset(seed, n_vars=5), known(seed)
        score = set_score(rows_of(data), arity_of(data), "bdeu", 1.0)
        best = max(value for value, edges in scored_graphs(5, score) if not {*edges} & {*forbidden.edges})
        published = Search("ecai2020", restart_rate=20, forbidden=forbidden)
        assert learned(junctor, data, Exact(forbidden=forbidden)).score == pytest.approx(best, abs=1e-7)
        assert learned(lsmarkov, data, published, iterations=8000).score == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_networks_of_blankets_keep_known_edges(seed):
    """From all edges pbo finds the best graph that keeps the edges; nothing exceeds it; the blankets keep them too."""
    data = random_dataset(seed, n_vars=4, n_rows=(30, 300)[seed % 2], max_arity=3)
    required, forbidden = known(seed, 4)

    @cache
    def local(variable, members):
        return bdeu_of_family(rows_of(data), arity_of(data), variable, members, 1.0)

    def score(edges):
        return sum(local(v, frozenset(u for edge in edges if v in edge for u in edge if u != v)) for v in range(4))

    pairs = list(itertools.combinations(range(4), 2))
    graphs = [edges for size in range(7) for edges in itertools.combinations(pairs, size)]
    best = max(score(edges) for edges in graphs if keeps(edges, required, forbidden))
    everything = tuple(Blanket(v, tuple(u for u in range(4) if u != v), 0.0) for v in range(4))
    for combine in ("pbo", "hc", "and", "or"):
        for blankets in (None, everything):
            config = Combination(combine, blankets=blankets, required=required, forbidden=forbidden)
            result = learned(mplearn, data, config, BlanketScoring())
            claims = Claims(result.score, "mpl", 1.0, prior="uniform")
            assert certificate_of(result.graph, data, claims, constraints=config).ok
            assert keeps(result.graph.edges, required, forbidden) and result.score <= best + 1e-7
            if combine == "pbo" and blankets:
                assert result.score == pytest.approx(best, abs=1e-7)


def test_regression_keeps_edges():
    pytest.importorskip("sklearn")
    data = random_dataset(3, n_vars=5, n_rows=200, max_arity=2)
    required, forbidden = Graph(5, ((0, 1), (2, 4))), Graph(5, ((1, 2), (0, 3), (0, 4)))
    config = Combination("or", lasso=0.5, required=required, forbidden=forbidden)
    assert keeps(learned(mplearn, data, config, BlanketScoring()).graph.edges, required, forbidden)


@pytest.mark.parametrize("seed", range(30))
def test_chordal_covers_of_required_edges(seed):
    """The required edges, made chordal within the bound; a forbidden edge is not joined."""
    rng = np.random.default_rng(seed)
    required = Graph(8, tuple(pair for pair in itertools.combinations(range(8), 2) if rng.random() < 0.3))
    others = [pair for pair in itertools.combinations(range(8), 2) if pair not in required.edges]
    forbidden = Graph(8, tuple(pair for pair in others if rng.random() < 0.1))
    found, edge = cover(required, 8, 4, None, forbidden)
    if found is None:
        assert edge in required.edges
        return
    assert is_chordal(found) and keeps(found.edges, required, forbidden)
    assert max(map(len, maximal_cliques(found))) <= 4
    if is_chordal(required):
        assert found.edges == required.edges


def test_certificates_name_edges():
    graph, one, other = Graph(3, ((0, 1),)), Graph(3, ((0, 1),)), Graph(3, ((1, 2),))
    config = Search(required=other, forbidden=one, allowed=other)
    problems = certificate_of(graph, None, Claims(None, "bdeu", 1.0), constraints=config).problems
    assert problems == (
        "edge 0 - 1 is not among those allowed",
        "edge 0 - 1 is forbidden",
        "edge 1 - 2 is required and missing",
    )
    assert certificate_of(graph, None, Claims(None, "bdeu", 1.0), constraints=Search(allowed=one, forbidden=other)).ok


LEARNERS = {
    "lsmarkov": ("lsmarkov", "--max-clique", 4, "--iterations", 3000),
    "junctor": ("junctor", "--max-clique", 3, "--method", "ilp", "--time-limit", 5),
    "coarsen": ("coarsen", "--method", "greedy"),
    "coarsen --search": ("coarsen", "--method", "greedy", "--search", 0.3),
    "mplearn": ("mplearn",),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_commands_keep_known_edges(run, workplace, name):
    workplace({"must": "# variables 14\n0,1\n1,2\n2,3\n0,3\n", "never": "# variables 14\n1,3\n0,6\n6,12\n"})
    command, *options = LEARNERS[name]
    done = run(command, WINE, *options, "--required-edges", "must", "--forbidden-edges", "never", "-o", "net")
    assert done.code == 0, done.stderr
    found = read_graph("net")
    assert keeps(found.graph.edges, read_graph("must").graph, read_graph("never").graph)
    assert found.header["required-edges"] == "4" and found.header["forbidden-edges"] == "3"
    assert run("mntools", "check", "net", "--data", WINE, "-q").code == 0


COMMANDS = ("lsmarkov", "junctor --method ilp", "coarsen", "mplearn")


@pytest.mark.parametrize("command", COMMANDS)
def test_edges_that_cannot_be_kept(refuse, workplace, command):
    workplace({"must": "# variables 14\n0,1\n1,2\n", "never": "# variables 14\n1,2\n3,4\n", "broken": "0,x\n"})
    both = "--required-edges: edge malic_acid,ash is among --forbidden-edges too; remove it from one of them"
    refuse(f"{command} {WINE} -q --required-edges must --forbidden-edges never", 2, both)
    refuse(f"{command} {WINE} -q --required-edges broken", 1, "broken:1")
    refuse(f"{command} {WINE} -q --forbidden-edges gone", 1, "gone: cannot be read")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_edges_without_end(refuse, workplace, monkeypatch, command):
    workplace({"many": "0,1\n" * 50_000})
    refuse(f"{command} {WINE} -q --forbidden-edges /dev/zero", 1, "/dev/zero: not text: it has a zero byte; expected")
    monkeypatch.setattr(input_stream, "MAX_TEXT", 100_000)
    refuse(f"{command} {WINE} -q --forbidden-edges many", 1, "many: more than 100,000 bytes; expected a graph file")


def test_edges_beyond_the_bound(refuse, workplace):
    clique = "".join(f"{u},{v}\n" for u, v in itertools.combinations(range(4), 2))
    workplace({"must": f"# variables 14\n{clique}", "net": "# variables 14\n0,1\n"})
    message = (
        "no network was found that has edge alcohol,malic_acid and the others required, with cliques of at most 3;"
    )
    for command in ("lsmarkov", "coarsen"):
        refuse(f"{command} {WINE} -q --max-clique 3 --required-edges must", 1, message)
    refuse(f"junctor {WINE} -q --max-clique 3 --required-edges must", 1, f"{WINE}: no network has a finite score")
    edge = "--required-edges: edge alcohol,alcalinity_of_ash makes a blanket of more than --max-blanket 2"
    refuse(f"mplearn {WINE} -q --max-blanket 2 --required-edges must", 1, edge)
    lacks = "net: edge alcohol,ash is required (--required-edges, --edge-priors), but missing; add it"
    refuse(f"lsmarkov {WINE} -q --init net --required-edges must", 2, f"--init {lacks}")
    refuse(f"coarsen {WINE} -q --start net --required-edges must", 2, f"--start {lacks}")
    among = "net: edge alcohol,malic_acid is forbidden (--forbidden-edges, --edge-priors); remove it from one of them"
    refuse(f"lsmarkov {WINE} -q --init net --forbidden-edges must", 2, f"--init {among}")
    refuse(
        f"lsmarkov {WINE} -q --allowed-edges net --required-edges must",
        2,
        "--required-edges: edge alcohol,ash is not among",
    )
    refuse(f"lsmarkov {WINE} -q --preset ecai2020 --required-edges must", 2, "--required-edges is not supported with")
