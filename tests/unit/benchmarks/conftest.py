"""What the tests of the data sets share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published files; a test that reads them is skipped without it."""
    if "REMEM_DATA" not in os.environ:
        pytest.skip("REMEM_DATA is not set")
    return Path(os.environ["REMEM_DATA"])
