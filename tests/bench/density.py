"""Density estimation: `mnmodel mixture` compared with a single network of the same time, by test rows.

The single network is that of `lsmarkov` with the same limit, learned and fitted with an equivalent sample size of 1, 10
or 100, each with the whole time; validation rows choose. Sets of the DEBD benchmark have rows for each purpose. Others
are cross-validated with `--folds`, at most five: each fifth of their rows is the test rows once, and the fifth before
it the validation rows. The difference is paired, row by row.

Itemsets, such as DEBD's accidents and pumsb_star, have a binary column for each state of a variable. So the sets named
items are such data, with 125, 118, 116 and 58 columns.
"""

import csv
import io
import json
import tempfile
from pathlib import Path

import numpy as np

from tests.bench.running import SHARED, example_model, ours, row, table, wanted
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
    "flag": SHARED / "coarsen/Flag.csv",
    "qsar": SHARED / "coarsen/qsar_androgen_receptor.csv",
    "msweb": SHARED / "lsmarkov/msweb.csv",
}
ITEMSETS = {
    "connect-4-items": SHARED / "lsmarkov/connect-4.csv",
    "mushroom-items": SHARED / "junctor/mushroom22.csv",
    "adult-items": SHARED / "twlearn/adult_med.csv",
    "letter-items": SHARED / "twlearn/letter_med.csv",
}
# of the Bayesian network repository, as pgmpy contains them
SAMPLED = ("alarm", "andes", "child", "hailfinder", "hepar2", "insurance", "mildew", "pathfinder", "water", "win95pts")
SIZES = (1, 10, 100)
READ = ("--missing", "state")
MAX_ROWS = 5000  # rows of the others; of itemsets four times as many


def density(arguments):
    """Test log-likelihoods of a mixture and of one network, their difference, and published values."""
    heads = ("data", "one network", "mixture", "difference", "its standard error", "worst fold", "networks")
    table(f"Test log-likelihood a row after {arguments.seconds:g} s", *heads, "published")
    for name in wanted((*DENSITY, *OTHERS, *ITEMSETS, *SAMPLED), arguments):
        with tempfile.TemporaryDirectory() as folder:
            pairs = [
                compared(files, header, arguments, Path(folder))
                for files, header in parts_of(name, arguments.folds, Path(folder))
            ]
        row(name, *joined(pairs), DENSITY.get(name, ""))


def parts_of(name, folds, folder):
    """For each fold, the files of training, validation and test rows, and whether they have a header."""
    if name in DENSITY:
        yield [SHARED / "debd" / f"{name}.{part}.csv" for part in ("train", "valid", "test")], "no"
        return
    head, *rows = rows_of(name, folder)
    for fold in range(folds):
        files = []
        for part, chosen in (("train", (0, 1, 2)), ("valid", (3,)), ("test", (4,))):
            files.append(folder / f"{part}.csv")
            kept = [line for i, line in enumerate(rows) if (i - fold) % 5 in chosen]
            files[-1].write_text("\n".join([head, *kept]) + "\n")
        yield files, "yes"


def joined(pairs):
    """Means over all folds' test rows, the standard error of the difference, its worst fold, and networks."""
    gains = np.concatenate([second - first for first, second, _ in pairs])
    first, second = (np.concatenate([pair[i] for pair in pairs]).mean() for i in (0, 1))
    worst = min((second - first).mean() for first, second, _ in pairs)
    values = (first, second, gains.mean(), gains.std() / np.sqrt(len(gains) - 1), worst)
    return *(f"{value:.4f}" for value in values), " ".join(str(networks) for _, _, networks in pairs)


def rows_of(name, folder):
    """The lines of a CSV, with a header, of at most `MAX_ROWS` rows."""
    if name in ITEMSETS:
        return itemsets(ITEMSETS[name].read_text().splitlines()[: 4 * MAX_ROWS + 1])
    if name in OTHERS:
        return OTHERS[name].read_text().splitlines()[: MAX_ROWS + 1]
    model = example_model(name, folder)
    return ours("mnmodel", "sample", model, "--rows", MAX_ROWS, "--seed", 1, "-q").text.splitlines()


def itemsets(lines):
    """A CSV's lines with a binary column for each state, instead of a column for each variable."""
    names, *rows = csv.reader(lines)
    items = sorted({(i, cell) for cells in rows for i, cell in enumerate(cells)})
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(f"{names[i]}={cell}" for i, cell in items)
    writer.writerows([int(cells[i] == cell) for i, cell in items] for cells in rows)
    return made.getvalue().splitlines()


def compared(files, header, arguments, folder):
    """The log-likelihood of each test row under one network and under a mixture, and its number of networks."""
    train, valid, test = files
    read = ("--header", header, *READ)
    limits = ("--time-limit", arguments.seconds, "--threads", arguments.threads, "-q")
    nets = []
    for size in SIZES:
        net = folder / f"{size}.edges"
        ours("lsmarkov", train, *read, "--ess", size, *limits, "--format", "edges", "-o", net)
        nets.append(net)
    states = ("--states-of", valid, "--states-of", test)

    def alone(net, rows, *options):
        return ours("mnmodel", "loglik", "-q", "--header", header, *states, *options, train, net, rows).text

    best = max(nets, key=lambda net: json.loads(alone(net, valid, "--format", "json"))["loglik"])
    model = folder / "model.json"
    ours("mnmodel", "mixture", train, valid, *read, *limits, "--states-of", test, "-o", model)
    mixed = ours("mnmodel", "loglik", "-q", "--header", header, "--per-row", model, test).text
    first, second = (np.array(text.split(), float) for text in (alone(best, test, "--per-row"), mixed))
    return first, second, json.loads(model.read_text())["header"]["networks"]
