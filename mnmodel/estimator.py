"""`cliquewise.ChordalNetwork`: a chordal network with probabilities, as an estimator of scikit-learn.

It estimates the distribution of the rows of a table of states, as `sklearn.neighbors.KernelDensity` does for numbers:
`fit` learns a network and fits its probabilities, `score_samples` gives ln p(row) and `score` its mean. So
`GridSearchCV` chooses the equivalent sample size or the largest clique. scikit-learn must be installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_random_state, validate_data

from ..common.cli.from_python import learned, read_csv
from ..common.data.frame import Frame, categories_of, cell_as_text, cells_of, frame_of, library_of, name_as_text
from ..common.errors import DataError, UsageError
from .from_python import fit

LEARNERS = ("lsmarkov", "junctor", "coarsen")
MAX_SEED = 2**31 - 1
ADVICE = "give all states that can occur: ChordalNetwork(states=X), or columns of categories"


class ChordalNetwork(DensityMixin, BaseEstimator):
    """A chordal Markov network with probabilities, learned from a table of states.

    Each different value in a column is a state: text, whole numbers, booleans. Numbers that are measured must be cut
    into classes first. A DataFrame's columns of categories have all their categories as states.

    Parameters
    ----------
    ess
        Equivalent sample size of BDeu, > 0; also of the fitted probabilities.
    max_clique
        Size of the largest clique allowed, at least 2; None for any.
    score_type
        bdeu, bic, ll, aic, ebic or qnml.
    learner
        lsmarkov, a search; junctor, which proves the best network of few variables; or coarsen, for many variables.
    time_limit
        Seconds for the search, > 0; None: as long as the learner takes. With up to twelve variables lsmarkov needs no
        search.
    iterations
        Of lsmarkov instead, at least 1: then the same seed gives the same network on every machine.
    missing
        refuse, or em: missing cells (NaN, None) are treated as missing values, in `fit` and in `score_samples`.
    states
        States, including those that no row has: a table with the same columns, or a dict of column and states. None:
        what the rows of `fit` have. Rows with other states have no probability; to be scored they are refused.
    random_state
        An int for the same network every time, a RandomState, or None.

    Attributes
    ----------
    network_ : Network
    model_ : Model
    n_features_in_ : int
    feature_names_in_ : array of str, one for each column
        If X had names.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> X = [[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]] * 5
    >>> found = GridSearchCV(ChordalNetwork(), {"ess": [0.5, 2.0]}, cv=3).fit(X)
    >>> found.best_estimator_.network_.edges
    [Edge(source='x0', target='x1')]
    """

    def __init__(
        self,
        *,
        ess: float = 1.0,
        max_clique: int | None = None,
        score_type: str = "bdeu",
        learner: str = "lsmarkov",
        time_limit: float | None = 5.0,
        iterations: int | None = None,
        missing: str = "refuse",
        states: Any = None,
        random_state: Any = 1,
    ) -> None:
        self.ess = ess
        self.max_clique = max_clique
        self.score_type = score_type
        self.learner = learner
        self.time_limit = time_limit
        self.iterations = iterations
        self.missing = missing
        self.states = states
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ChordalNetwork:
        """Learn a network of the columns of X, and fit its probabilities.

        Parameters
        ----------
        X : array or DataFrame of shape (rows, columns)
        y
            Not used.

        Raises
        ------
        ValueError
            X is no table, or has missing cells that are not allowed.
        UsageError, DataError
            Parameters out of their range, columns of which nothing can be learned.
        """
        if self.missing not in ("refuse", "em"):
            raise UsageError(f"missing={self.missing!r}; expected refuse or em")
        columns = self._columns(X, reset=True)
        states = self._declared(list(columns))
        for name, known in categories_of(X).items():
            states[name] = [*states.get(name, []), *known]
        data = read_csv(Frame(columns, states), missing=self.missing)
        self._values = {name: _values_of([*states.get(name, []), *cells]) for name, cells in columns.items()}
        self._library = library_of(X)
        self.network_ = learned(self.learner, {"data": data, **self._options()})
        self.model_ = fit(data, self.network_, self.ess)
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """ln p(row) of each row of X: float64[rows]; cells that are missing are summed out."""
        check_is_fitted(self)
        try:
            return self.model_.loglik(self._columns(X, reset=False), per_row=True)
        except DataError as error:
            raise DataError(f"{error}; {ADVICE}" if "state" in str(error) else str(error)) from None

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of ln p(row) over the rows of X."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Independent rows, with the values that X had in `fit`.

        Parameters
        ----------
        n_samples
            At least 1.
        random_state
            An int, a RandomState, or None for that of the estimator.

        Returns
        -------
        DataFrame of the kind of X in `fit`, otherwise an array of shape (n_samples, columns)
        """
        check_is_fitted(self)
        drawn = self.model_.sample(n_samples, seed=self._seed(random_state))
        names = getattr(self, "feature_names_in_", [*drawn])  # as X has them
        values = [[self._values[name][cell] for cell in cells] for name, cells in drawn.items()]
        columns = dict(zip(names, values, strict=True))
        return np.array(list(columns.values())).T if self._library is None else frame_of(columns, self._library)

    def __sklearn_tags__(self) -> Any:
        """Tags for scikit-learn: the input has names of states and, by em, missing cells."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing == "em"
        return tags

    def _options(self) -> dict[str, Any]:
        """Those of the learner; None is its default."""
        if self.learner not in LEARNERS:
            raise UsageError(f"learner={self.learner!r}; expected {', '.join(LEARNERS[:-1])} or {LEARNERS[-1]}")
        ess = self.ess if self.score_type == "bdeu" else None
        options = {"score": self.score_type, "ess": ess, "max_clique": self.max_clique, "time_limit": self.time_limit}
        return options | ({"iterations": self.iterations, "seed": self._seed()} if self.learner == "lsmarkov" else {})

    def _seed(self, random_state: Any = None) -> int:
        chosen = self.random_state if random_state is None else random_state
        return int(chosen) if isinstance(chosen, int | np.integer) else check_random_state(chosen).randint(MAX_SEED)

    def _columns(self, X: Any, reset: bool) -> dict[str, list[Any]]:
        """The cells of X by the names of the columns, x0, x1, ... without any."""
        least = 2 if reset else 1  # rows and columns from which something can be learned
        checks = {"ensure_all_finite": "allow-nan", "ensure_min_samples": least, "ensure_min_features": least}
        if library_of(X) is None:
            rows = validate_data(self, X, reset=reset, dtype=None, **checks)
        else:  # its columns keep their types
            validate_data(self, X, reset=reset, skip_check_array=True)
            rows = check_array(cells_of(X), dtype=object, input_name="X", estimator=self, **checks)
        if self.missing != "em" and (rows != rows).any():  # as NaN differs from itself
            raise ValueError("Input X contains NaN; missing='em' treats such cells as missing values")
        names = getattr(self, "feature_names_in_", [f"x{v}" for v in range(rows.shape[1])])
        return {name_as_text(name): rows[:, v].tolist() for v, name in enumerate(names)}

    def _declared(self, names: list[str]) -> dict[str, list[Any]]:
        """The states that are declared."""
        if self.states is None:
            return {}
        if isinstance(self.states, Mapping):
            return {name_as_text(name): list(cells) for name, cells in self.states.items()}
        rows = np.asarray(self.states, dtype=object)
        if rows.ndim != 2 or rows.shape[1] != len(names):
            raise DataError(f"states of shape {rows.shape}; expected a table with the {len(names)} columns of X")
        return {name: rows[:, v].tolist() for v, name in enumerate(names)}


def _values_of(cells: list[Any]) -> dict[str, Any]:
    """The values of a column by the names of its states."""
    return {cell_as_text(cell): cell for cell in cells}
