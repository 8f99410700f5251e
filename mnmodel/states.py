"""`mnmodel states`: the states of a table or of a model, as a file for `--states`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.data.csvfile import read_csv
from ..common.data.declared import states_text
from ..common.data.labels import known_states
from ..common.data.reading import TO_DESCRIBE
from ..common.errors import UsageError, shown_path
from ..common.models.model_file import looks_like_model
from ..common.models.model_states import declared_states, with_declared

if TYPE_CHECKING:
    from ..common.data.reading import Reading


def states_of(path: str, reading: Reading, fmt: str) -> str:
    """The states of columns or variables in order, as the text of a file.

    Parameters
    ----------
    path
        A table or a model.
    reading
        Of a table.
    fmt
        csv or json.

    Raises
    ------
    CliquewiseError
        Neither of them, or options of a table with a model.
    """
    if looks_like_model(path):
        words = reading.words()
        if words:
            raise UsageError(f"{words[0]} has no effect: {shown_path(path)} is a model; leave it out")
        return states_text(declared_states(path).states, fmt)
    data = read_csv(path, with_declared(reading).reading(missing="state"), TO_DESCRIBE)
    return states_text(dict(zip(data.names, map(known_states, data.states), strict=True)), fmt)
