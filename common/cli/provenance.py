"""How a result was made, in lines of its header (`--provenance`): the command line, and a fingerprint of the data.

The command line contains the arguments that the result depends on. Outputs, checkpoints and parts are left out, and so
are resource limits: they do not change the result, and all parts of a run have the same header.
"""

import shlex

import click

from cliquewise.common.cli.paths import OutputPath
from cliquewise.common.files.fingerprint import data_digest
from cliquewise.common.files.result_header import COMMAND, DATA

LEFT_OUT = {
    *("threads", "memory", "cache_mb", "dry_run", "quiet", "verbose"),
    *("checkpoint_every", "resume", "shard", "updates"),
}
provenance_option = click.option(
    "--provenance",
    is_flag=True,
    help="Add the command and a fingerprint of the data.",
)


def provenance(data):
    """The lines for the running command.

    Parameters
    ----------
    data : Dataset or another record of scores

    Returns
    -------
    dict of str to str
    """
    return {COMMAND: command_line(click.get_current_context()), DATA: data_digest(data)}


def command_line(context):
    """The arguments of a command line, quoted for a shell.

    Parameters
    ----------
    context : click.Context
        Of a GroupedCommand.

    Returns
    -------
    str
    """
    command = context.command
    values, _, order = command.make_parser(context).parse_args(list(command.words(context)))
    words = [context.info_name]
    for param in dict.fromkeys(order):
        if param.name in LEFT_OUT or isinstance(param.type, OutputPath):
            continue
        value = values[param.name]
        if isinstance(param, click.Argument):
            words.append(value)
        elif value in (True, False):
            words.append(max(param.opts if value else param.secondary_opts, key=len))
        else:
            words += [max(param.opts, key=len), value]
    return " ".join(shlex.join(word for word in words if word is not None).split("\n"))
