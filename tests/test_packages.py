"""data/packages says what pyproject.toml says, and the commands of the container's definition run."""

import re
import tomllib

import pytest

from tests.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RECIPE = (ROOT / "data/packages/recipe.yaml").read_text()
DEFINITION = (ROOT / "data/packages/cliquewise.def").read_text()


def items(key):
    """The entries of a list of the recipe."""
    block = re.search(rf"(?m)^( *){key}:\n((?:\1 +- .*\n)+)", RECIPE)
    return [line.strip()[2:] for line in block[2].splitlines()]


def test_the_recipe_has_the_version_and_the_commands():
    assert re.search(r'(?m)^  version: "(.*)"$', RECIPE)[1] == PROJECT["project"]["version"]
    wanted = [f"{name} = {target}" for name, target in PROJECT["project"]["scripts"].items()]
    assert items("entry_points") == wanted
    assert f"license: {PROJECT['project']['license']}\n" in RECIPE


def test_the_recipe_requires_what_the_project_requires():
    python, *others = items("run")
    assert python == "python >=${{ python_min }}"
    assert [other.replace(" ", "") for other in others] == PROJECT["project"]["dependencies"]
    assert items("host")[1:] == ["pip", PROJECT["build-system"]["requires"][0].replace(">", " >", 1)]


def test_kernels_of_the_container_are_compiled_by_commands_that_run(run, workplace):
    workplace({"data.csv": "a,b\n0,0\n1,1\n1,0\n"})
    lines = re.findall(r'"([^"$]+)"', re.search(r"for command in (.*); do", DEFINITION)[1])
    assert {line.split()[0] for line in lines} == {"lsmarkov", "junctor", "coarsen", "mplearn", "twlearn"}
    for line in lines:
        done = run(*line.split(), "--header", "yes", "data.csv", "-q")
        assert (done.code, done.stderr) == (0, "") and done.stdout


def test_the_recipe_can_be_rendered():
    """By the library of rattler-build, if it is there."""
    rattler = pytest.importorskip("rattler_build")
    pythons = rattler.VariantConfig.from_dict(
        {"python_min": [PROJECT["project"]["requires-python"].removeprefix(">=")]}
    )
    (made,) = rattler.Stage0Recipe.from_file(str(ROOT / "data/packages/recipe.yaml")).render(pythons)
    assert made.recipe.package.version == PROJECT["project"]["version"]
    assert made.recipe.requirements.run[0] == f"python {PROJECT['project']['requires-python']}"
