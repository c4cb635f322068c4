"""Flip one bit after another in the files of a finished run, and repeat the command after each.

Scores must not change without a word, no error may be a traceback, no whole record may be lost.
"""

import gc
import io
import json
import logging
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

from omegaconf import DictConfig

from measure.mapped_flips import MAPPED, mapped_answers, save_mapped
from remem.cli.hydra_entry import run_one
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.evaluation.score_files import SCORES
from remem.memory.index_file import FILE_NAME
from remem.protocols import StopRunError
from remem.run.store import CANONICAL, MANIFEST, RECORDS, TIMINGS, read_manifest
from remem.serve.stub.stub import StubServer

LINE = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=3",
    "run.limit=5",
    "run.health=warn",
    "method=remem_i",
    "extractor=llm",
    "planner=llm",
    "reader=direct",
    "llm=loopback-stub",
    "embedder=loopback-stub",
    "runner=threads",
    "runner.workers=2",
    "convention.score.resamples=49",
)
RUN = "runs/*/*/*"
CALLS = "cache/calls.sqlite"
TOLD = (ValueError, RuntimeError, ImportError, OSError, StopRunError)
"""Errors that the command line reports in one sentence; any other error is a traceback."""
STAYING = (
    *("config", "fingerprint", "data", "llm", "prompts", "packages", "code"),
    *("index_usage", "index_counts", "failed_episodes", "questions", "answered", "errors"),
)
"""Values of a manifest that stay the same in a second start."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Files of one kind, and what to remove so that the same command reads them."""

    files: str
    removed: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "records": Kind(f"{RUN}/{RECORDS}"),
    "manifest": Kind(f"{RUN}/{MANIFEST}"),
    "scores": Kind(f"{RUN}/{SCORES}"),
    "canonical records": Kind(f"{RUN}/{CANONICAL}"),
    "calls": Kind(CALLS, ("runs", "cache/indexes")),
    "vectors": Kind(f"{CALLS}.vectors/*.f32", ("runs", "cache/indexes")),
    "index": Kind("cache/indexes/*/index.npz", ("runs",)),
    "sum of the index": Kind("cache/indexes/*/index.json", ("runs",)),
    "mapped memory": Kind(f"{MAPPED}/*"),
}


@dataclass(frozen=True, slots=True)
class Flip:
    """A flipped bit, and its outcome."""

    kind: str
    file: str
    byte: int
    bit: int
    outcome: str
    """One of OUTCOMES."""
    said: str

    @property
    def failed(self) -> bool:
        """Return True if the outcome is a failure."""
        return self.outcome in FAILURES


FAILURES = ("changed without a word", "traceback", "whole records lost", "not told well")
OUTCOMES = ("nothing changed", "named", "refused", *FAILURES)


@dataclass(frozen=True, slots=True)
class Left:
    """The files of a run: scores, canonical records, and the constant values of its manifest."""

    scores: bytes
    canonical: bytes
    asked: int
    """Number of questions answered so far, in all starts."""
    manifest: str
    memory: str = ""
    """The content and the answers of the mapped memory."""

    @classmethod
    def read(cls, folder: Path, results: Path) -> "Left":
        """Read the files of a run in these results."""
        said = asdict(read_manifest(folder))
        staying = json.dumps({name: said[name] for name in STAYING}, sort_keys=True)
        return cls(
            scores=(folder / SCORES).read_bytes(),
            canonical=(folder / CANONICAL).read_bytes(),
            asked=(folder / TIMINGS).read_bytes().count(b"\n"),
            manifest=staying.replace(str(results), "results"),
        )


def flip_bits(place: Path, flips: int, seed: int) -> Iterator[Flip]:
    """Flip one bit after another, each in a copy of a finished run, in turns over the kinds.

    Args:
        place: An empty folder.
        flips: How many.
        seed: Of what is flipped.
    """
    draw = Random(seed)
    with StubServer() as server:
        url = server.base_url
        embedder = f"embedder.build.embedder.base_url={url}"
        composed = compose_config([*LINE, f"llm.build.endpoint.base_url={url}", embedder])
        before = _run(composed, place / "finished")
        save_mapped(_at(composed, place / "finished"))
        before = replace(before, memory=mapped_answers(_at(composed, place / "finished")))
        _close(place / "finished" / CALLS)
        kinds = list(KINDS)
        for number in range(flips):
            results = place / f"{number}"
            shutil.copytree(place / "finished", results)
            kind = kinds[number % len(kinds)]
            yield _flipped(composed, results, kind, before, draw)
            gc.collect()  # closes the call store
            shutil.rmtree(results, ignore_errors=True)  # its thread may still close the store


