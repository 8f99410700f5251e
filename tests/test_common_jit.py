"""The digests under which machine code is kept: they change with everything that the machine code depends on."""

import pytest

from common import jit


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Kernel files at several depths: a/deep/top imports a/deep/middle, which imports base; beside stands apart."""
    files = {
        "a/deep/top_kernels.py": "from a.deep.middle_kernels import middle\n",
        "a/deep/middle_kernels.py": "from base.base_kernels import (\n    base,\n)\n",
        "base/base_kernels.py": "base = 1\n",
        "base/beside_kernels.py": "beside = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(jit, "ROOT", tmp_path)
    jit.digest_of.cache_clear()
    jit.digest_of_all.cache_clear()
    yield tmp_path
    jit.digest_of.cache_clear()
    jit.digest_of_all.cache_clear()


def digests(tree):
    """The digest of each kernel file, by its name, and that of all."""
    jit.digest_of.cache_clear()
    jit.digest_of_all.cache_clear()
    return {file.stem: jit.digest_of(file) for file in tree.rglob("*_kernels.py")}, jit.digest_of_all()


@pytest.mark.parametrize(
    "changed, depending",
    [
        ("base/base_kernels.py", {"base_kernels", "middle_kernels", "top_kernels"}),
        ("base/beside_kernels.py", {"beside_kernels"}),
        ("a/deep/middle_kernels.py", {"middle_kernels", "top_kernels"}),
        ("a/deep/top_kernels.py", {"top_kernels"}),
    ],
)
def test_a_digest_changes_with_what_a_kernel_imports(tree, changed, depending):
    before, all_before = digests(tree)
    (tree / changed).write_text((tree / changed).read_text() + "# changed\n")
    after, all_after = digests(tree)
    assert {name for name in before if before[name] != after[name]} == depending
    assert all_before != all_after


def test_every_import_of_a_kernel_file_is_seen():
    """The digest reads imports as text; Python's own reading must find no other."""
    import ast

    files = sorted(jit.ROOT.glob("[a-z]*/**/*_kernels.py"))
    assert len(files) > 20
    for file in files:
        text = file.read_bytes()
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom | ast.Import)]
        names = {name for node in nodes for name in ([node.module] if isinstance(node, ast.ImportFrom) else
                                                     [alias.name for alias in node.names])}
        assert {name.encode() for name in names if name.endswith("_kernels")} == set(jit._IMPORTED.findall(text)), file
