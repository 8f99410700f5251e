"""Every refusal: the exact command, its exit code, its one line on stderr; and nothing is written.

In a command OUT is a file that must not appear, and BAD is the folder data/bad.
"""

import shlex
import tracemalloc

import pytest

from tests.commands import ROOT

LEARN = "lsmarkov -q --iterations 1 -o OUT"
CONVERT = "mntools convert -q --format edges --data data/tiny.csv -o OUT"
MISSING = (
    "(1 missing in all): --missing em treats such cells as missing values (learners, mnmodel), "
    "--missing state makes them a state, --missing drop leaves such rows out"
)
TOO_NARROW = "columns found: 1, needed: at least 2, separated by comma, semicolon, tab, | or blanks"
SAVE = "save the file as UTF-8, in Excel as CSV UTF-8, or with iconv -f {} -t UTF-8"
ORDERS = "'colex_order W', 'lex_order W' or 'free_order W COUNT'"
NEITHER = "neither an index nor a variable of the data"
MEND = "mend it, or remove what is above or below the table"
BIF = "variable a { type discrete [2] { x y }; }\nvariable b { type discrete [2] { x y }; }\n"

# file of data/bad: what follows its name on stderr
DATA = {
    "blank.csv": ":1: the file is empty",
    "blank_line.csv": f":3: a blank line; the first row has 3 cells; {MEND}",
    "duplicate_names.csv": ":1, column 'a': columns 1 and 3 have the same name; "
    "rename one, or use --header no if the first row is data",
    "empty.csv": ":1: the file is empty",
    "empty_name.csv": ":1, column '2': a column without a name; name it or remove it",
    "header_only.csv": ":1: a header and no data",
    "missing_cell.csv": f":3, column 'b': empty cell {MISSING}",
    "missing_na.csv": f":2, column 'a': missing value 'NA' {MISSING}",
    "missing_question.csv": f":4, column 'c': missing value '?' {MISSING}",
    "not_utf8.csv": f":3: byte 0xf6 is not UTF-8; {SAVE.format('CP1252')}",
    "nul.csv": ":3: a NUL byte; is this a text file?",
    "one_column.csv": f":1: {TOO_NARROW}",
    "one_row.csv": ":2: data rows found: 1, needed: at least 2",
    "ragged.csv": f":4: 2 cells; the first row has 3 cells; {MEND}",
    "text_after_quote.csv": ":3: text after a closing quote; write a quote inside quotes twice",
    "unclosed_quote.csv": ":3: a quote that is never closed",
    "utf16.csv": f":1: UTF-16 text; {SAVE.format('UTF-16')}",
    "bad_count.score": ":4: '5' sets announced; 2 variables have 4 of size at most 2",
    "bad_magic.score": f":1: {TOO_NARROW}",  # not known as scores, so it is data
    "bad_order.score": f":4: expected {ORDERS}, found 'revlex_order 2'",
    "bad_section.score": ":3: expected 'subset_scores' or 'clique_scores', found 'set_scores'",
    "empty.score": ":1: the file is empty",
    "empty_set.score": ":2: the empty set scores -1.5, must be 0; is its line missing?",
    "finite_above_forbidden.score": ": {0,1,2} scores -20.0, {0,1} inside it -inf; "
    "-inf forbids a set and all that contain it, so these must score -inf too",
    "nan.score": ":4: expected a score, found 'nan'",
    "pair_differs.score": ":13: {1} scores -2.5 as a clique, -2.75 as a separator; must be equal",
    "repeated_set.score": ":7: {0} is listed a second time",
    "text_in_number.score": ":4: expected a score, found '-2.5x'",
    "too_long.score": ":6: too many lines: the scores are complete, found '-4.0'",
    "too_many_variables.score": ":1: the number of variables is 65, must be 1 to 64",
    "too_wide.score": f":2: 1 cell; the first row has 2 cells; {MEND}",  # nor is this
    "truncated.score": ":6: the file ends after 5 of 8 scores",
}
GRAPHS = {
    "bad_format.cliques": ":1: unknown format 'trees'; expected cliques, edges, arcs",
    "missing_vertex.cliques": ":2: '1,,2': an index is missing beside a comma",
    "negative_vertex.cliques": f":2: unknown vertex '-1': {NEITHER}",
    "text_vertex.cliques": f":2: unknown vertex '2.5': {NEITHER}",
    "too_few_variables.cliques": ": the graph has 2 vertices but the data has 3 variables",
    "unknown_name.cliques": f":2: unknown vertex 'snow': {NEITHER}",
    "unknown_vertex.cliques": ":3: unknown vertex 3; vertices are 0 to 2",
    "not_chordal.edges": ": the graph has 4 vertices but the data has 3 variables",
    "self_loop.edges": ":2: self loop at vertex 1; the vertices of a line must differ",
    "three_vertices.edges": ":3: 3 vertices on a line of an edge list, expected 2",
    "broken.json": ":3: broken JSON: Expecting ',' delimiter",
    "unknown_vertex.json": ": unknown vertex '3'",
    "broken.dot": ":4: found '}' where a name was expected",
    "broken.graphml": ":6: broken XML: no element found",
}
# what can be read, and is wrong: the verdict of `mntools check`
VERDICTS = {
    "check BAD/not_chordal.edges": "not chordal: chordless cycle 0-1-2-3",
    "check BAD/not_maximal.cliques": "clique 1,2 is inside 0,1,2",
    "check BAD/wrong_score.cliques --data data/tiny.csv": "score claimed -1.000000, recomputed -15.151846",
    "check BAD/too_few_variables.cliques": None,
}
# command: (exit code, its line on stderr)
REFUSED = {
    # what to read
    f"{LEARN} data": (1, "data: cannot be read: Is a directory"),
    f"{LEARN} -": (1, "standard input:1: the file is empty"),
    f"{LEARN} WIDE --cache-mb 1": (1, "32768 scores take 4 MB; --cache-mb 1 allows less"),
    f"{LEARN} data/tiny.csv --init BAD/empty.csv": (
        1,
        "BAD/empty.csv: the file is empty; expected a graph",
    ),
    f"{LEARN} data/tiny.csv --init BAD/unknown_vertex.cliques": (
        1,
        "BAD/unknown_vertex.cliques:3: unknown vertex 3; vertices are 0 to 2",
    ),
    f"{LEARN} data/tiny.csv --init BAD/unknown_name.cliques": (
        1,
        f"BAD/unknown_name.cliques:2: unknown vertex 'snow': {NEITHER}",
    ),
    f"{LEARN} data/wine.csv --init BAD/not_chordal.edges": (
        1,
        "BAD/not_chordal.edges: the graph has 4 vertices but the data has 14 variables",
    ),
    f"{LEARN} data/wine.csv --init SQUARE --trace OUT2": (2, "--init SQUARE: the graph is not chordal"),
    f"{LEARN} data/wine.csv --init TRIANGLE --max-clique 2": (
        2,
        "--init TRIANGLE: a clique of 3 vertices, the bound is 2",
    ),
    f"{LEARN} NARROW --init TRIANGLE": (2, "--init TRIANGLE: a clique of 3 vertices, the bound is 2"),
    "mntools compare TRIANGLE BAD/unknown_name.cliques": (
        1,
        "BAD/unknown_name.cliques:1: found 'rain' where an index was expected; give the data if this is a name",
    ),
    # where results go, and in what form
    "lsmarkov -q data/tiny.csv -o data": (1, "data: is a folder; name a file to write to"),
    f"{LEARN} NARROW --names": (2, "--names: a score file has no names; leave the option out"),
    "mntools convert TRIANGLE --names -o OUT": (
        2,
        "TRIANGLE: --names: this graph has no names; give the data, or leave the option out",
    ),
    "mntools convert SQUARE -o OUT": (1, "SQUARE: graph is not chordal; write it as edges (--format edges)"),
    "mntools draw TRIANGLE -o OUT.bmp": (2, "-o OUT.bmp: the name must end in .png, .svg, .pdf or .html"),
    # networks to sample
    "mnmodel sample data/tiny.csv -o OUT": (
        1,
        "data/tiny.csv: a table or a list (CSV), not a model; a model is BIF",
    ),
    "mnmodel sample CYCLE -o OUT --edges OUT2": (1, "CYCLE: the arcs form a cycle: "),
    "mnmodel sample SHORT -o OUT --edges OUT2": (1, "SHORT:3: probabilities of 'a' sum to 0.9, must be 1"),
    "mnmodel sample --edges -": (2, "--edges and --output: both are written to standard output; name a file"),
    "mnmodel sample --components grid,ring": (2, "Invalid value for '--components': 'ring' is not one of grid, hub,"),
    "mnmodel sample --components ''": (2, "Invalid value for '--components': '' is not one of grid, hub,"),
    # score files
    "dmscore -q NARROW 1 -o OUT": (1, "NARROW: a file of scores, not data; give the table"),
    "dmscore -q BAD/missing_na.csv 1 -o OUT": (1, f"BAD/missing_na.csv:2, column 'a': missing value 'NA' {MISSING}"),
    "dmscore -q data/tiny.csv 1 4 -o OUT": (2, "MAXCLIQUE 4: the data have 3 variables"),
    "dmscore -q data/tiny.csv 1 0 -o OUT": (2, "Invalid value for '[MAXCLIQUE]': 0 is not in the range x>=1"),
    "dmscore -q data/tiny.csv 0 -o OUT": (2, "Invalid value for 'ESS': 0.0 is not in the range 0<x<="),
    "dmscore -q data/tiny.csv nan -o OUT": (2, "Invalid value for 'ESS': nan is not a finite number"),
    "dmscore -q data/tiny.csv -o OUT": (2, "Missing argument 'ESS'"),
    "dmscore -q data/tiny.csv 1 --layout cussens -g -o OUT": (2, "-g has no effect with --layout cussens; leave"),
    "dmscore -q data/tiny.csv 1 --prune -o OUT": (2, "--prune has no effect with --layout dmst; leave it out, or use"),
    "dmscore -q BROAD 1 3 -o OUT": (1, "65 variables; a file of the scores of sets contains at most 64, one of"),
    "dmscore -q data/digits.csv 1 -o OUT": (1, "36,028,797,018,963,968 scores need 2.88e+08 GB, "),
    # options that do not go together
    "lsmarkov": (2, "Missing argument 'DATA' (see lsmarkov --help)"),
    f"{LEARN} data/tiny.csv more": (
        2,
        "Got unexpected extra argument (more); a value with blanks needs quotes (see lsmarkov --help)",
    ),
    "mntools chck": (2, "No such command 'chck'"),
    f"{LEARN} data/tiny.csv --presto": (2, "No such option"),
    f"{LEARN} data/tiny.csv --operations X": (
        2,
        "Invalid value for '--operations': 'X' is not made of the letters C, E and V",
    ),
    f"{LEARN} data/tiny.csv --operations ''": (2, "Invalid value for '--operations': '' is not made of the letters"),
    f"{LEARN} data/tiny.csv --greedy --operations E": (
        2,
        "--operations has no effect with --greedy; leave one of them out",
    ),
    f"{LEARN} data/tiny.csv --precompute": (
        2,
        "--precompute needs --max-clique; add that, or leave it out",
    ),
    "junctor -q MANY --method dp -o OUT": (1, "MANY: 33 variables; method dp takes at most 32, method ilp more"),
    "junctor -q data/dna.csv --missing state -o OUT": (1, "2305843009213693952 sets of up to 61 variables need "),
    "junctor -q data/zoo.csv --memory 0.005 -o OUT": (1, "17 variables need 0.00593 GB, 0.005 GB may be used (--mem"),
    "junctor -q data/zoo.csv 0 -o OUT": (2, "Invalid value for '[MAXWIDTH]': 0 is not in the range x>=1"),
    "junctor -q data/zoo.csv -x": (2, "No such option"),
    f"{LEARN} data/dna.csv --precompute --max-clique 4 --cache-mb 9 --trace OUT2": (
        1,
        "559737 scores of sets up to 4 need --cache-mb 51",
    ),
}


