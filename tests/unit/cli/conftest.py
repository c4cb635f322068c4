"""What several tests of the commands share."""

import os
from pathlib import Path

import pytest

PARTS = Path(__file__).parents[2] / "parts"


@pytest.fixture
def environment() -> dict[str, str]:
    """Return the environment of a process that also finds the parts of the tests."""
    path = (str(PARTS), os.environ.get("PYTHONPATH"))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
