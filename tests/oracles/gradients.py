"""Steps of the primal-dual hybrid gradient method on a dense matrix, as they are defined."""


def halpern_steps(program, weight, at, start, done, count):
    """The reflected Halpern iteration for: maximise c x, G x = b in the first rows, G x >= b in the others, x >= 0.

    Parameters
    ----------
    program : (c, b, number of equations, rows of G)
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
        nearer = [
            max(0.0, x[j] + (gain[j] + sum(row[j] * y[i] for i, row in enumerate(matrix))) / weight)
            for j in range(len(x))
        ]
        dual = []
        for i, row in enumerate(matrix):
            value = y[i] + weight * (least[i] - sum(row[j] * (2 * nearer[j] - x[j]) for j in range(len(x))))
            dual.append(value if i < equal else max(0.0, value))
        step = nearer, dual
        x, y = (
            [(k + 1) / (k + 2) * (2 * new[i] - old[i]) + first[i] / (k + 2) for i in range(len(old))]
            for new, old, first in zip(step, (x, y), start, strict=True)
        )
    return [(x, y), step]
