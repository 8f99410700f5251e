"""Score files that tests write as dmscore does."""

from cliquewise.common.files.atomic_write import write_whole
from cliquewise.common.files.parentsets import parent_set_text
from cliquewise.common.files.scorewriter import score_text


def write_scores(path, scores, layout="dmst", order="colex", pair=False, precision=None):
    """CliqueScores as a file; the other arguments are those of `score_text`."""
    write_whole(path, score_text(scores.n, scores.max_size, scores.scores, layout, order, pair, precision))


def write_parent_sets(path, sets, precision=None):
    """ParentSets as a file."""
    write_whole(path, parent_set_text(sets.names, zip(sets.parents, sets.scores, strict=True), precision))
