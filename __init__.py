"""Learn Markov networks, and Bayesian networks of bounded treewidth, from discrete data.

The folder of the project is the package `cliquewise`; each command is a folder in it, and `common` is below them. From
Python, the learners are functions whose options are those of the commands:

    import cliquewise

    data = cliquewise.read_csv("data/zoo.csv")
    network = cliquewise.lsmarkov(data, time_limit=5)
    model = cliquewise.fit(data, network)
    study = cliquewise.learn("data/soybean.csv")  # all of it at once

`lsmarkov`, `junctor`, `coarsen`, `mplearn`, `twlearn` and `mnposterior` (also called `posterior`) return a `Network`
(`common.networks.network`), `read_network` reads one from a file, `read_networks` several, `from_networkx` converts one
of networkx; `fit` and `read_model` return a `Model` (`mnmodel.python_model`); `check` and `strength` examine a network;
`cross_validate` compares settings, `discretize` cuts numbers into classes, and `ChordalNetwork` is an estimator of
scikit-learn (`mnmodel.estimator`). Networks and models have `to_pgmpy` and `to_pyagrum`. Importing the package imports
little else: the functions of the learners, which are bound after the packages of the same names.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .coarsen.from_python import coarsen
from .junctor.from_python import junctor
from .lsmarkov.from_python import lsmarkov
from .mnposterior.from_python import mnposterior
from .mplearn.from_python import mplearn
from .twlearn.from_python import twlearn

for _learner in (
    coarsen,
    junctor,
    lsmarkov,
    mnposterior,
    mplearn,
    twlearn,
):  # hides its package, and has its names
    _learner.__dict__ = vars(sys.modules[_learner.__module__.rpartition(".")[0]])

if TYPE_CHECKING:
    from .common.cli.from_python import read_csv
    from .common.networks.network import Network, from_networkx, read_network, read_networks
    from .mnmodel.cv_from_python import cross_validate
    from .mnmodel.estimator import ChordalNetwork as ChordalNetwork  # for type checkers; not in __all__
    from .mnmodel.from_python import fit, read_model
    from .mnmodel.python_model import Model
    from .mnmodel.tables_from_python import describe, discretize
    from .mnposterior.from_python import mnposterior as posterior
    from .mntools.from_python import check, strength
    from .workflow.from_python import learn

_NAMES = {
    **dict.fromkeys(("Network", "from_networkx", "read_network", "read_networks"), ".common.networks.network"),
    **dict.fromkeys(("fit", "read_model"), ".mnmodel.from_python"),
    "Model": ".mnmodel.python_model",
    "cross_validate": ".mnmodel.cv_from_python",
    **dict.fromkeys(("describe", "discretize"), ".mnmodel.tables_from_python"),
    "read_csv": ".common.cli.from_python",
    "learn": ".workflow.from_python",
    **dict.fromkeys(("check", "strength"), ".mntools.from_python"),
    "ChordalNetwork": ".mnmodel.estimator",
}
_NEEDS_SKLEARN = ("ChordalNetwork",)  # not in __all__, or `from cliquewise import *` would need it
__all__ = [
    "Model",
    "Network",
    "check",
    "coarsen",
    "cross_validate",
    "describe",
    "discretize",
    "fit",
    "from_networkx",
    "junctor",
    "learn",
    "lsmarkov",
    "mnposterior",
    "mplearn",
    "posterior",
    "read_csv",
    "read_model",
    "read_network",
    "read_networks",
    "strength",
    "twlearn",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    if name == "__version__":
        return import_module(".common.version", __name__).version()
    if name == "posterior":
        return mnposterior
    if name in _NAMES:
        try:
            return getattr(import_module(_NAMES[name], __name__), name)
        except ModuleNotFoundError as error:
            if name in _NEEDS_SKLEARN and str(error.name).startswith("sklearn"):
                raise ImportError(f"{name} needs scikit-learn: pip install 'cliquewise[sklearn]'") from None
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, *_NEEDS_SKLEARN])
