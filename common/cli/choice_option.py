"""`--choose`: which of several `--ess` is kept, see `common.learning.choice`."""

from ..learning.choice import CV, EVIDENCE, FOLDS
from ..networks.edges_in_memory import TABLE
from .option import ABSENT, OF_DATA, SCORE, option
from .paths import InputPath

# options of a run that learns one network, or of several runs that do not choose
FOR_ONE_NETWORK = (
    *("updates", "trace", "cpdag", "certificate", "networks", "checkpoint", "seeds", "resamples"),
    *("solution", "tree", "matrix", "dot", "everything"),
)
choose_option = option(
    "--choose",
    group=SCORE,
    conditions={**OF_DATA, "score_type": ("bdeu",), **dict.fromkeys(FOR_ONE_NETWORK, ABSENT)},
    type=InputPath(words=(CV, EVIDENCE), holds=TABLE),
    metavar="[cv|evidence|FILE]",
    help=f"How one of several --ess is chosen: by cross-validation in {FOLDS} parts, by the score, or by the "
    "probability of the rows in this file.",
)
