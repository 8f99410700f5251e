"""A slow reader of tables by the rules of `common/data`: names, numbers of states, row numbers, order of states.

It imports nothing of ours; cells come from Python's csv module.
"""

import csv
import io
import re
from collections import Counter
from fractions import Fraction
from math import comb

MISSING = ("", "?", "NA")
INDEX = ("", "Unnamed: 0", "rownames", "row.names")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Refused(Exception):
    """The table has to be refused."""


def is_number(cell):
    return NUMBER.fullmatch(cell) is not None


def cells_of(text, separator):
    """The rows of a text, a first row that lacks a cell completed."""
    rows = [[cell.strip(" \t") for cell in row] for row in csv.reader(io.StringIO(text), delimiter=separator)]
    sample = rows[1:50]
    if len(rows[0]) > 1 and len(sample) > 1 and all(len(row) == len(rows[0]) + 1 for row in sample):
        rows[0] = [*rows[0], ""] if all(row[-1] == "" for row in sample) else ["", *rows[0]]
    if any(len(row) != len(rows[0]) for row in rows):
        raise Refused
    return rows


def known(column):
    return {cell for cell in column if cell not in MISSING}


def shares(row, below):
    """Of each cell of a row, how probable it is, and whether it does not occur below."""
    found = []
    for cell, column in zip(row, zip(*below, strict=True), strict=True):
        times = Counter(column)
        share = times[cell] / len(column)
        if not times[cell]:
            share = (list(times.values()).count(1) + 1) / (len(column) + 1)
        if is_number(cell) and not any(map(is_number, known(column))):
            share /= 10
        found.append((share, not times[cell]))
    return found


def probability(row, below, columns):
    found = [shares(row, below)[v] for v in columns]
    result = 1.0
    for share, _ in found:
        result *= share
    if any(new for _, new in found):
        return result
    return max(result, (below.count(row) + 1) / (len(below) + 2))


def one_label_each(labels):
    """The label of each one: of equal numbers the shortest, then the first by code point."""
    return {
        label: min(
            (other for other in labels if other == label or (numbers_are_equal(label, other))),
            key=lambda other: (len(other), other),
        )
        for label in labels
    }


def numbers_are_equal(a, b):
    return is_number(a) and is_number(b) and Fraction(a) == Fraction(b)


def fits(labels, number):
    """Whether a column with these states can have this number of states."""
    different = len(set(one_label_each(labels).values()))
    if different > number:
        return False
    if different in (0, number) or not all(map(is_number, labels)):
        return True
    values = [float(label) for label in labels]
    if any(value != int(value) for value in values):
        return False
    return all(0 <= value < number for value in values) or all(1 <= value <= number for value in values)


def variables(rows, named):
    """The columns but for row numbers and an empty last one."""
    first = 1 if named and rows[0][0] in INDEX else 0
    last = len(rows[0]) - all(row[-1] == "" for row in rows)
    return range(first, last)


def all_fit(row, below):
    """Whether a row can say how many states each column has."""
    numbers = [float(cell) if is_number(cell) else 0 for cell in row]
    if any(number != int(number) or not 1 <= number <= 10**6 for number in numbers):
        return None
    columns = [known(column) for column in zip(*below, strict=True)]
    return [fits(labels, number) for labels, number in zip(columns, numbers, strict=True)]


def level(rows, place):
    """yes, maybe, broken or no: whether a row says how many states each column has; and whether it can."""
    if len(rows) <= place + 1:
        return "no", False
    columns = variables(rows, place == 1)
    row, *below = [[cells[v] for v in columns] for cells in rows[place:]]
    good = all_fit(row, below)
    if good is None:
        return "no", False
    plausible = True
    for cell, column, one in zip(row, zip(*below, strict=True), good, strict=True):
        plausible &= not one or float(cell) <= 2 * len(known(column)) + 2
    rare = probability(row, below, [v for v, one in enumerate(good) if one]) < 0.001
    if all(good):
        return ["no", "maybe", "yes"][rare + plausible], True
    return ("broken" if rare and 4 * good.count(False) <= len(good) else "no"), False


def has_names(rows, arities):
    """Whether the first row holds names."""
    columns = variables(rows, True)
    names = [rows[0][v] for v in columns]
    if arities != "no" and len(set(names)) == len(names) and "" not in names:
        found, fit = level(rows, 1)
        if found == "yes" or (arities == "yes" and fit):
            return True
    if arities == "yes" and level(rows, 0)[1]:
        return False
    if known(names) and all(map(is_number, known(names))):
        return numbers_are_names(rows, columns, arities)
    below = rows[1:]
    for_data = for_names = 0
    for v in columns:
        cell, column = rows[0][v], [row[v] for row in below]
        labels = known(column)
        if cell in column:
            for_data += 1
        elif labels and all(map(is_number, labels)) and cell not in MISSING and not is_number(cell):
            for_names += 1
        elif labels and 2 * len(labels) < len(below) + 1:
            for_names += 1
    if for_data or for_names:
        return for_names >= for_data
    return len(known(names)) == len(names)


