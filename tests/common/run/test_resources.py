"""Resources of the machine, with simulated system values."""

import os

import pytest

from cliquewise.common.run import resources

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
    texts = {"/proc/meminfo": meminfo, f"{group}.max": bound, f"{group}.stat": stat}

    def text_of(path):
        if texts[path] is None:
            raise FileNotFoundError(path)
        return texts[path]

    monkeypatch.setattr(resources, "_text", text_of)
    assert resources.available_memory() == expected
