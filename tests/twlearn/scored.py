"""Parent sets as tests of methods want them, by data and a number of parents; results that are what they say."""

from cliquewise.common.certify.arcs import certify_arcs
from cliquewise.common.files.result_header import Claims
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn import families
from cliquewise.twlearn.config import Config


def families_of(source, most, scoring=None, monitor=None, **options):
    """The useful sets of at most this many parents; `options` are fields of Config."""
    if monitor is None:
        with Monitor() as monitor:
            return families_of(source, most, scoring, monitor, **options)
    config = Config(max(1, most), max_parents=most, **options)
    return families.families_of(source, scoring or Scoring(), config, monitor)


def sum_of_best(families):
    """The sum of the best scores of all variables: no network scores more."""
    blocks = zip(families.start[:-1], families.start[1:], strict=True)
    return sum(max(families.scores[first:end]) for first, end in blocks)


def certified(data, result, width, score_type="bdeu"):
    """The result, which must be what it says."""
    claims = Claims(result.score, score_type, 1.0, treewidth=width, elimination_order=result.order)
    found = certify_arcs(result.graph, data, claims, Scoring(score_type))
    assert found.ok, found
    assert result.upper_bound >= result.score
    return result
