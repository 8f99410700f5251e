"""A tool must refuse a result with false claims."""

from dataclasses import replace

import pytest

from cliquewise.common.certify.certificate import certificate_of
from tests.commands import ROOT


@pytest.mark.parametrize(
    "tool", ["lsmarkov --iterations 5", "junctor", "coarsen --method forest", "mplearn", "twlearn -w 2 --iterations 5"]
)
def test_a_result_that_fails_its_check_is_not_written(run, monkeypatch, tmp_path, tool):
    def failing(*args, **options):
        return replace(certificate_of(*args, **options), problems=("the score is another one",))

    monkeypatch.setattr("cliquewise.common.certify.certificate.certificate_of", failing)
    name, *words = tool.split()
    done = run(name, ROOT / "data/tiny.csv", *words, "-q", "-o", tmp_path / "net")
    message = f"{name}: the result failed its check and is not written: the score is another one\n"
    assert (done.code, done.stdout, done.stderr) == (1, "", message)
    assert list(tmp_path.iterdir()) == []
