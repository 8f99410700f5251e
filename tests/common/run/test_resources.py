"""Resources of the machine, with simulated system values."""

import os
import resource

import pytest

from cliquewise.common.errors import LimitError
from cliquewise.common.run import resources
from cliquewise.common.run.resources import check_fits

MEMINFO = "MemTotal:       2000 kB\nMemFree:         100 kB\nMemAvailable:    900 kB\n"
STAT = "anon 300000\nfile 5\n"


def test_cores_are_those_of_this_process(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", {0: {0, 3, 5}}.__getitem__, raising=False)
    assert resources.available_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert resources.available_cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert resources.available_cores() == 1


@pytest.mark.parametrize(
    "meminfo, bound, stat, expected",
    [
        (MEMINFO, None, None, 900 * 1024),
        (MEMINFO, "max\n", STAT, 900 * 1024),
        (MEMINFO, "1000000\n", STAT, 700_000),
        (MEMINFO, "200000\n", STAT, 1),
        (MEMINFO, "1000000\n", "file 5\n", 900 * 1024),
        (None, "1000000\n", STAT, 700_000),
        ("MemTotal: 2000 kB\n", None, None, None),
    ],
)
def test_memory_is_what_the_system_and_the_control_group_leave(monkeypatch, meminfo, bound, stat, expected):
    group = "/sys/fs/cgroup/memory"
    pretend(monkeypatch, {"/proc/meminfo": meminfo, f"{group}.max": bound, f"{group}.stat": stat})
    assert resources.available_memory() == expected


def pretend(monkeypatch, texts, addresses=resource.RLIM_INFINITY):
    """The files of a system, without those that are None, and the limit on addresses."""

    def text_of(path):
        if texts.get(path) is None:
            raise FileNotFoundError(path)
        return texts[path]

    monkeypatch.setattr(resources, "_text", text_of)
    monkeypatch.setattr(resource, "getrlimit", {resource.RLIMIT_AS: (addresses, addresses)}.__getitem__)


JOB, TASK = "/sys/fs/cgroup/slurm/job_1", "/sys/fs/cgroup/slurm/job_1/task_0"
JOB_1 = "/sys/fs/cgroup/memory/slurm/job_1"


@pytest.mark.parametrize(
    "groups, files, expected",
    [
        ("0::/slurm/job_1/task_0\n", {f"{JOB}/memory.max": "800000\n", f"{JOB}/memory.stat": STAT}, 500_000),
        (
            "0::/slurm/job_1/task_0\n",
            {
                f"{JOB}/memory.max": "800000\n",
                f"{JOB}/memory.stat": STAT,
                f"{TASK}/memory.max": "max\n",
                f"{TASK}/memory.stat": "anon 1\n",
            },
            500_000,
        ),
        ("0::/slurm/job_1/task_0\n", {f"{TASK}/memory.max": "700000\n", f"{TASK}/memory.stat": STAT}, 400_000),
        (
            "5:cpu,cpuacct:/slurm\n4:memory:/slurm/job_1\n0::/\n",
            {f"{JOB_1}/memory.limit_in_bytes": "800000\n", f"{JOB_1}/memory.stat": "rss 7\ntotal_rss 200000\n"},
            600_000,
        ),
        ("4:memory:/docker/abc\n", {"/sys/fs/cgroup/memory/memory.limit_in_bytes": str(2**63 - 4096)}, 900 * 1024),
    ],
)
def test_memory_of_a_job_is_that_of_the_groups_above_it(monkeypatch, groups, files, expected):
    pretend(monkeypatch, {"/proc/meminfo": MEMINFO, "/proc/self/cgroup": groups, **files})
    assert resources.available_memory() == expected


def test_memory_is_within_the_limit_on_addresses(monkeypatch):
    texts = {"/proc/meminfo": MEMINFO, "/proc/self/status": "VmPeak: 700 kB\nVmSize: 300 kB\n"}
    pretend(monkeypatch, texts, addresses=500 * 1024)
    assert resources.available_memory() == 200 * 1024
    pretend(monkeypatch, texts, addresses=200 * 1024)
    assert resources.available_memory() == 1


def test_a_need_that_no_float_can_count_is_refused():
    with pytest.raises(LimitError, match=r"tables need about 10\^322 GB, .*; bound the cliques"):
        check_fits(2**1100, None, "tables", "bound the cliques")
