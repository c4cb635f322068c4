"""Feed generated inputs to readers, and keep each input that is neither read nor refused.

Target, seed and number determine an input, so that a failure can be reproduced from them. A refusal
counts only if its error is one that the target documents, or a subclass of ours, and if a line of
our own raised it: an error from inside a library (a JSON decoder, a calendar, a codec) tells nobody
what to do.
"""

import logging
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import baselines
import remem

MOST_SECONDS = 3.0
"""Of processor time that an input may take."""
HANGS_SECONDS = 20
MOST_FAILURES = 20
MOST_BYTES = 3 * 2**30
"""Of address space: whatever an input claims to be, no more is asked of the machine."""
OURS = tuple(str(Path(str(package.__file__)).parent) for package in (remem, baselines))


class HangsError(BaseException):
    """An input took far too long; not an `Exception`, so that no error handler catches it."""


@dataclass(frozen=True)
class Target:
    """A reader to fuzz: how its input is drawn, how it is read, and how it may be refused."""

    name: str
    draw: Callable[[Random], Any]
    read: Callable[[Any], object]
    refusals: tuple[type[Exception], ...] = (ValueError,)


@dataclass
class Outcome:
    """The counts, times and failures of a target's inputs."""

    name: str
    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        self.inputs += other.inputs
        self.accepted += other.accepted
        self.refused += other.refused
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.failures += other.failures


def drawn(target: Target, seed: int, number: int) -> Any:
    """Return the input with that number."""
    return target.draw(Random(seed * 1_000_003 + number))


def fuzz(
    target: Target, seed: int, numbers: range, keep: Path | None = None, *, timed: bool = True
) -> Outcome:
    """Read the inputs with these numbers; keep the first of each kind of failure.

    Unless it is `timed`, an input may take any time, so that a busy machine changes no outcome.
    """
    outcome = Outcome(target.name)
    logging.disable(logging.CRITICAL)
    kinds: set[str] = set()
    for number in numbers:
        given = drawn(target, seed, number)
        outcome.inputs += 1
        cpu = time.thread_time()
        try:
            with limited() if timed else nullcontext():
                refused = is_refused(target, given)
            outcome.refused += refused
            outcome.accepted += not refused
            told = ""
        except (Exception, HangsError) as error:  # noqa: BLE001  whatever it is, it is a failure
            told = kind_of(error)
        took = time.thread_time() - cpu
        outcome.seconds += took
        outcome.slowest = max(outcome.slowest, took)
        slow = timed and not told and took > MOST_SECONDS
        if slow and _seconds_again(target, given) > MOST_SECONDS:
            told = f"TooSlow: took {took:.1f} s"
        kind = told.partition(": ")[0]
        if told and kind not in kinds and len(kinds) < MOST_FAILURES:
            kinds.add(kind)
            outcome.failures.append(f"seed {seed}, input {number}: {told}")
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                name = f"{target.name.replace(' ', '-')}-{seed}-{number}.txt"
                (keep / name).write_text(f"{told}\n{given!r}\n", "utf-8", "backslashreplace")
    return outcome


def _seconds_again(target: Target, given: Any) -> float:
    """Return the CPU seconds of reading an input again, without first-time imports and caching."""
    cpu = time.thread_time()
    with limited():
        is_refused(target, given)
    return time.thread_time() - cpu


def is_refused(target: Target, given: Any) -> bool:
    """Return whether an input was refused rather than read; any other error is raised."""
    try:
        target.read(given)
    except target.refusals as error:
        if not documented(type(error), target) or not raised_by_us(error):
            raise
        return True
    return False


def documented(kind: type[Exception], target: Target) -> bool:
    """Return whether an error is one that the target documents, or a subclass of ours."""
    ours = kind.__module__.partition(".")[0] in (remem.__name__, baselines.__name__)
    return kind in target.refusals or (ours and issubclass(kind, target.refusals))


def raised_by_us(error: BaseException) -> bool:
    """Return whether the line that raised the error is in our own code."""
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return bool(frames) and frames[-1].filename.startswith(OURS)


def kind_of(error: BaseException) -> str:
    """Return the name of an error and the last lines of our code in its traceback."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(OURS)]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-1:-3:-1])
    return f"{type(error).__name__} at {places or 'a check'}: {str(error)[:150]}"


@contextmanager
def limited() -> Iterator[None]:
    """Interrupt the block when it takes far too long."""

    def interrupt(*_: object) -> None:
        raise HangsError(f"more than {HANGS_SECONDS} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, HANGS_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def prepare_process() -> None:
    """Limit the memory of this process to what inputs may take, and disable warnings."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    warnings.simplefilter("ignore")
