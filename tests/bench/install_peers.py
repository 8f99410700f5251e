"""`make peers`: the programs of `tests.bench.peers`, in an environment of their own; what cannot be had is named.

    python -m tests.bench.install_peers

pip installs those in Python, each alone, so that one without a wheel for this Python leaves the others. bnlearn is a
package of R: it is built from its source if there is an R, unless that has it (Debian: r-cran-bnlearn).
"""

import shutil
import subprocess
import sys
import venv

from tests.bench.peers import PEERS, python

BNLEARN = (
    "if (!requireNamespace('bnlearn', quietly = TRUE)) install.packages('bnlearn', repos = 'https://cloud.r-project.org');"
    "cat(as.character(packageVersion('bnlearn')))"
)


def install(name):
    """Install a program in Python: returns the line to print."""
    line = [python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        return f"skipped: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}"
    version = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.run([python(), "-c", version], capture_output=True, text=True, check=True).stdout.strip()


def install_bnlearn():
    """Install R's bnlearn: returns the line to print."""
    if shutil.which("Rscript") is None:
        return "skipped: no Rscript on the path; install R (Debian: r-cran-bnlearn)"
    done = subprocess.run(["Rscript", "-e", BNLEARN], capture_output=True, text=True)
    if done.returncode:
        return f"skipped: {(done.stderr.strip().splitlines() or ['R failed'])[-1]}"
    return done.stdout.split()[-1]


def main():
    """Install all, a line for each."""
    if not python().exists():
        venv.create(python().parent.parent, with_pip=True)
    for name in PEERS:
        print(f"{name}: {install(name)}", flush=True)
    print(f"bnlearn: {install_bnlearn()}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
