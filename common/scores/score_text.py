"""The scores of all sets as the text of a file: written by `dmscore` in one run, and by `mntools merge` from parts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """The form of a score file.

    Attributes
    ----------
    layout : str
        dmst, junctor or cussens.
    order : str
        colex, lex or free.
    pair : bool
        Two sections instead of one.
    precision : int or None
        Decimals; None is the shortest text that reads back exactly.
    prune : bool
        Leave out parent sets if a subset scores at least as well.
    """

    layout: str
    order: str
    pair: bool
    precision: int | None
    prune: bool


def text_of(form, names, largest, scores):
    """The pieces of the file.

    Parameters
    ----------
    form : Form
    names : sequence of str
        Variable names in the file.
    largest : int
        Size of the largest sets.
    scores : float64[set_count(n, largest)]
        In colex order.

    Returns
    -------
    iterable of str
    """
    from ..files.parentsets import parent_set_text
    from ..files.scorewriter import score_text
    from .parent_scores import families

    if form.layout == "cussens":
        blocks = families(len(names), largest - 1, scores, form.prune)
        return parent_set_text(names, blocks, form.precision)
    return score_text(len(names), largest, scores, form.layout, form.order, form.pair, form.precision)
