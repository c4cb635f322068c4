"""Fixtures that the tests of extras share."""

import gc
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _no_connection_of_kuzu_is_left() -> Iterator[None]:
    """Collect Kuzu's connections here, and not while another test starts a thread.

    An `AsyncConnection` shuts down its thread pool when it is garbage-collected. If that happens
    while a thread starts, it waits forever for a lock of `threading` that the same thread holds.
    """
    yield
    if "kuzu" in sys.modules:
        gc.collect()
