"""`papers measure`: a command's run as a record, a row of CSV.

Its fields: `trace`, the name of that file; the claims in the header of the network file; for each phase of the trace
`PHASE seconds`, and the fields of its last row, with `search seconds` for its seconds and `reached` for those of its
last improvement; the fields of the JSON object that the command printed (one row per object of a list); `exit`, the
exit code; `seconds` from start to end, start-up included; `cpu`, user and system time of the command and its children,
in seconds; `megabytes`, the largest memory of any of these processes; and fields set by the caller. Of two fields with
the same name the later one is used.
"""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from ...common.errors import DataError, UsageError
from ...common.files.input_stream import read_text
from ...common.models.any_graph import read_header

if TYPE_CHECKING:
    from collections.abc import Sequence


# fields of a network's header that are long and not numeric
LONG_LINES = ("names", "elimination-order", "columns", "columns-alike", "command", "data-sha256")


def run(words: Sequence[str], capture: bool) -> tuple[dict[str, str], str]:
    """Run a command to its end.

    Parameters
    ----------
    words : sequence of str
    capture
        Whether to capture its output, which otherwise goes to standard error.

    Returns
    -------
    dict of str to str
        exit, seconds, cpu, megabytes.
    str
        Its output, if captured.

    Raises
    ------
    UsageError
        It cannot be started.
    """
    before = time.monotonic()
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE if capture else 2)
    except OSError as error:
        raise UsageError(f"{words[0]}: cannot be started: {error.strerror or error}") from None
    printed, pipe = [], process.stdout
    reader = threading.Thread(target=lambda: printed.append(b"" if pipe is None else pipe.read()))
    reader.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:  # Ctrl-C also reaches the command, SIGTERM may not
        process.send_signal(signal.SIGTERM)
        process.wait()
        raise
    seconds = time.monotonic() - before
    process.returncode = code = os.waitstatus_to_exitcode(status)
    reader.join()
    if pipe is not None:
        pipe.close()
    found = {
        "exit": str(code if code >= 0 else 128 - code),
        "seconds": f"{seconds:.3f}",
        "cpu": f"{usage.ru_utime + usage.ru_stime:.3f}",
        "megabytes": f"{usage.ru_maxrss / (1024 if sys.platform != 'darwin' else 2**20):.1f}",
    }
    return found, printed[0].decode(errors="replace")


def claims_of(path: str) -> dict[str, str]:
    """The fields of a network file's header: dict of str to str; DataError if there is none.

    The `relative gap` is added, the difference to the upper bound as a share of the score, or 0 if the status is
    optimal.
    """
    header = read_header(read_text(path, "a graph file"), path)
    if not header:
        raise DataError("has no header that claims anything; is it a network?", path)
    found = {key: str(value) for key, value in header.items() if key not in LONG_LINES}
    if found.get("status") == "optimal":
        found["relative gap"] = "0"
    elif {"upper-bound", "score"} <= found.keys() and float(found["score"]):
        gap = (float(found["upper-bound"]) - float(found["score"])) / abs(float(found["score"]))
        found["relative gap"] = f"{gap:.6f}"
    return found


def trace_of(path: str) -> dict[str, str]:
    """The fields of a trace: dict of str to str.

    The seconds of each phase, if there are phases, and the fields of the last row; empty for a trace without rows.
    """
    text = read_text(path, "a trace")
    rows = list(csv.DictReader(io.StringIO(text)))
    found: dict = {}
    before = 0.0
    for row in rows:
        if row.get("phase"):
            found[f"{row['phase']} seconds"] = float(row["seconds"])
    for phase, until in found.items():
        found[phase], before = f"{until - before:.3f}", until
    if rows:
        found.update({f"search {key}" if key == "seconds" else key: value for key, value in rows[-1].items() if value})
        scores = [float(row["score"]) for row in rows if row.get("score")]
        if scores:
            best = max(scores)
            found["reached"] = next(row["seconds"] for row in rows if row["score"] and float(row["score"]) >= best)
    return found


def printed_fields(text: str) -> list[dict[str, str]]:
    """The fields of the JSON object that a command printed, or of each object of a list: list of dict of str to str.

    Raises
    ------
    DataError
        It printed something else.
    """
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    found = [found] if isinstance(found, dict) else found
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise DataError(f"the command printed no JSON object but {text.strip()[:40]!r}; leave out --json")
    return [{key: str(value) for key, value in one.items()} for one in found]


def format_records(rows: list[dict[str, str]]) -> str:
    """Records as CSV: a header and one row per record.

    Parameters
    ----------
    rows : list of dict of str to str
        With the same fields.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0] if rows else (), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
