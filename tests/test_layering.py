"""Who may import what: rules that keep `common` free of tools, start-up fast and the oracles independent."""

import ast
import sys
import tomllib
from collections import namedtuple

import pytest

from tests.commands import ROOT, console_scripts, run_process

TOOLS = {"lsmarkov", "junctor", "coarsen", "mplearn", "twlearn"}
SOURCES = {
    str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
    for folder in ["common", "tests", *sorted(TOOLS)]
    for path in sorted((ROOT / folder).rglob("*.py"))
}
PROGRAM = [name for name in SOURCES if not name.startswith("tests/")]

Import = namedtuple("Import", "file line module")


def imports(file):
    """Every module that a file imports, also inside functions; `from a import b` counts as a.b too."""
    for node in ast.walk(SOURCES[file]):
        if isinstance(node, ast.Import):
            yield from (Import(file, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: relative import"
            yield Import(file, node.lineno, node.module)
            yield from (Import(file, node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def package(module):
    """The outermost package of a dotted name."""
    return module.split(".")[0]


def offenders(files, forbidden):
    """Imports of the given files for which `forbidden(import)` holds, as `file:line module`."""
    return [f"{i.file}:{i.line} {i.module}" for file in files for i in imports(file) if forbidden(i)]


def is_kernel(file):
    return file.endswith("_kernels.py")


def is_command_line(file):
    """The files that may know of click: command lines and what they share."""
    name = file.rsplit("/", 1)[-1]
    shared = file in {"common/command.py", "common/compatibility.py", "common/paths.py", "common/progress.py"}
    return shared or name in ("cli.py", "options.py", "__main__.py") or file.startswith("common/mntools/")


def test_there_is_something_to_check():
    assert len(PROGRAM) > 10 and any(map(is_kernel, PROGRAM))


def test_every_package_is_installed():
    folders = {name.rsplit("/", 1)[0] for name in PROGRAM}
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert sorted(folder.replace("/", ".") for folder in folders) == sorted(listed)


def test_common_knows_no_tool():
    files = [file for file in PROGRAM if file.startswith("common/")]
    assert offenders(files, lambda i: package(i.module) in TOOLS) == []


def test_common_itself_imports_nothing():
    assert list(imports("common/__init__.py")) == []


def test_a_tool_uses_another_only_through_its_learn():
    def forbidden(i):
        other = package(i.module)
        public = i.module == f"{other}.learn" or i.module.startswith(f"{other}.learn.")
        return other in TOOLS and other != package(i.file.replace("/", ".")) and not public

    assert offenders([file for file in PROGRAM if not file.startswith("common/")], forbidden) == []


def test_tools_do_not_use_each_other_in_a_circle():
    uses = {tool: set() for tool in TOOLS}
    for file in PROGRAM:
        tool = file.split("/")[0]
        if tool in TOOLS:
            uses[tool] |= {package(i.module) for i in imports(file)} & TOOLS - {tool}
    while free := [tool for tool in uses if not uses[tool] & uses.keys()]:
        for tool in free:
            del uses[tool]
    assert uses == {}


def test_programs_do_not_import_tests():
    assert offenders(PROGRAM, lambda i: package(i.module) == "tests") == []


def test_click_and_tqdm_stay_at_the_command_line():
    files = [file for file in PROGRAM if not is_command_line(file)]
    assert offenders(files, lambda i: package(i.module) in ("click", "tqdm")) == []


def test_numba_stays_in_kernels():
    allowed = {"common/jit.py", "common/kernel_cache.py"}
    files = [file for file in PROGRAM if file not in allowed and not is_kernel(file)]
    numba = {"numba", "llvmlite"}
    assert offenders(files, lambda i: package(i.module) in numba or i.module == "cliquewise.common.jit.kernel") == []


def test_kernels_take_their_decorator_from_jit():
    kernels = list(filter(is_kernel, PROGRAM))
    assert offenders(kernels, lambda i: i.module in ("numba.njit", "numba.jit")) == []
    for file in kernels:
        assert any(i.module == "cliquewise.common.jit" for i in imports(file)), file


def test_kernels_use_neither_scipy_nor_the_outside():
    allowed = {"numpy", "numba", "math", "collections", "typing", "common", *TOOLS}
    kernels = filter(is_kernel, PROGRAM)
    assert offenders(kernels, lambda i: package(i.module) not in allowed) == []


def test_integer_programs_stay_in_ilp():
    files = [file for file in PROGRAM if not file.endswith("/ilp.py") and file != "common/scip.py"]
    assert offenders(files, lambda i: package(i.module) == "pyscipopt") == []


def test_the_certificate_shares_no_code_with_the_learners():
    """Records, the readers of claims and the standard library only."""
    shared = ("chordal", "kernels", "scorer", "bdeu", "jit", "search", "moves")
    files = [file for file in PROGRAM if file.startswith("common/certify")]
    assert len(files) == 3
    assert offenders(files, lambda i: any(word in i.module for word in shared)) == []
    assert offenders(files, lambda i: package(i.module) in TOOLS | {"numba"}) == []


def test_oracles_import_nothing_of_ours():
    oracles = [file for file in SOURCES if file.startswith("tests/oracles/")]
    own = "tests.oracles"
    assert oracles
    assert offenders(
        oracles, lambda i: package(i.module) not in sys.stdlib_module_names and not i.module.startswith(own)
    ) == []


def test_nothing_dangerous():
    """No pickle but of machine code, whose owner is looked at; no evaluation of text, no shell."""
    unsafe = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib"}
    files = [file for file in SOURCES if not file.endswith("kernel_cache.py")]
    assert offenders(files, lambda i: package(i.module) in unsafe) == []
    for file, tree in SOURCES.items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = ast.unparse(call.func)
            where = f"{file}:{call.lineno} {name}"
            assert name not in ("eval", "exec", "compile", "os.system", "os.popen", "__import__"), where
            assert all(word.arg != "shell" for word in call.keywords), where
            assert all(word.arg != "allow_pickle" for word in call.keywords), where


def test_no_utils_and_no_endless_files():
    for file in SOURCES:
        assert file.rsplit("/", 1)[-1] not in ("utils.py", "util.py", "helpers.py", "misc.py"), file
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert len(lines) <= (400 if file in PROGRAM else 500), file


@pytest.mark.parametrize("name", console_scripts())
def test_a_command_line_starts_light(name):
    """`--help` and bad options must answer at once: nothing that takes long to import is loaded for them."""
    module = console_scripts()[name].split(":")[0]
    heavy = ["numba", "scipy", "matplotlib", "networkx", "pandas", "pyscipopt", "sklearn"]
    code = f"import {module}, sys; print(*set({heavy}).intersection(sys.modules))"
    done = run_process([sys.executable, "-c", code])
    assert done.stdout.strip() == "" and done.code == 0, done.stderr
