"""The tests with the oldest and the newest libraries, on every Python found: `make matrix`.

For each Python two environments are made in build/matrix: the oldest numba that pyproject.toml allows, with the oldest
numpy that goes with it, and the newest of both. A part of the tests runs in each, with kernels by numba's internals and
by its public interface alone (`CLIQUEWISE_NUMBA`); with `--all` every test but the slow ones. What cannot be installed
is reported as not tried. Further words are passed to pytest instead of that part. If a newest numba passes with its
internals, `TRIED_VERSIONS` in common/compiled/mode.py can name it.

Pythons: those named by PYTHONS (paths or names, separated by blanks), otherwise python3.11, python3.12, ... on PATH.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/matrix"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEWEST_PYTHON = 15  # names up to python3.15 are looked for
PART = ("tests/common/compiled", "tests/common/scores", "tests/common/exact", "tests/test_golden.py")
INTERFACES = ("tuned", "public")
TOOLS = ("pytest>=8.2", "hypothesis>=6.100")  # that this part needs


def pythons():
    """The Pythons to try: {"3.12": path of a program}; what was asked for and is none is reported."""
    least = int(re.search(r">=3\.(\d+)", PROJECT["requires-python"])[1])
    asked = os.environ.get("PYTHONS", "").split()
    found = {}
    for name in asked or [f"python3.{minor}" for minor in range(least, NEWEST_PYTHON + 1)]:
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([name, "-c", code], capture_output=True, text=True) if shutil.which(name) else None
        if done is None or done.returncode:
            print(f"{name}: not tried: {'it does not run' if done else 'not found'}", flush=True)
        elif int(done.stdout.split(".")[1]) < least:
            print(f"{name}: not tried: the program needs Python {PROJECT['requires-python']}", flush=True)
        else:
            found.setdefault(done.stdout.strip(), name)
    return found


def least_version(package):
    """The lower bound of a dependency, (major, minor)."""
    (line,) = [line for line in PROJECT["dependencies"] if re.match(rf"{package}\b", line)]
    major, minor = re.search(r">=(\d+)\.(\d+)", line).groups()
    return int(major), int(minor)


def oldest():
    """What to ask pip for, the oldest first: the first that has ready packages for a Python is taken."""
    (numba, minor), (numpy, first) = least_version("numba"), least_version("numpy")
    return [(f"numba=={numba}.{minor}.*", f"numpy=={numpy}.{later}.*") for later in range(first, first + 4)]


def environment(name, python, choices, everything):
    """A new environment in build/matrix; returns its Python, or None if no choice can be installed."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    program = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for choice in choices:
        project = (f"{ROOT}[test]",) if everything else (ROOT, *TOOLS)
        words = ["--only-binary=:all:", "--editable", *project, *choice]
        done = subprocess.run(list(map(str, pip + words)), capture_output=True, text=True)
        if done.returncode == 0:
            return program
        reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        print(f"{name}: not tried with {' '.join(choice) or 'the newest'}: {reason}", flush=True)
    return None


def versions(program):
    """A line with the versions in an environment."""
    code = "import sys, numba, numpy; print('Python', sys.version.split()[0], 'numba', numba.__version__, 'numpy', "
    done = subprocess.run([program, "-c", code + "numpy.__version__)"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def tested(program, interface, words):
    """Run pytest in an environment, with a cache of its own; returns the last line, and whether all passed."""
    folder = program.parent.parent
    env = {**os.environ, "CLIQUEWISE_CACHE": str(folder / "kernels"), "CLIQUEWISE_NUMBA": interface}
    env["PATH"] = f"{program.parent}{os.pathsep}{env.get('PATH', '')}"
    done = subprocess.run(
        [program, "-X", "faulthandler", "-m", "pytest", "-q", *words], cwd=ROOT, env=env, capture_output=True, text=True
    )
    (folder / f"{interface}.txt").write_text(done.stdout + done.stderr)
    lines = done.stdout.strip().splitlines() or ["pytest did not run"]
    ended = f"ended by signal {-done.returncode} " if done.returncode < 0 else ""
    return ended + lines[-1], done.returncode == 0


def main(words):
    """Try all; returns the exit code: 1 if a test failed, or nothing could be tried."""
    everything, words = "--all" in words, [word for word in words if word != "--all"]
    lines, good = [], True
    for version, python in pythons().items():
        for kind, choices in (("oldest", oldest()), ("newest", [()])):
            name = f"{version}-{kind}"
            print(f"{name}: installing", flush=True)
            program = environment(name, python, choices, everything)
            if program is None:
                lines.append(f"{name}: not tried")
                continue
            what = versions(program)
            for interface in INTERFACES:
                print(f"{name}: {what}: testing {interface}", flush=True)
                line, passed = tested(program, interface, words or (() if everything else PART))
                good &= passed
                where = "" if passed else f" (see {FOLDER.relative_to(ROOT)}/{name}/{interface}.txt)"
                lines.append(f"{name}: {what} {interface}: {line}{where}")
                print(lines[-1], flush=True)
    print("", *lines, sep="\n")
    return 0 if good and any("not tried" not in line for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
