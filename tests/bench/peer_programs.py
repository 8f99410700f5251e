"""The tasks of other programs, run by the Python that `make peers` fills.

    python tests/bench/peer_programs.py hill_climbing DATA

Each function imports one program, does one thing and returns what is compared, with the name of the program.
"""

import json
import sys


def hill_climbing(data):
    """pybnesian: the network that hill climbing over arcs finds: its BIC and its arcs."""
    import pyarrow
    import pybnesian
    from pyarrow import csv

    names = csv.open_csv(data).schema.names
    states = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    read = csv.read_csv(data, convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, states)))
    table = read.unify_dictionaries().combine_chunks().to_batches()[0]
    network = pybnesian.hc(table, bn_type=pybnesian.DiscreteBNType(), operators=["arcs"], score="bic", seed=0)
    return "pybnesian", (pybnesian.BIC(table).score(network), network.arcs())


def marginals(model, questions):
    """pyAgrum: for each row of a CSV the distribution of each variable, given the cells; as a list of dicts."""
    import csv

    import pyagrum

    network = pyagrum.loadBN(model)
    inference = pyagrum.LazyPropagation(network)
    labels, found = {name: network.variable(name).labels() for name in network.names()}, []
    with open(questions, encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            inference.setEvidence(row)
            inference.makeInference()
            tables = {name: inference.posterior(name).tolist() for name in labels}
            found.append({name: dict(zip(labels[name], table, strict=True)) for name, table in tables.items()})
    return "pyagrum", found


def states(data):
    """polars: the number of different cells in each column, added up."""
    import polars

    table = polars.read_csv(data, infer_schema=False)
    return "polars", int(table.select(polars.all().n_unique()).sum_horizontal()[0])


def em(data, model, result):
    """pyAgrum: fit the structure of a model to rows with missing cells, and write the model."""
    import pyagrum

    network = pyagrum.loadBN(model)
    learner = pyagrum.BNLearner(data, network, ["?"])
    learner.useBDeuPrior(1)
    learner.useEM(1e-4)
    pyagrum.saveBN(learner.learnParameters(network.dag()), result)
    return "pyagrum", 0.0


if __name__ == "__main__":
    program, value = globals()[sys.argv[1]](*sys.argv[2:])
    from importlib.metadata import version

    print(json.dumps({"program": f"{program} {version(program)}", "value": value}))
