"""The error boundary, exit codes, log lines, interruption; the shared options and their ranges."""

import contextlib
import io
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from cliquewise.common.certify import certificate
from cliquewise.common.cli import command, data_options, limit_options, resources, seed
from cliquewise.common.errors import DataError, LimitError, UsageError
from cliquewise.common.files.scorefile import CliqueScores
from cliquewise.common.learning.load import load_input
from cliquewise.common.learning.sources import InputOptions
from cliquewise.common.run.signals import StopFlag
from tests.commands import IMPORTABLE, ROOT, run_process
from tests.slow import SIGNALS, slow


@click.command()
@click.option("--size", type=click.IntRange(min=2))
def program(size):
    """Stands for any command."""
    return RAISED() if callable(RAISED) else RAISED


RAISED = None


@pytest.fixture
def finish(monkeypatch, capsys):
    """Runs `program` to this ending (a value or an exception); returns code, stdout and stderr."""

    def invoke(ending, *args):
        def raise_it():
            raise ending

        failing = isinstance(ending, BaseException)
        monkeypatch.setitem(globals(), "RAISED", raise_it if failing else ending)
        code = command.run(program, "prog", list(args))
        return code, *capsys.readouterr()

    monkeypatch.delenv("CLIQUEWISE_DEBUG", raising=False)
    return invoke


@pytest.mark.parametrize(
    "ending, code, line",
    [
        (None, 0, ""),
        (3, 3, ""),
        (130, 130, ""),
        ("text", 0, ""),
        (DataError("bad\ncell", "x.csv", 3, "smoke"), 1, "prog: x.csv:3, column 'smoke': bad cell\n"),
        (UsageError("--a and --b exclude each other"), 2, "prog: --a and --b exclude each other\n"),
        (LimitError("needs 40 GB"), 1, "prog: needs 40 GB\n"),
        (click.UsageError("no such\nthing."), 2, "prog: no such thing (see prog --help)\n"),
        (click.ClickException("oh"), 1, "prog: oh\n"),
        (KeyboardInterrupt(), 130, "prog: interrupted\n"),
        (BrokenPipeError(), 1, ""),
        (
            FileNotFoundError(2, "No such file or directory", "gone"),
            1,
            "prog: gone: No such file or directory\n",
        ),
        (OSError(28, "No space left on device"), 1, "prog: No space left on device\n"),
        (MemoryError("8 GiB"), 1, "prog: out of memory (8 GiB); use smaller limits or a larger machine\n"),
        (
            OSError("Could not find 'libllvmlite.so'"),
            1,
            "prog: a library cannot be loaded: OSError: Could not find 'libllvmlite.so'; look at its installation, "
            "and at the memory of this machine\n",
        ),
        (
            RuntimeError("can't start new thread"),
            1,
            "prog: the system allows no further thread (ulimit -u, or memory); allow more, or use --threads 1\n",
        ),
        (SystemExit(4), 4, ""),
        (SystemExit(), 0, ""),
        (
            ZeroDivisionError("by\nzero"),
            1,
            "prog: internal error: ZeroDivisionError: by zero "
            "(set CLIQUEWISE_DEBUG=1 for the traceback, and report it)\n",
        ),
    ],
    ids=repr,
)
def test_exit_codes_and_messages(finish, ending, code, line):
    found, out, err = finish(ending)
    assert (found, out, err.lstrip("\n")) == (code, "", line)


def test_bad_usage(finish):
    code, _, err = finish(None, "--siez", "1")
    assert code == 2 and err.startswith("prog: No such option") and err.endswith("(see prog --help)\n")
    assert (
        finish(None, "more")[2]
        == "prog: Got unexpected extra argument (more); a value with blanks needs quotes (see prog --help)\n"
    )
    assert "'--size': 1 is not in the range x>=2 (see prog --help)\n" in finish(None, "--size", "1")[2]


def test_help(finish):
    code, out, err = finish(None, "--help")
    assert code == 0 and out.startswith("Usage: prog") and err == ""


def test_debugging_shows_the_traceback(finish, monkeypatch):
    monkeypatch.setenv("CLIQUEWISE_DEBUG", "1")
    code, _, err = finish(DataError("bad"))
    assert code == 1 and err.startswith("Traceback") and err.endswith("prog: bad\n")


def test_main_exits(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["prog"])
    monkeypatch.setitem(globals(), "RAISED", 3)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    with pytest.raises(SystemExit, match="3"):
        command.main(program, "prog")


