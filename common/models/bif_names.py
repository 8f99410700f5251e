"""Names that every reader of BIF accepts, and comments that keep the original ones.

Readers differ in the names they accept. pyAgrum accepts identifiers, and whole numbers for states; pgmpy ignores the
case of variable names; R's bnlearn splits at blanks and commas. So a variable is written as a letter or underscore
followed by letters, digits and underscores, a state in the same way or as digits, none is a keyword of the format, and
no two differ only in case. Any other name is replaced by such a name, and a comment contains the original, as JSON in
ASCII:

    // name wet_road "wet road"
    // state wet_road a_bit "a bit"

Our reader restores the original names. Hugin's .net has `%` in place of `//`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .bayesnet import BayesianNetwork

_MAPPING = re.compile(r"^(?://|%) (name|state) (.+)$", re.MULTILINE)
_WORDS = {"network", "variable", "probability", "property", "type", "discrete", "default", "table"}


def simple_names(network: BayesianNetwork, states_as_ids: bool = False) -> tuple[list[str], list[list[str]], list[str]]:
    """The names to write.

    Parameters
    ----------
    states_as_ids
        Names and states begin with a letter, as GeNIe wants; otherwise a state may be a number.

    Returns
    -------
    (list of str, list of list of str, list of str)
        Names, states of each variable, and the comment lines with the originals.
    """
    id_of = r"[A-Za-z]\w*" if states_as_ids else r"[A-Za-z_]\w*"
    names = _simplified(network.names, "V", id_of)
    comments = [f"// name {new} {json.dumps(old)}" for new, old in zip(names, network.names, strict=True) if new != old]
    states = []
    for name, labels in zip(names, network.states, strict=True):
        simple = _simplified(labels, "s", id_of if states_as_ids else rf"{id_of}|\d+")
        comments += [
            f"// state {name} {new} {json.dumps(old)}" for new, old in zip(simple, labels, strict=True) if new != old
        ]
        states.append(simple)
    return names, states, comments


def _simplified(labels: tuple[str, ...], letter: str, pattern: str) -> list[str]:
    """Each label, or a similar one that matches the pattern; all different, ignoring case."""
    fits = re.compile(pattern, re.ASCII)
    kept = {label.lower() for label in labels if fits.fullmatch(label) and label.lower() not in _WORDS}
    used: set[str] = set()
    simple: list[str] = []
    for label in labels:
        plain = label.lower()
        if not (plain in kept and fits.fullmatch(label)) or plain in used:
            base = re.sub(r"\W+", "_", label, flags=re.ASCII)
            base = base if fits.fullmatch(base) and base != "_" else letter + base.strip("_")
            label, count = base, 1
            while label.lower() in used | kept | _WORDS:
                count += 1
                label = f"{base}_{count}"
        used.add(label.lower())
        simple.append(label)
    return simple


def with_original_names(network: BayesianNetwork, text: str) -> BayesianNetwork:
    """A network with the names given in the comments of its file.

    Parameters
    ----------
    text
        The file's content.

    Returns
    -------
    BayesianNetwork
        Unchanged if the comments cannot be parsed or would make two names equal.
    """
    names = dict(zip(network.names, network.names, strict=True))
    states = {name: {label: label for label in labels} for name, labels in names_and_states(network)}
    for kind, rest in _MAPPING.findall(text):
        *known, original = rest.split(" ", 1 if kind == "name" else 2)
        target = names if kind == "name" else states.get(known[0] if known else None, {})
        try:
            original = json.loads(original)
        except ValueError:  # a comment of another program
            continue
        if isinstance(original, str) and known and known[-1] in target:
            target[known[-1]] = original
    if len(set(names.values())) < len(names):
        return network
    labels = tuple(
        tuple(states[name].values()) if len(set(states[name].values())) == len(states[name]) else before
        for name, before in names_and_states(network)
    )
    return dataclasses.replace(network, names=tuple(names.values()), states=labels)


def names_and_states(network: BayesianNetwork) -> Any:
    """Pairs of a variable's name and its states."""
    return zip(network.names, network.states, strict=True)
