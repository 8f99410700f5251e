"""`mntools check`: is a graph file what it claims to be? The verdict is one line.

Checked are chordality, the maximal cliques (if the file lists cliques), the bound `# max-clique`, and with
data the score `# score`; of a directed graph that it has no cycle, the bounds `# treewidth` and `# max-parents`, and
the score. A score above its own `# upper-bound` is wrong whatever the graph. A file that claims a score by Markov
blankets (mpl, pic, cmi) need not be chordal: of it the score is checked. Everything that is wrong is named, not only
the first thing.
"""

from cliquewise.common.certify.arcs import certify_arcs
from cliquewise.common.certify.blankets import certify_blankets
from cliquewise.common.certify.cliques import certify
from cliquewise.common.files.result_header import Claims
from cliquewise.common.mntools.scoring import choose_scoring, describe


def check(file, source, scoring):
    """Certify a graph file.

    Parameters
    ----------
    file : GraphFile
    source : Dataset, CliqueScores, ParentSets or None
        None: the score is not checked.
    scoring : ScoreOptions
        None fields are taken from the file's header.

    Returns
    -------
    (bool, str)
        Whether all is well, and the verdict.

    Raises
    ------
    DataError
        A header value that cannot be read, or an undirected graph with parent-set scores.
    """
    claims = Claims.read(file.header, file.path)
    by = claims if source is None else choose_scoring(file, scoring, source)
    undecided = ()
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
    problems = (*found.problems, *claims.contradictions())
    if problems:
        return False, "wrong: " + "; ".join((*problems, *undecided))
    if source is None:
        score = "score not checked (no --data)"
    else:
        score = f"score {found.score:.6f} ({describe(source, by)})"
        score += ", none claimed" if claims.score is None else ""
    verdict = "undecided: " + "; ".join(undecided) if undecided else "ok"
    return not undecided, f"{verdict}: {told}, {score}"


def _arcs(dag, found):
    """What an acyclic directed graph is, in a few words."""
    width = found.treewidth
    if width is None:
        return ""
    known = f"{width.upper}" if width.lower == width.upper else f"at most {width.upper}"
    return f"acyclic, {dag.n} variables, {len(dag.arcs)} arcs, treewidth {known}"
