"""Results of measurements, a line of JSON for each, so that an interrupted one goes on."""

import json
from pathlib import Path


class Results:
    """The file of results, if there is one; a run that it has is not made again."""

    def __init__(self, path=None):
        self.path = None if path is None else Path(path)
        lines = self.path.read_text().splitlines() if self.path is not None and self.path.exists() else []
        self.kept = {tuple(key): value for key, value in map(json.loads, lines)}

    def made(self, key, task):
        """The result of a task; it is written at once."""
        if key not in self.kept:
            self.kept[key] = task()
            if self.path is not None:
                with self.path.open("a") as file:
                    print(json.dumps([key, self.kept[key]]), file=file, flush=True)
        return self.kept[key]
