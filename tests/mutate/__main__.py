"""`make mutants`: how many small errors in the program pass the tests unnoticed.

    python -m tests.mutate [FILES] [--sample 10] [--total N] [--seed 1] [--seconds 20] [--slow 0] [--again]
        [--record [TESTS]]

A sample of the mutants of each file (default: of every one without kernels; see `mutants.py`) is put, one at a time,
into a copy of the project, where the fast tests that run the changed line are run, the fastest first, until one fails
or they have taken `--seconds`; then, with `--slow`, for so many seconds the slow tests of the package. Those that pass
are survivors: they are listed, and kept in build/mutate/survivors.json, from where `--again` tries just them. A
survivor shows something that no test looks at, or a change that makes no difference.

The same mutants are drawn while their statements do not change: with `--total`, a fixed sample of all files says what
tests lose or gain.

Which tests run a line is recorded first (15 minutes), in build/mutate/record, and again when a file of the program has
changed since; `--record` with names of test files records these alone, or adds them to a record that is current.
"""

import argparse
import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.commands import ROOT, program_files
from tests.mutate.mutants import Mutant, mutants_of
from tests.mutate.record import Record
from tests.mutate.tree import Tree

FOLDER = ROOT / "build" / "mutate"
FEW = 20  # tests: perhaps those in which a file happened to be imported
PATIENCE = 10.0  # seconds that a test may take in addition to five times what it took before


def program():
    """The files of the program that are tried: {path: bytes}; kernels, and what compiles them, would take minutes."""
    tried = [
        path for path in program_files() if not path.name.endswith("_kernels.py") and path.parent.name != "compiled"
    ]
    return {str(path): (ROOT / path).read_bytes() for path in tried}


def digest(files):
    """What tells whether a record is of these files."""
    return hashlib.sha256(b"".join(files.values())).hexdigest()


def record(tree, tests, files, is_current):
    """Record which tests run which lines: all tests or the given files, in addition to a current record's."""
    if not (tests and is_current):
        shutil.rmtree(FOLDER / "record", ignore_errors=True)
    process = tree.start("tests.mutate.record", str(FOLDER / "record"), *tests)
    if process.wait() != 0:
        raise SystemExit("mutate: the tests could not be recorded")
    (FOLDER / "record" / "digest").write_text(digest(files))


