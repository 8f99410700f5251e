"""Steps of the primal-dual hybrid gradient method on a dense matrix, as they are defined."""

import numpy as np


def halpern_steps(program, weight, at, start, done, count):
    """The reflected Halpern iteration for: maximise c x, G x = b in the first rows, G x >= b in the others, x >= 0.

    Parameters
    ----------
    program : (c, b, number of equations, G)
    weight : float
    at, start : (x, y)
    done, count : int
        Steps from `start` so far, and now.

    Returns
    -------
    list of (x, y)
        The last values, and those of the last step T.
    """
    gain, least, equal, matrix = program
    (x, y), step = at, None
    for k in range(done, done + count):
        nearer = np.maximum(0.0, x + (gain + matrix.T @ y) / weight)
        dual = y + weight * (least - matrix @ (2 * nearer - x))
        dual[equal:] = np.maximum(0.0, dual[equal:])
        step = nearer, dual
        x, y = (
            (k + 1) / (k + 2) * (2 * new - old) + first / (k + 2)
            for new, old, first in zip(step, (x, y), start, strict=True)
        )
    return [(x, y), step]
