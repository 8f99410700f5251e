"""Every reader of files, a valid file for it, and the properties of everything it accepts."""

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cliquewise.common.certify.bound import certify_bound
from cliquewise.common.errors import CliquewiseError
from cliquewise.common.files.checkpointfile import read_checkpoint, write_checkpoint
from cliquewise.common.files.graphfile import write_graph
from cliquewise.common.files.input_stream import read_text
from cliquewise.common.files.parentsets import read_parent_sets
from cliquewise.common.files.parts import merged_text
from cliquewise.common.files.result_header import Claims
from cliquewise.common.files.scorefile import CliqueScores, read_scores
from cliquewise.common.learning.options import ScoreOptions
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.models.model_file import read_model
from cliquewise.common.scores.score_parts import merged_scores
from cliquewise.common.sets.set_orders import set_count
from cliquewise.mntools.check import check
from cliquewise.mntools.proof_reader import read_proof
from cliquewise.mplearn.blanketfile import read_blankets
from tests.commands import ROOT
from tests.common.models.test_nodes_and_factors import DNE, NOISY
from tests.reading import read_csv

# three variables: an edge gains 1, and a second one or none of them nothing
_VALUES = [0.0, 0.0, 0.0, 1.0, 0.0, -5.0, -5.0]
SCORES = CliqueScores(3, 2, np.arange(7, dtype=np.uint64), np.array(_VALUES))
HUGE = CliqueScores(3, 2, np.arange(7, dtype=np.uint64), np.array(_VALUES) * 1e307)
BEST = 1
TINY = (ROOT / "data/tiny.csv").read_text()
LAMP = (ROOT / "tests/golden/mnmodel/sample_bif/lamp.bif").read_text()
HEAD = "# program lsmarkov\n# score -10.5\n# score-type bdeu\n# ess 1\n# variables 4\n"
COMMENTS = '{"directed": false, "multigraph": false, "graph": {"score": "-1.5"}, '
XML = '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
BIFXML = '<?xml version="1.0"?>\n<BIF VERSION="0.3"><NETWORK><NAME>x</NAME><VARIABLE TYPE="nature"><NAME>a</NAME>'
BIFXML += "<OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE><DEFINITION><FOR>a</FOR><TABLE>0.5 0.5</TABLE>"
LATIN = BIFXML.replace("?>", ' encoding="ISO-8859-1"?>', 1).replace("<OUTCOME>0", "<OUTCOME>caf\xe9")
HUGIN = 'net { } % caf\xe9\nnode a { states = ("x" "y"); label = "two\\"\n lines"; }\nnode b { states = ("u" "v"); }\n'
HUGIN += "potential (a) { data = ( 10 90 ); }\npotential (b | a) { data = (( 0.5 0.5)( 3 1 )); }\n"
BRACKETS = "network n {\n}\nvariable a {\n  type discrete [ 3 ] { [0,1), (1, 2], a b };\n}\nvariable b {\n"
BRACKETS += "  type discrete [ 2 ] { x, y };\n}\nprobability ( a ) {\n  table 0.33, 0.33, 0.33;\n}\n"
BRACKETS += "probability ( b | a ) {\n  ([0,1)) 0.5, 0.5;\n  ((1, 2]) 0.49, 0.5;\n  (a b) 1.0, -1e-8;\n}\n"
PROOF = "# certificate 1\n# score-type bdeu\n# ess 1\n# variables 3\n# max-clique 2\n# root 0\n# upper-bound -1.5\n"


def _csv(path):
    for missing in ("refuse", "state", "drop"):
        try:
            data = read_csv(path, "auto", missing)
        except CliquewiseError:
            continue
        assert data.codes.shape == (data.n_rows, len(data.names)) and data.n_rows > 0
        assert len({*data.names}) == data.n == len(data.states)
        for v in range(data.n):
            assert sorted({*data.codes[:, v].tolist()}) == list(range(len(data.states[v])))
            assert len({*data.states[v]}) == len(data.states[v])


def _scores(path):
    found = read_scores(path)
    assert 1 <= found.max_size <= found.n <= 64 and len(found.masks) == len(found.scores)
    assert len(found.masks) == set_count(found.n, found.max_size) and found.scores[0] == 0.0
    assert not np.isnan(found.scores).any() and (found.scores < np.inf).all()
    assert (np.diff(found.masks.astype(object)) > 0).all()