@pytest.fixture
def refused(run, tmp_path, monkeypatch):
    """Runs a command line; checks its code and that nothing was written; returns stdout and stderr."""
    monkeypatch.chdir(ROOT)
    files = {
        "SQUARE": "# variables 14\n# format edges\n0,1\n0,3\n1,2\n2,3\n",
        "TRIANGLE": "0,1,2\n",
        "NARROW": "3 2\n" + "0\n" * 7,
        "WIDE": "15 15\n" + "0\n" * 2**15,
        "MANY": "33 1\n" + "0\n" * 34,
        "CYCLE": BIF + "probability (a | b) { default 1 0; }\nprobability (b | a) { default 1 0; }\n",
        "SHORT": BIF + "probability (a) { table 0.5 0.4; }\nprobability (b) { table 1 0; }\n",
        "BROAD": ("0," * 64 + "1\n") * 2,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.iterdir())
    made = {*files, "OUT", "OUT2"}

    def invoke(line, code):
        words = [
            str(tmp_path / word) if word in made else word.replace("BAD", "data/bad") for word in shlex.split(line)
        ]
        done = run(*words)
        assert done.code == code, done.stderr
        assert sorted(tmp_path.iterdir()) == before
        assert not (ROOT / "none").exists()
        message = done.stderr.replace(f"{tmp_path}/", "").replace("data/bad", "BAD")
        return done.stdout, message

    return invoke


