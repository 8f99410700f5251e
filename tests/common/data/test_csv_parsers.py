"""The parsers of CSV: random tables, the kernel beside the reference, both beside Python's csv."""

import csv
import io

import numpy as np
import pytest

from cliquewise.common.data import csvstream, csvstream_kernels, csvtable, csvtext
from cliquewise.common.errors import DataError
from tests.random_inputs import damaged_csv
from tests.reading import labels_of


@pytest.mark.parametrize("seed", range(60))
def test_round_trip_through_the_csv_module(read, seed):
    """Tables with difficult labels, written by the standard library in many dialects, are read correctly."""
    rng = np.random.default_rng(seed)
    pieces = ["a", "b", "7", ",", ";", "|", "\t", " ", '"', "\n", "'", "\u00e9", "\u4e2d"]
    n_vars = int(rng.integers(2, 6))
    labels = ["".join(rng.choice(pieces, rng.integers(1, 6))) for _ in range(8)]
    rows = [list(rng.choice(labels, n_vars)) for _ in range(int(rng.integers(2, 40)))]
    names = [f"name {v}" for v in range(n_vars)]
    written = io.StringIO()
    separator, end = rng.choice(list(",;|\t ")), rng.choice(["\n", "\r\n"])
    writer = csv.writer(written, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerows([names, *rows])
    dataset = read(written.getvalue(), header="yes", missing="state")
    assert dataset.names == tuple(names)
    assert labels_of(dataset) == rows


@pytest.mark.parametrize("seed", range(20))
def test_round_trip_with_quotes_only_where_needed(read, seed):
    rng = np.random.default_rng(seed)
    labels = ["x", "x,y", 'q"q', '"', "two\nlines", "10", "2.5", "a b", ";", ",,"]
    rows = [list(rng.choice(labels, 3)) for _ in range(30)]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([["a", "b", "c"], *rows])
    assert labels_of(read(written.getvalue())) == rows


def by_reference(raw):
    """(labels, codes as lists), or the message."""
    try:
        table = csvtable.table_of_text(raw)
    except DataError as error:
        return str(error)
    return list(map(tuple, table.labels)), table.rows.tolist()


def by_kernel(raw, width, size=1 << 20):
    """The same, with the text in pieces of whole lines."""
    csv_stream = csvstream.CsvStream(width, raw.separator, raw.source, False, raw.line)
    text, done, piece = raw.text.encode(), 0, size
    try:
        while done < len(text):
            stop = text.find(b"\n", done + piece) + 1 or len(text)
            read = csv_stream.read(text[done:stop], last=stop == len(text))
            piece = size if read else 2 * piece
            done += read
    except DataError as error:
        return str(error)
    return list(map(tuple, csv_stream.labels)), csv_stream.codes.tolist()


@pytest.mark.parametrize("separator", list(",;|\t "))
def test_the_kernel_equals_the_reference_on_damaged_tables(monkeypatch, separator):
    monkeypatch.setattr(csvstream, "_FIRST_CAPACITY", 1)  # room for cells grows
    rng = np.random.default_rng(ord(separator))
    agreed = refused = 0
    for _ in range(300):
        try:
            raw = csvtext.Raw(csvtext.clean(damaged_csv(rng, separator, 4).encode(), "t"), separator, "t")
            width = len(next(csvtext.records(raw))[1])
        except DataError:
            continue
        found = by_kernel(raw, width)
        assert found == by_reference(raw), raw.text
        refused += isinstance(found, str)
        agreed += not isinstance(found, str)
    assert agreed > 100 and refused > 10


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("separator", list(",;|\t"))
def test_both_parsers_equal_the_csv_module_on_any_text_without_blanks(separator):
    """Any order of quotes, separators, line ends and letters: the same cells, or all of them refuse it."""
    rng = np.random.default_rng(7 + ord(separator))
    pieces = ["a", "b", "\u00e9", separator, separator, "\n", '"', '""', f'"{separator}', f'{separator}"', '"\n', "'"]
    agreed = refused = 0
    for _ in range(3000):
        text = "".join(rng.choice(pieces, rng.integers(1, 12))).strip("\n") + "\n"
        raw = csvtext.Raw(text, separator, "t")
        try:
            theirs = [row or [""] for row in csv.reader(io.StringIO(text), delimiter=separator, strict=True)]
        except csv.Error:
            with pytest.raises(DataError):
                list(csvtext.records(raw))
            refused += 1
            continue
        assert [cells for _, cells in csvtext.records(raw)] == theirs, text
        if len(set(map(len, theirs))) == 1:
            labels, codes = by_kernel(raw, len(theirs[0]))
            assert [[labels[v][k] for v, k in enumerate(row)] for row in codes] == theirs, text
            agreed += 1
    assert agreed > 300 and refused > 300


@pytest.mark.parametrize("separator", list(",;|\t "))
@pytest.mark.parametrize("seed", range(9))
def test_rows_without_quotes_and_blanks_are_those_with_quotes(separator, seed):
    """The first are split at the separator, the others read by a pattern; ragged rows and blank lines, too."""
    rng = np.random.default_rng(seed)
    cells = ["a", "a\x01", "", "\u00e9", "\u65e5\x85\u672c", "10", "-0.5", "'", "x\u2028y"]
    rows = [rng.choice(cells, rng.integers(1, 5)).tolist() for _ in range(30)]
    rows = [row for row in rows if separator != " " or "" not in row]
    plain, quoted = (
        csvtext.Raw("".join(separator.join(map(form.format, row)) + "\n" for row in rows), separator, "t", 7)
        for form in ("{}", '"{}"')
    )
    assert list(csvtext.records(plain)) == list(csvtext.records(quoted)) == list(enumerate(rows, 7))


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_small_pieces_change_nothing(piece):
    """Pieces may end anywhere in a row, and inside quotes."""
    raw = csvtext.Raw('a,"b\n,"\n' + 'x,"1,\n2"\n"""y""", z \n' * 9, ",", "t")
    assert by_kernel(raw, 2, piece) == by_reference(raw)


@pytest.mark.parametrize("width", [1, 40])
@pytest.mark.parametrize(("form", "stops"), [("{}", 0), ('"{}"', 0), ('"{}"""', 9)])
def test_a_row_goes_on_at_a_new_cell(monkeypatch, width, form, stops):
    """Cells with quotes inside stop the kernel when they are new, and no byte is read twice; others do not stop it."""
    read, spans = csvstream.read_rows, []

    def counted(text, *arguments):
        outcome = arguments[-1]
        begin = int(outcome[csvstream_kernels.PLACE])
        read(text, *arguments)
        asked = outcome[csvstream_kernels.STATUS] == csvstream_kernels.ASKED
        spans.append((begin, int(outcome[csvstream_kernels.END if asked else csvstream_kernels.AT])))

    monkeypatch.setattr(csvstream, "read_rows", counted)
    rows = [[form.format(f"{(k * 7 + v) % 9}" * (1 + v % 3)) for v in range(width)] for k in range(20)]
    text = "".join(",".join(row) + "\n" for row in rows)
    raw = csvtext.Raw(text, ",", "t.csv", 1)
    assert by_kernel(raw, width) == by_reference(raw)
    assert sum(end - begin for begin, end in spans) <= len(text) + 8 * len(spans)
    assert len(spans) == stops * width + 1
