"""The data of the project, and those shared, are read as their READMEs say."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.commands import ROOT, peak_memory
from tests.reading import read_csv

DATA = ROOT / "data"


def described(readme):
    """{folder/file: [rows, variables, lowest arity, highest arity, missing]} from a README's tables."""
    files, folder = {}, Path()
    for line in readme.read_text(encoding="utf-8").splitlines():
        if section := re.match(r"## (\w+)/", line):
            folder = Path(section[1])
        if row := re.match(r"\| (\S+\.csv) \| (\d+) \| (\d+) \| (\d+)-(\d+) \| (\d+) \|", line):
            files[folder / row[1]] = [int(number) for number in row.groups()[1:]]
    return files


def description(dataset):
    """The same numbers of a Dataset read with missing="state"."""
    missing = sum(
        int((dataset.codes[:, v] == len(states) - 1).sum())
        for v, states in enumerate(dataset.states)
        if states[-1] == "?"
    )
    return [dataset.n_rows, dataset.n, int(dataset.arity.min()), int(dataset.arity.max()), missing]


def check_with_and_without_header(path, numbers, read):
    dataset = read_csv(path, missing="state")
    assert description(dataset) == numbers, path
    header, _, rest = path.read_bytes().partition(b"\n")
    assert dataset.names == tuple(header.decode().strip().split(","))
    cut = read(rest, missing="state")
    assert cut.names == tuple(f"V{v}" for v in range(dataset.n)), path
    assert cut.states == dataset.states and np.array_equal(cut.codes, dataset.codes)


def test_project_data_match_their_readme(read):
    files = described(DATA / "README.md")
    assert {path.name for path in DATA.glob("*.csv")} == {path.name for path in files}
    for path, numbers in files.items():
        check_with_and_without_header(DATA / path.name, numbers, read)


@pytest.mark.slow
def test_shared_data_match_their_readme(shared, read):
    files = described(shared / "data" / "README.md")
    present = {path.relative_to(shared / "data") for path in (shared / "data").rglob("*.csv")}
    assert {path for path in present if path.parts[0] in {one.parts[0] for one in files}} == set(files)
    for path, numbers in files.items():
        check_with_and_without_header(shared / "data" / path, numbers, read)


@pytest.mark.slow
def test_100_megabytes_load_in_10_processor_seconds_and_2_gigabytes(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.full((5_000_000, 20), ord(","), dtype=np.uint8)
    rows[:, ::2] = rng.integers(ord("0"), ord("9") + 1, (5_000_000, 10))
    rows[:, -1] = ord("\n")
    path = tmp_path / "digits.csv"
    path.write_bytes(b"a,b,c,d,e,f,g,h,i,j\n" + rows.tobytes())
    program = (
        "import sys, time; from tests.reading import read_csv; start = time.process_time(); "
        "dataset = read_csv(sys.argv[1]); print(*dataset.codes.shape, time.process_time() - start)"
    )
    [line], peak = peak_memory(sys.executable, "-c", program, path)
    rows, columns, seconds = map(float, line.split())
    assert (rows, columns) == (5_000_000, 10)
    assert seconds < 10 and peak < 2_000_000_000
