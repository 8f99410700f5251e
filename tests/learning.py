"""How tests run a learner: with a monitor made from a few limits, in one run or in parts."""

import threading

from cliquewise.common.graphs.edge_prior import EdgePrior
from cliquewise.common.run.checkpoint import Checkpoint
from cliquewise.common.run.checkpoint_record import RunInputs
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.listener import Listener
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring


class Recorder(Listener):
    """Records progress and rows of the trace, and calls functions with the monitor of the run at each of them."""

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


def run(function, *arguments, seconds=None, iterations=None, target=None, threads=2, recorder=None, stopped=False):
    """What `function(*arguments, monitor)` returns.

    Parameters
    ----------
    function : callable
    *arguments : object
    seconds, iterations, target : see Limits
    threads : int
    recorder : Recorder, optional
    stopped : bool
        Whether the user has stopped it before it begins.
    """
    with Monitor(Limits(seconds, iterations, target), threads, recorder) as monitor:
        if recorder is not None:
            recorder.monitor = monitor
        if stopped:
            monitor.interrupt()
        return function(*arguments, monitor)


def learned(learn, data, config, scoring=None, **limits):
    """The result of a tool's `learn`; `limits` are those of `run`."""
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

    def found(source, config=usual, score_type="bdeu", ess=1.0, edge_prior=0.5, **limits):
        scoring = Scoring(score_type, ess, prior=EdgePrior(edge_prior))
        return run(learn, source, scoring, config, **limits)

    return found


def run_in_parts(function, path, *arguments, stops, inputs=None, **limits):
    """What `function(*arguments, monitor)` returns when it is ended again and again, and resumed from a checkpoint.

    Parameters
    ----------
    function : callable
    path : str
        Of the checkpoint.
    *arguments : object
    stops : iterable of int or float
        When each part but the last is ended: at so many words or rows of its own (int), or after seconds (float).
    inputs : RunInputs, optional
        See Checkpoint.
    **limits : object
        Seconds, iterations and threads, as for `run`.

    Returns
    -------
    (object, int)
        The last part's result, and how many parts there were.
    """
    inputs = inputs or RunInputs("test", "0", "0", {})
    threads = limits.pop("threads", 2)
    for number, stop in enumerate([*stops, None]):
        heard = []

        def listen(monitor, _what, stop=stop, heard=heard):
            heard.append(None)
            if isinstance(stop, int) and len(heard) >= stop:
                monitor.interrupt()

        recorder = Recorder(listen, listen)
        checkpoint = Checkpoint(path, inputs, every=0.0, resume=True)
        with Monitor(Limits(**limits), threads, recorder, checkpoint=checkpoint) as monitor:
            recorder.monitor = monitor
            timer = threading.Timer(stop, monitor.interrupt) if isinstance(stop, float) else None
            if timer is not None:
                timer.start()
            try:
                result = function(*arguments, monitor)
            except KeyboardInterrupt:  # stopped before anything was known
                result = None
            finally:
                if timer is not None:
                    timer.cancel()
                    timer.join()
            if stop is None or monitor.should_continue():
                return result, number + 1


class Stopping(Monitor):
    """A Monitor that is interrupted when it is asked for the n-th time; `asked` counts the times."""

    def __init__(self, calls=0):
        super().__init__(threads=1)
        self.calls, self.asked = calls, 0

    def should_continue(self):
        self.asked += 1
        if self.asked == self.calls:
            self.interrupt()
        return super().should_continue()
