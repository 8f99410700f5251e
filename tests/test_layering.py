"""Who may import what: `common` no tools, its packages in order, start-up fast, the oracles independent."""

import ast
import re
import sys
from collections import defaultdict, namedtuple
from functools import cache

import pytest

from tests.commands import FOLDERS, ROOT, command_module, console_scripts, program_files, run_process
from tests.syntax import dotted_name, nodes_of

TOOLS = {
    "lsmarkov",
    "junctor",
    "coarsen",
    "mplearn",
    "twlearn",
    "mnposterior",
    "dmscore",
    "mntools",
    "mixture",
    "mnmodel",
    "workflow",
}
# Each package of common imports from those before it only.
PACKAGES = (
    *("errors", "version", "start", "python_words", "arguments", "counted", "number_text", "compiled"),
    *(
        "sets",
        "graphs",
        "files",
        "data",
        "run",
        "scores",
        "chains",
        "exact",
        "bounds",
        "junction",
        "models",
        "inference",
        "certify",
        "drawing",
        "learning",
        "networks",
        "cli",
    ),
)
PROGRAM = [str(path) for path in program_files()]
SOURCES = [*PROGRAM, *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").rglob("*.py")))]

Import = namedtuple("Import", "file line module")


@cache
def imports(file):
    """Every module that a file imports, also inside functions; `from a import b` counts as a.b too.

    So does the name of a module given to `import_module`.
    """
    return list(_imports(file))


def _imports(file):
    for node in nodes_of(file):
        if isinstance(node, ast.Call) and dotted_name(node.func).endswith("import_module"):
            name = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            folder = ("cliquewise/" + file).split("/")[: -(len(name) - len(name.lstrip(".")))] if name else []
            yield from [Import(file, node.lineno, ".".join([*folder, name.lstrip(".")]))] * bool(name)
        elif isinstance(node, ast.Import):
            yield from (Import(file, node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module
            if node.level:
                folder = ("cliquewise/" + file).split("/")[: -node.level]
                module = ".".join([*folder, *([node.module] if node.module else [])])
            yield Import(file, node.lineno, module)
            yield from (Import(file, node.lineno, f"{module}.{alias.name}") for alias in node.names)


def package(module):
    """The outermost package of a dotted name; of our own, that inside cliquewise."""
    return module.removeprefix("cliquewise.").split(".")[0]


def below_common(module):
    """The package of common that a module stands in, or None: `cliquewise.common.sets.set_orders` is in sets."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["cliquewise", "common"] and len(parts) > 2 else None


def offenders(files, forbidden):
    """Imports of the given files for which `forbidden(import)` holds, as `file:line module`."""
    return [f"{i.file}:{i.line} {i.module}" for file in files for i in imports(file) if forbidden(i)]


def is_kernel(file):
    return file.endswith("_kernels.py")


def is_command_line(file):
    """The files that may know of click: command lines and what they share."""
    name = file.rsplit("/", 1)[-1]
    return name.endswith("cli.py") or name in ("options.py", "__main__.py") or file.startswith("common/cli/")


def test_the_files_to_check_are_found():
    assert len(PROGRAM) > 10 and any(map(is_kernel, PROGRAM))


def test_every_package_is_installed():
    found = {str(path.parent.relative_to(ROOT)) for top in ["common", *TOOLS] for path in (ROOT / top).rglob("*.py")}
    assert sorted(found) == sorted(FOLDERS)


def test_the_sdist_holds_the_whole_project():
    grafted = re.findall(r"(?m)^graft (.+)$", (ROOT / "MANIFEST.in").read_text())
    assert sorted(grafted) == sorted(["common", *TOOLS, "data", "docs", "tests"])


def test_the_program_imports_itself_by_relative_imports():
    """Editors, type checkers and graphs of imports follow these without an installation."""
    ours = {"cliquewise", "common", *TOOLS}
    for file in PROGRAM:
        for node in nodes_of(file):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not ours & {name.split(".")[0] for name in names}, f"{file}:{node.lineno}"


def test_tests_import_the_program_under_one_name():
    ours = {"common", *TOOLS}
    assert offenders(SOURCES, lambda i: i.module.split(".")[0] in ours) == []


def test_the_packages_of_common_are_all_listed():
    found = {name.split("/")[1].removesuffix(".py") for name in PROGRAM if name.startswith("common/")}
    assert found - {"__init__"} == {*PACKAGES}


def test_packages_of_common_import_only_from_those_before_them():
    place = {name: i for i, name in enumerate(PACKAGES)}

    def upwards(i):
        inside, target = i.file.split("/")[1].removesuffix(".py"), below_common(i.module)
        if target is None or target == inside:
            return False
        return target not in place or place[target] > place[inside]

    files = [file for file in PROGRAM if file.startswith("common/") and file != "common/__init__.py"]
    assert offenders(files, upwards) == []


def test_common_imports_no_tool():
    files = [file for file in PROGRAM if file.startswith("common/")]
    assert offenders(files, lambda i: package(i.module) in TOOLS) == []


def test_common_itself_imports_nothing():
    assert list(imports("common/__init__.py")) == []


def test_the_package_itself_imports_only_the_functions_of_the_learners():
    """All other names are imported when they are used: `test_from_python` checks it."""
    body = [node for node in nodes_of("__init__.py") if isinstance(node, ast.ImportFrom) and not node.col_offset]
    learners = {f"{name}.from_python" for name in TOOLS - {"dmscore", "mntools", "mixture", "mnmodel", "workflow"}}
    assert {node.module for node in body} == {"__future__", "importlib", "typing"} | learners


def test_a_tool_uses_another_only_through_its_learn():
    def forbidden(i):
        other = package(i.module)
        names = i.module.removeprefix("cliquewise.").split(".")[1:2]
        return other in TOOLS and other != i.file.split("/")[0] and names not in ([], ["learn"], ["config"])

    learners = TOOLS - {"dmscore", "mntools", "mixture", "mnmodel", "workflow"}
    assert offenders([file for file in PROGRAM if file.split("/")[0] in learners], forbidden) == []


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


def test_no_files_import_each_other_in_a_circle():
    """Not even for type checkers: a circle of records cannot be read one file after the other."""
    uses = {file: {module_file(i.module) for i in imports(file)} - {file, None} for file in PROGRAM}
    while free := [file for file in uses if not uses[file] & uses.keys()]:
        for file in free:
            del uses[file]
    while unused := uses.keys() - set().union(*uses.values()):
        for file in unused:
            del uses[file]
    assert uses == {}


def module_file(module):
    """The file of a module of ours, or None: `cliquewise.junctor.learn` is junctor/learn.py."""
    name = module.removeprefix("cliquewise.").replace(".", "/") + ".py"
    return name if module.startswith("cliquewise.") and name in SOURCES else None


def test_programs_do_not_import_tests():
    assert offenders(PROGRAM, lambda i: package(i.module) == "tests") == []


def test_click_stays_at_the_command_line():
    files = [file for file in PROGRAM if not is_command_line(file)]
    assert offenders(files, lambda i: package(i.module) == "click") == []


def test_one_file_draws_progress():
    files = [file for file in PROGRAM if file != "common/learning/progress.py"]
    assert offenders(files, lambda i: package(i.module) == "tqdm") == []


def test_running_a_learner_imports_no_command_line():
    """What runs a learner imports neither click nor what makes command lines, and sets no signal handler."""
    files = [file for file in PROGRAM if file.startswith("common/learning/") or file.endswith("/learner.py")]
    outside = ("click", "signal", "argparse")
    assert (
        len(files) > 15
        and offenders(files, lambda i: package(i.module) in outside or below_common(i.module) == "cli") == []
    )
    assert [file for file in files if re.search(r"sys\.argv|os\._exit|sys\.exit", (ROOT / file).read_text())] == []


def test_numba_stays_in_kernels():
    files = [file for file in PROGRAM if not file.startswith("common/compiled/") and not is_kernel(file)]
    numba = {"numba", "llvmlite"}
    assert (
        offenders(files, lambda i: package(i.module) in numba or i.module == "cliquewise.common.compiled.jit.kernel")
        == []
    )


def test_kernels_take_their_decorator_from_jit():
    kernels = list(filter(is_kernel, PROGRAM))
    assert offenders(kernels, lambda i: i.module in ("numba.njit", "numba.jit")) == []
    for file in kernels:
        assert any(i.module == "cliquewise.common.compiled.jit" for i in imports(file)), file


def test_kernels_import_neither_scipy_nor_input_and_output():
    allowed = {"numpy", "numba", "math", "collections", "typing", "cliquewise", "common", *TOOLS}
    kernels = filter(is_kernel, PROGRAM)
    assert offenders(kernels, lambda i: package(i.module) not in allowed) == []


def test_scip_stays_in_its_files():
    files = [file for file in PROGRAM if not file.endswith("_scip.py") and file != "common/exact/scip.py"]
    assert offenders(files, lambda i: package(i.module) == "pyscipopt") == []


def reached(files, inside=""):
    """These files and all that they import below a folder, directly or not: {file: one that imports it}."""
    found, waiting = {}, [(file, None) for file in files]
    while waiting:
        file, by = waiting.pop()
        if file not in found:
            found[file] = by
            names = (i.module.removeprefix("cliquewise.").replace(".", "/") + ".py" for i in imports(file))
            waiting += [(name, file) for name in names if name in PROGRAM and name.startswith(inside)]
    return found


# what certificates may rest on: records, claims, and readers of files, with what these need
RECORDS = """
errors.py counted.py number_text.py data/dataset.py data/incomplete.py data/labels.py data/merging.py data/reading.py
files/decoding.py files/file_kinds.py files/fingerprint.py files/foreign.py files/header_words.py files/input_stream.py
files/parentsets.py files/prooffile.py files/result_header.py files/score_lines.py files/scorefile.py
files/scorewriter.py files/text_in_memory.py graphs/dag.py graphs/edge_prior.py graphs/graph.py graphs/statements.py
scores/scoring.py sets/masks.py sets/set_orders.py
"""
# they propose an elimination order, which `arcs.order_width` checks; what they find lacking can only refuse a network
PROPOSING = {f"common/graphs/{name}.py" for name in ("greedy_elimination", "treewidth", "treewidth_search")}


def test_the_certificate_shares_no_code_with_the_learners():
    files = [file for file in PROGRAM if file.startswith("common/certify/")]
    found = reached(files)
    assert len(files) == 10
    assert {*found} - {*files} == {f"common/{name}" for name in RECORDS.split()} | PROPOSING
    users = {i.file for file in found for i in imports(file) if i.module.endswith(("graphs.treewidth", "_search"))}
    assert users - PROPOSING == {"common/certify/arcs.py", "common/certify/outcome.py"}  # the latter for a record
    assert offenders(found, lambda i: package(i.module) in TOOLS | {"numba"}) == []


def test_what_only_one_command_uses_is_in_its_folder():
    common = {file for file in PROGRAM if file.startswith("common/") and not file.endswith("__init__.py")}
    users = {file: set() for file in common}
    for folder in {file.split("/")[0] for file in PROGRAM} - {"common"}:
        files = [file for file in PROGRAM if file.split("/")[0] == folder]
        for used in common & {*reached(files, "common/")}:
            users[used].add(folder)
    assert {file: by for file, by in users.items() if len(by) < 2} == {}


def test_oracles_import_nothing_of_ours():
    oracles = [file for file in SOURCES if file.startswith("tests/oracles/")]
    own = "tests.oracles"
    assert oracles
    assert (
        offenders(oracles, lambda i: package(i.module) not in sys.stdlib_module_names and not i.module.startswith(own))
        == []
    )


def test_no_text_is_evaluated_and_no_shell_is_started():
    """No evaluation of text, no shell, no pickle but of machine code whose owner is known, and in a pipe of ours."""
    unsafe = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib"}
    known = ("kernel_cache.py", "compiled/public_calls.py", "run/second_compiler.py", "tests/test_pickled_results.py")
    files = [file for file in SOURCES if not file.endswith(known)]
    assert offenders(files, lambda i: package(i.module) in unsafe) == []
    for file in SOURCES:
        for call in (node for node in nodes_of(file) if isinstance(node, ast.Call)):
            name = dotted_name(call.func)
            where = f"{file}:{call.lineno} {name}"
            assert name not in ("eval", "exec", "compile", "os.system", "os.popen", "__import__"), where
            assert all(word.arg != "shell" for word in call.keywords), where
            assert all(word.arg != "allow_pickle" for word in call.keywords), where


def test_no_file_is_named_utils():
    for file in SOURCES:
        assert file.rsplit("/", 1)[-1] not in ("utils.py", "util.py", "helpers.py", "misc.py"), file


def test_names_of_classes_are_unique():
    """Each learner has Config and Options in its config.py; a name with an underscore belongs to its file."""
    places = defaultdict(list)
    for file in PROGRAM:
        for node in nodes_of(file):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(file)
    double = {name: files for name, files in places.items() if len(files) > 1}
    for name in ("Config", "Options"):
        assert set(double.pop(name)) <= {f"{tool}/config.py" for tool in TOOLS}
    assert not double


@pytest.mark.parametrize("name", console_scripts())
def test_a_command_line_starts_light(name):
    """`--help` and bad options must answer at once: nothing that takes long to import is loaded for them."""
    module = command_module(name).__name__
    heavy = ["numba", "scipy", "matplotlib", "networkx", "pandas", "pyscipopt", "sklearn"]
    code = f"import {module}, sys; print(*set({heavy}).intersection(sys.modules))"
    done = run_process([sys.executable, "-c", code])
    assert done.stdout.strip() == "" and done.code == 0, done.stderr
