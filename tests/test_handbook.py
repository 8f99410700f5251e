"""The handbook: pages are reached, links lead somewhere, and commands have the options that pages show."""

import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import fields

import pytest

from cliquewise.coarsen.trace import Step
from cliquewise.mplearn.run import Event
from tests.commands import ROOT, all_commands, console_scripts
from tests.test_readme import READMES

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))
HELP = {"--help", "--help-all", "--version"}
FENCED = re.compile(r"(?ms)^```.*?^```$")
CHART = re.compile(r"(?m)^\|(?P<head>.*)\|\n\|[-|: ]+\|\n(?:\|.*\|\n)+\n```\{chart\} (?P<columns>.*)$")
SPAN = re.compile(rf"`((?:{'|'.join(console_scripts())}) [^`]+)`")
BLOCK = re.compile(r"(?ms)^```(?:\{code-cell\}|sh)\n(?P<body>.*?)^```$")


def command_lines(text, spans=False):
    """The commands of this suite in a page's blocks, as lists of words; lines that end in a backslash are joined.

    With `spans` also those between backquotes, which can be parts of commands.
    """
    bodies = [block["body"].replace("\\\n", " ") for block in BLOCK.finditer(text)]
    bodies += [" ".join(span.split()) for span in SPAN.findall(FENCED.sub("", text))] if spans else []
    for body in bodies:
        for line in body.splitlines():
            if not line.startswith(tuple(console_scripts())):
                continue
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|;<>")
            lexer.whitespace_split = True
            words = []
            for word in [*lexer, "|"]:
                if set(word) <= set("|;<>"):
                    if words and words[0] in console_scripts():
                        yield words
                    words = []
                else:
                    words.append(word)


def test_there_are_pages_and_commands():
    assert len(PAGES) > 20
    assert sum(len(list(command_lines(page.read_text()))) for page in PAGES) > 30


def test_every_page_is_in_a_table_of_contents():
    listed = {
        line.strip()
        for block in re.findall(r"(?s)```\{toctree\}(.*?)```", (DOCS / "index.md").read_text())
        for line in block.splitlines()
        if line.strip() and not line.startswith(":")
    }
    assert listed == {str(page.relative_to(DOCS).with_suffix("")) for page in [*PAGES, *NOTEBOOKS]} - {"index"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[\w-]+)?\)", page.read_text()):
        assert (page.parent / target).is_file(), target


def test_charts_draw_columns_that_exist():
    charts = 0
    for page in PAGES:
        found = list(CHART.finditer(page.read_text()))
        assert len(found) == page.read_text().count("```{chart}"), f"{page.name}: a chart stands below its table"
        for chart in found:
            head = {cell.strip().replace("`", "") for cell in chart["head"].split("|")}
            assert {column.strip() for column in chart["columns"].split(",")} <= head, (page.name, chart[0])
        charts += len(found)
    assert charts > 5


BEFORE_COMMANDS = {"|", ";", "&&", "do", "then", "--", "--layout", "time", "import"}


def second_commands(line):
    """The commands of this suite in a line of a shell that nothing separates from the words before them."""
    words = re.sub(r"([|;()]|\$\()", r" \1 ", line.split(" #")[0]).split()
    pairs = zip(words, words[1:], strict=False)
    return [word for before, word in pairs if word in console_scripts() and before not in BEFORE_COMMANDS | {"(", "$("}]


def test_lines_with_two_commands_are_found():
    assert second_commands("mntools average a -o b mntools compare b c") == ["mntools"]
    assert second_commands("done mntools average a -o b") == ["mntools"]
    assert not second_commands("for s in 1 2; do coarsen a -q; done | mntools check - && mnmodel cv a -- lsmarkov")


@pytest.mark.parametrize("page", [*READMES, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_a_line_has_one_command(page):
    for block in BLOCK.finditer(page.read_text()):
        for line in block["body"].splitlines():
            assert line.lstrip().startswith("#") or not second_commands(line), (page.name, line)


@pytest.mark.parametrize("page", [*READMES, *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_options_exist(page):
    known = all_commands()
    for words in command_lines(page.read_text(), spans=True):
        name = words[0] if words[0] in known else " ".join(words[:2])
        if name not in known:
            assert {*words[1:]} <= HELP, words
            continue
        options = HELP | {flag for param in known[name].params for flag in (*param.opts, *param.secondary_opts)}
        before = words[: words.index("--")] if "--" in words else words
        for word in before:
            if re.fullmatch(r"--[a-z][\w-]*", word):
                assert word in options, (page.name, words)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_learners_have_the_default_ess_but_for_reruns_of_papers(page):
    for words in command_lines(page.read_text()):
        if words[0] not in ("mnmodel", "mntools") and "--ess" in words and "--preset" not in words:
            assert words[words.index("--ess") + 1] != "10", words


@pytest.mark.parametrize(
    "asked",
    [
        *("leave out a column", "missing cells", "numbers", "40, 400, 4000 columns", "How sure", "P(A | B)"),
        *("proved", "from R", "Slurm", "cite", "add a score"),
    ],
)
def test_an_answer_is_two_clicks_away(asked):
    """From the first page to the questions, and from there to the answer."""
    assert "](questions.md)" in (DOCS / "index.md").read_text()
    answers = re.findall(r"(?m)^(\S.*\?)\n: (.*\n(?:  .*\n)*)", (DOCS / "questions.md").read_text())
    (answer,) = [answer for question, answer in answers if asked in question]
    page, _, place = re.search(r"\]\(([^)]+)\)", answer)[1].partition("#")
    text = (DOCS / page).read_text() + (ROOT / "CONTRIBUTING.md").read_text()  # which a page includes
    slugs = {re.sub(r"[^a-z]+", "-", heading.lower()).strip("-") for heading in re.findall(r"(?m)^##+ (.*)", text)}
    assert not place or place in slugs


def test_extras_are_those_of_the_project():
    there = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    documented = re.findall(r"(?m)^\| `(\w+)` \|", (DOCS / "install.md").read_text())
    assert sorted(documented) == sorted({*there} - {"test", "browser", "docs", "dev"})


@pytest.mark.parametrize(("page", "record"), [("coarsening", Step), ("pseudo-likelihood", Event)])
def test_columns_of_traces_are_those_of_the_records(page, record):
    table = (DOCS / "how" / f"{page}.md").read_text().partition("| column of `--trace` |")[2].partition("\n\n")[0]
    cells = re.findall(r"(?m)^\| (`[^|]*) \|", table)
    assert re.findall(r"`(\w+)`", " ".join(cells)) == [field.name for field in fields(record)]


@pytest.mark.slow
def test_the_site_is_built(tmp_path):
    for name in ("sphinx", "myst_nb", "furo", "sphinx_click", "bash_kernel", "latex2mathml"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}: pip install 'cliquewise[docs]'")
    line = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    for page in tmp_path.rglob("*.html"):
        assert not re.search(r"(?:src|href)=\"https?://[^\"]*\\.(?:js|css)", page.read_text()), page
