"""Names, numbers of states, row numbers and titles above and beside the data."""

import gzip
import io
import itertools
import sys

import pytest

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.errors import DataError
from tests.oracles import scores
from tests.reading import read_csv

pytestmark = [pytest.mark.nojit, pytest.mark.usefixtures("all_messages")]
ROWS = [(a, a, b, c) for _ in range(3) for a, b, c in itertools.product((0, 1), repeat=3)]


@pytest.fixture
def read(tmp_path):
    """Reads lines of cells as a CSV file."""

    def read_lines(*lines, separator=",", quote="", **options):
        path = tmp_path / "t.csv"
        cells = (
            [f"{quote}{cell}{quote}" for cell in (line if isinstance(line, tuple) else line.split())] for line in lines
        )
        path.write_text("".join(separator.join(line) + "\n" for line in cells))
        return read_csv(path, **options)

    return read_lines


# ---- numbers of states -----------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", " ", "|"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_numbers_of_states_are_not_a_row(read, caplog, separator, quote):
    data = read("A B C D", "2 2 2 2", *ROWS, separator=separator, quote=quote)
    assert data.n_rows == 24 and data.names == ("A", "B", "C", "D") and data.arity.tolist() == [2, 2, 2, 2]
    assert "t.csv: line 2 taken as the numbers of states, 2 (--arities no if not)" in caplog.text


def test_without_names(read):
    data = read("2 2 2 2", *ROWS)
    assert data.n_rows == 24 and data.names == ("V0", "V1", "V2", "V3")


def test_through_gzip_standard_input_and_pieces(tmp_path, monkeypatch):
    text = "A,B,C,D\n3,2,2,2\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in ROWS)
    (tmp_path / "t.gz").write_bytes(gzip.compress(text.encode()))
    found = [read_csv(tmp_path / "t.gz")]
    for merge in (False, True):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        monkeypatch.setattr(csvfile, "STREAM_FROM", 40)
        monkeypatch.setattr(csvstream, "PIECE", 16)
        found.append(read_csv("-", merge=merge))
    assert [data.n_rows for data in found] == [24] * 3
    assert all(data.states == (("0", "1", "2"), *[("0", "1")] * 3) for data in found)


def test_states_that_no_row_has_count_in_the_score(read):
    """Of BDeu, with the arity that is declared."""
    from cliquewise.common.scores.scorer import SetScorer
    from cliquewise.common.scores.scoring import Scoring

    data = read("A B C D", "4 2 3 2", *ROWS)
    assert data.arity.tolist() == [4, 2, 3, 2]
    found = SetScorer(data, Scoring(ess=1.0)).score((0, 2))
    assert found == pytest.approx(scores.set_score(data.codes.tolist(), [4, 2, 3, 2], "bdeu")({0, 2}), abs=1e-9)


@pytest.mark.parametrize(
    ("cells", "number", "states"),
    [
        ("0 2", 4, ("0", "1", "2", "3")),
        ("1 2", 2, ("1", "2")),
        ("2 3", 3, ("1", "2", "3")),  # 3 is a state, so they are from 1
        ("no yes", 3, ("no", "yes", "unseen1")),
        ("no unseen1", 3, ("no", "unseen1", "unseen2")),
        ("0.0 1.0", 3, ("0.0", "1.0", "2")),
        ("10 20", 2, ("10", "20")),
    ],
)
def test_labels_of_unseen_states(read, cells, number, states):
    cells = cells.split()
    rows = [(cells[k % 2], *row) for k, row in enumerate(ROWS)]
    data = read("Z A B C D", f"{number} 2 2 2 2", *rows)
    assert data.states[0] == states and data.n_rows == 24


def test_numbers_from_one_where_no_column_has_a_zero(read):
    rows = [tuple(cell + 1 for cell in row) for row in ROWS]
    data = read("A B C D E", "2 2 2 2 3", *((*row, 1 + k % 2) for k, row in enumerate(rows)), arities="yes")
    assert data.states[4] == ("1", "2", "3") and data.states[0] == ("1", "2") and data.n_rows == 24