def numbers_are_names(rows, columns, arities):
    """Whether numbers in the first row are names."""
    cells, below = [rows[0][v] for v in columns], [[row[v] for v in columns] for row in rows[1:]]
    states = level(rows, 0)[0] if arities != "no" else "no"
    different = not set(cells) & set(MISSING) and len({float(cell) for cell in cells}) == len(cells)
    increases = different and len(cells) > 1 and sorted(cells, key=float) == cells
    if not different or (states == "yes" and not increases):
        return False
    found = shares(cells, below)
    fresh = [share for share, new in found if new]
    labels = set().union(*map(known, below))
    if labels and not any(map(is_number, labels)):
        return len(fresh) == len(cells)
    if states == "yes":
        raise Refused
    in_order = len(cells) > 1 and cells in ([f"{k + d}" for k in range(len(cells))] for d in (0, 1))
    if not in_order and 2 * len(fresh) < len(cells):
        return False
    if in_order:
        chance = probability(cells, below, range(len(cells)))
    else:
        chance = comb(len(cells), len(fresh))
        for share in fresh:
            chance *= share
    if chance < 0.001 and not increases and states == "maybe":
        raise Refused
    if chance < 0.001 and (increases or len(fresh) == len(cells)):
        return True
    if (in_order or chance < 0.05) and (len(below) >= 10 or len(cells) > 2):
        raise Refused
    return False


def is_title(rows):
    """Whether the second row looks like names below a row with gaps."""
    if len(rows) < 3 or "" not in rows[0] or "" in rows[1] or len(set(rows[1])) < len(rows[1]):
        return False
    below = rows[2:]
    found = shares(rows[1], below)
    over_numbers = False
    for cell, column in zip(rows[1], zip(*below, strict=True), strict=True):
        over_numbers |= bool(known(column)) and not is_number(cell) and all(map(is_number, known(column)))
    chance = 1.0
    for share, _ in found:
        chance *= share
    return all(new for _, new in found) and (over_numbers or chance < 0.001)


def in_order(labels):
    if all(map(is_number, labels)):
        return sorted(labels, key=lambda label: (float(label), label))
    return sorted(labels)


def states_of(columns, arities):
    """The states of each column, missing ones apart."""
    found = [in_order(known(column)) for column in columns]
    whole = []
    for labels in found:
        numeric = all(is_number(label) and float(label) == int(float(label)) for label in labels)
        whole.append([int(float(label)) for label in labels] if numeric else [])
    from_one = not any(0 in one for one in whole) and any(a in one for one, a in zip(whole, arities, strict=True))
    result = []
    for labels, one, number in zip(found, whole, arities, strict=True):
        first = 1 if number in one or (from_one and 0 not in one) else 0
        every = range(first, first + number)
        if number > len(labels) and one and set(one) <= set(every):
            more = [str(k) for k in every if k not in one][: number - len(labels)]
            result.append(in_order([*labels, *more]))
        else:
            result.append([*labels, *(f"unseen{k + 1}" for k in range(number - len(labels)))])
    return result


def read(text, separator, header="auto", arities="auto"):
    """A table whose missing cells are a state.

    Returns
    -------
    (list of str, list of list of str, list of list of str)
        Names, the states of each column, and the rows.

    Raises
    ------
    Refused
    """
    rows = cells_of(text, separator)
    named = has_names(rows, arities) if header == "auto" else header == "yes"
    place, numbers = int(named), None
    found, fit = level(rows, place)
    if arities == "yes" and not fit:
        raise Refused
    if arities == "auto" and (found == "broken" or (found == "maybe" and len(rows) - place - 1 >= 10)):
        raise Refused
    if arities == "yes" or (arities == "auto" and found == "yes"):
        numbers = [int(float(cell)) if is_number(cell) else 0 for cell in rows[place]]
    if header == "auto" and not named and is_title(rows):
        raise Refused
    names = rows[0] if named else [f"V{v}" for v in range(len(rows[0]))]
    if len(set(filter(None, names))) < len(list(filter(None, names))):
        raise Refused
    rows = rows[place + (numbers is not None) :]
    numbers = numbers or [0] * len(names)
    kept = list(range(len(names)))
    if not rows:
        raise Refused
    if (names[-1] == "" or not named) and all(row[-1] == "" for row in rows):
        kept.pop()
    column = [row[0] for row in rows]
    if named and names[0] in INDEX:
        if len(set(column)) == len(rows) and not set(column) & set(MISSING):
            kept.remove(0)
    if any(names[v] == "" for v in kept) or len(kept) < 2 or len(rows) < 2:
        raise Refused
    columns = [[row[v] for row in rows] for v in kept]
    for v, cells in enumerate(columns):
        label = one_label_each(known(cells))
        columns[v] = [label.get(cell, cell) for cell in cells]
    states = states_of(columns, [numbers[v] for v in kept])
    for v, cells in enumerate(columns):
        if set(cells) & set(MISSING):
            states[v].append("?")
    rows = [["?" if cell in MISSING else cell for cell in row] for row in zip(*columns, strict=True)]
    return [names[v] for v in kept], states, rows
