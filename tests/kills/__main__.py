"""Kill learners at random moments, resume them, and see that nothing is lost: `python -m tests.kills [COUNT] [SEED]`.

Each case is a run with a checkpoint that is ended by a signal, SIGTERM, SIGINT, SIGUSR1 or SIGKILL, after a random
time, at start-up and while it writes too; a third of them are ended twice. What must hold:

* a signal that can be caught ends the run within two seconds, of processor time, which does not depend on what else the
  machine does, and without a traceback;
* what is on the disk is whole: no temporary file is left, the checkpoint can be read, a result passes `mntools check`;
* the run that is resumed ends well, and its result is that of a run that was never ended: the same bytes, or for
  an exact method the same score.

A line a case goes to standard output; the exit code is 1 if anything was found.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cliquewise.common.errors import CliquewiseError
from cliquewise.common.files.checkpointfile import read_checkpoint
from tests.commands import IMPORTABLE, ROOT, command_line, run_process

ZOO, VOTES = str(ROOT / "data/zoo.csv"), str(ROOT / "data/votes.csv")
CASES = {  # the words of a command, and what comes out: the same bytes, or for exact methods the same score
    "lsmarkov": (["lsmarkov", ZOO, "--ess", "10", "--iterations", "6000000"], True),
    "mnposterior": (["mnposterior", ZOO, "--iterations", "8000000"], True),
    "lsmarkov published": (["lsmarkov", ZOO, "--preset", "ecai2020", "--iterations", "30000"], True),
    "junctor dp": (["junctor", ZOO, "--max-clique", "4", "--method", "dp"], False),
    "junctor ilp": (["junctor", ZOO, "--max-clique", "4", "--method", "ilp"], False),
    "coarsen ic": (["coarsen", VOTES, "--missing", "state", "--max-clique", "4"], True),
    "coarsen greedy": (["coarsen", VOTES, "--missing", "state", "--method", "greedy"], True),
    "mplearn hc": (["mplearn", VOTES, "--missing", "state"], True),
    "mplearn pbo": (["mplearn", ZOO, "--combine", "pbo"], True),
    "mplearn blankets": (["mplearn", VOTES, "--missing", "state", "--blankets-only"], True),
    "twlearn s2": (
        ["twlearn", VOTES, "--missing", "state", "-w", "3", "--method", "s2", "--iterations", "300000"],
        True,
    ),
    "twlearn chordal": (
        ["twlearn", VOTES, "--missing", "state", "-w", "3", "--method", "chordal", "--iterations", "4000000"],
        True,
    ),
    "twlearn skp": (["twlearn", ZOO, "-w", "2", "--method", "skp", "--iterations", "600"], True),
    "twlearn milp": (["twlearn", str(ROOT / "data/wine.csv"), "-w", "2", "--method", "milp"], False),
}
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGKILL)
PATIENCE, LONGEST = 2.0, 30.0  # seconds of processor time and of any, on a machine that does other things too
COLD, COMPILING = 15, 20.0  # every so many cases begin without compiled kernels; seconds in which these are killed
START = 0.1  # seconds in which a signal may find Python itself, not the program


class Case:
    """One run that is killed and resumed.

    Parameters
    ----------
    name : str
        Of CASES.
    whole : str
        What an uninterrupted run writes.
    seconds : float
        How long that took.
    rng : random.Random
    cold : bool
        Whether kernels are compiled again.
    """

    def __init__(self, name, whole, seconds, rng, cold=False):
        self.name, self.whole, self.rng = name, whole, rng
        self.words, self.same = CASES[name]
        self.seconds, self.cold = COMPILING if cold else seconds, cold
        self.problems, self.events = [], ["cold"] if cold else []
        self.took = []  # seconds of processor time and on the clock, of each signal

    def run(self):
        """Do it; a line for the table."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            self.folder, self.cache = Path(folder), {"CLIQUEWISE_CACHE": cache} if self.cold else {}
            for _ in range(self.rng.choice([1, 1, 2])):
                self._kill()
                self._look()
            done = self._start().communicate(timeout=600)
            if not (self.folder / "net").exists():
                self.problems.append(f"not finished: {done[1].decode()[-200:]}")
            else:
                self._compare()
                self._look()
        return f"{'; '.join(self.problems) or 'ok'}: {self.name}, {', '.join(self.events)}"

    def _start(self):
        words = [*command_line(self.words[0]), *self.words[1:], "-q", "--threads", "1", "-o", "net"]
        words += ["--checkpoint", "kept", "--checkpoint-every", "0.1", "--resume"]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = {**os.environ, **IMPORTABLE, **self.cache}
        return subprocess.Popen(words, cwd=self.folder, env=environment, **pipes)

    def _kill(self):
        number, after = self.rng.choice(SIGNALS), self.rng.random() * 1.1 * self.seconds
        process = self._start()
        time.sleep(after)
        spent = _processor_seconds(process.pid)
        sent = time.monotonic()
        os.kill(process.pid, number)  # send_signal would take away the status of one that has ended
        message = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took, passed = usage.ru_utime + usage.ru_stime - spent, time.monotonic() - sent
        ended = f"{process.returncode} in {took:.2f} s, on the clock {passed:.2f} s"
        self.events.append(f"{number.name} after {after:.2f} s ({spent:.2f}): {ended}")
        self.took.append((took, passed))
        if took > PATIENCE or passed > LONGEST:
            self.problems.append(f"it took {took:.1f} s, on the clock {passed:.1f} s, to end")
        of_python = (-number, 1) if spent <= START else (-number,) if number == signal.SIGKILL else ()
        if process.returncode not in (0, 130, *of_python):
            self.problems.append(f"exit code {process.returncode}: {message.decode()[-300:]}")
        if b"Traceback" in message and spent > START:
            self.problems.append(f"a traceback: {message.decode()[-300:]}")

    def _look(self):
        """The files on the disk."""
        files = {path.name for path in self.folder.iterdir()}
        if files - {"net", "kept"}:
            self.problems.append(f"left behind: {files - {'net', 'kept'}}")
        if "kept" in files:
            try:
                read_checkpoint(str(self.folder / "kept"))
            except CliquewiseError as error:
                self.problems.append(str(error))
        if "net" in files and "--blankets-only" not in self.words:
            done = run_process(
                [*command_line("mntools"), "check", "net", "--data", self.words[1], "-q"], cwd=self.folder
            )
            if done.code:
                self.problems.append(f"mntools check: {done.stdout}{done.stderr}")

    def _compare(self):
        """The result with that of a run that was never ended."""
        text = (self.folder / "net").read_text()
        if text != self.whole if self.same else _score(text) != _score(self.whole):
            self.problems.append("another result than that of a run that was never ended")


