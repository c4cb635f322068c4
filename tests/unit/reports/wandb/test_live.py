"""While a run answers, points are sent at a limited rate and never delay it."""

from collections.abc import Mapping
from threading import Event

import pytest

from remem.config.run_config import compose_config, run_config
from remem.reports.wandb import live as live_module
from remem.reports.wandb.client import Destination
from remem.reports.wandb.live import LiveRun
from remem.reports.wandb.mirror import live_run
from remem.reports.wandb.payload import run_payload
from remem.results.run import Run
from remem.run.progress import Progress

QUESTIONS = 1_000


class Opened:
    """A stand-in for the run in W&B that records the steps of its points and how it ended."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.values: list[Mapping[str, float]] = []
        self.ended: list[str] = []
        self.free = Event()
        self.free.set()

    def log_point(self, values: Mapping[str, float], step: int) -> None:
        assert self.free.wait(10)
        self.steps.append(step)
        self.values.append(values)

    def complete(self, payload: object) -> str:
        self.ended.append("complete")
        return "here"

    def leave(self) -> None:
        self.ended.append("left")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    opened = Opened()
    monkeypatch.setattr(live_module, "open_run", lambda payload, to: opened)
    return opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(written, clock: Clock) -> LiveRun:
    config = Run.open(written()).config
    live = LiveRun(config, Destination(results=config.results, project="p"), clock)
    live._folder = written()  # its data are made up, and so is its fingerprint
    return live


def at(live: LiveRun, clock: Clock, done: int, seconds: float) -> None:
    clock.now = seconds
    live.take(Progress(done, QUESTIONS))
    for work in (live._opened, live._point):
        if work is not None:
            work.result(10)


def test_a_point_needs_two_per_cent_of_the_questions_and_ten_seconds(live, clock, opened) -> None:
    for done, seconds in ((0, 0), (19, 60), (20, 61), (40, 62), (45, 71), (64, 90), (65, 91)):
        at(live, clock, done, seconds)
    assert opened.steps == [20, 45, 65]
    assert opened.values[-1]["generated_dialogues/all/em"] == 0.5
    assert opened.values[-1]["questions/errors"] == 1
    assert opened.values[-1]["questions/per_second"] == pytest.approx(65 / 91)
    clock.now = 100.0
    assert live.complete(run_payload(Run.open(live._folder))) == "here"
    assert (opened.steps, opened.ended) == ([20, 45, 65], ["complete"])


def test_a_resumed_run_counts_on_but_its_rate_is_of_this_start(live, clock, opened) -> None:
    at(live, clock, 500, 0)
    at(live, clock, 600, 50)
    assert opened.steps == [600]
    assert opened.values[0]["questions/per_second"] == 2.0


def test_a_slow_wandb_loses_points_and_not_time(live, clock, opened) -> None:
    at(live, clock, 0, 0)
    opened.free.clear()
    for done in (100, 200, 300):
        clock.now += 20
        live.take(Progress(done, QUESTIONS))
    opened.free.set()
    live.complete(run_payload(Run.open(live._folder)))
    assert opened.steps == [100, 300]


def test_what_ends_with_an_exception_is_closed_with_its_last_point(live, clock, opened) -> None:
    with pytest.raises(KeyboardInterrupt), live:
        at(live, clock, 0, 0)
        live.take(Progress(7, QUESTIONS))
        raise KeyboardInterrupt
    assert (opened.steps, opened.ended) == ([7], ["left"])


@pytest.mark.parametrize(
    "refused", ["logger=none", "llm=loopback-stub reader=direct", "cache=bypass"]
)
def test_a_run_that_is_not_sent_or_is_timed_is_not_live(refused: str) -> None:
    small = ("dataset=generated_dialogues", "dataset.build.conversations=1", "logger=wandb")
    assert live_run(run_config(compose_config([*small, *refused.split()])), "") is None
