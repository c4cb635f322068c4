"""The notebook of the examples runs from top to bottom and shows its results as HTML."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.extra
NOTEBOOK = Path(__file__).parents[2] / "examples/quickstart.ipynb"


def test_the_notebook_runs_and_shows_a_table_a_run_and_evidence(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("nbclient")
    import nbformat

    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    at = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(notebook, timeout=120, resources=at).execute()
    shown = [
        output.data["text/html"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    assert len(shown) == 3
    for expected, page in zip(("SharedWords", "of 20 questions", "passage"), shown, strict=True):
        assert expected in page