def _processor_seconds(process):
    """The processor seconds of a process so far; 0 once it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _score(text):
    return next(line for line in text.splitlines() if line.startswith("# score "))


def whole_run(name):
    """What an uninterrupted run writes, and the seconds it takes once kernels are compiled."""
    words, _ = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            began = time.monotonic()
            line = [*command_line(words[0]), *words[1:], "-q", "--threads", "1", "-o", "net"]
            done = run_process(line, cwd=folder, timeout=600)
            assert done.code == 0, done.stderr
            seconds = time.monotonic() - began
        return (Path(folder) / "net").read_text(), seconds


def main(count=200, seed=1, workers=2):
    """Run `count` cases; 1 if anything was found, else 0."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and pass that on
    rng = random.Random(seed)
    names = rng.sample(list(CASES), len(CASES))
    wholes = {name: whole_run(name) for name in names[:count]}
    cases = [
        Case(names[i % len(names)], *wholes[names[i % len(names)]], random.Random(rng.random()), i % COLD == COLD - 1)
        for i in range(count)
    ]
    found = 0
    with ThreadPoolExecutor(workers) as pool:
        for number, line in enumerate(pool.map(Case.run, cases), 1):
            print(f"{number} {line}", flush=True)
            found += not line.startswith("ok: ")
    took, passed = map(max, zip(*(one for case in cases for one in case.took), strict=True))
    print(f"a signal took {took:.2f} s of processor time at most, {passed:.2f} s on the clock")
    print(f"{count} cases, {found} with something found")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