def one_line(shown, name):
    """The message of the only line on stderr."""
    assert shown.endswith("\n") and shown.count("\n") == 1, shown
    assert shown.startswith(f"{name}: ")
    return shown.removeprefix(f"{name}: ").removesuffix("\n")


def test_every_broken_file_has_its_row():
    verdicts = {line.split()[1].removeprefix("BAD/") for line in VERDICTS}
    assert {path.name for path in (ROOT / "data/bad").iterdir()} == {*DATA, *GRAPHS} | verdicts


@pytest.mark.parametrize("file", DATA)
def test_bad_data(refused, file):
    out, message = refused(f"{LEARN} BAD/{file}", 1)
    assert out == "" and one_line(message, "lsmarkov") == f"BAD/{file}{DATA[file]}"


@pytest.mark.parametrize(
    "line",
    [
        *(f"junctor SCORES {how} -o OUT" for how in ("--method dp", "--method ilp", "--dry-run")),
        *(
            "lsmarkov SCORES --iterations 9 -o OUT",
            "mnposterior SCORES --iterations 9 -o OUT",
            "mnposterior SCORES --draws 9 -o OUT",
        ),
        *("coarsen SCORES -o OUT", "twlearn SCORES -w 2 --iterations 9 -o OUT"),
        *("mntools bound SCORES", "mntools bound SCORES --graph TRIANGLE", "mntools score SCORES TRIANGLE"),
        "mntools check TRIANGLE --data SCORES",
    ],
)
def test_every_command_refuses_a_finite_score_above_a_forbidden_set(refused, line):
    file = "finite_above_forbidden.score"
    out, message = refused(line.replace("SCORES", f"BAD/{file}") + " -q", 1)
    assert out == "" and one_line(message, line.split()[0]) == f"BAD/{file}{DATA[file]}"


