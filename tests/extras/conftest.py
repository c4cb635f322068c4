"""What tests of extras share."""

import gc
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _no_connection_of_kuzu_is_left() -> Iterator[None]:
    """Let connections of Kuzu end here, and not while another test starts a thread.

    An `AsyncConnection` ends a pool of threads when it is collected. Collected while a thread
    starts, it waits for a lock of `threading` that the same thread holds, for ever.
    """
    yield
    if "kuzu" in sys.modules:
        gc.collect()