def test_words_below_numbers(read):
    data = read("A B", "3 2", *(("red blue".split()[k % 2], "yes no".split()[k // 2 % 2]) for k in range(24)))
    assert data.n_rows == 24 and data.arity.tolist() == [3, 2]


def test_a_missing_state_is_beyond_the_declared_ones(read):
    data = read("A B C D", "2 2 2 2", *ROWS, "? 1 0 1", missing="state")
    assert data.states[0] == ("0", "1", "?") and data.n_rows == 25


def test_rows_of_twos_are_not_lost(read, caplog):
    """Data of 1 and 2: the first row may be both, so it is asked; few rows are taken as they are, with a message."""
    rows = [tuple(cell + 1 for cell in row) for row in ROWS]
    for options in ({}, {"header": "yes"}):
        with pytest.raises(DataError, match=r":2: this row may be data, or the numbers of states.* --arities"):
            read("A B C D", "2 2 2 2", *rows, **options)
    assert read("A B C D", "2 2 2 2", *rows, arities="yes").n_rows == 24
    assert read("A B C D", "2 2 2 2", *rows, arities="no").n_rows == 25
    caplog.clear()
    assert read("A B C", "2 2 2", "1 2 1", "2 1 1", "1 1 2").n_rows == 4
    assert "line 2 taken as data; --arities yes if it is the numbers of states" in caplog.text


@pytest.mark.parametrize(
    "first",
    ["1 1 0 1", "0 0 0 0", "2 1 0 1", "9 0 0 1", "2 2 2 ?", "2 2 2 1.5", "2 2 2 x"],
)
def test_a_first_row_of_data_is_kept(read, first):
    assert read("A B C D", first, *ROWS, missing="state").n_rows == 25


def test_falling_numbers_are_not_row_numbers(read):
    rows = [(f"{2030 - k}", f"{900 - 7 * k}", k % 2) for k in range(24)]
    assert read("year sales up", *rows).n_rows == 24


def test_a_contradiction_is_named(read):
    rows = [(k % 3, *row) for k, row in enumerate(ROWS)]
    found = r":2: this row looks like the numbers of states, but column 'Z' has 3 states, and the row has 2"
    with pytest.raises(DataError, match=found):
        read("Z A B C D", "2 2 2 2 2", *rows)
    with pytest.raises(DataError, match=r":2: not numbers of states: column 'Z' has 3 states, and the row has 2"):
        read("Z A B C D", "2 2 2 2 2", *rows, arities="yes")
    with pytest.raises(DataError, match=r":2: not numbers of states: column 'A' has '0'"):
        read("A B C D", *ROWS, header="yes", arities="yes")
    assert read("Z A B C D", "2 2 2 2 2", *rows, arities="no").n_rows == 25


def test_with_a_column_of_counts(read):
    data = read("A B C D n", "2 2 2 3 0", *((*row, 2) for row in ROWS), counts="n")
    assert data.n_rows == 48 and data.arity.tolist() == [2, 2, 2, 3]


def test_many_declared_states(read):
    data = read("A B C D", "300 2 2 2", *ROWS, arities="yes")
    assert data.arity.tolist() == [300, 2, 2, 2] and data.codes.max() == 1


# ---- names that are numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first", ["0 1 2 3", "1 2 3 4", "1990 1991 1992 1993", "1.1 1.2 1.3 1.4", "-7 5 -9 3", "10 20 30 50"]
)
@pytest.mark.parametrize("quote", ["", '"'])
def test_numbers_are_names(read, caplog, first, quote):
    data = read(first, *ROWS, quote=quote)
    assert data.names == tuple(first.split()) and data.n_rows == 24
    assert "first row taken as a header: numbers, which are not a row of the table (--header no if not)" in caplog.text


def test_numbers_above_numbers_of_states(read):
    data = read("0 1 2 3", "2 2 2 2", *ROWS)
    assert data.names == ("0", "1", "2", "3") and data.n_rows == 24


@pytest.mark.parametrize("first", ["0 1", "1 2", "5 6"])
def test_the_user_is_asked_whether_a_row_holds_names_or_data(read, first):
    with pytest.raises(DataError, match=r"t\.csv:1: the first row, .*, may be .*; use --header yes or --header no"):
        read(first, *((a, b) for a, b, _, _ in ROWS))
    assert read(first, *((a, b) for a, b, _, _ in ROWS), header="no", arities="no").n_rows == 25
    assert read(first, *((a, b) for a, b, _, _ in ROWS), header="yes").n_rows == 24


@pytest.mark.parametrize("first", ["7 5 9 3", "2 3 4 5"])
def test_the_user_is_asked_whether_a_row_holds_names_or_numbers_of_states(read, first):
    with pytest.raises(DataError, match="may be names, or the numbers of states; use --header yes or --header no or"):
        read(first, *ROWS)
    assert read(first, *ROWS, arities="yes").arity.tolist() == [int(word) for word in first.split()]


def test_measurements_are_data(read):
    rows = [(f"{k * 1.37:.2f}", f"{100 / (k + 1):.3f}", f"{k * k}", k % 3) for k in range(1, 40)]
    assert read(*rows).n_rows == 39
    assert read(*rows).names[0] == "V0"


@pytest.mark.parametrize("first", ["1 0 0 1", "1 1 0 0"])
def test_a_row_of_states_is_data(read, first):
    assert read(first, *ROWS).n_rows == 25


@pytest.mark.parametrize("missing", ["refuse", "state", "drop"])
@pytest.mark.parametrize("first", [("A study", "", "", ""), ("2024", "", "", ""), ("Study", "of", "", "2024")])
def test_a_title_above_the_names(read, missing, first):
    rows = ROWS[:-1] + [("?", 0, 1, 1)] if missing == "drop" else ROWS
    with pytest.raises(DataError, match=r"t\.csv:1.*(title, remove it|names seem to be in line 2|without a name)"):
        read(first, "A B C D", *rows, missing=missing)


def test_headings_of_groups_above_the_names(read):
    """Merged cells of a sheet; the gap alone does not say that the line is to go."""
    with pytest.raises(DataError, match=r"t\.csv:1: the names seem to be in line 2; remove what is above them"):
        read(("Study", "", "Trip", ""), "A B C D", *ROWS)


# ---- row numbers, row names, ends of rows ----------------------------------------------------------------


LABELS = {
    "numbers": "{0}",
    "numbers in disorder": "{1}",
    "words": "row{0}x",
    "words with blanks": "Mazda RX{0}",
    "dates": "2024-01-{2:02d}",
}


@pytest.mark.parametrize(
    ("first", "label"),
    [
        *itertools.product(["", None], LABELS),
        *itertools.product(["Unnamed: 0", "rownames", "row.names"], ["numbers", "numbers in disorder", "dates"]),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
def test_row_names_are_left_out(read, caplog, monkeypatch, first, label, separator):
    """As pandas and R's write.csv and write.table write them; the last leaves out the cell above them (None)."""
    names = ("A", "B", "C", "D") if first is None else (first, "A", "B", "C", "D")
    rows = [(LABELS[label].format(k, 7 * k % 24, k + 1), *row) for k, row in enumerate(ROWS)]
    monkeypatch.setattr(csvfile, "STREAM_FROM", 256)
    monkeypatch.setattr(csvstream, "PIECE", 32)
    for merge in (False, True):
        caplog.clear()
        data = read(names, *rows, separator=separator, quote='"', merge=merge)
        assert data.names == ("A", "B", "C", "D") and data.n_rows == 24
        assert data.n_stored == (8 if merge else 24)
        assert "left out: it numbers or names the rows" in caplog.text


def test_row_numbers_beside_numbers_of_states(read):
    rows = [("2", "2", "2", "2"), *ROWS]
    assert read(("", "A", "B", "C", "D"), *((k, *row) for k, row in enumerate(rows))).n_rows == 24


def test_a_column_without_a_name_that_repeats_is_refused(read):
    with pytest.raises(DataError, match=r":1, column '1': a column without a name"):
        read(("", "A", "B"), *((k % 2, k % 3, k % 5) for k in range(24)))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("first", [("A", "B", "C", "D"), ("A", "B", "C", "D", "")])
def test_separators_at_the_ends_of_rows(read, caplog, first, separator):
    numbered = read(("", *first[:4], ""), *((k, *row, "") for k, row in enumerate(ROWS)), separator=separator)
    data = read(first, *((*row, "") for row in ROWS), separator=separator)
    assert data.names == numbered.names == ("A", "B", "C", "D") and data.n_rows == numbered.n_rows == 24
    assert caplog.text.count("the separator at the end of each row makes no column") == 2
    assert read(*((*row, "") for row in ROWS)).names == ("V0", "V1", "V2", "V3")


@pytest.mark.parametrize("named", [4, 5, 6, 7])
def test_several_separators_at_the_ends_of_rows(read, caplog, named):
    """As Excel writes them after columns were cleared; the first row has all, some or none of them."""
    first = ("A", "B", "C", "D", "", "", "")[:named]
    if named in (5, 6):
        with pytest.raises(DataError, match="column '5': a column without a name; name it or remove it"):
            read(first, *((*row, "x", "", "") for row in ROWS))
    data = read(first, *((*row, "", "", "") for row in ROWS))
    assert data.names == ("A", "B", "C", "D") and data.n_rows == 24
    assert "the 3 separators at the end of each row make no columns" in caplog.text
    assert read(*((*row, "", "", "") for row in ROWS)).names == ("V0", "V1", "V2", "V3")


def test_an_empty_column_with_a_name_is_kept(read):
    with pytest.raises(DataError, match="column 'E' has no cell that is not missing"):
        read("A B C D E", *((*row, "") for row in ROWS))


# ---- published files -------------------------------------------------------------------------------------


def test_published_tables(shared):
    data = read_csv(shared / "data/tables/asia_10000.dat")
    assert data.n_rows == 10_000 and data.arity.tolist() == [2] * 8
    data = read_csv(shared / "data/tables/alarm_100.dat")
    line = (shared / "data/tables/alarm_100.dat").read_text().splitlines()[1]
    assert data.n_rows == 100 and data.arity.tolist() == [int(word) for word in line.split()]
    assert any(len(set(data.codes[:, v])) < data.arity[v] for v in range(data.n))
    assert read_csv(shared / "data/tables/czech_autoworkers.csv").n_rows == 1841


def test_published_scores(shared, run, workplace):
    """GOBNILP's scores of the families of asia, which has its numbers of states in line 2."""
    workplace({})
    done = run("dmscore", shared / "data/tables/asia_10000.dat", 1, 4, "--layout", "cussens", "-q")
    published = (shared / "data/twlearn/pygobnilp_asia_10000.dat.3.jkl").read_text()
    ours, theirs = map(parent_scores, (done.stdout, published))
    assert len(theirs) == 512 and ours.keys() == theirs.keys()
    assert max(abs(ours[key] - theirs[key]) for key in theirs) < 5.1e-9  # they have eight decimals


def parent_scores(text):
    """{(variable, parents): score} of a file of parent-set scores."""
    found, lines = {}, iter(text.splitlines()[1:])
    for line in lines:
        name, number = line.split()
        for _ in range(int(number)):
            score, _, *parents = next(lines).split()
            found[name, frozenset(parents)] = float(score)
    return found


# ---- names again -----------------------------------------------------------------------------------------

ANSWERS = [
    (("y", "n")[a], ("u", "v", "w")[b], ("low", "high")[c])
    for _ in range(8)
    for a, b, c in itertools.product((0, 1), (0, 1, 2), (0, 1))
]
JOINED = ["first second third", *ANSWERS[:30], "first second third", *ANSWERS[30:]]


@pytest.mark.parametrize("header", ["auto", "yes"])
@pytest.mark.parametrize("merge", [None, False, True])
def test_names_that_stand_again_where_tables_were_joined_are_refused(read, monkeypatch, header, merge):
    if merge is not None:
        monkeypatch.setattr(csvfile, "STREAM_FROM", 40)
        monkeypatch.setattr(csvstream, "PIECE", 64)
    with pytest.raises(DataError, match=r"t.csv:32: the names again, as where tables were joined \(1 row\); remove"):
        read(*JOINED, header=header, merge=bool(merge))


def test_names_stand_again_above_a_last_column_that_is_always_empty(read):
    with pytest.raises(DataError, match=r"t.csv:32: the names again"):
        read(*((*(row.split() if isinstance(row, str) else row), "") for row in JOINED))


def test_equal_rows_that_are_no_names_are_data(read):
    assert read(*JOINED, header="no").n_rows == len(JOINED)
    assert read(*["a x"] * 12, *["b y"] * 12, *["c z"] * 12).n_rows == 36  # two columns that determine each other
    assert read("a x 1", *["b y 0", "b y 1"] * 20, "a x 1").n_rows == 42
    assert read("first second", *[row[:2] for row in ANSWERS], "first u").names == ("first", "second")
