"""A Bayesian network as BIF text that pgmpy, pyAgrum and R's bnlearn can read.

One statement per line, `(states of the parents) probabilities;` for each of their joint states, numbers with all
digits. `common.models.bif_names` describes how names are written. pyAgrum 3 reads the numbers of BIF in single
precision; in XMLBIF it reads all digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from .bif_names import simple_names

if TYPE_CHECKING:
    import numpy as np

    from .bayesnet import BayesianNetwork


def bif_pieces(network: BayesianNetwork, header: dict[str, str]) -> Iterator[str]:
    """The text of a BIF file in pieces, for `common.files.atomic_write.write_whole`.

    Parameters
    ----------
    header
        Written first, as comments.
    """
    names, states, comments = simple_names(network)
    # the names come after `network`, which identifies the format, as there may be many
    lines = [*(f"// {key} {value}" for key, value in header.items()), "network learned {", "}", *comments]
    for name, labels in zip(names, states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};", "}"]
    yield "\n".join(lines) + "\n"
    for v, table in enumerate(network.tables):
        parents = network.parents[v]
        if not parents:
            yield f"probability ( {names[v]} ) {{\n  table {_numbers(table[0])};\n}}\n"
            continue
        yield f"probability ( {names[v]} | {', '.join(names[parent] for parent in parents)} ) {{\n"
        joint = product(*(states[parent] for parent in parents))
        yield from (f"  ({', '.join(given)}) {_numbers(row)};\n" for given, row in zip(joint, table, strict=True))
        yield "}\n"


def _numbers(row: np.ndarray) -> str:
    """Probabilities, separated by commas."""
    return ", ".join(map(repr, row.tolist()))
