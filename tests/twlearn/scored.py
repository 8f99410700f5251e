"""Parent sets as tests of methods want them: by data and a number of parents."""

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
