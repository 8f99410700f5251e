"""`mntools check`: are the claims of a graph file true? The verdict is one line.

Checked are chordality, the maximal cliques (if the file lists cliques), the bound `# max-clique`, and with
data the score `# score`; of a directed graph that it has no cycle, the bounds `# treewidth` and `# max-parents`, and
the score. A score above its own `# upper-bound` is wrong whatever the graph; that bound itself is proved by a
certificate. An edge list with probabilities, as posteriors and averages are, is no network and claims no score: of it
the numbers of variables and edges are told, and whether it is from these data. A file that claims a score by Markov
blankets (mpl, pic, cmi) need not be chordal: of it the score is checked. Everything that is wrong is named, not only
the first thing.
"""

import logging

from cliquewise.common.certify.arcs import certify_arcs
from cliquewise.common.certify.blankets import certify_blankets
from cliquewise.common.certify.bound import certify_bound
from cliquewise.common.certify.cliques import certify
from cliquewise.common.cli.provenance import DATA
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError
from cliquewise.common.files.fingerprint import data_digest
from cliquewise.common.files.prooffile import read_proof
from cliquewise.common.files.result_header import Claims
from cliquewise.common.mntools.scoring import choose_scoring, describe

LOG = logging.getLogger("cliquewise")
ROUNDED = 1e-6  # one unit of the last digit written


def check(file, source, scoring, certificate=None):
    """Certify a graph file.

    Parameters
    ----------
    file : GraphFile
    source : Dataset, CliqueScores, ParentSets or None
        None: the score is not checked.
    scoring : ScoreOptions
        None fields are taken from the file's header.
    certificate : str, optional
        A file with a proof of an upper bound.

    Returns
    -------
    (bool, str)
        Whether everything is correct, and the verdict.

    Raises
    ------
    DataError
        A header value that cannot be read, or an undirected graph with parent-set scores; no certificate, or one
        for another kind of graph.
    """
    claims = Claims.read(file.header, file.path)
    by = claims if source is None else choose_scoring(file, scoring, source)
    undecided, origin = (), _origin(file, source)
    if claims.score is None and file.graph.probabilities is not None:
        return True, f"ok: probabilities of {len(file.graph.edges)} edges, {file.graph.n} variables{origin}"
    if file.dag is not None:
        found = certify_arcs(file.dag, source, claims, by.score_type, by.ess)
        told = _arcs(file.dag, found)
        undecided = found.undecided
    else:
        told = f"{file.graph.n} variables, {len(file.graph.edges)} edges"
        if by.by_blankets:
            found = certify_blankets(file.graph, source, by)
            told += f", largest blanket {max(map(len, file.graph.neighbours()))}"
        else:
            found = certify(file.graph, source, by.score_type, by.ess, claims.score, claims.max_clique, file.cliques)
            told = f"chordal, {told}, largest clique {found.largest_clique}"
    told += origin
    problems = (*found.problems, *claims.contradictions())
    if certificate is not None and not problems:
        problems, proved = _check_bound(certificate, file, source, by, claims, found)
        told += proved
    if problems:
        return False, "wrong: " + "; ".join((*problems, *undecided))
    if source is None:
        score = "score not checked (no --data)"
    else:
        score = f"score {found.score:.6f} ({describe(source, by)})"
        score += ", none claimed" if claims.score is None else ""
    verdict = "undecided: " + "; ".join(undecided) if undecided else "ok"
    return not undecided, f"{verdict}: {told}, {score}"


def _origin(file, source):
    """Whether a graph is from these data, in a few words, if its header has their fingerprint."""
    if source is None or DATA not in file.header:
        return ""
    if file.header[DATA] == data_digest(source):
        return ", from these data"
    LOG.warning("%s: made from other data, or from these in another order: the fingerprints differ", file.path)
    return ""


def _check_bound(path, file, source, by, claims, found):
    """Problems with a certificate, and a short description of what it proves."""
    if file.dag is not None or by.by_blankets:
        raise DataError("a certificate is about chordal networks", path)
    proof = read_proof(path)
    problems, header = [], Claims.read(proof.header, path)
    same_ess = by.score_type != "bdeu" or header.ess == by.ess
    if isinstance(source, Dataset) and not (header.score_type == by.score_type and same_ess):
        stated = "a score file" if header.score_type is None else describe(source, header)
        problems.append(f"the certificate is about {stated}, the network is scored by {describe(source, by)}")
    largest = claims.max_clique or found.largest_clique
    if proof.max_clique < min(largest, source.max_size):  # which is the number of variables for data
        problems.append(f"the certificate is about cliques of at most {proof.max_clique}, the network's {largest}")
    if not problems:
        problems += certify_bound(proof, source, by.score_type, by.ess)
    upper = float(proof.upper_bound)
    if not problems and upper < found.score - ROUNDED - 1e-11 * abs(upper):
        problems.append(f"the certificate's bound {upper:.6f} is below the score {found.score:.6f}")
    gap = max(0.0, upper - found.score)
    within = f"cliques of at most {proof.max_clique}" if proof.max_clique < proof.n else "cliques of any size"
    return problems, f", no network with {within} scores more than {upper:.6f} (gap {gap:.6f})"


def _arcs(dag, found):
    """A short description of an acyclic directed graph."""
    width = found.treewidth
    if width is None:
        return ""
    known = f"{width.upper}" if width.lower == width.upper else f"at most {width.upper}"
    return f"acyclic, {dag.n} variables, {len(dag.arcs)} arcs, treewidth {known}"
