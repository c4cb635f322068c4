"""Run histories as tasks of a Ray cluster; only the driver writes records.

An actor on the driver's machine stores the calls of all workers. If a worker dies, its history is
started again with the questions that have no answer yet; earlier calls are in the call store.
"""

import logging
import os
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from remem.config.instantiation import UsageError
from remem.config.run_config import RunConfig
from remem.protocols import StopRunError
from remem.run.asked_questions import Asked
from remem.run.call_keeper import WAITING, CallKeeper
from remem.run.history_task import (
    HistoryWorker,
    Said,
    configuration,
    kept_chat_model,
)
from remem.run.interruption import GRACE_SECONDS
from remem.run.local_disk import check_local_disk
from remem.run.runner import Account, Attempt, IndexReport, Steps
from remem.types import History, Question

log = logging.getLogger(__name__)

THREADS = 64
"""Threads of the keeper for messages that do not wait, and for each kind that does."""
STARTS = 3
"""Maximum number of starts of a history whose workers die."""


@dataclass(slots=True)
class _Job:
    """A history, its unanswered questions, and how often it was started."""

    history: History
    left: dict[str, Question]
    starts: int = 0

    @property
    def worker(self) -> str:
        """Return the name under which the keeper records the locks of this start."""
        return f"{self.history.id}, start {self.starts}"


class RayRunner:
    """Runs one history per CPU of a Ray cluster at the same time.

    Args:
        address: The address of the cluster; "local" starts Ray for this run alone.
        num_cpus: The CPUs of a "local" Ray; None for all CPUs of this machine.
    """

    def __init__(self, *, address: str, num_cpus: int | None) -> None:
        self._address = address
        self._num_cpus = num_cpus

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
            _Job(history, {question.query.id: question for question in some})
            for history, some in asked
        ]
        with self.cluster() as ray, keeper(ray, config) as name:
            if not ray.cluster_resources().get("CPU"):
                raise ValueError(
                    f"the Ray cluster at {self._address} has no CPU for a history: start Ray on "
                    f"another machine with ray start --address=<head>:6379"
                )
            yield from _Run(ray, configuration(config), name, deque(jobs), account).answers()

    @contextmanager
    def cluster(self) -> Iterator[Any]:
        """Connect to the cluster, or start one, unless this process is already connected."""
        ray = _ray()
        if ray.is_initialized():
            yield ray
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anyone
        own = {"num_cpus": self._num_cpus, "include_dashboard": False}
        chosen = own if self._address == "local" else {}
        ray.init(address=self._address, logging_level=logging.WARNING, **chosen)
        try:
            yield ray
        finally:
            ray.shutdown()

    def _check(self, config: RunConfig) -> None:
        """Raise an error for settings that do not work with workers in other processes."""
        if config.settings.bypasses_caches:
            raise UsageError("runner=ray measures no times; use runner=serial with cache=bypass")
        if config.is_stream:
            raise UsageError(
                "run.stream asks while a memory grows, and runner=ray sends whole histories to its "
                "workers; use runner=serial or runner=threads"
            )
        if self._address != "local" and not config.results.is_absolute():
            raise UsageError(
                f"runner=ray: paths.results must be absolute, since all machines of the cluster "
                f"use it; found {str(config.results)!r}; set REMEM_RESULTS"
            )
        if config.settings.cache is not None:
            check_local_disk(Path(config.settings.cache.calls))


