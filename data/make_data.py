"""Write the data sets of this folder from their source packages; `README.md` describes them.

    python make_data.py MLBENCH

MLBENCH is the folder with the `.rda` files of the Debian package r-cran-mlbench (2.1-3), for example after
`apt-get download r-cran-mlbench` and `dpkg -x r-cran-mlbench_*.deb unpacked` it is
`unpacked/usr/lib/R/site-library/mlbench/data`. Only this script also needs scikit-learn and rdata from PyPI.
`tiny.csv` and `bad/` were written by hand.
"""

import sys
from pathlib import Path

import numpy as np
import rdata
from sklearn import datasets

FOLDER = Path(__file__).parent
LOST_SHARE = 0.04  # share of the measures of wine_measures.csv that are removed


def write(name, header, rows):
    """One CSV: plain cells, LF, no quotes (no label here needs any)."""
    lines = [",".join(map(str, row)) for row in [header, *rows]]
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def quantile_codes(values, n_states):
    """int[n_rows, n_vars]: the number of the n_states - 1 inner quantiles of its column that each value exceeds."""
    cuts = np.quantile(values, np.arange(1, n_states) / n_states, axis=0)
    return (values[None] > cuts[:, None]).sum(axis=0)


def from_scikit_learn():
    """Write the data sets of scikit-learn: wine, breast cancer, digits."""
    wine = datasets.load_wine()
    names = [*wine.feature_names, "class"]
    classes = wine.target_names[wine.target]
    write("wine.csv", names, np.column_stack([quantile_codes(wine.data, 3), classes]))

    lost = np.random.default_rng(1).random(wine.data.shape) < LOST_SHARE
    cells = np.where(lost, "?", [[f"{value:g}" for value in row] for row in wine.data])
    write("wine_measures.csv", names, np.column_stack([cells, classes]))

    cancer = datasets.load_breast_cancer()
    names = [name.replace(" ", "_") for name in cancer.feature_names] + ["class"]
    classes = cancer.target_names[cancer.target]
    write("breast_cancer.csv", names, np.column_stack([quantile_codes(cancer.data, 2), classes]))

    digits = datasets.load_digits()
    dark = (digits.data > 7).astype(int)
    varies = dark.any(axis=0) & ~dark.all(axis=0)
    names = [name for name, kept in zip(digits.feature_names, varies, strict=True) if kept] + ["digit"]
    write("digits.csv", names, np.column_stack([dark[:, varies], digits.target]))


def frame(mlbench, name):
    """A data set of the R package mlbench, unpacked in the folder `mlbench`, as a data frame."""
    return rdata.read_rda(mlbench / f"{name}.rda")[name]


def from_mlbench(mlbench):
    """Write the data sets of mlbench."""
    for name, target in [("HouseVotes84", "votes.csv"), ("Soybean", "soybean.csv"), ("Zoo", "zoo.csv")]:
        table = frame(mlbench, name)
        cells = table.astype(object).where(table.notna(), "?")
        write(target, table.columns, cells.to_numpy())

    dna = frame(mlbench, "DNA")
    indicators = dna.iloc[:, :180].astype(int).to_numpy().reshape(-1, 60, 3)
    letters = np.array(list("TACG"))[indicators @ [1, 2, 3]]
    write("dna.csv", [f"P{p}" for p in range(1, 61)] + ["class"], np.column_stack([letters, dna["Class"]]))

    letter = frame(mlbench, "LetterRecognition").iloc[:10000]
    features = letter.iloc[:, 1:].astype(int).to_numpy()
    write("letter.csv", letter.columns, np.column_stack([letter["lettr"].astype(str), features]))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python make_data.py MLBENCH")
    from_scikit_learn()
    from_mlbench(Path(sys.argv[1]))