@pytest.mark.parametrize("file", GRAPHS)
def test_bad_graphs(refused, file):
    out, message = refused(f"{CONVERT} BAD/{file}", 1)
    assert out == "" and one_line(message, "mntools") == f"BAD/{file}{GRAPHS[file]}"
    again = refused(f"mntools check -q BAD/{file} --data data/tiny.csv", 1)
    assert again == (out, message)


@pytest.mark.parametrize("line", VERDICTS)
def test_verdicts_about_wrong_results(refused, line):
    out, message = refused(f"mntools {line} -q", 1)
    if VERDICTS[line] is not None:
        assert (out, message) == (f"wrong: {VERDICTS[line]}\n", "")
    else:
        assert out == "" and one_line(message, "mntools")


@pytest.mark.parametrize("line", REFUSED)
def test_refusals(refused, line):
    code, message = REFUSED[line]
    out, shown = refused(line, code)
    assert out == "" and one_line(shown, line.split()[0]).startswith(message)


def test_a_file_without_permission(refused, tmp_path):
    (tmp_path / "TRIANGLE").chmod(0)
    try:
        open(tmp_path / "TRIANGLE").close()
        pytest.skip("this user may read everything")
    except PermissionError:
        pass
    out, message = refused(f"{LEARN} TRIANGLE", 1)
    assert one_line(message, "lsmarkov") == "TRIANGLE: cannot be read: Permission denied"


def test_log_lines_come_before_the_error(refused):
    """With -v the messages about the file come first; the error is the last line."""
    _, message = refused("lsmarkov data/votes.csv --iterations 1 -v -o OUT", 1)
    *log, last = message.splitlines()
    assert len(log) == 1 and "first row taken as a header" in log[0]
    assert last.startswith("lsmarkov: data/votes.csv:2, column ")


LISTS = ("twlearn ZOO -w 2 --seeds", "lsmarkov ZOO --resamples", "mplearn ZOO --blankets-only --variables")
COUNTS = ("twlearn ZOO -w", "twlearn ZOO -w 2 --parent-sets", "mnposterior ZOO --draws", "lsmarkov ZOO --iterations")


@pytest.mark.parametrize("line", LISTS)
def test_long_lists_of_seeds_are_refused_before_they_are_made(refuse, line):
    option = line.split()[-1]
    message = f"Invalid value for '{option}': '0-99999999' makes more than 100,000 numbers"
    tracemalloc.start()
    try:
        refuse(f"{line.replace('ZOO', str(ROOT / 'data/zoo.csv'))} 0-99999999 -o net-{{}}", 2, message)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("line", COUNTS)
def test_numbers_of_many_digits(refuse, line):
    option = line.split()[-1]
    named = {"-w": "--treewidth"}.get(option, option)
    refuse(
        f"{line.replace('ZOO', str(ROOT / 'data/zoo.csv'))} {'9' * 400} -q",
        2,
        f"{named}: a number of 400 digits; give at most",
    )
