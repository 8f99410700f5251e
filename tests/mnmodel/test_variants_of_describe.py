"""`mnmodel describe` on twenty tables: kinds, shares, missing cells and near duplicates as pandas finds them."""

import gzip
import re
from itertools import combinations
from math import log

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.near_duplicates import CORRELATION, ENTROPY_SHARE
from tests.mnmodel.test_describe import described, run_line

pandas = pytest.importorskip("pandas")
N = 160  # rows
MISSING = ("", "?", "NA")


def drawn(words, seed, n=N):
    return [words[k] for k in np.random.default_rng(seed).integers(0, len(words), n)]


def with_missing_cells(cells, word, every=7):
    return [word if k % every == 3 else cell for k, cell in enumerate(cells)]


def numbers(seed, digits=2):
    return [f"{x:.{digits}f}" for x in np.random.default_rng(seed).lognormal(3, 1, N)]


SEX, ILL, DOSE = drawn(("f", "m"), 1), drawn(("no", "yes"), 2), drawn(("hi", "lo", "mid"), 3)
AGE, WEIGHT = numbers(4), numbers(5, 3)
IDS, DATES = [f"P{k * 7}" for k in range(N)], [f"2023-{k % 12 + 1:02d}-{k % 27 + 1:02d}" for k in range(N)]
NOTES, ZEROS = [f"was here {k} times today" for k in range(N)], ["0"] * 150 + drawn(("1", "2"), 6, 10)
STATES, NUMBER = "states", "number"
PLAIN = {"sex": (STATES, SEX), "ill": (STATES, ILL), "dose": (STATES, DOSE)}
TABLES = {  # columns with their kinds, and what else there is
    "states": (PLAIN, {}),
    "one of each kind": (
        {
            **{
                "id": ("identifier", IDS),
                "seen": ("date", DATES),
                "note": ("text", NOTES),
                "one": ("constant", ["x"] * N),
            },
            **{"age": (NUMBER, AGE), **PLAIN},
        },
        {},
    ),
    "holes": (
        {**PLAIN, "ill": (STATES, with_missing_cells(ILL, "")), "age": (NUMBER, with_missing_cells(AGE, "", 11))},
        {},
    ),
    "question marks": ({**PLAIN, "dose": (STATES, with_missing_cells(DOSE, "?", 5))}, {}),
    "NA and numbers": ({**PLAIN, "age": (NUMBER, with_missing_cells(AGE, "NA"))}, {}),
    "a word for missing": ({**PLAIN, "dose": (STATES, with_missing_cells(DOSE, "unknown"))}, {"--na": "unknown"}),
    "a code for missing": ({**PLAIN, "n": (STATES, with_missing_cells(drawn("123", 7), "-99"))}, {"--na": "n=-99"}),
    "semicolons": ({**PLAIN, "age": (NUMBER, AGE)}, {"sign": ";"}),
    "tabs": ({**PLAIN, "zeros": (STATES, ZEROS)}, {"sign": "\t"}),
    "pipes": ({**PLAIN, "age": (NUMBER, AGE)}, {"sign": "|"}),
    "commas in quotes": (
        {**PLAIN, "place": (STATES, drawn(("Rome, Italy", 'the "Hague"', "Bonn"), 8))},
        {"quote": True},
    ),
    "decimal commas": ({**PLAIN, "age": (NUMBER, [cell.replace(".", ",") for cell in AGE])}, {"sign": ";"}),
    "near duplicates": (
        {
            **{"sick": (STATES, ["ab"[cell == "yes"] for cell in ILL]), **PLAIN, "days": (NUMBER, AGE)},
            **{"months": (NUMBER, [f"{float(cell) / 30:.4f}" for cell in AGE]), "kilos": (NUMBER, WEIGHT)},
        },
        {},
    ),
    "copies but for a few": (
        {**PLAIN, "again": (STATES, [*DOSE[:-2], "hi", "lo"]), "often": (STATES, [*DOSE[:110], *DOSE[:50]])},
        {},
    ),
    "counts": ({**PLAIN, "people": ("tally", drawn(("1", "3", "12", "40"), 9))}, {"--counts": "people"}),
    "weights": ({**PLAIN, "w": ("tally", numbers(10, 3))}, {"--weights": "w"}),
    "weights as they are": (
        {"ill": (STATES, with_missing_cells(ILL, "")), "w": ("tally", numbers(11, 1)), **{"sex": PLAIN["sex"]}},
        {"--weights": "w", "--weight-scale": "none"},
    ),
    "columns left out": ({**PLAIN, "id": ("dropped", IDS), "seen": ("dropped", DATES)}, {"--drop": "id,seen"}),
    "an index": ({**PLAIN, "age": (NUMBER, AGE)}, {"index": True}),
    "comments and a mark": (PLAIN, {"above": "# made by hand\n# in May\n", "mark": True}),
    "gzip": ({**PLAIN, "age": (NUMBER, AGE)}, {"gzip": True}),
    "a name for each number": ({"a b": (STATES, SEX), "x,y": (STATES, DOSE), "Größe": (NUMBER, AGE)}, {"quote": True}),
    "few rows of a state": ({**PLAIN, "site": (STATES, ["rare", "once", *drawn("abcdef", 12)[2:]])}, {}),
    "whole numbers": ({**PLAIN, "kids": (STATES, drawn([str(k) for k in range(12)], 13))}, {}),
    "accents and case": ({**PLAIN, "city": (STATES, drawn(("Köln", "köln", "Zürich", "Aachen"), 14))}, {}),
}


