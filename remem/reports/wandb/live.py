"""Show a run in W&B while it answers its questions: its scores and costs so far, as charts.

A separate thread reads the records that the run has written and sends points of the charts. The run
never waits: a point is skipped if the previous point has not been sent yet.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from remem.config.run_config import RunConfig
from remem.reports.wandb.client import Destination, OpenRun, open_run
from remem.reports.wandb.payload import Payload, run_payload
from remem.reports.wandb.summary import summary_values
from remem.results.run import Run
from remem.run.progress import OnProgress, Progress

log = logging.getLogger(__name__)

SHARE = 0.02
"""The smallest share of the questions that is answered between two points."""


class LiveRun:
    """Shows a run in W&B while it answers; an exception in the block closes the run in W&B.

    Args:
        config: The configuration of the run.
        to: Where to send the run.
        clock: Returns seconds.
    """

    def __init__(
        self, config: RunConfig, to: Destination, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.benchmark = config.build_benchmark()
        self._folder = config.run_folder(config.fingerprint(self.benchmark.files()))
        self._settings = config.settings
        self._to = to
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="wandb")
        self._opened: Future[OpenRun] | None = None
        self._point: Future[None] | None = None
        self._first = self._sent = self._now = Progress(0, 0)
        self._begun = self._sent_at = 0.0

    def __enter__(self) -> "LiveRun":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._send_last_point()
            self._thread.submit(self._leave)
            self._thread.shutdown()

    def reporting_with(self, on_progress: OnProgress) -> OnProgress:
        """Return a function that passes progress to `on_progress` and then to `take`."""

        def report(progress: Progress) -> None:
            on_progress(progress)
            self.take(progress)

        return report

    def take(self, progress: Progress) -> None:
        """Store the progress of the run, and send a point if one is due."""
        self._now = progress
        if self._opened is None:
            self._first = self._sent = progress
            self._begun = self._sent_at = self._clock()
            self._opened = self._thread.submit(self._open)
        elif self._is_due():
            self._send_point()

    def complete(self, payload: Payload) -> str:
        """Send the last point and the finished run; return its URL or local folder.

        Raises:
            ImportError: The wandb package is not installed.
            TrackingError: W&B rejected the run or could not be reached.
        """
        self._send_last_point()
        self._thread.shutdown()
        return self._run_in_wandb().complete(payload)

    def _is_due(self) -> bool:
        """Return whether a new point is due: the last one is old enough and has been sent."""
        busy = self._point or self._opened
        return (
            self._now.done - self._sent.done >= SHARE * self._now.questions
            and self._clock() - self._sent_at >= self._settings.logger.seconds
            and (busy is None or busy.done())
        )

    def _send_last_point(self) -> None:
        if self._now.done > self._sent.done:  # W&B refuses a second point at the same place
            self._send_point()

    def _send_point(self) -> None:
        self._sent, self._sent_at = self._now, self._clock()
        self._point = self._thread.submit(self._log_point, self._sent, self._sent_at - self._begun)

    def _open(self) -> OpenRun:
        return open_run(run_payload(self._run_so_far()), self._to)

    def _run_in_wandb(self) -> OpenRun:
        if self._opened is None:
            raise ValueError("the run has not reported its progress yet")
        return self._opened.result()

    def _log_point(self, progress: Progress, seconds: float) -> None:
        """Log a summary of the answers so far; a point that cannot be sent is left out."""
        try:
            run = self._run_so_far()  # it may have more answers by now
            values = dict(summary_values(run))
            if seconds:
                values["questions/per_second"] = (progress.done - self._first.done) / seconds
            self._run_in_wandb().log_point(values, max(progress.done, len(run.records)))
        except Exception:  # what fails in W&B must not fail the run; the end of the run reports it
            log.debug("W&B", exc_info=True)

    def _leave(self) -> None:
        self._run_in_wandb().leave()

    def _run_so_far(self) -> Run:
        return Run.open(self._folder, self._settings.run.packages)
