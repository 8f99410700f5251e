"""The Snakefile of data/batch, where snakemake is installed (the extra `workflow`)."""

import os
import shutil
from pathlib import Path

import pytest

from tests.commands import ROOT, command_line, run_process


@pytest.mark.skipif(shutil.which("snakemake") is None, reason="snakemake is not installed")
def test_the_snakefile_runs_a_sweep_and_its_parts(tmp_path):
    """Two seeds and two parts; what comes out is what single runs write, also after an interruption."""
    here = Path(command_line("lsmarkov")[0]).parent
    config = ["--config", f"data={ROOT}/data/tiny.csv", "seeds=2", "steps=20000", "parts=2", "ladders=2", "largest=3"]
    environment = {"PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["CLIQUEWISE_CACHE"] = os.environ.get("CLIQUEWISE_CACHE", str(Path.home() / ".cache/cliquewise"))
    words = ["snakemake", "-s", ROOT / "data/batch/Snakefile", "--cores", "2", *config]
    done = run_process(words, cwd=tmp_path, env=environment)
    assert done.code == 0, done.stderr
    rows = (tmp_path / "results/table.csv").read_text().splitlines()
    assert len(rows) == 3 and all(row.endswith(",ok") for row in rows[1:])
    lines = {
        "tiny-2.cliques": ["lsmarkov", "--seed", "2", "--iterations", "20000"],
        "tiny.blankets": ["mplearn", "--blankets-only"],
        "tiny.edges": ["mplearn"],
        "tiny.scores": ["dmscore"],
        "tiny-ladder-2.edges": ["mnposterior", "--ladders", "2", "--seed", "2", "--iterations", "20000"],
    }
    for name, line in lines.items():
        program, *rest = line
        options = ["--missing", "state", "-q", "-o", "alone", *rest]
        data = [f"{ROOT}/data/tiny.csv", *["1", "3"] * (program == "dmscore")]
        alone = run_process([*command_line(program), *data, *options], cwd=tmp_path)
        assert alone.code == 0, alone.stderr
        assert (tmp_path / "alone").read_bytes() == (tmp_path / "results" / name).read_bytes()
    assert "# networks 2\n" in (tmp_path / "results/tiny.posterior.edges").read_text()
