"""Cross-validation from Python: `cliquewise.cross_validate`, as `mnmodel cv`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ..common.python_words import with_python_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from threading import Event

    from ..common.networks.network import Network

LOG = logging.getLogger("cliquewise")


@with_python_messages
def cross_validate(
    data: Any,
    learner: str | Callable[..., Network] = "lsmarkov",
    settings: Mapping[str, Any] | None = None,
    *,
    folds: int = 10,
    seed: int = 1,
    target: str | None = None,
    ml: bool = False,
    missing: str = "refuse",
    stop: Event | None = None,
) -> Any:
    """Cross-validate a learner, as `mnmodel cv`: the log probability of held-out rows.

    Parameters
    ----------
    data
        The result or the input of `read_csv`.
    learner
        `lsmarkov`, `junctor`, `coarsen`, `mplearn` or `twlearn`: the function or its name.
    settings
        Its options, as `{"ess": [0.1, 1, 10], "time_limit": 5}`; one that has several values is tried with each,
        and None among them leaves it out.
    folds
        Number of parts, from 2 to the number of rows.
    seed
        Of the random division into parts, at least 0.
    target
        Also the log loss and accuracy of predictions of this variable.
    ml
        Fit by maximum likelihood: relative frequencies, without a prior.
    missing
        As for `read_csv`; has no effect on data that were read.
    stop
        A `threading.Event`: when another thread sets it, the run ends as after Ctrl-C.

    Returns
    -------
    DataFrame of the same kind as the input, otherwise a list of dicts
        A row for each setting and fold, then one for each setting with the fold `all`: setting, fold, rows, edges,
        log_likelihood (mean of ln p(row)) and log_likelihood_error (its standard error); with several settings also
        difference from the first and its error; with a target log_loss, accuracy and their errors. After Ctrl-C or
        `stop` the rows of the folds that are done, without those for `all`.

    Raises
    ------
    UsageError, DataError
        As the command.
    KeyboardInterrupt
        Ctrl-C, or `stop` was set, before the first fold was done.
    """
    from ..common.arguments import as_dict, one_of, stop_event, whole_number
    from ..common.cli.from_python import host_signals, read_csv
    from ..common.data.dataset import Dataset
    from ..common.data.frame import frame_of, library_of, name_as_text
    from ..common.errors import UsageError
    from .cross_validation import CrossValidation
    from .cv_cli import LEARNERS, OF_DATA, settings_of_values
    from .fit import FitOptions

    name = learner if isinstance(learner, str) else getattr(learner, "__name__", repr(learner))
    one_of("learner", name, LEARNERS)
    chosen = as_dict("settings", settings, "options and their values")
    for key in chosen:
        if key in OF_DATA:
            raise UsageError(f"settings: {key} says how data are read; give it to read_csv, and the result as data")
    tried = settings_of_values(name, chosen)
    library = library_of(data)
    if not isinstance(data, Dataset):
        data = read_csv(data, missing=missing)
    folds, seed = whole_number("folds", folds, 2), whole_number("seed", seed, 0)
    target = None if target is None else name_as_text(target)
    run = CrossValidation(data, folds, seed, tried, target, FitOptions(ml=ml), host_signals(stop_event(stop)))
    run.check()
    made = []
    try:
        for of_fold in run.rows(range(1, folds + 1), {}):
            made.append(of_fold)
            if stop is not None and stop.is_set():
                break  # the learner was done before it noticed
    except KeyboardInterrupt:
        if not made:
            raise
    if len(made) < folds:
        LOG.warning("interrupted after %d of %d folds; there are no means of all", len(made), folds)
    rows = [line.record() for line in run.lines(made)]
    if library is None:
        return rows
    return frame_of({key: [row[key] for row in rows] for key in rows[0]}, library)
