"""The result of a run: its folder and its records, split by the limits of this command."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.config.run_config import RunConfig
from remem.config.settings import read_settings
from remem.errors import NotRunError
from remem.llm.http_client import check_same_server
from remem.protocols import Benchmark
from remem.run.progress import Asked, OnProgress, asked_questions, not_shown, query_ids
from remem.run.store import RECORDS, read_manifest, read_records
from remem.types import Record


@dataclass(frozen=True, slots=True)
class EarlierCheckpoints:
    """The number of answers at all checkpoints of a run that asks questions as its memory grows.

    `failures` are the errors since the run was last started or resumed, without those at the last
    checkpoint.
    """

    answers: int = 0
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: the records of the questions that this command includes.

    The questions may have been asked now or by an earlier command. `not_asked` are the records of
    questions that a limit excludes from this command. With `run.stream`, the records are from the
    last checkpoint, and `earlier` counts the answers at all checkpoints.
    """

    folder: Path
    records: tuple[Record, ...]
    not_asked: tuple[Record, ...] = ()
    earlier: EarlierCheckpoints = EarlierCheckpoints()

    @property
    def total(self) -> int:
        """Return the number of questions asked."""
        return len(self.records)

    @property
    def errors(self) -> int:
        """Return the number of questions that ended in an error."""
        return len(self.failures)

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the error of each failed question."""
        return tuple(record.error for record in self.records if record.status == "error")


def kept_run(
    config: RunConfig,
    *,
    benchmark: Benchmark | None = None,
    on_progress: OnProgress = not_shown,
) -> RunResult:
    """Load the result of an earlier `run_experiment`; no memory is built and no question is asked.

    Raises:
        NotRunError: There is no such run.
        OtherServerError: The answers of the run came from a server that is not the configured one.
    """
    benchmark = benchmark or config.build_benchmark()
    fingerprint = config.fingerprint(benchmark.files())
    folder = config.run_folder(fingerprint)
    if not (folder / RECORDS).exists():
        raise NotRunError("no records")
    check_run_server(config, folder)
    asked = asked_questions(benchmark, config.histories, config.limit)
    return run_result(folder, read_records(folder, fingerprint), benchmark, asked)


def check_run_server(config: RunConfig, folder: Path) -> None:
    """Check that the stored answers of a run, if any, came from the configured server.

    Raises:
        OtherServerError: The answers came from another server.
    """
    earlier = read_manifest(folder).config if config.server else {}
    if not earlier or not (folder / RECORDS).exists():
        return
    stored = read_settings(earlier).llm.chat_model.endpoint.answering.address
    if stored != config.server and any(record.status == "ok" for record in read_records(folder)):
        check_same_server(stored, config.server, f"the answers in {folder}")


def run_result(
    folder: Path, records: Sequence[Record], benchmark: Benchmark, asked: Asked
) -> RunResult:
    """Return a result that keeps the records of asked questions apart from all other records.

    Records of questions that the benchmark does not have are left out.
    """
    asked_ids = query_ids(asked)
    other_ids = query_ids(asked_questions(benchmark)) - asked_ids
    return RunResult(
        folder,
        tuple(record for record in records if record.query_id in asked_ids),
        tuple(record for record in records if record.query_id in other_ids),
    )
