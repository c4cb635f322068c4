"""Run histories as tasks of a Ray cluster; only the driver writes records.

Two actors on the driver's machine store the calls and the vectors of all workers. If a worker dies,
the questions of its history that have no answer yet are asked again. The replies that the worker
received are then found in the call store.
"""

import logging
import math
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from remem.config.run_config import RunConfig
from remem.errors import NetworkDiskError, StopRunError, UsageError
from remem.run.history_task import (
    HistoryJob,
    HistoryWorker,
    Keepers,
    Said,
    configuration,
    kept_chat_model,
)
from remem.run.interruption import GRACE_SECONDS, interrupted_by_sigterm
from remem.run.keepers import CallKeeper, VectorKeeper
from remem.run.message_line import Address, MessageServer, SocketLine
from remem.run.progress import Asked
from remem.run.runner import Account, Attempt, IndexReport, Steps
from remem.types import History, Question

MOUNTS = Path("/proc/self/mounts")
NETWORK = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|lustre|gpfs|beegfs|ceph|glusterfs|afs|9p|pvfs2|orangefs|wekafs|"
    r"fuse\.(sshfs|glusterfs|ceph\S*|s3fs|gcsfuse|juicefs|beegfs\S*|weka\S*|moosefs)"
)
PARTS = 10_000
"""The number of parts into which a cluster divides a GPU."""
SECONDS_PER_COUNT = 10.0
"""Minimum time between two counts of the machines."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The CPUs and GPUs that a machine gives to tasks."""

    cpus: float
    gpus: float


def checked_gpus(gpus: float) -> float:
    """Check the number of GPUs for each history, and return it.

    Raises:
        ValueError: The number is neither whole nor a fraction of one GPU.
    """
    is_whole = float(gpus).is_integer() and gpus >= 0
    if not (is_whole or 1 / PARTS <= gpus < 1):
        raise ValueError(
            f"runner.gpus_per_history is {gpus}, expected 0, a part of one GPU such as 0.5, or a "
            f"whole number"
        )
    return gpus


def histories_at_once(machines: Sequence[Machine], gpus: float) -> int:
    """Return how many histories fit on the machines at once; each needs one CPU and `gpus` GPUs."""
    return sum(_on_one(machine, gpus) for machine in machines)


def check_machines(machines: Sequence[Machine], gpus: float, address: str) -> None:
    """Raise ValueError if no machine can run a history, since the run would wait forever."""
    with_cpu = [machine for machine in machines if machine.cpus >= 1]
    if not with_cpu:
        raise ValueError(
            f"the cluster at {address} has no CPU for a history; add a machine with at least one "
            "CPU (docs/hardware.md)"
        )
    if histories_at_once(machines, gpus) == 0:
        total = sum(machine.gpus for machine in machines)
        most = max(machine.gpus for machine in with_cpu)
        raise ValueError(
            f"runner.gpus_per_history={gpus:g} needs a machine with that many GPUs and a CPU, but "
            f"the cluster at {address} has at most {most:g} on such a machine (GPUs in total: "
            f"{total:g}); add a machine, or set runner.gpus_per_history=0"
        )


class Places:
    """The number of histories that the cluster can run at once, updated from time to time.

    The number changes when machines join or leave. To count them, the driver asks another process;
    doing this after every answer would take most of the driver's time.
    """

    def __init__(self, count: Callable[[], int], now: Callable[[], float] = time.monotonic) -> None:
        self._count = count
        self._now = now
        self._at_once = 0
        self._counted_at = -math.inf

    def is_free(self, running: int) -> bool:
        """Return whether another history can start while `running` histories run.

        If none runs, a history can always start.
        """
        if self._now() - self._counted_at >= SECONDS_PER_COUNT:
            self._at_once = max(1, self._count())
            self._counted_at = self._now()
        return running < self._at_once


