"""Random small problems against oracles: `python -m tests.differential [COUNT] [SEED] [KIND]`.

KIND is `all`, or one of KINDS. A line for each disagreement goes to standard output; the exit code is 1 if there is
any.
"""

import logging
import sys
import tempfile
from pathlib import Path

from tests.differential import learners, optima, poor_starts, tables, tied

KINDS = {
    "learners": learners.Case,
    "optima": optima.Case,
    "tied": tied.Case,
    "starts": poor_starts.Case,
    "tables": tables.Case,
}


def main(count=1000, seed=1, kind="all"):
    """Run `count` cases of each kind; 1 if there are disagreements, else 0."""
    logging.getLogger("cliquewise").setLevel(logging.ERROR)
    total = 0
    for name in KINDS if kind == "all" else [kind]:
        found = 0
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                problems = KINDS[name](1000 * seed + number, Path(folder)).run()
                found += bool(problems)
                for problem in problems:
                    print(f"{name}: {problem}", flush=True)
                if sys.stderr.isatty():
                    print(f"\r{number + 1} of {count}", end="", file=sys.stderr)
        print(f"{name}: {count} cases, {found} with a disagreement", flush=True)
        total += found
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:]))
