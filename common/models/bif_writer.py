"""A Bayesian network as BIF text, laid out as pgmpy, pyAgrum and R's bnlearn read it.

A statement a line, `(states of the parents) probabilities;` for each of their joint states, numbers with all their
digits. `common.models.bif_names` says how names are written. pyAgrum 3 reads the numbers of BIF in single precision; in
XMLBIF it takes all digits.
"""

from itertools import product

from cliquewise.common.models.bif_names import simple_names


def bif_pieces(network, header):
    """The text of a BIF file, piece by piece, as `common.files.atomic_write.write_whole` takes it.

    Parameters
    ----------
    network : BayesianNetwork
    header : dict of str to str
        Written first, as comments.

    Yields
    ------
    str
    """
    names, states, comments = simple_names(network)
    # the names come after `network`, by which a file is known, as there may be many
    lines = [*(f"// {key} {value}" for key, value in header.items()), "network learned {", "}", *comments]
    for name, labels in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};", "}"]
    yield "\n".join(lines) + "\n"
    for v, table in enumerate(network.tables):
        above = network.parents[v]
        if not above:
            yield f"probability ( {names[v]} ) {{\n  table {_numbers(table[0])};\n}}\n"
            continue
        yield f"probability ( {names[v]} | {', '.join(names[parent] for parent in above)} ) {{\n"
        joint = product(*(states[parent] for parent in above))
        yield from (f"  ({', '.join(given)}) {_numbers(row)};\n" for given, row in zip(joint, table, strict=True))
        yield "}\n"


def _numbers(row):
    """Probabilities, separated by commas."""
    return ", ".join(map(repr, row.tolist()))
