"""`mntools check`: verify the claims of a graph file. The verdict is one line.

Checked are chordality, the maximal cliques (if the file lists cliques), the bound `# max-clique`, and with data the
score `# score`; of a directed graph that it has no cycle, the bounds `# treewidth` and `# max-parents`, and the
score; and whether it agrees with what is stated about arcs and edges. Lines of the header that contradict each other
are wrong whatever the graph; a bound and optimality are proved by a certificate, without which they are reported as
not checked (`mntools.header_lines`). An edge list with probabilities, as posteriors and averages are, is no network
and claims no score: the numbers of its variables and edges are reported, and whether it is from these data. A file
that claims a score by Markov blankets (mpl, pic, cmi) need not be chordal: its score is checked. All
problems are reported, not only the first, but data are compared only with a header that does not contradict itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.certify.arcs import certify_arcs
from ..common.certify.blankets import certify_blankets
from ..common.certify.bound import certify_bound
from ..common.certify.cliques import certify
from ..common.counted import counted
from ..common.data.completed import CompletedData
from ..common.data.dataset import Dataset
from ..common.data.merging import as_content
from ..common.errors import DataError
from ..common.files.fingerprint import data_digest
from ..common.files.result_header import DATA, Claims
from ..common.graphs.size_text import size_text
from ..common.graphs.statements import Statements
from ..common.networks.completed import observed_problems
from ..common.networks.scoring import describe
from ..common.run.result import OPTIMAL
from ..common.scores.scoring import scoring_of
from .header_lines import ROUNDING, claims_a_bound, line_problems, not_checked
from .proof_reader import read_proof
from .scoring import choose_scoring
from .stated import stated_problems, with_prior
from .verdict import OK, UNDECIDED, WRONG, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..common.certify.outcome import Certificate
    from ..common.files.graphfile import GraphFile
    from ..common.files.parentsets import ParentSets
    from ..common.files.prooffile import BoundProof
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.dag import Dag
    from ..common.learning.options import ScoreOptions

    Source = Dataset | CliqueScores | ParentSets

NO_STATEMENTS = Statements()


def check(
    file: GraphFile,
    source: Any,
    scoring: ScoreOptions,
    certificate: str | None = None,
    stated: Statements = NO_STATEMENTS,
) -> Verdict:
    """Certify a graph file.

    Parameters
    ----------
    file
    source
        None: the score is not checked.
    scoring
        None fields are taken from the file's header.
    certificate
        A file with a proof of an upper bound.
    stated
        Prior knowledge about its arcs and edges.

    Returns
    -------
    Verdict

    Raises
    ------
    DataError
        A header value that cannot be read, or an undirected graph with parent-set scores; no certificate, or one
        for another kind of graph.
    """
    claims = Claims.read(file.header, file.path)
    same = _same_data(file, source, claims)
    if contradictions := line_problems(file, claims):
        return Verdict(WRONG, "; ".join(contradictions))
    if same is False:
        return Verdict(WRONG, "made from other data, or from these in another order (data-sha256 differs)")
    by = claims if source is None else choose_scoring(file, scoring, source)
    origin = ", from these data" if same else ""
    if file.graph.probabilities is not None:
        if stated.counts():
            raise DataError("edge probabilities are not a network, so statements about edges do not apply", file.path)
        return _check_probabilities(file, claims, origin, certificate)
    stated = with_prior(stated, by.edge_prior, file.graph.n)
    found, summary = _certified(file, source, by, claims)
    summary += origin
    problems: Sequence[str] = (*found.problems, *stated_problems(file, stated))
    proves = False
    if claims.score is None and found.score is not None:
        problems = (*problems, *line_problems(file, claims, found.score))
    problems = problems or tuple(observed_problems(file, source, claims))
    if certificate is not None and not problems:
        problems, proved = _check_bound(certificate, file, source, by, claims, found)
        summary, proves = summary + proved, not problems
    if problems:
        hint = _other_scores(source, claims, by) if any("recomputed" in one for one in problems) else ""
        return Verdict(WRONG, "; ".join((*problems, *found.undecided)) + hint)
    score = "score not checked (no --data)"
    if source is not None:
        none = ", none claimed" if claims.score is None else ""
        score = f"score {found.score:.6f} ({describe(source, by)}){none}"
    left = not_checked(file, claims, proves, stated.counts())
    if source is not None and same is None and DATA in file.header:
        left.append(DATA)
    if source is not None and claims.log_likelihood is not None and not isinstance(source, CompletedData):
        left.append("log-likelihood")
    details = f"{summary}, {score}{_left(left)}"
    return Verdict(UNDECIDED, f"{'; '.join(found.undecided)}: {details}") if found.undecided else Verdict(OK, details)


def _certified(file: GraphFile, source: Any, by: Claims, claims: Claims) -> tuple[Certificate, str]:
    """The Certificate of a network, and a short description of it; the score is checked by the lines `by`."""
    if file.dag is not None:
        found = certify_arcs(file.dag, source, claims, scoring_of(by))
        return found, _arcs(file.dag, found)
    size = size_text(file.graph)
    if by.by_blankets:
        found = certify_blankets(file.graph, source, by)
        return found, f"{size}, largest blanket {max(map(len, file.graph.neighbours()))}"
    found = certify(file.graph, source, scoring_of(by), claims.score, claims.max_clique, file.cliques)
    return found, f"chordal, {size}, largest clique {found.largest_clique}"


def _left(claims: Sequence[str]) -> str:
    """The end of a verdict: the claims that are not checked."""
    return f"; not checked: {', '.join(claims)}" if claims else ""


def _check_probabilities(file: GraphFile, claims: Claims, origin: str, certificate: str | None) -> Verdict:
    """As `check`, of a list of edge probabilities whose lines are in order."""
    if certificate is not None:
        raise DataError("edge probabilities are not a network with a score, which a certificate is about", file.path)
    edges, variables = counted(len(file.graph.edges), "edge"), counted(file.graph.n, "variable")
    return Verdict(OK, f"probabilities of {edges}, {variables}{origin}{_left(not_checked(file, claims))}")


def _other_scores(source: Any, claims: Claims, by: Claims) -> str:
    """Another explanation of a wrong score: it may be of another kind than the one recomputed."""
    if isinstance(source, Dataset):
        if claims.score_type is None:
            advice = "the header names no score type: give --score and --ess, or a score file"
            return f" as {describe(source, by)}; {advice}"
        return f" as {describe(source, by)}" if (by.score_type, by.ess) != (claims.score_type, claims.ess) else ""
    stated = f"the network's is {claims.score_type}" if claims.score_type else "the header names no score type"
    stated += "" if claims.ess is None else f", ess {claims.ess:.15g}"
    return f" from {source.source}, whose scores may be of another kind or ess ({stated})"


def _same_data(file: GraphFile, source: Any, claims: Claims) -> bool | None:
    """Whether a graph is from these data; None if its header has no fingerprint of data of this kind.

    A network that was learned from data has a score type, one that was learned from a file of scores has none. The rows
    of a file of completions are not in the order in which they were drawn.
    """
    if isinstance(source, CompletedData) and source.source != source.incomplete.source:
        return None
    learned_from_data = claims.score_type is not None or file.graph.probabilities is not None
    if source is None or DATA not in file.header or isinstance(source, Dataset) != learned_from_data:
        return None
    return file.header[DATA] in (data_digest(source), data_digest(as_content(source)))


def _check_bound(
    path: str, file: GraphFile, source: Any, by: Claims, claims: Claims, found: Any
) -> tuple[list[str], str]:
    """Problems with a certificate, and a short description of its claim."""
    if file.dag is not None or by.by_blankets:
        raise DataError("a certificate is about chordal networks", path)
    proof = read_proof(path)
    whole = file.graph.n if claims_a_bound(claims) else found.largest_clique  # a bound is about any network
    problems = proof_problems(path, proof, source, by, claims.max_clique or whole)
    upper = float(proof.upper_bound)
    if not problems and upper < found.score - 1e-6 - 1e-11 * abs(upper):
        problems.append(f"the certificate's bound {upper:.6f} is below the score {found.score:.6f}")
    margin = margin_of(found.score)
    if not problems and claims.upper_bound is not None and upper > claims.upper_bound + margin:
        problems.append(f"upper-bound {claims.upper_bound:.6f} claimed, the certificate proves {upper:.6f} only")
    if not problems and claims.status == OPTIMAL and upper > found.score + margin:
        problems.append(f"status {OPTIMAL} claimed, the certificate leaves a gap of {upper - found.score:.6f}")
    gap = max(0.0, upper - found.score)
    return problems, f", no network with {cliques_of(proof)} scores more than {upper:.6f} (gap {gap:.6f})"


def proof_problems(
    path: str,
    proof: BoundProof,
    source: Any,
    by: Claims,
    max_clique: int,
    listed: Sequence[Sequence[tuple[int, int]]] = (),
) -> list[str]:
    """Problems with a certificate for networks of such a score with cliques of up to `max_clique`.

    Parameters
    ----------
    listed
        The edges of each network that it is not about.
    """
    problems, header = [], Claims.read(proof.header, path)
    if header.score_type == "bdeu" and header.ess is None:
        raise DataError("no line '# ess', which a certificate about bdeu has", path)
    if _of_score(source, header) != _of_score(source, by):
        stated = "a score file" if header.score_type is None else describe(source, header)
        problems.append(f"the certificate is about {stated}, the network is scored by {describe(source, by)}")
    largest = min(max_clique, source.max_size)  # which is the number of variables for data
    if proof.max_clique < largest:
        problems.append(f"the certificate is about cliques of at most {proof.max_clique}, the network's {largest}")
    return problems or list(certify_bound(proof, source, scoring_of(by), listed=listed))


def margin_of(score: float) -> float:
    """The largest excess of a certificate's bound over the bound found, for scores of this size."""
    return ROUNDING + 6e-9 * (1.0 + abs(score)) + 1e-6


def cliques_of(proof: BoundProof) -> str:
    """The cliques of the networks that a certificate is about."""
    return f"cliques of at most {proof.max_clique}" if proof.max_clique < proof.n else "cliques of any size"


def _of_score(source: Any, by: Claims) -> tuple:
    """The header lines on which a certificate and a network must agree."""
    prior = by.edge_prior.probability, by.edge_prior.digest
    ess, gamma = by.ess if by.score_type == "bdeu" else None, by.gamma if by.score_type == "ebic" else None
    return (by.score_type, ess, gamma, *prior) if isinstance(source, Dataset) else prior


def _arcs(dag: Dag, found: Any) -> str:
    """A short description of an acyclic directed graph."""
    width = found.treewidth
    if width is None:
        return ""
    known = f"{width.upper}" if width.lower == width.upper else f"at most {width.upper}"
    return f"acyclic, {size_text(dag)}, treewidth {known}"
