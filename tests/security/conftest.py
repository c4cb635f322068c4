"""Figures for `make trust`."""

from collections.abc import Callable

import pytest

from remem.bench.figures import note_figure


@pytest.fixture
def figure() -> Callable[[str, float], None]:
    """Write a figure down for `make trust`."""
    return note_figure
