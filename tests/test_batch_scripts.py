"""The scripts of data/batch for Slurm, with programs that only say how they were called."""

from tests.commands import ROOT, run_process


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
