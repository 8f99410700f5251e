"""`mntools check`: is a graph file what it claims to be? The verdict is one line.

Checked are chordality, the maximal cliques (if the file lists cliques), the bound `# max-clique`, and with
data the score `# score`. Everything that is wrong is named, not only the first thing.
"""

from common.certify import certify
from common.claims import Claims
from common.errors import DataError
from common.mntools.scoring import choose_scoring, describe


def check(file, source, scoring):
    """Certify a graph file.

    Parameters
    ----------
    file : GraphFile
    source : Dataset, CliqueScores or None
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
        An arc list, or a header value that cannot be read.
    """
    if file.kind == "arcs":
        raise DataError("an arc list; only undirected graphs can be checked", file.path)
    claims = Claims.read(file.header, file.path)
    score_type, ess = (None, None) if source is None else choose_scoring(file, scoring, source)
    found = certify(file.graph, source, score_type, ess, claims.score, claims.max_clique, file.cliques)
    if not found.ok:
        return False, "wrong: " + "; ".join(found.problems)
    size = f"{file.graph.n} variables, {len(file.graph.edges)} edges"
    parts = [f"chordal, {size}, largest clique {found.largest_clique}"]
    if source is None:
        parts.append("score not checked (no --data)")
    else:
        by = describe(source, score_type, ess)
        parts.append(f"score {found.score:.6f} ({by})" + (", none claimed" if claims.score is None else ""))
    return True, "ok: " + ", ".join(parts)