def signalled_in_an_import(folder, code, number):
    """Exit code and standard error of a program that gets a signal while it imports the module `slow`."""
    (folder / "slow.py").write_text("import time\nprint(flush=True)\ntime.sleep(60)\n")
    heeding = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores it
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{IMPORTABLE['PYTHONPATH']}"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", heeding + code], env=environment, **pipes) as process:
        process.stdout.readline()
        process.send_signal(number)
        _, stderr = process.communicate()
    return process.returncode, stderr


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_a_command_is_imported_is_an_interruption(tmp_path, number):
    code = "from cliquewise.common.start import start\nstart('slow')\n"
    assert signalled_in_an_import(tmp_path, code, number) == (130, b"")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_that_an_import_would_lose_is_an_interruption(tmp_path, number):
    code = (
        "import click\nfrom cliquewise.common.cli import command\n"
        "@click.command()\ndef done():\n    try:\n        import slow\n    except BaseException:\n        return 3\n"
        "command.main(done, 'done')\n"
    )
    assert signalled_in_an_import(tmp_path, code, number) == (130, b"done: interrupted\n")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_that_a_weak_reference_would_lose_is_an_interruption(number):
    code = (
        "import click, os, signal, time, weakref\nfrom cliquewise.common.cli import command\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Thing:\n    pass\n"
        "@click.command()\ndef done():\n    thing = Thing()\n"
        f"    weak = weakref.ref(thing, lambda _: os.kill(os.getpid(), {int(number)}) or time.sleep(9))\n"
        "    del thing\n    return 3\n"
        "command.main(done, 'done')\n"
    )
    done = run_process([sys.executable, "-c", code])
    assert (done.code, done.stderr) == (130, "done: interrupted\n")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_python_ends_leaves_the_exit_code(number):
    code = (
        "import atexit, click, os\nfrom cliquewise.common.cli import command\n"
        f"atexit.register(lambda: os.kill(os.getpid(), {int(number)}))\n"
        "@click.command()\ndef done():\n    return 3\n"
        "command.main(done, 'done')\n"
    )
    done = run_process([sys.executable, "-c", code])
    assert (done.code, done.stderr) == (3, "")


def test_log_lines(capsys):
    command.set_verbosity(logging.INFO, "prog")
    command.LOG.info("read %d rows", 3)
    command.LOG.warning("constant column")
    command.LOG.debug("not shown")
    assert capsys.readouterr() == ("", "prog: read 3 rows\nprog: warning: constant column\n")
    assert not command.is_verbose()
    command.set_verbosity(logging.DEBUG)
    assert command.is_verbose()
    command.LOG.debug("shown")
    command.set_verbosity(logging.ERROR)
    command.LOG.warning("hidden")
    command.LOG.error("shown")
    assert capsys.readouterr().err == "prog: shown\nprog: error: shown\n"


def test_a_closed_pipe_is_quiet():
    code = (
        "import click\nfrom cliquewise.common.cli import command\n"
        "@click.command()\ndef many():\n    for i in range(100000):\n        click.echo(i)\n"
        "command.main(many, 'many')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP])
def test_a_signal_sets_the_flag(number):
    before = signal.getsignal(number)
    called = []
    with StopFlag(lambda: called.append(1)) as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)  # delivered twice, as by `timeout`
        assert stop.is_set() and called == [1]
    assert signal.getsignal(number) is before


def test_a_second_interrupt_is_immediate(monkeypatch):
    with StopFlag() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        later = time.monotonic() + 1
        monkeypatch.setattr(time, "monotonic", lambda: later)
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set()


def test_a_flag_set_by_the_program():
    with StopFlag() as stop:
        stop.callbacks.append(lambda: called.append(1))
        called = []
        stop.set()
        stop.set()
        assert stop.is_set() and called == [1]


def test_a_flag_in_another_thread():
    seen = []

    def work():
        with StopFlag() as stop:
            stop.set()
            seen.append(stop.is_set())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


@click.command()
@data_options.learner_options
@seed.seed_option
@resources.resource_options
@limit_options.limit_options()
def learner(**received):
    """Echoes what it got."""
    for key in sorted(received):
        click.echo(f"{key}={received[key]}")


def echoed(capsys, *args):
    """Exit code, stdout lines and stderr of `learner`."""
    code = command.run(learner, "learner", list(args))
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def test_defaults_arrive_as_records(capsys):
    assert echoed(capsys, "x.csv") == (
        0,
        [
            "em=EmOptions(completions=5, completed=None)",
            "limits=Limits(time_limit=None, iterations=None, target_score=None, until_idle=False)",
            "max_clique=None",
            "output=OutputOptions(fmt='cliques', use_names=None, path=None, provenance=False)",
            "resources=ResourceOptions(threads=None, cache_mb=1024, memory=None, dry_run=False)",
            "scoring=ScoreOptions(score_type='bdeu', ess=1.0, gamma=0.5, edge_prior=0.5, edge_priors=None)",
            "seed=1",
            "source=LearningOptions(header='auto', separator='auto', arities='auto', decimal='auto', sheet=None,"
            " missing='refuse', counts=None, weights=None, weight_scale=None, columns=None, drop=None, states=None,"
            " na=None, same_states='auto', data='x.csv', resample=None)",
        ],
        "",
    )


