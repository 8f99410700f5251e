"""Options that commands of mnmodel share."""

import click

from ..common.cli import completion
from ..common.cli.option import ABSENT, GIVEN, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.options import separator_option
from ..common.cli.paths import InputPath
from ..common.models.model_file import UAI_ORDERS
from .evidence import EvidenceOptions

model_argument = click.argument("model", metavar="MODEL", type=InputPath())
uai_order_option = option(
    "--uai-order",
    first=False,
    type=click.Choice(UAI_ORDERS),
    help="Variable that changes fastest in the tables of a UAI file: the last of the scope, as the format has it; the "
    "first, as pgmpy writes; or as pyagrum writes, the last and then the first. If not given, last, with a warning if "
    "another program wrote the file and it matters.",
)
_do = option(
    "--do",
    multiple=True,
    metavar="STATES",
    shell_complete=completion.evidence,
    help="Intervention, A=yes,B=2: set A and B from outside, so that they do not depend on their parents; needs a "
    "network whose arcs are causes; can be given several times.",
)
_given = (
    option(
        "--given",
        multiple=True,
        metavar="STATES",
        shell_complete=completion.evidence,
        help="Evidence, A=yes,B=2; can be given several times.",
    ),
    option(
        "--likelihood",
        first=False,
        multiple=True,
        metavar="NUMBERS",
        shell_complete=completion.likelihood,
        help="Uncertain evidence, A=0.2,0.8: likelihood vector for A; can be given several times.",
    ),
    option(
        "--soft",
        first=False,
        conditions={"given_rows": ABSENT},
        multiple=True,
        metavar="NUMBERS",
        shell_complete=completion.likelihood,
        help="Soft evidence, A=0.2,0.8: the distribution of A given all evidence; can be given several times.",
    ),
    _do,
    option(
        "--evid",
        first=False,
        type=InputPath(),
        metavar="FILE",
        help="Evidence in a file of the UAI competitions (.evid): variables and states as numbers.",
    ),
)
_rows = option(
    "--given-rows",
    type=InputPath(),
    metavar="FILE",
    help="A CSV with evidence in each row, answered row by row; an empty cell is missing, unless the model "
    "has missing cells as a state.",
)
skip_option = option(
    "--skip-bad-rows",
    first=False,
    is_flag=True,
    help="A row with a state that the model does not have, or of probability zero, gets an empty answer and a line on "
    "stderr.",
)
page_evidence_option = option_group("evidence", EvidenceOptions, *(one for one in _given if one is not _do))
evidence_option = option_group("evidence", EvidenceOptions, *_given)
evidence_rows_option = option_group(
    "evidence",
    EvidenceOptions,
    *_given,
    _rows,
    with_conditions({"given_rows": GIVEN}, separator_option, skip_option),
)