def _parent_sets(path):
    found = read_parent_sets(path)
    assert len({*found.names}) == found.n
    for v in range(found.n):
        parents, scores = found.parents[v], found.scores[v]
        assert len(parents) == len(scores) and not np.isnan(scores).any() and (scores < np.inf).all()
        assert (parents < found.n).all() and (parents >= -1).all() and not (parents == v).any()


def _graph(path):
    found = read_graph(path)
    graph = found.graph
    assert list(graph.edges) == sorted({*graph.edges}) and all(0 <= u < v < graph.n for u, v in graph.edges)
    assert graph.names is None or len({*graph.names}) == graph.n
    if found.dag is not None:
        assert all(0 <= u < graph.n and 0 <= v < graph.n and u != v for u, v in found.dag.arcs)
    if graph.n < 1000:
        with tempfile.TemporaryDirectory() as folder:
            again = str(Path(folder, "again"))
            write_graph(again, graph, "edges", {})
            assert read_graph(again, n=graph.n).graph.edges == graph.edges


def _model(path):
    network = read_model(path)
    for table in getattr(network, "tables", ()):
        assert np.isfinite(table).all() and (np.asarray(table) >= 0).all()


def _checkpoint(path):
    head, state = read_checkpoint(path)
    assert isinstance(head, dict) and isinstance(state, dict)
    assert all(not value.dtype.hasobject for value in state.values() if isinstance(value, np.ndarray))


def _part(path):
    _, names, largest, scores = merged_scores([path])
    assert len(scores) == set_count(len(names), largest) and not np.isnan(scores).any()


def _blankets(path):
    found = read_blankets(path, 3)
    assert [one.variable for one in found.blankets] == [0, 1, 2]
    for one in found.blankets:
        assert {*one.members} <= {0, 1, 2} - {one.variable}


def _proof(path):
    proof = read_proof(path)
    assert math.isfinite(float(proof.upper_bound))
    proved = not certify_bound(proof, SCORES)
    assert not proved or proof.upper_bound >= (BEST if proof.max_clique > 1 else 0)
    problems = certify_bound(proof, HUGE)
    assert all(len(problem) < 300 for problem in problems)


def _parts_of_text(path):
    merged_text({path: read_text(path, "a part")})


def _claims(path):
    """Whatever a header says, `mntools check` has a verdict of one line."""
    file = read_graph(path, n=3)
    for source in (None, SCORES):
        if source is not None and Claims.read(file.header, path).by_blankets:
            continue  # they need data
        assert "\n" not in check(file, source, ScoreOptions(None, None)).line