@pytest.mark.parametrize(
    "args, message",
    [
        (["--ess", "0"], "'--ess': 0.0 is not in the range 0<x<=1,000,000"),
        (["--ess", "-1"], "'--ess': -1.0 is not in the range 0<x<=1,000,000"),
        (["--ess", "nan"], "'--ess': nan is not a finite number"),
        (["--ess", "inf"], "'--ess': inf is not in the range 0<x<=1,000,000"),
        (["--ess", "ten"], "'--ess': 'ten' is not a number"),
        (["--max-clique", "1"], "'--max-clique': 1 is not in the range x>=2"),
        (["--time-limit", "0"], "'--time-limit': 0.0 is not in the range 0<x<=1,000,000,000"),
        (["--time-limit", "nan"], "'--time-limit': nan is not a finite number"),
        (["--seed", "-1"], "'--seed': -1 is not in the range"),
        (["--threads", "0"], "'--threads': 0 is not in the range 1<=x<=1024"),
        (["--cache-mb", "0"], "'--cache-mb': 0 is not in the range x>=1"),
        (["--score", "fic"], "'--score': 'fic' is not one of 'bdeu', 'bic', 'll'"),
        (["--format", "gml"], "'--format': 'gml' is not one of"),
        (["--header", "maybe"], "'--header': 'maybe' is not one of"),
        (["--missing", "guess"], "'--missing': 'guess' is not one of"),
        (["more"], "unexpected extra argument"),
    ],
)
def test_values_out_of_range(capsys, args, message):
    code, out, err = echoed(capsys, "x.csv", *args)
    assert (code, out) == (2, []) and message in err and err.count("\n") == 1


def test_data_are_needed(capsys):
    assert echoed(capsys)[0::2] == (2, "learner: Missing argument 'DATA' (see learner --help)\n")


def test_verbosity(capsys):
    assert echoed(capsys, "x", "-q")[0] == 0 and command.LOG.level == logging.ERROR
    assert echoed(capsys, "x", "-v")[0] == 0 and command.LOG.level == logging.DEBUG
    assert echoed(capsys, "x")[0] == 0 and command.LOG.level == logging.INFO


SCORES = "2 2\n0\n-1\n-2\n-3.5\n"
CSV = "a,b\nx,1\ny,2\nx,2\n"


@pytest.mark.parametrize("text", [SCORES, CSV])
@pytest.mark.parametrize("way", ["file", "stdin", "pipe"])
def test_input_is_recognised_by_its_content(tmp_path, monkeypatch, text, way):
    path = tmp_path / "input.txt"
    if way == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        path = "-"
    elif way == "pipe":
        os.mkfifo(path)
        threading.Thread(target=path.write_text, args=(text,)).start()
    else:
        path.write_text(text)
    before = sys.stdin
    source = InputOptions(str(path)).load()
    assert sys.stdin is before
    assert isinstance(source, CliqueScores) == (text == SCORES)
    assert source.n == 2 if text == SCORES else source.names == ("a", "b")


def test_missing_input_is_reported(tmp_path):
    assert InputOptions(None).load() is None
    with pytest.raises(DataError, match="nothing: cannot be read: No such file"):
        load_input(tmp_path / "nothing")


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("tool", ["lsmarkov --iterations 5", "junctor", "coarsen", "mplearn", "twlearn -w 2"])
def test_a_signal_while_the_result_is_checked_loses_nothing(run, monkeypatch, tmp_path, tool, number):
    """As when a batch system's limit and --time-limit are the same."""
    sent = []
    check = certificate.certificate_of

    def interrupted(*args, **options):
        signal.raise_signal(number)
        sent.append(number)
        return check(*args, **options)

    monkeypatch.setattr(certificate, "certificate_of", interrupted)
    name, *words = tool.split()
    done = run(name, ROOT / "data/tiny.csv", *words, "-q", "-o", tmp_path / "net")
    assert done.code == 0 and sent == [number], done.stderr
    assert "# status" in (tmp_path / "net").read_text()


