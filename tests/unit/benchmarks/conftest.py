"""Fixtures that the tests of the datasets share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the published files; without it, tests that use this fixture are skipped."""
    if "REMEM_DATA" not in os.environ:
        pytest.skip("REMEM_DATA is not set")
    return Path(os.environ["REMEM_DATA"])
