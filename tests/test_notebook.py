"""The notebook of the handbook runs from top to bottom, and a kernel survives what people do in one."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.commands import ROOT

NOTEBOOK = ROOT / "docs/tutorials/notebook.ipynb"


@pytest.fixture
def kernel(here, monkeypatch):
    """A function that runs cells in a kernel of its own, and gives what each puts out."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    monkeypatch.setenv("CLIQUEWISE_PROJECT", str(ROOT))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")

    def run(notebook, before_cell=None):
        client = nbclient.NotebookClient(
            notebook, timeout=300, kernel_name="python3", allow_errors=before_cell is not None
        )
        with client.setup_kernel():
            for number, cell in enumerate(notebook.cells):
                if before_cell is not None:
                    before_cell(number, client.km)
                client.execute_cell(cell, number)
        return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]

    return run


def texts(outputs, kind):
    """The output of a cell of one kind, text/html or text/plain."""
    return [output["data"][kind] for output in outputs if kind in output.get("data", {})]


def cells_of(*sources):
    nbformat = pytest.importorskip("nbformat")
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


def test_it_is_stored_without_outputs():
    """Sphinx makes them, and they change with every run."""
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


@pytest.mark.slow
def test_the_notebook_of_the_handbook(kernel):
    pytest.importorskip("polars")
    pytest.importorskip("sklearn", minversion="1.6")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(notebook)
    found = kernel(notebook)
    shown = "\n".join(text for outputs in found for text in texts(outputs, "text/html"))
    assert shown.count("data:image/svg+xml;base64,") == 3  # network, drawing, study
    assert shown.count('class="dataframe"') >= 6
    plain = "\n".join(text for outputs in found for text in texts(outputs, "text/plain"))
    assert "<Network of 17 variables" in plain and "'max_clique': " in plain and "shape: (3, 4)" in plain
    assert not any(Path().iterdir())  # no file is left


@pytest.mark.slow
def test_names_progress_and_interrupts_in_a_kernel(kernel):
    """Tab shows public names only; "interrupt" gives the network so far; networks show a picture and one line."""
    notebook = cells_of(
        f"import pandas as pd, cliquewise as cw\nzoo = pd.read_csv({str(ROOT / 'data/zoo.csv')!r})\n"
        "cw.lsmarkov(zoo, iterations=100)",
        "from IPython.core.completer import provisionalcompleter\n"
        "with provisionalcompleter():\n"
        "    found = [one.text.strip('.') for one in get_ipython().Completer.completions('cw.', 3)]\n"
        "sorted(found) == dir(cw)",
        "network = cw.lsmarkov(zoo, time_limit=100)\nnetwork",
        "network.status, list(network.edges.columns)",
        "cw.cross_validate(zoo, 'lsmarkov', {'time_limit': 100}, folds=2)",
        "cw.fit(zoo, network).query('type', {'milk': True})",
    )

    def interrupt_later(number, manager):
        """The search when it shows its progress, the cross-validation after a while."""
        cell = notebook.cells[number]

        def wait():
            began = time.monotonic()
            while time.monotonic() < began + (4.0 if number == 4 else 60.0):
                time.sleep(0.2)
                if any("steps/s" in output.get("text", "") for output in cell.outputs):
                    break
            os.kill(manager.provisioner.pid, signal.SIGINT)  # as "interrupt" does

        if number in (2, 4):
            threading.Thread(target=wait).start()

    _, names, learned, printed, validated, asked = kernel(notebook, interrupt_later)
    assert texts(names, "text/plain") == ["True"]
    assert texts(learned, "text/html")[0].startswith("<img") and "interrupted>" in texts(learned, "text/plain")[0]
    assert any("steps/s" in output.get("text", "") for output in learned)  # progress
    assert texts(printed, "text/plain") == ["('interrupted', ['source', 'target'])"]
    assert [output.get("ename") for output in validated if output.output_type == "error"] == ["KeyboardInterrupt"]
    assert "'mammal'" in texts(asked, "text/plain")[0]