@pytest.mark.parametrize("words", [["lsmarkov"], ["dmscore"], ["mntools"], ["mntools", "check"]])
def test_version(run, words):
    done = run(*words, "--version")
    assert done.code == 0 and done.stdout == f"{words[0]} {version('cliquewise')}\n"


@pytest.mark.slow
def test_a_result_for_a_descriptor_of_the_shell(tmp_path):
    """`>(...)`, and names of standard output, also where that is a file which others write to."""
    convert = f"printf '0,1\\n' | {sys.executable} -m cliquewise.mntools convert -q - --format edges"
    shell = f"{convert} -o >(cat > pipe); sleep 1; (echo one; {convert} -o /dev/stdout; echo two) > file"
    environment = {**os.environ, **IMPORTABLE}
    subprocess.run(["bash", "-c", shell], cwd=tmp_path, env=environment, check=True, timeout=100)
    piped, lines = (tmp_path / "pipe").read_text(), (tmp_path / "file").read_text()
    assert piped.endswith("0,1\n") and lines == f"one\n{piped}two\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *slow(signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)],
)
def test_a_signal_while_a_command_writes_is_an_interruption(tmp_path, number):
    words = [sys.executable, "-m", "cliquewise.mnmodel", "sample", "--rows", "2000000", "-o", "big"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    process = subprocess.Popen(words, cwd=tmp_path, env={**os.environ, **IMPORTABLE}, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, before)
    with process:
        opened = Path(f"/proc/{process.pid}/fd")
        for _ in range(1200):
            time.sleep(0.05)
            with contextlib.suppress(OSError):  # a descriptor that is closed by now
                if any(f"{tmp_path}/" in os.readlink(one) for one in opened.iterdir()):  # the temporary file
                    break
        process.send_signal(number)
        _, stderr = process.communicate()
    assert process.returncode == 130 and stderr.endswith(
        b"mnmodel: interrupted; nothing is written; the same command begins again\n"
    ), stderr
    assert list(tmp_path.iterdir()) == []


# ---- environments --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["0", "-1", "abc", "", "1.5", "\u0661"])
def test_an_invalid_number_of_threads_for_numba_is_refused(value, run_command):
    done = run_command("lsmarkov", "--version", env={"NUMBA_NUM_THREADS": value})
    message = f"lsmarkov: NUMBA_NUM_THREADS={value!r} in the environment: not a whole number from 1; unset it\n"
    assert (done.code, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.parametrize("value", ["fast", "Public", " tuned"])
def test_an_unknown_interface_of_numba_is_refused(value, run_command):
    done = run_command("lsmarkov", "--version", env={"CLIQUEWISE_NUMBA": value})
    message = f"lsmarkov: CLIQUEWISE_NUMBA={value!r} in the environment: neither 'tuned' nor 'public'; unset it\n"
    assert (done.code, done.stdout, done.stderr) == (2, "", message)


def test_the_command_is_the_module_of_the_package():
    line = [sys.executable, "-m", "cliquewise", "--version"]
    assert run_process(line).stdout.startswith("cliquewise ")
    refused = run_process(line, env={"CLIQUEWISE_NUMBA": "fast"})
    assert refused.code == 2 and refused.stderr.startswith("cliquewise: CLIQUEWISE_NUMBA='fast' in the environment: ")


@pytest.mark.parametrize("kilobytes", [50_000, 300_000, 400_000, 500_000])
def test_a_small_address_space(kilobytes):
    resource = pytest.importorskip("resource")
    limit = 1024 * kilobytes
    done = subprocess.run(
        [sys.executable, "-m", "cliquewise.twlearn", "--version"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"twlearn: the address space is limited to {limit // 10**6} MB, the libraries need ")


@pytest.mark.parametrize(("threads", "needed"), [({}, 1200), ({"OPENBLAS_NUM_THREADS": "0"}, None)])
def test_threads_of_blas_take_address_space(threads, needed):
    resource = pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-m", "cliquewise.twlearn", "--version"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9)),
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | threads,
    )
    needed = needed or 1100 + 100 * min(os.cpu_count(), 64)
    assert f"the libraries need {needed} MB; " in done.stderr and done.returncode == 1


def test_a_deleted_working_folder_is_reported(tmp_path):
    folder, data = tmp_path / "gone", tmp_path / "data.csv"
    folder.mkdir()
    data.write_text("a,b\n0,1\n1,0\n")
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = run_process([sys.executable, "-c", code, "-m", "cliquewise.mntools", "names", data], cwd=folder)
    message = "the working folder cannot be used: No such file or directory; change to one that exists (cd)"
    assert (done.code, done.stdout, done.stderr) == (1, "", f"mntools: {message}\n")
