"""Random tables with what other programs put into them, against a slow reader and against what was meant.

Headers of words and numbers, numbers of states, row numbers, constants, markers of missing cells, spellings, separators
at the ends of rows. Each file is read whole, in pieces with equal rows merged, and compressed.
"""

import gzip
import random
from unittest.mock import patch

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.data.merging import merged
from cliquewise.common.errors import DataError
from tests.oracles import tables
from tests.reading import read_csv

WORDS = ("yes", "no", "Yes", "low", "high", "90+", "a b", "x;y", 'say "no"', "caf\u00e9", "5 or 6")
SPELLINGS = ("0", "1", "1.0", "01", "1e0")
HEADERS = ("words", "words", "words", "none", "from 0", "from 1", "years", "decimals", "like states")
INDICES = ("none", "none", "none", "pandas", "R", "short header", "read again")


class Case:
    """One draw: `run` compares the readers.

    Parameters
    ----------
    seed : int
    folder : Path
        For the file.
    """

    def __init__(self, seed, folder):
        self.rng = rng = random.Random(seed)
        self.path = folder / "table.csv"
        self.n, n_rows = rng.randint(2, 6), rng.choice([2, 3, 5, 9, 12, 24, 60])
        self.measured = 0
        columns = [self._column(n_rows) for _ in range(self.n)]
        self.rows = [list(row) for row in zip(*(cells for cells, _ in columns), strict=True)]
        self.header = rng.choice(HEADERS)
        self.names = self._names()
        self.arities = [number for _, number in columns] if rng.random() < 0.4 else None
        self.index = rng.choice(INDICES) if self.header not in ("none",) else "none"
        self.separator = rng.choice([",", ";", "\t", "|"])
        self.at_end = self.separator != "\t" and self.index != "short header" and rng.random() < 0.1
        self.title = self.header == "words" and self.index == "none" and rng.random() < 0.05
        self.options = {}
        if rng.random() < 0.2:
            self.options["arities"] = "no" if self.arities is None else rng.choice(["yes", "yes", "no"])
        if rng.random() < 0.2:
            self.options["header"] = "no" if self.header == "none" else "yes"
        self.text = self._text()
        self.description = f"seed {seed}: {self.header}, index {self.index}, arities {self.arities}, {self.options}"

    def _column(self, n_rows):
        """The cells of a column, and its number of states."""
        rng, arity = self.rng, self.rng.randint(2, 4)
        kind = rng.choice(["from 0", "from 0", "from 0", "from 1", "words", "constant", "spellings", "measured"])
        labels = {
            "from 0": [str(k) for k in range(arity)],
            "from 1": [str(k + 1) for k in range(arity)],
            "words": rng.sample(WORDS, arity),
            "constant": [rng.choice(["0", "1", "k"])],
            "spellings": rng.sample(SPELLINGS, arity),
            "measured": [f"{rng.uniform(0, 9):.2f}" for _ in range(n_rows)],
        }[kind]
        cells = rng.choices(labels, k=n_rows)
        if rng.random() < 0.15:
            marker = rng.choice(tables.MISSING)
            cells = [marker if rng.random() < 0.1 else cell for cell in cells]
        number = len(set(tables.one_label_each(tables.known(cells)).values()))
        if kind == "measured":
            self.measured += 1
        else:
            number = min(max(number, arity) + (rng.random() < 0.1), 2 * number + 2)
        return cells, max(1, number)

    def _names(self):
        n, rng = self.n, self.rng
        return {
            "words": rng.sample(["A", "B", "age", "smokes", "x 1", "NA", "yes", "V9"], n),
            "none": None,
            "from 0": [str(k) for k in range(n)],
            "from 1": [str(k + 1) for k in range(n)],
            "years": [str(1990 + k) for k in range(n)],
            "decimals": [f"1.{k + 1}" for k in range(n)],
            "like states": [str(rng.randint(2, 5)) for _ in range(n)],
        }[self.header]

    def _text(self):
        rng, rows = self.rng, [list(row) for row in self.rows]
        top = [] if self.names is None else [list(self.names)]
        if self.arities is not None:
            top.append([str(number) for number in self.arities])
        if self.index != "none":
            first = 0 if self.index in ("pandas", "read again") else 1
            numbered = [[f"{k + first}"] for k in range(len(rows) + len(top) - 1)]
            above = {"short header": [], "read again": ["Unnamed: 0"]}.get(self.index, [""])
            top = [above + top[0], *([*number, *row] for number, row in zip(numbered, top[1:], strict=False))]
            rows = [[*number, *row] for number, row in zip(numbered[len(top) - 1 :], rows, strict=True)]
        lines = top + rows
        if self.at_end:
            bare_header = self.names is not None and rng.random() < 0.5
            lines = [row if bare_header and k == 0 else [*row, ""] for k, row in enumerate(lines)]
        if self.title:
            lines.insert(0, ["A study", *[""] * (len(lines[0]) - 1)])
        quoted = rng.random() < 0.3
        end = rng.choice(["\n", "\n", "\r\n"])
        return end.join(self.separator.join(self._cell(cell, quoted) for cell in row) for row in lines) + end

    def _cell(self, cell, quoted):
        if quoted or set(cell) & {'"', self.separator, "\n"}:
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def run(self):
        """The disagreements: a list of str."""
        name = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}[self.separator]
        options = {**self.options, "separator": name, "missing": "state", "warn": False}
        try:
            wanted = tables.read(self.text.replace("\r\n", "\n"), self.separator, **self.options)
        except tables.Refused:
            wanted = None
        data = self.text.encode()
        found = []
        for content, pieces in ((data, None), (gzip.compress(data), None), (data, 1 << 20), (data, len(data) // 3 + 1)):
            self.path.write_bytes(content)
            found.append(self._outcome(options, pieces, len(data)))
        problems = [
            f"{self.description}: read as {one}, by the rules {_reading(wanted)}"
            for one in found
            if one != _reading(wanted)
        ]
        return problems + self._misread(wanted)

    def _outcome(self, options, pieces, size):
        try:
            if pieces is None:
                return _described(read_csv(self.path, **options))
            with patch.object(csvfile, "STREAM_FROM", size), patch.object(csvstream, "PIECE", pieces):
                return _described(read_csv(self.path, merge=True, **options))
        except DataError:
            return None

    def _misread(self, wanted):
        """Where a table that is not refused has a row that was none, or lacks one."""
        if wanted is None:
            return []
        if self.title:
            return [f"{self.description}: a title was taken for names or data"]
        if self.options.get("arities") == "no" and self.arities is not None:
            return []  # as was asked for
        columns = [tables.one_label_each(tables.known(column)) for column in zip(*self.rows, strict=True)]
        expected = sorted(
            tuple(one.get(cell, "?") for one, cell in zip(columns, row, strict=True)) for row in self.rows
        )
        found = sorted(map(tuple, wanted[2]))
        if len(self.rows) < 10 or self.header == "like states" or self.measured > self.n - 2:
            return []  # little can be known of so few rows, of such names, and above measurements
        if found != expected:
            return [f"{self.description}: {len(found)} rows instead of {len(expected)}: {self.text!r}"]
        if self.arities is not None and any(
            len(set(states) - {"?"}) != number for states, number in zip(wanted[1], self.arities, strict=True)
        ):
            return [f"{self.description}: other numbers of states"]
        return []


def _described(data):
    """Names, states, and the merged rows in any order."""
    data = merged(data)
    rows = [tuple(states[k] for states, k in zip(data.states, row, strict=True)) for row in data.codes.tolist()]
    return (
        list(data.names),
        [list(states) for states in data.states],
        sorted(zip(rows, data.counts.tolist(), strict=True)),
    )


def _reading(wanted):
    if wanted is None:
        return None
    names, states, rows = wanted
    counted = {}
    for row in map(tuple, rows):
        counted[row] = counted.get(row, 0) + 1
    return names, states, sorted(counted.items())
