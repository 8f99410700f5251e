"""The two helps of every command: a short one with choices, defaults and an example that runs, and the whole."""

import re
import shlex
import webbrowser

import click
import pytest

from cliquewise.common.cli.grouped import GroupedCommand
from cliquewise.workflow.cli import QUESTIONS, cliquewise
from tests.commands import all_commands

COMMANDS = all_commands()
INSTALLED = [name for name in COMMANDS if not name.startswith("papers ")]
LEARNERS = ("lsmarkov", "junctor", "coarsen", "mplearn", "twlearn", "mnposterior", "dmscore")
RARE = ("uai_order", "cache_mb", "memory", "completions", "provenance", "same_states")


def example(name):
    """The command line at the end of a command's description."""
    return re.search(r"^ *Example: (.*)", COMMANDS[name].help, flags=re.M)[1]


def context_of(command, name):
    """The context in which a command runs; it keeps the names of its help option from the first one."""
    return click.Context(command, info_name=name, help_option_names=["-h", "--help"])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help(name):
    """Choices and defaults of what it shows, an example, and where the others are, which no beginner needs."""
    command = COMMANDS[name]
    assert isinstance(command, GroupedCommand)
    context = context_of(command, name)
    short = command.get_help(context)
    _, _, listed = short.rpartition("ptions:\n")
    flat = " ".join(listed.split())
    assert f"  Example: {example(name)}\n" in short, "on one line"
    options = {max(param.opts, key=len): param for param in command.params if isinstance(param, click.Option)}
    shown = re.findall(r"^  (?:-\w, )?(--?[a-z][\w-]*)", listed, flags=re.M)
    assert f"{name} --help-all describes all {len(options) + 2} options." in flat
    for flag in shown:
        param = options[flag]
        assert param.first is not False and param.help, flag
        if isinstance(param.type, click.Choice):
            assert f"{flag} {param.make_metavar(context)} " in flat
        default = re.search(r"\[default: [^];]*", param.get_help_record(context)[1])
        assert default is None or " ".join(default[0].split()) in flat, flag
    later = {flag for flag, param in options.items() if getattr(param, "first", False) is False}
    assert {flag for flag, param in options.items() if param.name in RARE} <= later
    assert {flag for flag, param in options.items() if param.required} <= {*shown}
    assert len({*options} - later) > 14 or {*shown} == {*options} - later


def test_the_help_of_the_suite_keeps_the_lines_of_its_questions():
    whole = cliquewise.get_help(context_of(cliquewise, "cliquewise"))
    assert all(f"  {line}".rstrip() in whole.splitlines() for line in QUESTIONS.strip().splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_all_options_have_their_help(name, capsys):
    command = COMMANDS[name]
    context = context_of(command, name)
    with pytest.raises(click.exceptions.Exit):
        command.parse_args(context, ["--help-all"])
    whole = capsys.readouterr().out
    options = re.split(r"^\w.*:$", whole, maxsplit=1, flags=re.M)[1]
    rows = re.findall(r"^  (?:-\w, )?(--?[a-z][\w-]*)", options, flags=re.M)
    known = [max(param.opts, key=len) for param in command.params if isinstance(param, click.Option)]
    assert sorted(rows) == sorted([*known, "--help-all", "--help"])
    assert whole.splitlines()[0] == command.get_help(context).splitlines()[0]


@pytest.mark.parametrize("name", LEARNERS)
def test_the_short_help_fits_a_screen(run, name):
    assert run(name, "--help").stdout.count("\n") <= 48


MADE = (  # what examples read, in this order
    "lsmarkov table.csv --max-clique 3 -o network.cliques",
    "lsmarkov table.csv --max-clique 2 --trace run.csv -o other.cliques",
    "lsmarkov table.csv --seed 1 -o seed-1.cliques",
    "lsmarkov table.csv --seed 2 -o seed-2.cliques",
    "mnmodel fit table.csv network.cliques -o model.bif",
    "mnmodel fit table.csv other.cliques -o other.bif",
    "dmscore table.csv 1 3 --shard 1/2 -o part-1",
    "dmscore table.csv 1 3 --shard 2/2 -o part-2",
)


QUICKER = {"cliquewise learn": ("--time-limit", 1), "mnmodel mixture": ("--iterations", 300)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that examples name."""
    place = tmp_path_factory.mktemp("examples")
    states = {"age": ("young", "old"), "smoker": ("no", "yes"), "cough": ("no", "yes"), "fever": ("no", "yes")}
    rows = [[names[row // 2**at % 2] for at, names in enumerate(states.values())] for row in range(16)]
    rows += [[names[row % 2] for names in states.values()] for row in range(24)]

    def table(rows):
        return "\n".join(",".join(row) for row in [list(states), *rows]) + "\n"

    (place / "table.csv").write_text(table(rows))
    (place / "new.csv").write_text(table(rows[::3]))
    (place / "incomplete.csv").write_text(table([["?", *row[1:]] for row in rows[:4]] + rows[4:]))
    (place / "numbers.csv").write_text("weight,height\n" + "".join(f"{row}.5,{row * 7 % 31}\n" for row in range(30)))
    (place / "folder").mkdir()
    (place / "folder" / "report.html").write_text("<p>")
    return place


@pytest.fixture
def among_files(folder, run, monkeypatch):
    """Goes to the folder of `folder`, which is filled when the first test comes."""
    monkeypatch.chdir(folder)
    for line in () if (folder / "part-2").exists() else MADE:
        done = run(*shlex.split(line))
        assert done.code == 0, done.stderr


@pytest.mark.fast_cases(24)
@pytest.mark.parametrize("name", INSTALLED)
def test_the_example_runs(name, among_files, run, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    done = run(*shlex.split(example(name)), *QUICKER.get(name, ()))
    assert done.code == 0, done.stderr
