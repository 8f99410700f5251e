"""`mntools fit`: the data and prior for fitting a network."""

import logging
from dataclasses import dataclass

from cliquewise.common.files.graphfile import read_graph_of
from cliquewise.common.files.result_header import Claims
from cliquewise.common.models.model_data import read_rows, with_states
from cliquewise.common.models.model_fit import fit, parents_of
from cliquewise.common.search.resources import check_rows

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class FitOptions:
    """Settings of fitting.

    Attributes
    ----------
    ess : float or None
        Weight of BDeu's prior; None for the value in the graph's header, or else 1.
    ml : bool
        Relative frequencies instead of the posterior mean.
    states_of : tuple of str
        Further CSVs whose states are included.
    """

    ess: float | None = None
    ml: bool = False
    states_of: tuple = ()

    def load(self, source):
        """The Dataset of an InputOptions, with the states of further data."""
        data = source.load_data()
        check_rows(data)
        return with_states(data, [read_rows(path, source.header) for path in self.states_of])

    def fit(self, data, path):
        """Fit the graph in a file.

        Parameters
        ----------
        data : Dataset
        path : str
            A graph file.

        Returns
        -------
        (FittedNetwork, dict of str to str)
            And the header lines for a file.
        """
        file = read_graph_of(path, data)
        claimed = Claims.read(file.header, file.path).ess
        ess = 0.0 if self.ml else self.ess or claimed or 1.0
        if not self.ml and self.ess is None:
            origin = "as its header says" if claimed else "by default"
            LOG.info("%s: prior of BDeu with ess %.15g %s", path, ess, origin)
        network = fit(data, parents_of(file), ess)
        told = {"parameters": "relative frequencies"} if self.ml else {"parameters": "bdeu", "ess": f"{ess:.15g}"}
        return network, {"program": "mntools fit", **told, "rows": str(data.n_rows)}