def _flipped(composed: DictConfig, results: Path, kind: str, before: Left, draw: Random) -> Flip:
    """Flip one bit, start the same command, and return the outcome."""
    for folder in KINDS[kind].removed:
        shutil.rmtree(results / folder)
    path = draw.choice(sorted(results.glob(KINDS[kind].files)))
    content = bytearray(path.read_bytes())
    at, bit = draw.randrange(len(content)), draw.randrange(8)
    content[at] ^= 1 << bit
    path.write_bytes(content)
    with _told() as told:
        if path.parent.name == MAPPED:
            outcome = _outcome_of_memory(_at(composed, results), path, before.memory, told)
        else:
            outcome = _outcome(composed, results, path, before, told)
    file = path.relative_to(results).as_posix()
    return Flip(kind, file, at, bit, outcome, " | ".join(told))


def _outcome(composed: DictConfig, results: Path, path: Path, before: Left, told: list[str]) -> str:
    refused = False
    try:
        after = _run(composed, results)
    except TOLD as error:
        told.append(str(error))
        if str(path) not in str(error):
            return "not told well"
        refused = True
        for file in path.parent.glob(f"{path.name}*"):  # as the message advises
            if file.is_file():
                file.rename(results / f"moved-{file.name}")
        after = _run(composed, results)
    except Exception as error:  # noqa: BLE001  (a traceback is what is looked for)
        told.append(repr(error))
        return "traceback"
    if (after.scores, after.canonical) != (before.scores, before.canonical):
        return "changed without a word"
    named = any(
        str(path) in message or str(path.with_name(FILE_NAME)) in message for message in told
    )
    if after.manifest != before.manifest and not named:
        return "changed without a word"
    of_run = path.is_relative_to(results / "runs")
    if of_run and after.asked > before.asked + (path.name == RECORDS):
        return "whole records lost"
    return "refused" if refused else "named" if named else "nothing changed"


def _outcome_of_memory(config: RunConfig, path: Path, answers: str, told: list[str]) -> str:
    """Open a mapped memory, query it, and return the outcome of the flipped bit."""
    try:
        found = mapped_answers(config)
    except TOLD as error:
        told.append(str(error))
        return "refused" if str(path.parent) in str(error) else "not told well"
    except Exception as error:  # noqa: BLE001  (a traceback is what is looked for)
        told.append(repr(error))
        return "traceback"
    return "nothing changed" if found == answers else "changed without a word"


def _run(composed: DictConfig, results: Path) -> Left:
    """Continue the run like the command, and return its files."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return Left.read(run_one(_at(composed, results)), results)


def _at(composed: DictConfig, results: Path) -> RunConfig:
    """Return the configuration of the run with its results in a folder."""
    config = composed.copy()
    config.paths.results = str(results)
    return run_config(config)


def _close(calls: Path) -> None:
    """Merge SQLite's side files into the database."""
    gc.collect()
    with closing(sqlite3.connect(calls)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for beside in calls.parent.glob(f"{calls.name}-*"):
        beside.unlink()


@contextmanager
def _told() -> Iterator[list[str]]:
    """Yield a list that collects the warnings of a run."""
    told: list[str] = []

    class Gather(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    handler, logger = Gather(logging.WARNING), logging.getLogger("remem")
    logger.addHandler(handler)
    try:
        yield told
    finally:
        logger.removeHandler(handler)


def shown(flips: Sequence[Flip]) -> str:
    """Return the outcomes by kind as lines of text, then all failures."""
    rows = [f"{'':18}" + "".join(f"{outcome:>24}" for outcome in OUTCOMES)]
    for kind in KINDS:
        of_kind = [flip.outcome for flip in flips if flip.kind == kind]
        counts = "".join(f"{of_kind.count(outcome):>24}" for outcome in OUTCOMES)
        rows.append(f"{kind:18}{counts}")
    failed = [f"{flip}" for flip in flips if flip.failed]
    return "\n".join([*rows, *failed])