class Trial:
    """Runs the tests that concern a mutant.

    Parameters
    ----------
    tree : Tree
    files : dict
        The program, as from `program`.
    seconds : float
        The limit for the fast tests of one mutant, by the record.
    slow : float
        How long the slow tests of one that these pass may run.

    Attributes
    ----------
    killed_late : int
        How many mutants slow tests alone have noticed.
    """

    def __init__(self, tree, files, seconds, slow):
        self.tree, self.files, self.seconds, self.slow = tree, files, seconds, slow
        self.killed_late = 0
        self.record = Record(FOLDER / "record")
        self.server = tree.start("tests.mutate.server", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.trusted, self.broken = set(), set()

    def killer(self, mutant):
        """The test that notices a mutant, or the folder of the slow tests that do; None if it survives."""
        return self._fast_killer(mutant) or self._slow_killer(mutant)

    def _fast_killer(self, mutant):
        source = self.files[mutant.file]
        while tests := self.tests_of(mutant):
            self.tree.write(mutant.file, mutant.applied(source))
            failed = self._first_failure(tests)
            self.tree.write(mutant.file, source)
            if failed is None or failed in self.trusted:
                return failed
            if failed not in tests or self._first_failure({failed: tests[failed]}) is None:
                self.trusted.add(failed)
                return failed
            self.broken.add(failed)  # it fails without the mutant too

    def _slow_killer(self, mutant):
        """The folder of the package's tests, if a slow one fails with the mutant and none without it."""
        folder = f"tests/{Path(mutant.file).parent}"
        if self.slow <= 0 or not (self.tree.root / folder).is_dir():
            return None
        self.tree.write(mutant.file, mutant.applied(self.files[mutant.file]))
        has_failed = self._slow_tests_fail(folder)
        self.tree.write(mutant.file, self.files[mutant.file])
        if not has_failed or self._slow_tests_fail(folder):
            return None
        self.killed_late += 1
        return folder

    def _slow_tests_fail(self, folder):
        words = ("-q", "-x", "-m", "slow", "-p", "no:cacheprovider", "--basetemp", str(self.tree.root.parent / "slow"))
        process = self.tree.start("pytest", *words, folder, stdout=subprocess.DEVNULL)
        try:
            return process.wait(self.slow) == pytest.ExitCode.TESTS_FAILED
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return False

    def tests_of(self, mutant):
        """The fast tests to run, {name: seconds}, the fastest first."""
        found = set()
        if mutant.in_function:
            found = self.record.tests_of(mutant.file, range(mutant.first, mutant.last + 1))
        if not mutant.in_function or "" in found:
            found = self._tests_of_import(mutant)
        chosen, total = {}, 0.0
        for test in sorted(found - self.broken - {""}, key=self.record.seconds.get):
            total += self.record.seconds[test]
            if total > self.seconds and chosen:
                break
            chosen[test] = self.record.seconds[test]
        return chosen

    def _tests_of_import(self, mutant):
        """The tests of what runs when its file is imported: those that run a line with the names that come from it."""
        statements = ast.parse(self.files[mutant.file]).body
        names = set()
        while True:
            found, more = set(), names.copy()
            for node in statements:
                if node.lineno <= mutant.first <= node.end_lineno or names & _read(node):
                    found |= self._ran(mutant.file, range(node.lineno, node.end_lineno + 1))
                    more |= _defined(node)
                    if getattr(node, "decorator_list", ()):  # a command, which may refuse before its body runs
                        found |= self._ran(mutant.file)
            word = re.compile(rf"\b({'|'.join(more)})\b" if more else "$^")
            for file, source in self.files.items():
                lines = source.decode().splitlines()
                found |= self._ran(file, [at for at, line in enumerate(lines, 1) if word.search(line)])
            if len(found) > FEW:
                return found
            if more == names:
                return found | self.record.tests_of(mutant.file)
            names = more

    def _ran(self, file, lines=None):
        """The tests that ran lines themselves, after the file was imported."""
        return self.record.tests_of(file, lines, in_children=False) - {""}

    def _first_failure(self, tests):
        print(json.dumps({"tests": tests, "patience": PATIENCE}), file=self.server.stdin, flush=True)
        return json.loads(self.server.stdout.readline())


def _read(node):
    """The names that a statement reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _defined(node):
    """The names that a statement at the top of a file defines: a function, a class or variables."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return {n.id for target in targets if target for n in ast.walk(target) if isinstance(n, ast.Name)} | (
        {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()
    )


def main(arguments):
    """Try mutants; see the file's docstring."""
    parser = argparse.ArgumentParser(prog="mutate", description="Mutation tests of the program.")
    parser.add_argument("files", nargs="*", metavar="FILES", help="files of the program; default: all without kernels")
    parser.add_argument("--sample", type=int, default=10, help="mutants of each file, at most")
    parser.add_argument("--total", type=int, help="mutants of all files, at most; default: all of the samples")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn")
    parser.add_argument("--seconds", type=float, default=20.0, help="for the fast tests of one mutant")
    parser.add_argument("--slow", type=float, default=0.0, help="seconds for the slow tests of one that these pass")
    parser.add_argument("--again", action="store_true", help="try the survivors of the last time")
    parser.add_argument("--record", nargs="*", metavar="TESTS", help="record all tests, or only these files of tests")
    given = parser.parse_args(arguments)

    files = program()
    known, kept = FOLDER / "record" / "digest", FOLDER / "survivors.json"
    current = known.exists() and known.read_text() == digest(files)
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        tree = Tree(Path(folder))
        if given.again and not (kept.exists() and current):
            raise SystemExit("mutate: --again is for a program that has not changed since; leave it out")
        if given.record is not None or not current:
            record(tree, given.record or (), files, current)
        if given.again:
            mutants = [Mutant(*fields) for fields in json.loads(kept.read_text())]
        else:
            mutants = sample(files, given.files or files, given.sample, given.total, given.seed)
        trial = Trial(tree, files, given.seconds, given.slow)
        survivors = survivors_of(mutants, trial)
    kept.write_text(json.dumps(survivors, indent=0))
    tried, left = (Counter(mutant.file for mutant in group) for group in (mutants, survivors))
    for file, number in tried.items():
        print(f"{left[file]:4} of {number:4} survive in {file}")
    killed = len(mutants) - len(survivors)
    print(f"{killed - trial.killed_late} killed by fast tests, {trial.killed_late} by slow ones alone")
    print(f"{len(survivors)} of {len(mutants)} survive")


def sample(files, chosen, number, total, seed):
    """At most a number of mutants of each chosen file, and of all together; the seed and what is changed decide."""

    def place(mutant):
        source = files[mutant.file]
        lines = source.splitlines(keepends=True)
        begin = sum(map(len, lines[: mutant.first - 1]))
        statement = b"".join(lines[mutant.first - 1 : mutant.last])
        named = f"{seed} {mutant.file} {mutant.start - begin} {mutant.text} ".encode()
        return hashlib.sha256(named + statement).digest()

    mutants = []
    for file in chosen:
        mutants += sorted(mutants_of(file, files[file]), key=place)[:number]
    return sorted(sorted(mutants, key=place)[:total])


def survivors_of(mutants, trial):
    """Try mutants, and print a line for each that survives."""
    survivors = []
    for number, mutant in enumerate(mutants, 1):
        begin = time.monotonic()
        killer = trial.killer(mutant)
        if killer is None:
            survivors.append(mutant)
            print(mutant.described(trial.files[mutant.file]), flush=True)
        print(f"{number}/{len(mutants)} {time.monotonic() - begin:.1f} s {killer}", file=sys.stderr, flush=True)
    return survivors


if __name__ == "__main__":
    main(sys.argv[1:])
