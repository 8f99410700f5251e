"""Damaged files for every reader: `python -m tests.fuzz [MINUTES] [SEED]`.

Good files are damaged at random: bytes flipped, lines lost, doubled or moved, words put in, files mixed. Whatever comes
of it, a reader refuses it in its own words or accepts what keeps the rules of `tests.fuzz.readers`: no other exception,
no more than ten seconds, no more than two gigabytes. The readers run in a process of their own, so that one that
crashes is found too. Every fourth of these processes resumes runs from checkpoints with forged values
(`tests.forged_checkpoints`). The errors found are left in a folder; the exit code is then 1.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.commands import IMPORTABLE, ROOT
from tests.forged_checkpoints import RUNS, forgeries, resume
from tests.fuzz.readers import READERS, TOKENS

SECONDS, MEMORY = 10, 2 << 30
LARGEST = 1 << 20  # bytes of a file; time is in proportion
ROUND = 60.0  # seconds that a process of readers lives
FOURTH = 4  # process resumes checkpoints


def damaged(rng, corpus, every):
    """A file made of one of a corpus: bytes.

    Parameters
    ----------
    rng : random.Random
    corpus : sequence of bytes
        To begin with.
    every : sequence of bytes
        To mix in.
    """
    content = rng.choice(corpus)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        at, end = sorted((rng.randrange(len(content) + 1), rng.randrange(len(content) + 1)))
        lines = content.splitlines(keepends=True) or [b""]
        line = rng.randrange(len(lines))
        kind = rng.randrange(9)
        if kind == 0 and content:
            at = min(at, len(content) - 1)
            content = content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
        elif kind == 1:
            content = content[:at] + content[end:]
        elif kind == 2:
            content = content[:at] + rng.choice(TOKENS) + content[at:]
        elif kind == 3:
            content = content[:at] + rng.choice(TOKENS) + content[end:]
        elif kind == 4:
            lines[line:line] = [lines[line]] * rng.choice([1, 2, 50])
            content = b"".join(lines)
        elif kind == 5:
            content = b"".join([*lines[:line], *lines[line + 1 :]])
        elif kind == 6:
            rng.shuffle(lines)
            content = b"".join(lines)
        elif kind == 7:
            content = content[:at] + rng.choice(every)[at:]
        else:
            words = lines[line].split(b" ")
            words[rng.randrange(len(words))] = rng.choice(TOKENS)
            content = b"".join([*lines[:line], b" ".join(words), *lines[line + 1 :]])
    return content[:LARGEST]


def trouble(reader, path):
    """The error of a reader on a file, as text; None if it is correct."""
    from cliquewise.common.errors import CliquewiseError

    def too_long(*_):
        raise TimeoutError(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        reader.check(str(path))
    except CliquewiseError as error:
        if not str(error) or "\n" in str(error) or len(str(error)) > 1000:
            return f"a message that is none: {str(error)[:300]!r}"
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.alarm(0)
    return None


def work(seed, seconds, folder):
    """Damage files and have them read for some seconds; a line for all that is found goes to standard output."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + (1 << 30), MEMORY + (1 << 30)))  # the libraries take some
    rng, until, count, seen = random.Random(seed), time.monotonic() + seconds, 0, set()
    every = [content for reader in READERS.values() for content in reader.corpus]
    current = Path(folder, f"current-{seed}")
    while time.monotonic() < until:
        name = rng.choice(list(READERS))
        content = damaged(rng, READERS[name].corpus, every)
        current.write_bytes(content)
        current.with_suffix(".reader").write_text(name)
        found = trouble(READERS[name], current)
        count += 1
        if found is not None and (where := found.strip().splitlines()[-1][:60]) not in seen:
            seen.add(where)
            kept = Path(folder, f"found-{seed}-{count}")
            kept.write_bytes(content)
            print(f"{name}: {kept}\n{found}", flush=True)
    current.unlink()
    current.with_suffix(".reader").unlink()
    print(f"{count} files read", flush=True)


def work_on_checkpoints(seed, seconds, folder):
    """Forge values of checkpoints and resume from them for some seconds; a line for all that is found."""
    data, name = (ROOT / "data/zoo.csv").read_bytes(), list(RUNS)[seed // FOURTH % len(RUNS)]
    place = Path(folder, f"resumed-{seed}")
    place.mkdir()
    os.chdir(place)
    Path("data.csv").write_bytes(data)
    head, state = RUNS[name].checkpoint()
    until, count, found = time.monotonic() + seconds, 0, 0
    for key, value in forgeries(seed, 1 << 30, state):
        if time.monotonic() > until:
            break
        signal.alarm(3 * SECONDS)  # one that hangs ends the process; its checkpoint is left
        trouble = resume(name, head, {**state, key: value})
        signal.alarm(0)
        count += 1
        if trouble is not None:
            found += 1
            print(f"{place}: '{key}' = {value!r}\n{trouble}", flush=True)
    if not found:
        shutil.rmtree(place)
    print(f"{count} files read", flush=True)


def main(minutes=30.0, seed=1):
    """Run for this long; 1 if anything was found, else 0."""
    folder, total, found = tempfile.mkdtemp(prefix="fuzz-"), 0, 0
    until = time.monotonic() + 60.0 * minutes
    while (left := until - time.monotonic()) > 0:
        kind = "--checkpoints" if seed % FOURTH == 0 else "--work"
        line = [sys.executable, "-m", "tests.fuzz", kind, str(seed), str(min(left, ROUND)), folder]
        environment = {**os.environ, **IMPORTABLE, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(line, env=environment, capture_output=True, text=True, cwd=ROOT)
        *finds, last = done.stdout.splitlines() or [""]
        if done.returncode:
            print(f"ended with {done.returncode}; see {folder}\n{done.stderr[-1000:]}", flush=True)
            found += 1
        elif last.endswith("files read"):
            total += int(last.split()[0])
        if finds:
            print("\n".join(finds), flush=True)
            found += 1
        seed += 1
    print(f"{total} files read, {found} rounds with something found")
    if not found:
        os.rmdir(folder)
    return int(found > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
    elif sys.argv[1:2] == ["--checkpoints"]:
        work_on_checkpoints(int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3])))