def archive(head, state):
    """The bytes of a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        write_checkpoint(str(Path(folder, "a")), head, state)
        return Path(folder, "a").read_bytes()


_STATE = {"words": np.arange(6, dtype=np.uint64).reshape(2, 3), "best": [1.5, None, "x"]}
_FORM = {"layout": "dmst", "order": "colex", "pair": False, "precision": None, "prune": False}
_SCORES = {"ranks": np.arange(4), "scores": np.array([0.0, -1.0, -2.0, -3.5])}
_WHOLE = {"part": "scores of sets", "shard": "1/1", "names": ["a", "b"], "largest": 2, "form": _FORM}


@dataclass(frozen=True)
class Reader:
    """A reader.

    Attributes
    ----------
    check : callable taking a path
        Reads, and asserts what must hold of what is accepted.
    corpus : tuple of bytes
        Files that it accepts.
    """

    check: object
    corpus: tuple


READERS = {
    "csv": Reader(
        _csv, (TINY.encode(), b'a;"b ""q""";c\r\n1;?;x\r\n2;NA;\r\n', b"1\t2\t3\n2\t2\t1\n", b"\xef\xbb\xbfa b\n0 1\n")
    ),
    "scores": Reader(
        _scores,
        (
            b"DMST\n3\nsubset_scores\ncolex_order 2\n0\n-1\n-2\n-3\n-4\n-5\n-6\n",
            b"DMST\n2\nsubset_scores\nfree_order 2 4\n0 0\n-1 1 0\n-2 1 1\n-3 2 0 1\n",
            b"3 2\n0\n-1\n-2\n-3\n-4\n-inf\n-6\n",
            b"DMST\n2\nclique_scores\nlex_order 2\n0\n-1\n-3\n-2\nseparator_scores\nlex_order 1\n0\n-1\n-2\n",
        ),
    ),
    "parent sets": Reader(_parent_sets, (b"3\na 2\n-1.5 0\n-1 1 b\n# c\nb 1\n-2 0\nc 2\n-3 0\n-2.5 2 a b\n",)),
    "graphs": Reader(
        _graph,
        (
            f"{HEAD}0,1,2\n2,3\n".encode(),
            f"{HEAD}# format edges\n0,1\n2,3\n".encode(),
            f"{HEAD}# format arcs\n# treewidth 1\n# elimination-order 3,2,1,0\n0,1\n1,2\n".encode(),
            f'{HEAD}# names a,b,"c ""d",e\na,b\ne\n'.encode(),
            b'graph g {\n  // score -1.5\n  0; 1; 2;\n  0 -- 1 [weight=2];\n  "x y" -- 2;\n}\n',
            b"digraph { a -> b -> c; subgraph { d } }",
            b"a,b,c\n0,1,0\n0,0,1\n0,0,0\n",
            b"source,target,weight\na,b,0.5\nb,c,1\n",
            b"[A][B|A][C|A:B]\n",
            f'{XML}<node id="n0"/><node id="n1"/><edge source="n0" target="n1"/></graph></graphml>'.encode(),
            f'{COMMENTS}"nodes": [{{"id": 0}}, {{"id": 1}}], "links": [{{"source": 0, "target": 1}}]}}'.encode(),
        ),
    ),
    "models": Reader(
        _model,
        (
            LAMP.encode(),
            f"{BIFXML}</DEFINITION></NETWORK></BIF>".encode(),
            b"BAYES\n2\n2 2\n2\n1 0\n2 0 1\n2\n0.5 0.5\n4\n0.1 0.9 0.3 0.7\n",
            b"MARKOV\n3\n2 2 3\n3\n1 0\n2 0 1\n2 2 1\n2\n1 3\n4\n1 0 2.5 1e-9\n6\n1 2 3 4 5 6\n",
            f"{LATIN}</DEFINITION></NETWORK></BIF>".encode("latin-1"),
            NOISY.encode(),
            DNE.encode(),
            HUGIN.encode("latin-1"),
            BRACKETS.encode(),
        ),
    ),
    "checkpoints": Reader(_checkpoint, (archive({"version": "1"}, _STATE),)),
    "parts of scores": Reader(_part, (archive(_WHOLE, _SCORES),)),
    "blankets": Reader(_blankets, (b"# format blankets\n# variables 3\n0: 1,2\n1: 0\n2:\n",)),
    "certificates": Reader(
        _proof,
        (
            f"{PROOF}step\n5/8 - 0 1\n1/2 0,1 0\nend\n".encode(),
            f"{PROOF.replace('-1.5', '1.5')}step\nsplit 0,1\nstep\n1/2 - 2\nsplit 1,2\nend\nend\nend\n".encode(),
        ),
    ),
    "parts of blankets": Reader(
        _parts_of_text,
        (b"# format blankets\n# variables 3\n# shard 1/1\n# data 0123\n0: 1,2\n1: 0\n2:\n",),
    ),
    "claims": Reader(
        _claims,
        (
            b"# score 1.0\n# max-clique 2\n# upper-bound 1.0\n# status optimal\n# gap 0.0\n# variables 3\n0,1\n2\n",
            b"# format edges\n# columns u,v,probability\n# status complete\n# variables 3\n0,1,0.5\n",
            b"# format arcs\n# treewidth 1\n# elimination-order 2,1,0\n# max-parents 1\n# variables 3\n0,1\n",
            b"# score-type mpl\n# required-edges 1\n# seed 1\n# format edges\n# variables 3\n0,1\n1,2\n",
        ),
    ),
}
TOKENS = (
    *(b"-", b"-1", b"0", b"1e308", b"-inf", b"nan", b"1e999", b"99999999999999999999", b"4294967296", b"0x10", b"1_0"),
    *(b"#", b"# ", b"# variables 1000000000\n", b"# names a,a\n", b"# format dot\n", b"\r", b"\n\n", b"\t", b" "),
    *(
        b'"',
        b'""',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b"<",
        b">",
        b"&lt;",
        b"&#0;",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
        b"\\u0000",
    ),
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"\xc3\xa9",
        b"[" * 3000,
        b"9" * 5000,
        b"a," * 2000,
        b"1/0",
    ),
    *(
        b"colex_order 64",
        b"free_order 2 99999999999",
        b"subset_scores\n",
        b"DMST\n",
        b"inf",
        b"?",
        b"NA",
        b"1/3",
        b"split 0,1\n",
    ),
)
