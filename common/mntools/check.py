"""`mntools check`: is a graph file what it claims to be? The verdict is one line.

Checked are chordality, the maximal cliques (if the file lists cliques), the bound `# max-clique`, and with
data the score `# score`. A file that claims a score by Markov blankets (mpl, pic, cmi) need not be chordal: of it the
score is checked. Everything that is wrong is named, not only the first thing.
"""

from common.certify import certify
from common.certify_blankets import certify_blankets
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
    by = claims if source is None else choose_scoring(file, scoring, source)
    size = f"{file.graph.n} variables, {len(file.graph.edges)} edges"
    if by.by_blankets:
        found = certify_blankets(file.graph, source, by)
        shape = f"{size}, largest blanket {max(map(len, file.graph.neighbours()))}"
    else:
        found = certify(file.graph, source, by.score_type, by.ess, claims.score, claims.max_clique, file.cliques)
        shape = f"chordal, {size}, largest clique {found.largest_clique}"
    if not found.ok:
        return False, "wrong: " + "; ".join(found.problems)
    if source is None:
        return True, f"ok: {shape}, score not checked (no --data)"
    told = f"score {found.score:.6f} ({describe(source, by)})" + (", none claimed" if claims.score is None else "")
    return True, f"ok: {shape}, {told}"
