"""Measure the overhead of runner=ray: its start, a task, and the keeper's part of a call."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import heapreplace
from pathlib import Path
from statistics import median
from typing import Any

from remem.config.run_config import RunConfig
from remem.llm.call_store import Sent
from remem.protocols import ChatReply
from remem.run.message_line import Address, SocketLine
from remem.run.ray_runner import keepers
from remem.run.remote_calls import RemoteBooks
from remem.types import Usage

TASKS, CALLS = 100, 300
THREADS = 8
TOOK = Usage(1, 1_800, 110)
"""The usage of a REMem-I call on LoCoMo (docs/cost.md)."""
HOST = "127.0.0.1"
KEEPER = b"ray::_KeeperProcess"
REQUEST, REPLY = "x" * 7_200, "y" * 440


@dataclass(frozen=True, slots=True)
class Overhead:
    """The overhead in seconds; `calls_per_second` counts the calls of all workers."""

    start: float
    task: float
    call: float
    calls_per_second: float
    keeper_cpu: float
    """CPU seconds of the keeper per call; its inverse is the maximum number of calls per second."""

    def seconds(
        self, calls: Sequence[float], *, workers: int, in_flight: int, latency: float
    ) -> float:
        """Return how long a run takes, if neither the endpoint nor a worker's processor limits it.

        Args:
            calls: How many each history makes; they are begun in this order.
            workers: Histories at once.
            in_flight: Calls at once of each.
            latency: Seconds that a call takes of the endpoint.
        """
        free = [0.0] * workers
        for made in calls:
            took = self.task + made * (latency + self.call) / in_flight
            heapreplace(free, free[0] + took)
        return self.start + max(*free, sum(calls) / self.calls_per_second)


def measure(config: RunConfig) -> Overhead:
    """Start the parts of runner=ray and store generated calls."""
    begun = time.perf_counter()
    with config.build_runner().cluster() as ray, keepers(ray, config, HOST) as kept:
        line = SocketLine(kept.calls)
        line.ask("pause", 0.0)
        started = time.perf_counter() - begun
        tasks = ray.remote(num_cpus=1, max_retries=0)(_nothing).options(num_returns="streaming")
        _heard(ray, tasks.remote())  # the first starts a process
        task = median(_seconds(lambda: _heard(ray, tasks.remote())) for _ in range(TASKS))
        calls = ray.remote(num_cpus=1)(_calls)
        alone = ray.get(calls.remote(kept.calls, "alone", 1))
        at_once = int(ray.cluster_resources()["CPU"])
        before, begun = _keeper_cpu(), time.perf_counter()
        working = [calls.remote(kept.calls, f"worker {each}", THREADS) for each in range(at_once)]
        ray.get(working)
        seconds, made = time.perf_counter() - begun, at_once * THREADS * CALLS
        cpu = (_keeper_cpu() - before) / made
        return Overhead(started, task, alone, made / seconds, cpu)


def _seconds(act: Any) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _nothing() -> Any:
    yield None


def _heard(ray: Any, answers: Any) -> None:
    for answer in answers:
        ray.get(answer)


def _calls(keeper: Address, worker: str, threads: int) -> float:
    """Store calls from several threads at once; return the mean seconds per call."""
    books = RemoteBooks(SocketLine(keeper), Path(), worker)
    with ThreadPoolExecutor(threads) as pool:
        made = pool.map(
            lambda number: _seconds(lambda: _kept(books, f"{worker} {number}")),
            range(threads * CALLS),
        )
        return median(made)


def _kept(books: RemoteBooks, key: str) -> None:
    """Send the keeper the messages of one call."""
    with books.held(key):
        books.received(key)
        reserved = books.reserve(TOOK)
        with books.admitted(TOOK.prompt_tokens):
            pass
        reply = ChatReply(REPLY, (), truncated=False, usage=TOOK)
        books.keep_reply(Sent(key, "recall", REQUEST, 0.0), reply)
        books.settle(reserved, TOOK)


def _keeper_cpu() -> float:
    """Return the CPU seconds of the keepers' processes; that of the vectors has nothing to do."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        if (process / "cmdline").read_bytes().startswith(KEEPER):
            after_name = (process / "stat").read_text().rpartition(")")[2].split()
            ticks += int(after_name[11]) + int(after_name[12])  # user and system time
    return ticks / os.sysconf("SC_CLK_TCK")
