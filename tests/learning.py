"""How tests run a learner: with a monitor made from a few limits."""

from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.search.monitor import Limits, Listener, Monitor


class Told(Listener):
    """Keeps what a run tells, and calls functions with the run's monitor: at each row of the trace, at each text."""

    def __init__(self, at_row=lambda monitor, row: None, at_text=lambda monitor, text: None):
        self.rows, self.texts, self.shares = [], [], []
        self.at_row, self.at_text, self.monitor = at_row, at_text, None

    def progress(self, share, text):
        self.shares.append(share)
        self.texts.append(text)
        self.at_text(self.monitor, text)

    def record(self, row):
        self.rows.append(row)
        self.at_row(self.monitor, row)


def run(function, *arguments, seconds=None, iterations=None, target=None, threads=2, told=None, stopped=False):
    """What `function(*arguments, monitor)` returns.

    Parameters
    ----------
    function : callable
    *arguments : object
    seconds, iterations, target : see Limits
    threads : int
    told : Told, optional
    stopped : bool
        Whether the user has said stop before it begins.
    """
    with Monitor(Limits(seconds, iterations, target), threads, told) as monitor:
        if told is not None:
            told.monitor = monitor
        if stopped:
            monitor.interrupt()
        return function(*arguments, monitor)


def learned(learn, data, config, scoring=None, **limits):
    """What a tool's `learn` returns; `limits` are those of `run`."""
    return run(learn, data, scoring or Scoring(), config, **limits)


def learner(learn, usual):
    """A tool's `learn` as tests call it: `found(source, config, "bic", ess=2.0, iterations=5)`.

    Parameters
    ----------
    learn : callable
    usual : Config
        For a call without one.

    Returns
    -------
    callable
    """

    def found(source, config=usual, score_type="bdeu", ess=1.0, **limits):
        return run(learn, source, Scoring(score_type, ess), config, **limits)

    return found