def written(path, columns, layout):
    """Write a table; the frame that pandas reads from it, all cells as text."""
    sign = layout.get("sign", ",")
    rows = [list(columns), *map(list, zip(*(cells for _, cells in columns.values()), strict=True))]
    if layout.get("index"):
        rows = [["" if k == 0 else str(k - 1), *row] for k, row in enumerate(rows)]
    if layout.get("quote"):
        rows = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in rows]
    text = (
        "\ufeff" * layout.get("mark", False) + layout.get("above", "") + "".join(f"{sign.join(row)}\n" for row in rows)
    )
    path.write_bytes(gzip.compress(text.encode()) if layout.get("gzip") else text.encode())
    word = layout.get("--na", "").rpartition("=")[2]
    return pandas.read_csv(
        path,
        sep=sign,
        dtype=str,
        keep_default_na=False,
        na_values=[*MISSING, *([word] if word else [])],
        comment="#",
        encoding="utf-8-sig",
        index_col=0 if layout.get("index") else None,
        compression="gzip" if layout.get("gzip") else None,
    )


def entropy(frame, columns, weights):
    """Of columns, a missing cell as a state, by pandas."""
    groups = weights.groupby([frame[name].fillna("?") for name in columns], observed=True).sum()
    return -sum(share * log(share) for share in groups / weights.sum() if share > 0)


def near_duplicates(frame, kinds, weights):
    """The pairs by their definitions."""
    found = []
    for first, second in combinations(kinds, 2):
        if {kinds[first], kinds[second]} == {STATES}:
            parts = [entropy(frame, names, weights) for names in ((first,), (second,), (first, second))]
            share, least = (parts[0] + parts[1] - parts[2]) / max(parts[:2]), ENTROPY_SHARE
        elif {kinds[first], kinds[second]} == {NUMBER}:
            ranks = frame[[first, second]].astype(float).rank(method="dense")
            share, least = abs(ranks.corr().iloc[0, 1]), CORRELATION
        else:
            continue
        if share >= least:
            found.append((first, second, pytest.approx(share, abs=1e-6)))
    return found


@pytest.mark.fast_cases(10)
@pytest.mark.parametrize("name", TABLES)
def test_the_description_is_that_of_pandas(run, here, name):
    columns, layout = TABLES[name]
    path = here / ("t.csv.gz" if layout.get("gzip") else "t.csv")
    frame = written(path, columns, layout)
    options = [word for key, value in layout.items() if key.startswith("--") for word in (key, value)]
    found = described(run, path.name, *options)
    kinds = {column: kind for column, (kind, _) in columns.items() if kind not in ("dropped", "tally")}
    tally = next((column for column, (kind, _) in columns.items() if kind == "tally"), None)
    weights = pandas.Series(1.0, frame.index) if tally is None else frame[tally].astype(float)
    assert [(column["name"], column["kind"]) for column in found["columns"]] == list(kinds.items())
    assert found["rows"] == (weights.sum() if "--counts" in options else len(frame))
    for column in found["columns"]:
        theirs = frame[column["name"]]
        shares = weights.groupby(theirs).sum() / weights[theirs.notna()].sum()
        assert {one["state"]: one["share"] for one in column["states"]} == pytest.approx(shares.to_dict())
        assert column["missing"] == pytest.approx(weights[theirs.isna()].sum() / weights.sum())
        labels = [one["state"] for one in column["states"]]
        numeric = pandas.to_numeric(pandas.Series(labels), errors="coerce").notna().all()
        assert labels == sorted(labels, key=float if numeric else str)
        plain = theirs.dropna().str.replace(",", ".", regex=False)
        if column["kind"] == NUMBER:
            low, high = plain.astype(float).min(), plain.astype(float).max()
            assert column["content"] == f"{low:g} to {high:g}, {theirs.nunique()} different"
        elif column["kind"] == STATES and len(labels) <= 16:
            often = max(shares.items(), key=lambda item: item[1])
            assert column["content"].startswith(f"{often[0]} {100 * often[1]:.0f} %")
    missing = [weights[frame[column].isna()].sum() / weights.sum() for column in kinds]
    assert found["missing"] == pytest.approx(np.mean(missing))
    pairs = [(pair["first"], pair["second"], pair["share"]) for pair in found["near-duplicates"]]
    assert pairs == near_duplicates(
        frame.replace({",": "."}, regex=True) if name == "decimal commas" else frame, kinds, weights
    )
    for column in found["columns"]:
        others = [
            first if second == column["name"] else second
            for first, second, _ in pairs
            if column["name"] in (first, second)
        ]
        assert column["similar"] == others
    if layout.get("--weight-scale") != "none" and "--weights" in layout:
        weights *= N / weights.sum()
    check_feasibility(found["feasibility"], frame, kinds, weights)
    run_line(run, re.sub(r"-o net.cliques$", "--iterations 500 -o net.cliques", found["command"]))
    used = {column for column, kind in kinds.items() if kind in (STATES, NUMBER)}
    assert set(cliquewise.read_network("net.cliques").names) == used


def check_feasibility(feasibility, frame, kinds, weights):
    """Rows for each state, and different rows, where no column has to be cut."""
    used = [column for column, kind in kinds.items() if kind in (STATES, NUMBER)]
    assert feasibility["variables"] == len(used)
    if NUMBER in kinds.values():
        return
    cells = frame[used].fillna("?")
    assert feasibility["distinct_rows"] == len(cells.drop_duplicates())
    fewest = {column: weights.groupby(frame[column]).sum().min() for column in used}
    assert feasibility["fewest_rows"] == pytest.approx(min(fewest.values()))
    assert fewest[feasibility["rarest"]] == pytest.approx(min(fewest.values()))
    assert feasibility["rows_per_state"] == pytest.approx(
        min(weights.sum() / cells[column].nunique() for column in used)
    )
