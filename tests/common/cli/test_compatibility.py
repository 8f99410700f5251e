"""No option without effect is accepted silently: every option of every command, in every mode."""

import click
import pytest

from cliquewise.common.cli.compatibility import Table, reject_ineffective_options
from cliquewise.common.cli.option import Option
from cliquewise.common.errors import UsageError
from tests.commands import ROOT, all_commands
from tests.slow import slow

STANDARD = {"quiet", "verbose", "version", "help"}
# what is understood as a value of an option, or of a type of option by click's name for it
EXAMPLES = {
    "components": "grid",
    "integer range": "2",
    "number": "1",
    "folder": ".",
    "probability": "0.5",
    "indices": "0",
    "seeds": "1-2",
    "part": "1/2",
    "letters": "E",
    "page size": "12x8",
}
# the messages for the kinds of mistakes that users made: written out, whatever the tables say
REFUSED = {
    "coarsen DATA --method greedy --max-length 2": "--max-length has no effect with --method greedy; leave it out, or "
    "use --method ic or fic",
    "coarsen DATA --method greedy --gap 0": "--gap has no effect with --method greedy;",
    "coarsen DATA --method greedy --ilp-time-limit 500": "--ilp-time-limit has no effect with --method greedy;",
    "coarsen DATA --method forest --max-length 2": "--max-length has no effect with --method forest;",
    "coarsen DATA --seed 1": "--seed needs --search; add that, or leave it out",
    "coarsen DATA --method greedy --preset default": "--preset has no effect with --method greedy;",
    "coarsen DATA --preset pgm2020 --start best": "--preset pgm2020 does not go with --start best; leave it out, or "
    "use --start tree",
    "lsmarkov DATA --score bic --ess 1": "--ess has no effect with --score bic; leave it out, or use --score bdeu",
    "lsmarkov DATA --score ll --ess 10": "--ess has no effect with --score ll;",
    "lsmarkov DATA --greedy --preset default": "--greedy has no effect with --preset default; leave it out, or use "
    "--preset ecai2020",
    "lsmarkov DATA --init NET --no-chow-liu": "--no-chow-liu has no effect with --init; leave one of them out",
    "lsmarkov DATA --updates --format dot": "--format has no effect with --updates; leave one of them out",
    "junctor DATA --score bic --ess 1": "--ess has no effect with --score bic;",
    "mnposterior DATA --method exact --init NET": "--init has no effect with --method exact; leave it out, or use "
    "--method auto or chains",
    "mnposterior DATA --method chains --draws 9": "--draws has no effect with --method chains; leave it out, or use "
    "--method auto or exact",
    "junctor DATA --certificate p --allowed-edges NET": "--certificate is not supported with --allowed-edges; leave",
    "junctor DATA -s --format cliques": "--format has no effect with -s; leave one of them out",
    "junctor DATA -a --names": "--names has no effect with -a;",
    "twlearn DATA -w 2 --score ll --ess 1": "--ess has no effect with --score ll;",
    "twlearn DATA -w 2 --method kp --iterations 5": "--iterations has no effect with --method kp;",
    "mplearn DATA --score pic --ess 1": "--ess has no effect with --score pic; leave it out, or use --score mpl or "
    "l1lr",
    "mplearn DATA --pbo-limit 15000": "--pbo-limit has no effect with --combine hc; leave it out, or use --combine pbo",
    "mplearn DATA --pbo-time-limit 1 --combine or": "--pbo-time-limit has no effect with --combine or;",
    "mplearn DATA --blankets-only --format edges": "--format has no effect with --blankets-only;",
    "dmscore DATA 1 2 --layout junctor -a colex": "-a has no effect with --layout junctor; leave it out, or use "
    "--layout dmst",
    "mntools check NET --ess 1": "--ess needs --data; add that, or leave it out",
    "mntools check NET --certificate PROOF": "--certificate needs --data; add that, or leave it out",
    "mntools draw NET -o x.png --missing drop": "--missing needs --data;",
    "mntools convert NET --header yes": "--header needs --data;",
    "mntools score DATA NET --score bic --ess 1": "--ess has no effect with --score bic; leave it out, or use "
    "--score bdeu or mpl",
    "mntools score DATA BIC --ess 1": "--ess has no effect with --score bic;",  # as its header says
    "mntools score SCORES NET --ess 1": "--ess has no effect with scores from a file,",
    "mntools check NET --data SCORES --score bdeu": "--score has no effect with scores from a file,",
    "mnmodel sample --names": "--names needs --edges;",
    "mnmodel sample LAMP --replicas 2": "--replicas has no effect with MODEL; leave one of them out",
    **{
        f"{learner} SCORES {option}": f"{option.split()[0]} has no effect with scores from a file, which are used "
        "unchanged; leave it out"
        for learner in ("lsmarkov", "junctor", "coarsen", "twlearn -w 1")
        for option in ("--ess 1", "--score bdeu", "--missing refuse", "--header auto")
    },
    "lsmarkov SCORES --precompute --max-clique 2": "--precompute has no effect with scores from a file,",
}


