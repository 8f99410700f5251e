"""Density estimation: `mnmodel mixture` beside the single network of the same time, by rows that chose nothing.

The single network is that of `lsmarkov` with the same limit, learned and fitted with an equivalent sample size of 1, 10
or 100, each with the whole time; validation rows choose. Sets of the DEBD benchmark have rows for each purpose; of the
others every fifth row is a validation row, and every fifth a test row. The difference is paired, row by row.
"""

import json
import tempfile
from pathlib import Path

import numpy as np

from tests.bench.running import SHARED, row, run_output, table, timed, wanted
from tests.commands import ROOT

# Test log-likelihoods (nats per row) as published: Chow-Liu tree, mixture of trees, ACMN, ID-SPN, a single Strudel
# circuit, HCLT.
DENSITY = {
    "nltcs": (-6.76, -6.01, -6.00, -6.02, -6.06, -6.00),
    "plants": (-16.52, -12.95, -12.80, -12.54, -13.56, -14.26),
    "dna": (-87.71, -85.14, -80.03, -81.21, -87.30, -79.06),
}
OTHERS = {
    "votes": ROOT / "data/votes.csv",
    "letter": ROOT / "data/letter.csv",
    "soybean": ROOT / "data/soybean.csv",
    "flag": SHARED / "lsmarkov/flag.csv",
    "alarm": SHARED / "lsmarkov/alarm10000.csv",
    "insurance": SHARED / "lsmarkov/insurance10000.csv",
    "water": SHARED / "lsmarkov/water10000.csv",
    "mildew": SHARED / "lsmarkov/mildew10000.csv",
}
SIZES = (1, 10, 100)
READ = ("--missing", "state")
MOST = 5000  # rows of the others


def density(arguments):
    """Test log-likelihoods of a mixture and of one network, their difference, and published values."""
    heads = ("data", "one network", "mixture", "difference", "its standard error", "networks")
    table(f"Test log-likelihood a row after {arguments.seconds:g} s", *heads, "published")
    for name in wanted({**DENSITY, **OTHERS}, arguments):
        with tempfile.TemporaryDirectory() as folder:
            files, header = parts_of(name, Path(folder))
            row(name, *compared(files, header, arguments.seconds, Path(folder)), DENSITY.get(name, ""))


def parts_of(name, folder):
    """The files of rows to learn from, to choose by and to test with, and whether they have a header."""
    if name in DENSITY:
        return [SHARED / "debd" / f"{name}.{part}.csv" for part in ("train", "valid", "test")], "no"
    lines = OTHERS[name].read_text().splitlines()
    head = [] if name in ("flag",) and lines[0].replace(",", "").isdigit() else lines[:1]
    rows, files = lines[len(head) :][:MOST], []
    for part, chosen in (("train", (0, 1, 2)), ("valid", (3,)), ("test", (4,))):
        files.append(folder / f"{part}.csv")
        kept = [line for i, line in enumerate(rows) if i % 5 in chosen]
        files[-1].write_text("\n".join([*head, *kept]) + "\n")
    return files, "yes" if head else "no"


def compared(files, header, seconds, folder):
    """The test log-likelihood of one network and of a mixture, the difference, its standard error, and networks."""
    train, valid, test = files
    read = ("--header", header, *READ)
    nets = []
    for size in SIZES:
        net = folder / f"{size}.edges"
        timed("lsmarkov", train, *read, "--ess", size, "--time-limit", seconds, "--format", "edges", "-q", "-o", net)
        nets.append(net)
    states = ("--states-of", valid, "--states-of", test)

    def alone(net, rows, *options):
        return run_output("mnmodel", "loglik", "-q", "--header", header, *states, *options, train, net, rows)

    best = max(nets, key=lambda net: json.loads(alone(net, valid, "--format", "json"))["loglik"])
    model = folder / "model.json"
    limits = ("--time-limit", seconds, "--states-of", test)
    timed("mnmodel", "mixture", train, valid, *read, *limits, "-q", "-o", model)
    mixed = run_output("mnmodel", "loglik", "-q", "--header", header, "--per-row", model, test)
    first, second = (np.array(text.split(), float) for text in (alone(best, test, "--per-row"), mixed))
    gains = second - first
    values = (first.mean(), second.mean(), gains.mean(), gains.std() / np.sqrt(len(gains) - 1))
    return *(f"{value:.3f}" for value in values), json.loads(model.read_text())["header"]["networks"]
