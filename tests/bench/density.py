"""Density estimation on data sets of the DEBD benchmark, where only the validation rows choose anything.

* Averages of networks of `lsmarkov`, all fitted to all training rows: some are learned from the training rows, one for
  each equivalent sample size, and the others from bootstrap samples with the size that the validation rows choose.
* `mnmodel mixture`, as its README says, with the same number of networks.

Weights are those of EM on the validation rows.
"""

import json
import re
import tempfile
from pathlib import Path

from tests.bench.running import SHARED, row, run_output, table, timed, wanted

# Equivalent sample sizes to choose from by the validation rows; published test log-likelihoods (nats per row): Chow-Liu
# tree, mixture of trees, ACMN, ID-SPN, a single Strudel circuit, HCLT.
DENSITY = {
    "nltcs": ((10, 100, 300, 1000), (-6.76, -6.01, -6.00, -6.02, -6.06, -6.00)),
    "plants": ((10, 30, 100), (-16.52, -12.95, -12.80, -12.54, -13.56, -14.26)),
    "dna": ((3, 10, 30), (-87.71, -85.14, -80.03, -81.21, -87.30, -79.06)),
}
NETWORKS = 20


def density(arguments):
    """Test log-likelihoods of one network, of averages of twenty, and of mixtures, next to the published ones."""
    heads = ("data", "ess", "one network", "average", "weights by EM", "mixture", "its settings", "seconds")
    title = f"Test log-likelihood a row, {arguments.seconds:g} s a network, averages and mixtures of {NETWORKS}"
    table(title, *heads, "tree", "mixture of trees", "ACMN", "ID-SPN", "Strudel, single", "HCLT")
    for name in wanted(DENSITY, arguments):
        sizes, published = DENSITY[name]
        files = [SHARED / "debd" / f"{name}.{part}.csv" for part in ("train", "valid", "test")]
        with tempfile.TemporaryDirectory() as folder:
            averages = averaged(files, sizes, arguments.seconds, Path(folder))
            row(name, *averages, *mixed(files, Path(folder)), *published)


def mixed(files, folder):
    """The test log-likelihood of `mnmodel mixture`, the settings that it chose, and its seconds."""
    train, valid, test = files
    options = ("--header", "no", "--networks", NETWORKS, "-q", "-o", folder / "{}.bif")
    seconds, _ = timed("mnmodel", "mixture", train, valid, *options)
    models = [folder / f"{number}.bif" for number in range(1, NETWORKS + 1)]
    words = ("loglik", "-q", "--format", "json", "--header", "no", *models, test, "--weights-from", valid)
    head = dict(re.findall(r"^// (\S+) (\S+)$", models[0].read_text(), re.M))
    chosen = ", ".join(f"{key} {head[key]}" for key in ("ess", "groups", "prior-weight", "max-clique") if key in head)
    return f"{json.loads(run_output('mntools', *words))['loglik']:.3f}", chosen, round(seconds)


def averaged(files, sizes, seconds, folder):
    """The size chosen by the validation rows, and three test log-likelihoods."""
    train, valid, test = files

    def learned(size, seed):
        path = folder / f"{size}.{seed}.edges"
        sample = ("--resample", seed) if seed else ()
        options = ("--header", "no", "--ess", size, "--time-limit", seconds, "--format", "edges")
        timed("lsmarkov", train, *options, *sample, "-q", "-o", path)
        return path

    def loglik(networks, rows, *options):
        words = ("loglik", "-q", "--format", "json", "--header", "no", *options, train, *networks, rows)
        return json.loads(run_output("mntools", *words))["loglik"]

    alone = {size: learned(size, 0) for size in sizes}
    size = max(sizes, key=lambda size: loglik([alone[size]], valid))
    networks = [*alone.values(), *(learned(size, seed) for seed in range(1, NETWORKS + 1 - len(sizes)))]
    found = loglik([alone[size]], test), loglik(networks, test), loglik(networks, test, "--weights-from", valid)
    return size, *(f"{value:.3f}" for value in found)