class _Run:
    """The waiting and the running jobs of a run."""

    def __init__(
        self, ray: Any, configuration: str, keeper: str, waiting: deque[_Job], account: Account
    ) -> None:
        self._ray = ray
        self._keeper = keeper
        self._line = RayLine(keeper)
        self._configuration = ray.put(configuration)
        self._task = ray.remote(max_retries=0, num_cpus=1)(_answer_history)
        self._waiting = waiting
        self._running: dict[Any, _Job] = {}
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
        """Start a history for each free CPU, unless the run has to stop."""
        at_once = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        while self._stopped is None and self._waiting and len(self._running) < at_once:
            job = self._waiting.popleft()
            job.starts += 1
            streaming = self._task.options(num_returns="streaming", name=job.worker)
            questions = list(job.left.values())
            words = (self._configuration, self._keeper, job.worker, job.history, questions)
            self._running[streaming.remote(*words)] = job

    def _heard(self, answers: Any) -> Iterator[Attempt]:
        """Process the next message of a task."""
        from ray.exceptions import RayError, RayTaskError

        try:
            said: Said = self._ray.get(next(answers))
        except StopIteration:
            del self._running[answers]
        except RayTaskError as error:
            self._stop(error.cause)
        except RayError as error:
            self._again(self._running.pop(answers), error)
        else:
            yield from self._taken(self._running[answers], said)

    def _taken(self, job: _Job, said: Said) -> Iterator[Attempt]:
        if isinstance(said, StopRunError):
            self._stop(said)
        elif isinstance(said, IndexReport):
            try:
                self._account(job.history, said)
            except StopRunError as reason:
                self._stop(reason)
        else:
            del job.left[said[0].query_id]
            yield said

    def _again(self, job: _Job, error: Exception) -> None:
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
        """Start no further histories; running ones end at their next call."""
        self._stopped = self._stopped or reason
        self._line.tell("stop", StopRunError(str(reason)))

    def _end(self) -> None:
        """If the driver itself is stopped, wait for the replies to calls in flight."""
        if not self._running:
            return
        self._line.tell(
            "stop", StopRunError("no more calls are sent, because the run was interrupted")
        )
        ends = [answers.completed() for answers in self._running]
        self._ray.wait(ends, num_returns=len(ends), timeout=GRACE_SECONDS)
        for answers in self._running:
            self._ray.cancel(answers, force=True)


class RayLine:
    """A connection to the keeper actor of this name."""

    def __init__(self, keeper: str) -> None:
        self._keeper = _ray().get_actor(keeper)

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the keeper and return its result; re-raise its exceptions."""
        from ray.exceptions import RayActorError, RayTaskError

        try:
            return _ray().get(self._sent(method, arguments))
        except RayTaskError as error:
            raise error.cause from None
        except RayActorError as error:
            raise StopRunError(
                f"the process that stores the calls died ({error}); run the same command to "
                f"continue"
            ) from error

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method of the keeper without waiting for the result."""
        self._sent(method, arguments)

    def _sent(self, method: str, arguments: Sequence[Any]) -> Any:
        called = getattr(self._keeper, method)
        if method in WAITING:
            called = called.options(concurrency_group=WAITING[method])
        return called.remote(*arguments)


def _answer_history(
    configuration: str, keeper: str, name: str, history: History, questions: Sequence[Question]
) -> Iterator[Said]:
    """Index a history and answer its questions: the Ray task."""
    for said in _worker(configuration, keeper).answers(name, history, questions):  # noqa: UP028
        yield said  # Ray sends something into the generator, which `yield from` would pass on


@lru_cache(maxsize=1)
def _worker(configuration: str, keeper: str) -> HistoryWorker:
    """Return the parts of the run, built once per worker process."""
    return HistoryWorker(configuration, RayLine(keeper))


@contextmanager
def keeper(ray: Any, config: RunConfig) -> Iterator[str]:
    """Start the keeper on the machine of the driver and return its name."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    groups = dict.fromkeys(WAITING.values(), THREADS)
    settings = {"num_cpus": 0, "max_concurrency": THREADS, "concurrency_groups": groups}
    name = f"remem-calls-{uuid.uuid4().hex}"
    actor = ray.remote(**settings)(CallKeeper).options(name=name, scheduling_strategy=here)
    handle = actor.remote(kept_chat_model(config), str(Path.cwd()))
    try:
        yield name
    finally:
        ray.kill(handle)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "runner=ray needs the package ray, which is not installed: pip install 'remem[ray]'"
        ) from error
    return ray
