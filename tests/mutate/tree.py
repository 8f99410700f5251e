"""A copy of the project to put errors into, so that the checkout stays as it is."""

import os
import shutil
import subprocess
import sys

from tests.commands import ROOT

LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")


class Tree:
    """A copy of the project in a new folder, with the folder of data that may stand beside it.

    Parameters
    ----------
    folder : Path
        Where it is made: as the package `cliquewise` in there, which is imported before one that is installed.
    """

    def __init__(self, folder):
        self.root = folder / "cliquewise"
        shutil.copytree(ROOT, self.root, ignore=LEFT_OUT)
        if (ROOT.parent / "shared").exists():
            (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
        self._time = 1_000_000_000

    def write(self, file, content):
        """Write a file, bytes, at a time of its own: Python tells old compiled code by time and size."""
        self._time += 10
        (self.root / file).write_bytes(content)
        os.utime(self.root / file, (self._time, self._time))

    def start(self, *words, **options):
        """Start a module of the copy in Python, as a process: `start("tests.mutate.record", "FOLDER")`."""
        environment = {**os.environ, "PYTHONPATH": str(self.root.parent)}
        return subprocess.Popen([sys.executable, "-m", *words], cwd=self.root, env=environment, **options)