COMMANDS = all_commands()
FEW = 1000  # lines of a command of which all are tried


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    rows = "a,b,c\n0,1,0\n1,0,1\n0,0,1\n1,1,0\n"
    scores = "3 2\n0\n" + "-1\n" * 6
    return workplace(
        {
            "DATA": rows,
            "NET": "# variables 3\n0,1\n",
            "BIC": "# score-type bic\n# variables 3\n0,1\n",
            "SCORES": scores,
            "LAMP": (ROOT / "tests/golden/mnmodel/sample_bif/lamp.bif").read_text(),
        }
    )


@pytest.mark.parametrize("line", REFUSED)
def test_options_that_users_gave_without_effect_are_refused(refuse, line):
    refuse(f"{line} -q", 2, REFUSED[line])


def own_params(command):
    """The parameters of a command that need a row, by name; the argument `table` becomes `data` (`file_order`)."""
    params = {param.name: param for param in command.params if param.name not in STANDARD}
    return {name: param for name, param in params.items() if (name, param.param_type_name) != ("table", "argument")}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_condition_is_on_an_option(name):
    command = COMMANDS[name]
    options = [param for param in command.params if isinstance(param, Option)]
    assert {param.name for param in command.params if isinstance(param, click.Option)} - {"version"} == {
        param.name for param in options
    }
    everywhere = {param.name for one in COMMANDS.values() for param in one.params} | {"source"}
    assert everywhere >= {axis for param in options for axis in param.conditions}
    rows, here = getattr(command.callback, "conditions", Table()).rows, {*own_params(command), "source"}
    assert here >= {key if isinstance(key, str) else key[0] for key in rows}
    assert here >= {axis for conditions in rows.values() for axis in conditions}


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("step", [5, *slow(1)])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_pair_of_options(name, step):
    """Each option in each mode is refused if, and only if, the table has it that something typed has no effect."""
    command = COMMANDS[name]
    table = Table.of(command)
    params = own_params(command)
    tried = {name: values(table, param) for name, param in params.items()}
    axes = {axis for conditions in table.rows.values() for axis in conditions} - {"source"}
    lines = {
        tuple(sorted((key, one) for key, one in {**chosen, option: value, axis: mode}.items() if one is not None))
        for option in params
        for chosen in [needed(table, option, params)]
        for value in tried[option]
        for axis in axes - {option}
        for mode in [None, *tried[axis]]
    }
    outcomes = set()
    for line in map(dict, sorted(lines, key=str)[:: step if len(lines) > FEW else 1]):
        message, broken = refusal(command, params, line), idle(table, params, line)
        assert (message is not None) == bool(broken), (line, message, broken)
        outcomes.add(message is None)
    assert outcomes == ({True, False} if axes else set())


def values(table, param):
    """What to try of an option: its choices, or the values that the table names and some other."""
    choices = getattr(param.type, "choices", None)
    if choices:
        return list(choices)
    named = {key[1] for key in table.rows if isinstance(key, tuple) and key[0] == param.name}
    return [True, *sorted(named)]


def needed(table, option, params):
    """Other options, by name, with which one has an effect."""
    chosen = {}
    for axis, wanted in table.rows.get(option, {}).items():
        if axis != "source" and wanted != "absent":
            known = getattr(params[axis].type, "choices", wanted)
            chosen[axis] = True if wanted == "given" else next(mode for mode in wanted if mode in known)
    return chosen


def idle(table, params, line):
    """Those options of a command line that have no effect by a table: the slow twin of `reject_ineffective_options`."""
    defaults = {
        name: param.default
        for name, param in params.items()
        if getattr(param.type, "choices", None) and isinstance(param.default, str)
    }
    now = {name: line.get(name, defaults.get(name)) for name in params}
    now |= table.derived(now, set(line))
    broken = []
    for key, conditions in table.rows.items():
        option, value = key if isinstance(key, tuple) else (key, line.get(key))
        for axis, wanted in conditions.items():
            if option not in line or line[option] != value or axis == "source":
                continue
            if wanted == "given":
                good = now[axis] not in (None, False)
            elif wanted == "absent":
                good = now[axis] in (None, False)
            else:
                good = now[axis] is None or now[axis] in wanted
            broken += [] if good else [option]
    return broken


def refusal(command, params, line):
    """The message about options without effect on this command line; None if nothing."""
    words = []
    for name, param in params.items():
        value = line.get(name, True if param.required else None)
        if value is not None:
            text = EXAMPLES.get(param.name, EXAMPLES.get(param.type.name, "x")) if value is True else value
            words += [text] if isinstance(param, click.Argument) else [param.opts[0], text][: 1 + (not param.is_flag)]
    with command.make_context("x", words, help_option_names=["-h", "--help"]):
        try:
            reject_ineffective_options()
        except UsageError as error:
            return str(error)
    return None
