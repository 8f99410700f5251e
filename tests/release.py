"""Builds the sdist and the wheel, and tries both in empty environments: `python -m tests.release` (`make dist`).

What must hold: the wheel holds the program and the files of its pages, and nothing else; installed into an empty
environment of each Python that is found, it does what `TRIED` lists, in an empty folder. The same for the sdist, with
this Python. Other Pythons are found as `make matrix` finds them.

The files stay in build/dist, the environments are new each time. A line a trial goes to standard output; the exit
code is 1 if anything was found.
"""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile

from tests.commands import ROOT, console_scripts, program_files
from tests.matrix import pythons

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BUILD = ROOT / "build"
DIST = BUILD / "dist"
DATA = "rain,wet,slip\n" + "yes,yes,no\nyes,yes,yes\nno,no,no\nno,yes,no\n" * 20
MANUAL = "share/man/man1"
TRIED = (  # the words of each command, and what its standard output holds
    ("lsmarkov data.csv --iterations 1000 --seed 1 -o net", ""),
    ("mntools check net --data data.csv", "ok: chordal, 3 variables"),
    ("mntools draw net --data data.csv -o net.html", ""),
    ("mnmodel fit data.csv net -o net.bif", ""),
    ("mnmodel query net.bif --of slip --given wet=yes", "slip,probability"),
    ("mnmodel page net.bif -o page.html", ""),
    ("mnposterior data.csv --draws 100 -o edges", ""),
    ("mntools check edges --data data.csv", "ok: probabilities of"),
    ("junctor data.csv", "# status optimal"),
    ("twlearn data.csv -w 1", "# status optimal"),
    ("dmscore data.csv 1", "DMST"),
)


def main():
    """Build, try, and report."""
    wheel, sdist = build()
    wrong = contents(wheel)
    for python in ({"{}.{}".format(*sys.version_info): sys.executable} | pythons()).values():
        wrong += tried(python, wheel)
    wrong += tried(sys.executable, sdist)
    print(*(f"wrong: {line}" for line in wrong), sep="\n", end="\n" if wrong else "")
    print(f"{wheel.relative_to(ROOT)}\n{sdist.relative_to(ROOT)}")
    sys.exit(bool(wrong))


def build():
    """Build both in an environment that holds nothing but pip's build: their paths."""
    shutil.rmtree(DIST, ignore_errors=True)
    python = environment(sys.executable, BUILD / "dist-env")
    call([python, "-m", "pip", "install", "--quiet", "build"])
    call([python, "-m", "build", "--outdir", DIST, ROOT])
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, sdist


def contents(wheel):
    """The files that the wheel lacks, and those that it holds without need: a list of lines."""
    files = {str(path) for path in program_files() if path.parts[0] != "data"}
    folders = ("common/drawing/web", "mnmodel/web", "workflow/web")
    web = {f"{folder}/{path.name}" for folder in folders for path in (ROOT / folder).iterdir()}
    with zipfile.ZipFile(wheel) as packed:
        found = {name.removeprefix("cliquewise/") for name in packed.namelist() if ".dist-info/" not in name}
    manual = {
        f"cliquewise-{PROJECT['version']}.data/data/{MANUAL}/{path.name}" for path in (ROOT / "data/man").iterdir()
    }
    wanted = files | web | manual
    lacking, needless = sorted(wanted - found), sorted(found - wanted)
    print(f"{wheel.name}: {len(found)} files, {len(web)} of them for pages, {len(manual)} of the manual")
    return [f"the wheel lacks {name}" for name in lacking] + [f"the wheel holds {name}" for name in needless]


def tried(python, package):
    """The errors of a package in an empty environment and an empty folder: a list of lines."""
    where = environment(python, BUILD / "dist-try")
    version = subprocess.run([where, "-V"], capture_output=True, text=True).stdout.strip()
    call([where, "-m", "pip", "install", "--quiet", "--no-compile", package])
    folder = BUILD / "dist-folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "data.csv").write_text(DATA)
    # no Python of the caller's; kernels are compiled once for each version
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CLIQUEWISE"))}
    own = clean | {"CLIQUEWISE_CACHE": str(BUILD / "dist-cache" / version.replace(" ", "-"))}
    lines = [
        (["python", "-c", "import cliquewise; print(cliquewise.__file__)"], str(where.parent.parent)),
        *(([name, "--version"], f"{name} {PROJECT['version']}") for name in console_scripts()),
        *((line.split(), text) for line, text in TRIED),
    ]
    wrong = []
    for (name, *words), text in lines:
        done = subprocess.run([where.parent / name, *words], cwd=folder, env=own, capture_output=True, text=True)
        if done.returncode or text not in done.stdout:
            message = (done.stderr.splitlines() or done.stdout.splitlines() or ["nothing"])[-1]
            wrong.append(f"{version}, {package.name}: {name} {' '.join(words)}: exit code {done.returncode}, {message}")
    wrong += manual_of(where.parent.parent)
    print(f"{version}, {package.name}: {len(lines)} commands, {len(wrong)} wrong")
    return wrong


def manual_of(prefix):
    """The errors of the manual of an environment, whose bin is on PATH as an activated one's: a list of lines."""
    wrong = []
    for name in console_scripts():
        if not (prefix / MANUAL / f"{name}.1").is_file():
            wrong.append(f"{prefix / MANUAL}: no page of {name}")
    if shutil.which("man"):
        environ = os.environ | {"PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}", "MANPAGER": "cat"}
        done = subprocess.run(["man", "-w", "lsmarkov"], env=environ, capture_output=True, text=True)
        if str(prefix) not in done.stdout:
            wrong.append(f"man lsmarkov: {(done.stderr or done.stdout).strip()}")
    return wrong


def environment(python, folder):
    """Make an environment with nothing but pip: the path of its Python."""
    call([python, "-m", "venv", "--clear", folder])
    return folder / "bin/python"


def call(words):
    """Run what must not fail; if it does, show what it wrote."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(list(map(str, words)), env=environ, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}{' '.join(map(str, words))}: exit code {done.returncode}")


if __name__ == "__main__":
    main()