def _on_one(machine: Machine, gpus: float) -> int:
    by_cpu = int(machine.cpus)
    if gpus == 0:
        return by_cpu
    if gpus < 1:  # the rest of a GPU that is too small for a history stays unused
        return min(by_cpu, int(machine.gpus) * (PARTS // round(gpus * PARTS)))
    return min(by_cpu, int(machine.gpus) // int(gpus))


def check_local_disk(what: str, path: Path, setting: str) -> None:
    """Raise NetworkDiskError if a file is known to be on a network file system.

    Args:
        what: The kind of file.
        path: The file; it need not exist.
        setting: The setting that names the file.
    """
    if not MOUNTS.exists():
        return
    kind = file_system(path.resolve(), MOUNTS.read_text())
    if NETWORK.fullmatch(kind):
        raise NetworkDiskError(
            f"the {what} {path} is on {kind}, a network file system, but SQLite needs a local "
            f"disk; set {setting}=<a file on a local disk>"
        )


def file_system(path: Path, mounts: str) -> str:
    """Return the type of the file system that a path is on; "" if `mounts` does not list it.

    Args:
        path: An absolute path without symbolic links; it need not exist.
        mounts: The lines of /proc/mounts: device, mount point, type and more. If a mount point is
            listed twice, the last line counts.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        _, place, type_of, *_ = line.split(" ")
        place = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), place)
        if path.is_relative_to(place) and len(place) >= len(best):
            best, kind = place, type_of
    return kind


log = logging.getLogger(__name__)

STARTS = 3
"""Maximum number of starts of a history whose workers die."""


class RayRunner:
    """Runs one history per CPU of a Ray cluster at the same time.

    Args:
        address: The address of the cluster; "local" starts Ray only for this run.
        num_cpus: The CPUs of a "local" Ray; None for all CPUs of this machine.
        gpus_per_history: The GPUs that Ray reserves for each history: a whole number, or a
            fraction of one GPU.
    """

    def __init__(self, *, address: str, num_cpus: int | None, gpus_per_history: float) -> None:
        self._address = address
        self._num_cpus = num_cpus
        self._gpus = checked_gpus(gpus_per_history)

    def answers(self, steps: Steps, asked: Asked, account: Account) -> Iterator[Attempt]:
        """Yield the attempts at all questions, each as soon as it is finished.

        Raises:
            StopRunError: A budget is reached, or a history has killed its worker repeatedly.
        """
        config = steps.config
        self._check(config)
        if not asked:  # a cluster takes seconds to start
            return
        jobs = [
            HistoryJob(history, {question.query.id: question for question in some})
            for history, some in asked
        ]
        with self.cluster() as ray:
            check_machines(_machines(ray), self._gpus, self._address)
            with keepers(ray, config, self._host(ray)) as kept:
                run = _JobQueue(
                    ray, configuration(config), kept, deque(jobs), account, gpus=self._gpus
                )
                yield from run.answers()

    def _host(self, ray: Any) -> str:
        """Return the address at which the workers reach this machine; loopback if all run here."""
        hosts = {node["NodeManagerAddress"] for node in ray.nodes()}
        alone = self._address == "local" and len(hosts) == 1
        return "127.0.0.1" if alone else str(ray.util.get_node_ip_address())

    @contextmanager
    def cluster(self) -> Iterator[Any]:
        """Connect to the cluster, or start one, unless this process is already connected."""
        ray = _ray()
        if ray.is_initialized():
            yield ray
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage report is sent
        own = {"num_cpus": self._num_cpus, "include_dashboard": False}
        chosen = own if self._address == "local" else {}
        try:
            with interrupted_by_sigterm():
                ray.init(address=self._address, logging_level=logging.WARNING, **chosen)
            yield ray
        finally:
            ray.shutdown()

    def _check(self, config: RunConfig) -> None:
        """Raise an error for settings that do not work with workers in other processes."""
        if config.settings.bypasses_caches:
            raise UsageError(
                "runner=ray does not measure times; use runner=serial with cache=bypass"
            )
        if config.is_stream:
            raise UsageError(
                "run.stream asks questions while a memory grows, but runner=ray sends complete "
                "histories to its workers; use runner=serial or runner=threads"
            )
        if self._address != "local" and not config.results.is_absolute():
            raise UsageError(
                f"runner=ray: paths.results is {str(config.results)!r}, expected an absolute path, "
                f"since all machines of the cluster use it; set REMEM_RESULTS"
            )
        if config.settings.cache is not None:
            check_local_disk("call store", Path(config.settings.cache.calls), "cache.calls")
        if ledger := config.settings.llm.chat_model.ledger:
            check_local_disk("ledger", Path(ledger), "llm.build.ledger")


class _JobQueue:
    """The waiting and the running jobs of a run."""

    def __init__(
        self,
        ray: Any,
        configuration: str,
        kept: Keepers,
        waiting: deque[HistoryJob],
        account: Account,
        *,
        gpus: float,
    ) -> None:
        self._ray = ray
        self._kept = kept
        self._line = SocketLine(kept.calls)
        self._configuration = ray.put(configuration)
        self._task = ray.remote(max_retries=0, num_cpus=1, num_gpus=gpus)(_answer_history)
        self._places = Places(lambda: histories_at_once(_machines(ray), gpus))
        self._waiting = waiting
        self._running: dict[Any, HistoryJob] = {}
        self._account = account
        self._stopped: Exception | None = None

    def answers(self) -> Iterator[Attempt]:
        try:
            while True:
                self._start()
                if not self._running:
                    break
                (ready,), _ = self._ray.wait(list(self._running), num_returns=1)
                yield from self._heard(ready)
        finally:
            self._end()
        if self._stopped is not None:
            raise self._stopped

    def _start(self) -> None:
        """Start waiting histories while the cluster has room, unless the run has to stop."""
        while self._stopped is None and self._waiting and self._places.is_free(len(self._running)):
            job = self._waiting.popleft()
            job.starts += 1
            streaming = self._task.options(num_returns="streaming", name=job.worker)
            questions = list(job.left.values())
            words = (self._configuration, self._kept, job.worker, job.history, questions)
            self._running[streaming.remote(*words)] = job

    def _heard(self, answers: Any) -> Iterator[Attempt]:
        """Process the next message of a task."""
        from ray.exceptions import RayError, RayTaskError

        try:
            message: Said = self._ray.get(next(answers))
        except StopIteration:
            del self._running[answers]
        except RayTaskError as error:
            self._stop(error.cause)
        except RayError as error:
            self._again(self._running.pop(answers), error)
        else:
            yield from self._take_message(self._running[answers], message)

    def _take_message(self, job: HistoryJob, message: Said) -> Iterator[Attempt]:
        if isinstance(message, StopRunError):
            self._stop(message)
        elif isinstance(message, IndexReport):
            try:
                self._account(job.history, message)
            except StopRunError as reason:
                self._stop(reason)
        else:
            del job.left[message[0].query_id]
            yield message

    def _again(self, job: HistoryJob, error: Exception) -> None:
        """Restart the history of a dead worker, unless it has killed its workers too often."""
        self._line.tell("give_up", job.worker)
        log.warning("the worker of history %s died: %s", job.history.id, error)
        if job.starts < STARTS:
            self._waiting.appendleft(job)
            return
        self._stop(
            StopRunError(
                f"{STARTS} workers died on history {job.history.id}, the last with "
                f"{str(error).splitlines()[0]!r}; run the same command to continue"
            )
        )

    def _stop(self, reason: Exception) -> None:
        """Start no further histories; running ones end at their next model call."""
        self._stopped = self._stopped or reason
        self._line.tell("stop", StopRunError(str(reason)))

    def _end(self) -> None:
        """If the driver itself is stopped, wait for the replies to calls in flight.

        Nothing is cancelled: a worker that sends no more calls ends by itself, or with the driver.
        """
        if not self._running:
            return
        self._line.tell(
            "stop", StopRunError("no further calls are sent, because the run was interrupted")
        )
        ends = [answers.completed() for answers in self._running]
        self._ray.wait(ends, num_returns=len(ends), timeout=GRACE_SECONDS)


def _answer_history(
    configuration: str,
    addresses: Keepers,
    name: str,
    history: History,
    questions: Sequence[Question],
) -> Iterator[Said]:
    """Index a history and answer its questions. This is the Ray task."""
    for message in _worker(configuration, addresses).answers(name, history, questions):  # noqa: UP028
        yield message  # Ray sends something into the generator, which `yield from` would pass on


@lru_cache(maxsize=1)
def _worker(configuration: str, addresses: Keepers) -> HistoryWorker:
    """Return the history worker of this process, built at the first call."""
    return HistoryWorker(configuration, addresses.connect())


class _KeeperProcess:
    """The Ray actor in which a keeper runs."""

    def serve(self, host: str, keeper: Callable[..., object], *arguments: Any) -> Address:
        """Build the keeper, start its message server, and return the address of the server."""
        return MessageServer(keeper(*arguments), host).address


@contextmanager
def keepers(ray: Any, config: RunConfig, host: str) -> Iterator[Keepers]:
    """Run the keepers on the driver's machine during the block, and yield their addresses."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    on_this_machine = NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )
    actor = ray.remote(num_cpus=0, scheduling_strategy=on_this_machine)(_KeeperProcess)
    calls, vectors = actor.remote(), actor.remote()
    folder = str(Path.cwd())
    try:
        serving = [
            calls.serve.remote(host, CallKeeper, kept_chat_model(config), folder),
            vectors.serve.remote(host, VectorKeeper, folder),
        ]
        yield Keepers(*_gotten(ray, serving))
    finally:
        ray.kill(calls)
        ray.kill(vectors)


def _gotten(ray: Any, results: Sequence[Any]) -> list[Any]:
    """Return the results of actors; re-raise an exception of an actor with its original type."""
    from ray.exceptions import RayTaskError

    try:
        return list(ray.get(results))
    except RayTaskError as error:
        raise error.cause from None


def _machines(ray: Any) -> list[Machine]:
    resources = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    return [Machine(having.get("CPU", 0), having.get("GPU", 0)) for having in resources]


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "runner=ray needs the package ray, which is not installed: pip install '.[ray]' in the "
            "checkout of remem"
        ) from error
    return ray
