"""The published values in data/papers, for the bench and the tests."""

import csv

from tests.commands import ROOT


def table(name):
    """The rows of a published table: list of dict of str to str."""
    with (ROOT / "data" / "papers" / f"{name}.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def column(name, head, key="name"):
    """A column of numbers by the keys of the rows; cells without a value are left out: dict of str to float."""
    return {row[key]: float(row[head]) for row in table(name) if row[head]}


def best(name):
    """The best score of a data set in Tables 2 and 3 of the lsmarkov paper."""
    heads = {
        "lsmarkov-table2": ("lsmarkov", "GOBNILP 3", "BBMarkov 3", "BBMarkov 5"),
        "lsmarkov-table3": ("on the fly", "precompute 3", "precompute 4", "precompute 5"),
    }
    rows = [(row, head) for of in heads for row in table(of) if row["name"] == name for head in heads[of]]
    return max(float(row[head]) for row, head in rows if row[head])
