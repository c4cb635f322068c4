"""Memories whose two methods are coroutines: `aindex(history)` and `arecall(query)`.

The clients of a memory stay bound to the event loop in which they were first used. So all
coroutines run in a single event loop, which has its own thread.
"""

import asyncio
from collections.abc import Coroutine
from functools import cache
from threading import Thread
from typing import Any, Protocol, TypeVar, runtime_checkable

from remem.protocols import Memory
from remem.types import Evidence, History, Query

Result = TypeVar("Result")


@runtime_checkable
class AsyncMemory(Protocol):
    """A memory that indexes and recalls with coroutines."""

    async def aindex(self, history: History) -> None:
        """Index a history, or the next part of it."""

    async def arecall(self, query: Query) -> Evidence:
        """Return the evidence for the query."""


def with_plain_methods(memory: Any) -> Any:
    """Add `index` and `recall` to an asynchronous memory; return other objects unchanged."""
    if isinstance(memory, AsyncMemory) and not isinstance(memory, Memory):
        own = type(memory)
        names = {"__module__": own.__module__, "__qualname__": own.__qualname__, "__slots__": ()}
        # A class of its own, not an object around it: its other methods must stay available.
        memory.__class__ = type(own.__name__, (own,), {**names, "index": _index, "recall": _recall})
    return memory


def _index(memory: AsyncMemory, history: History) -> None:
    _wait_for(memory.aindex(history))


def _recall(memory: AsyncMemory, query: Query) -> Evidence:
    return _wait_for(memory.arecall(query))


def _wait_for(coroutine: Coroutine[Any, Any, Result]) -> Result:
    return asyncio.run_coroutine_threadsafe(_guarded(coroutine), _loop()).result()


async def _guarded(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Await a coroutine; raise RuntimeError if it exits, which would end only the event loop."""
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt) as error:
        raise RuntimeError(f"a coroutine of the memory raised {type(error).__name__}") from error


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop
