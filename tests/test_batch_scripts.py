"""The scripts of data/batch for Slurm, with programs that only say how they were called, and the Snakefile."""

import re
import shutil

import pytest

from tests.commands import ROOT, run_process

BATCH = ROOT / "data/batch"
COMMANDS = ("lsmarkov", "mplearn", "dmscore", "mnposterior", "mntools")
SLURM = {"SLURM_ARRAY_TASK_ID": "2", "SEEDS": "1", "STEPS": "9", "PARTS": "3", "LARGEST": "4"}
TABLE = "my folder/my table.csv"
CASES = [
    ("sweep.sh", {"DATA": f"zoo.csv '{TABLE}'"}, f"lsmarkov|{TABLE}", "results/my table-1.cliques"),
    ("ladders.sh", {"DATA": TABLE}, f"mnposterior|{TABLE}", "results/my table-ladder-2.edges"),
    ("parts.sh", {"DATA": TABLE}, f"mplearn|{TABLE}", "results/my table-2-of-3.blankets"),
    ("parts.sh", {"DATA": TABLE, "SLURM_ARRAY_TASK_ID": ""}, f"mplearn|{TABLE}", "results/my table.edges"),
    ("scores.sh", {"DATA": TABLE}, f"dmscore|{TABLE}|7|4", "results/my table-2-of-3.scores"),
    ("ladders.sh", {"DATA": TABLE, "SLURM_ARRAY_TASK_ID": ""}, "mntools|average", "results/my table.posterior.edges"),
]


@pytest.mark.parametrize("script, env, beginning, result", CASES)
def test_settings_and_names_with_blanks_reach_the_command(tmp_path, script, env, beginning, result):
    for name in (*COMMANDS, "srun"):
        fake = tmp_path / name
        last = '"$@"' if name == "srun" else f"printf '|%s' \"$@\" | sed 's/^/{name}/' >> calls; echo >> calls"
        fake.write_text(f"#!/bin/bash\n{last}\n")
        fake.chmod(0o755)
    settings = {"MISSING": "em", "SCORE": "qnml", "ESS": "7", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = run_process(["bash", BATCH / script], cwd=tmp_path, env={**SLURM, **settings, **env})
    assert done.code == 0, done.stderr
    call = (tmp_path / "calls").read_text().splitlines()[-1]
    assert call.startswith(beginning) and call.endswith(f"|-o|{result}")
    if not beginning.startswith("mntools"):
        assert "|--missing|em|" in call and "|--score|qnml|" in call
        assert "|--ess|7|" in call or beginning.endswith("|7|4")
    assert ("--checkpoint" in call) == ("SLURM_ARRAY_TASK_ID" not in env and script in ("sweep.sh", "parts.sh"))
    (tmp_path / "calls").unlink()
    assert run_process(["bash", BATCH / script], cwd=tmp_path, env={**SLURM, **env, "PATH": settings["PATH"]}).code == 0
    plain = (tmp_path / "calls").read_text()
    assert "--score" not in plain and "--ess" not in plain and plain.count("state") == plain.count("--missing")


def test_names_are_quoted_in_the_snakefile():
    used = re.findall(r"{((?:input|output)[^}]*)}", (BATCH / "Snakefile").read_text())
    assert len(used) > 15 and all(name.endswith(":q") for name in used if name != "output")
    assert "{output}" not in (BATCH / "Snakefile").read_text().replace("} > {output}", "")  # results/table.csv


def test_snakemake_takes_settings_and_names_with_blanks(tmp_path):
    if shutil.which("snakemake") is None:
        pytest.skip("needs snakemake: pip install 'cliquewise[workflow]'")
    (tmp_path / "my folder").mkdir()
    shutil.copy(ROOT / "data/zoo.csv", tmp_path / TABLE)
    settings = [f"data=[{TABLE}]", "seeds=1", "steps=9", "ladders=1", "largest=2", "missing=em", "score=qnml", "ess=7"]
    line = ["snakemake", "-s", BATCH / "Snakefile", "-n", "-p", "--cores", "1", "--config", *settings]
    done = run_process(line, cwd=tmp_path)
    assert done.code == 0, done.stderr
    shown = rf"^(?:Shell command: |\s+)((?:{'|'.join(COMMANDS)}) .*)"
    calls = re.findall(shown, done.stdout + done.stderr, flags=re.M)
    learners = [call for call in calls if f"'{TABLE}'" in call and " best " not in call]
    assert len(calls) == 11 and len(learners) == 7 and all("--missing em" in call for call in learners)
    assert all(("--ess 7" in call) == call.startswith("mplearn") for call in learners)
    assert all("--score qnml" in call for call in learners if not call.startswith("mplearn"))


def test_the_best_of_each_data_set_and_of_no_other(tmp_path):
    """Names of data sets may begin alike, and results of an earlier table lie there too."""
    (tmp_path / "results").mkdir()
    names = ["zoo-1", "zoo-12", "zoo-big-1", "zoo-2-1", "zoo-2.best", "zoo-big-2", "zoology-1"]
    for name in names:
        (tmp_path / "results" / f"{name}.cliques").touch()
    fake = tmp_path / "mntools"
    fake.write_text('#!/bin/bash\necho "$@" >> calls\nwhile [ "$1" != --table ]; do shift; done\necho head > "$2"\n')
    fake.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "DATA": "data/zoo.csv zoo-big.csv"}
    done = run_process(["bash", ROOT / "data/batch/best.sh"], cwd=tmp_path, env=env)
    assert done.code == 0, done.stderr
    first, second = (line.split(" --data ")[0] for line in (tmp_path / "calls").read_text().splitlines())
    assert first == "best results/zoo-1.cliques results/zoo-12.cliques"
    assert second == "best results/zoo-big-1.cliques results/zoo-big-2.cliques"
