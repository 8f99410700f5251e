"""Rows of a CSV file, from bytes to codes, with equal rows merged or not; the grammar is that of `common.data.csvtext`.

A cell of one byte is looked up in a table, a longer one in a hash table, and so is a row of codes. A cell that is new
in its column gets the next code there. The kernel stops where its caller has to act: at a cell whose code it cannot
know, where there is no room for another cell, code or row, at a row that it cannot read, and at a row that is cut off
at the end of the text. It then goes on at that cell, or starts again at the beginning of that row.

Cost: about 4 nanoseconds per cell of one byte, and two cache misses per row.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.records import by_address

DONE, CUT, ASKED, FULL_CELLS, FULL_CODES, FULL_ROWS, BAD = range(7)  # why the kernel stops
STATUS, AT, COLUMN, PLACE, BEGIN, END, SLOT = range(7)  # entries of `outcome`
NEW, PENDING = -1, -2  # in place of codes: the cell was never read; its code has to be asked for
BLANK, TAB, NEWLINE, QUOTE = 32, 9, 10, 34


@by_address
class Cells(NamedTuple):
    """The known cells, without the quotes around them unless there are quotes inside.

    short : int32[width, 256], code of the empty cell (at 0) and of each of one byte, NEW or PENDING
    slots : int32[power of two], number of a cell, -1 for none
    column : int32[m], of each cell
    bounds : int64[m + 1], where its bytes begin in `kept`
    kept : uint8[any]
    code : int32[m], or PENDING; of a longer cell
    row : int64[m], where the row in which it was found begins in its text
    codes : int32[width], the number of codes of each column
    known : int64[1], the number of cells
    """

    short: np.ndarray
    slots: np.ndarray
    column: np.ndarray
    bounds: np.ndarray
    kept: np.ndarray
    code: np.ndarray
    row: np.ndarray
    codes: np.ndarray
    known: np.ndarray


@by_address
class KnownRows(NamedTuple):
    """The known rows.

    codes : uint8 or int32[capacity, width]
    counts : int64[capacity]
    hashes : uint64[capacity]
    slots : int32[power of two >= 2 capacity], number of a row, -1 for none; int32[0] if equal rows are not merged, then
        counts and hashes are not used
    known : int64[2], how many rows are known, and how many were read
    """

    codes: np.ndarray
    counts: np.ndarray
    hashes: np.ndarray
    slots: np.ndarray
    known: np.ndarray


@inlined
def _hash_cell(column, text, begin, end):
    found = np.uint64(column + 1) * np.uint64(0x9E3779B97F4A7C15)
    for k in range(begin, end):
        found = (found ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    return found ^ (found >> np.uint64(29))


@inlined
def _find_cell(cells, column, text, begin, end):
    """The slot of a cell, or the free slot for it."""
    mask = np.uint64(cells.slots.shape[0] - 1)
    slot = _hash_cell(column, text, begin, end) & mask
    while cells.slots[slot] >= 0:
        number = cells.slots[slot]
        first = cells.bounds[number]
        if cells.column[number] == column and cells.bounds[number + 1] - first == end - begin:
            k = 0
            while k < end - begin and cells.kept[first + k] == text[begin + k]:
                k += 1
            if k == end - begin:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def place_cells(cells):
    """Fill the empty slots of Cells with the known cells."""
    for number in range(cells.known[0]):
        begin, end = cells.bounds[number], cells.bounds[number + 1]
        cells.slots[_find_cell(cells, cells.column[number], cells.kept, begin, end)] = number


@kernel
def _add_cell(cells, slot, column, text, begin, end, row, largest):
    """Add a new cell in a free slot, with the next code, or PENDING if it has a quote; returns whether to stop."""
    number, code = cells.known[0], cells.codes[column]
    first = cells.bounds[number]
    if number == cells.code.shape[0] or first + end - begin > cells.kept.shape[0]:
        return FULL_CELLS
    if code > largest:
        return FULL_CODES
    for k in range(begin, end):
        cells.kept[first + k - begin] = text[k]
        if text[k] == QUOTE:
            code = np.int32(PENDING)
    cells.column[number] = column
    cells.bounds[number + 1] = first + end - begin
    cells.row[number] = row
    cells.code[number] = code
    if end - begin <= 1:
        cells.short[column, text[begin] if end > begin else 0] = code
    else:
        cells.slots[slot] = number
    cells.known[0] += 1
    if code == PENDING:
        return ASKED
    cells.codes[column] += 1
    return DONE


@kernel
def place_rows(rows):
    """Fill the empty slots of KnownRows with the known rows."""
    mask = np.uint64(rows.slots.shape[0] - 1)
    for number in range(rows.known[0]):
        slot = rows.hashes[number] & mask
        while rows.slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        rows.slots[slot] = number


@inlined
def _is_blank(byte, separator):
    return byte == BLANK or (byte == TAB and separator != TAB)


@kernel
def read_rows(text, separator, most, largest, cells, rows, row, row_hash, outcome):
    """Read whole rows.

    Parameters
    ----------
    text : uint8[any], whole lines
    separator : int, a byte
    most : int, stop after this many rows
    largest : int, the largest code that rows can have
    cells : Cells
    rows : KnownRows
    row : int32[width], overwritten
    row_hash : uint64[1], overwritten
    outcome : int64[7], overwritten: why it stopped, where the row that is not read yet begins, the column of the cell
        that is not read yet, and where it begins; where the bytes that Cells has of it begin and end, and its slot
        there. Zeros begin a text; what a call leaves in row, row_hash and outcome is where the next one goes on.
    """
    width, stop = row.shape[0], text.shape[0]
    at, column, place, hashed, read = outcome[AT], outcome[COLUMN], outcome[PLACE], row_hash[0], 0
    outcome[STATUS] = DONE
    while at < stop and read < most:
        outcome[AT] = outcome[PLACE] = at
        outcome[COLUMN] = 0
        if column == 0:
            hashed = np.uint64(width)
        while True:  # a cell
            while place < stop and _is_blank(text[place], separator):
                place += 1
            first = begin = place
            quotes_inside = False
            if place < stop and text[place] == QUOTE:
                place += 1
                while place + 1 < stop and not (text[place] == QUOTE and text[place + 1] != QUOTE):
                    quotes_inside |= text[place] == QUOTE
                    place += 2 if text[place] == QUOTE else 1
                if place + 1 >= stop:
                    outcome[STATUS] = CUT
                    return
                place += 1
                end = place
                while place < stop and _is_blank(text[place], separator):
                    place += 1
            else:
                while (
                    place < stop
                    and text[place] != separator
                    and text[place] != NEWLINE
                    and not (separator == BLANK and text[place] == TAB)
                ):
                    place += 1
                end = place
                while end > begin and (text[end - 1] == BLANK or text[end - 1] == TAB):
                    end -= 1
                if separator == BLANK:
                    while place < stop and _is_blank(text[place], separator):
                        place += 1
            if place >= stop:
                outcome[STATUS] = CUT
                return
            last = text[place] == NEWLINE
            between = place > end if separator == BLANK else text[place] == separator
            if not (last or between) or last != (column == width - 1):
                outcome[STATUS] = BAD
                return
            if text[begin] == QUOTE and end > begin and not quotes_inside:
                begin, end = begin + 1, end - 1
            code, slot = np.int32(NEW), np.uint64(0)
            if end - begin <= 1:
                code = cells.short[column, text[begin] if end > begin else 0]
            else:
                slot = _find_cell(cells, column, text, begin, end)
                if cells.slots[slot] >= 0:
                    code = cells.code[cells.slots[slot]]
            if code < 0:
                status = ASKED
                if code == NEW:
                    code = cells.codes[column]
                    status = _add_cell(cells, slot, column, text, begin, end, at, largest)
                if status != DONE:
                    outcome[STATUS] = status
                    outcome[COLUMN] = column
                    outcome[PLACE] = first
                    outcome[BEGIN] = begin
                    outcome[END] = end
                    outcome[SLOT] = slot
                    row_hash[0] = hashed
                    return
            row[column] = code
            hashed = (hashed ^ np.uint64(code)) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(32)
            if last:
                place += 1
                break
            column += 1
            if separator != BLANK:
                place += 1
        if not _count_row(rows, row, hashed):
            outcome[STATUS] = FULL_ROWS
            return
        read += 1
        at, column = place, 0
    outcome[AT] = outcome[PLACE] = at
    outcome[COLUMN] = 0


@inlined
def _count_row(rows, row, hashed):
    """Count a row, or keep it if rows are not merged; False if it is new and there is no room."""
    if rows.slots.shape[0] == 0:
        number = rows.known[0]
        if number == rows.codes.shape[0]:
            return False
        for k in range(row.shape[0]):
            rows.codes[number, k] = row[k]
        rows.known[0] += 1
        rows.known[1] += 1
        return True
    mask = np.uint64(rows.slots.shape[0] - 1)
    slot = hashed & mask
    while rows.slots[slot] >= 0:
        number = rows.slots[slot]
        if rows.hashes[number] == hashed:
            k = 0
            while k < row.shape[0] and rows.codes[number, k] == row[k]:
                k += 1
            if k == row.shape[0]:
                rows.counts[number] += 1
                rows.known[1] += 1
                return True
        slot = (slot + np.uint64(1)) & mask
    number = rows.known[0]
    if number == rows.codes.shape[0]:
        return False
    rows.slots[slot] = number
    rows.hashes[number] = hashed
    rows.counts[number] = 1
    for k in range(row.shape[0]):
        rows.codes[number, k] = row[k]
    rows.known[0] += 1
    rows.known[1] += 1
    return True
