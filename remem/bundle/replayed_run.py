"""Give a replayed run the name, times, verdicts and measurements of the original run.

Tables and reports then find the replayed run, and show the same values as for the original run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from remem.bundle.layout import Environment, PackedVerdict, RunNotes
from remem.bundle.run_parts import restore_verdicts
from remem.config.run_config import RunConfig
from remem.errors import VerificationFailedError
from remem.files.adapters import adapter
from remem.files.disk import write_whole
from remem.metrics.refusal import RefusalGold
from remem.protocols import Benchmark, DataFile
from remem.run.memory_checks import restore_memory_checks
from remem.run.run_manifest import RunManifest
from remem.run.run_result import RunResult
from remem.run.store import TIMINGS, Timing, open_run, read_manifest
from remem.types import History, Question, Record

HERE = ("commits", "code", "python", "platform", "packages", "started", "finished")
"""The fields of the replay itself that its manifest stores under `replayed`."""
COUNTS = ("answered", "errors")
"""The fields of a manifest that count the records of the run."""
NO_TIME = Timing("", 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """A benchmark restricted to the questions recorded in a run."""

    benchmark: Benchmark
    query_ids: frozenset[str]

    def histories(self) -> Sequence[History]:
        """Return the histories that have at least one question in `query_ids`."""
        return [history for history in self.benchmark.histories() if self.questions(history.id)]

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return those questions of a history that are in `query_ids`."""
        questions = self.benchmark.questions(history_id)
        return [question for question in questions if question.query.id in self.query_ids]

    def files(self) -> Sequence[DataFile]:
        """Return the data files of the entire benchmark."""
        return self.benchmark.files()


def asked_before(benchmark: Benchmark, query_ids: Sequence[str]) -> AskedBefore:
    """Return a benchmark restricted to the given questions.

    Raises:
        VerificationFailedError: A question is not in the data.
    """
    there = {
        question.query.id
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    }
    for query_id in query_ids:
        if query_id not in there:
            raise VerificationFailedError(f"question {query_id} is not in the data")
    return AskedBefore(benchmark, frozenset(query_ids))


def environment_of(manifest: RunManifest) -> Environment:
    """Return the fields of a manifest that a bundle stores."""
    content = {of.name: getattr(manifest, of.name) for of in fields(Environment)}
    pairs = tuple((failed.history, failed.episode) for failed in manifest.failed_episodes)
    usages = manifest.index_usages
    return Environment(**{**content, "index_usage": usages, "failed_episodes": pairs})


def _without_remarks(environment: Environment) -> Environment:
    """Return an environment without remarks on replies, which depend on the version of remem."""
    usages = environment.index_usage.items()
    bare = {history: replace(usage, remarks={}) for history, usage in usages}
    return replace(environment, index_usage=bare)


def index_difference(before: Environment, folder: Path) -> str:
    """Describe the first difference between the indexes of two runs; "" if they are equal.

    Args:
        before: The environment of the original run.
        folder: The folder of the replayed run.
    """
    before, now = map(_without_remarks, (before, environment_of(read_manifest(folder))))
    for name in ("index_usage", "index_counts", "failed_episodes"):
        if getattr(before, name) != getattr(now, name):
            return f"{name} of the index: {getattr(before, name)} before, {getattr(now, name)} now"
    return ""


def settle(config: RunConfig, folder: Path, notes: RunNotes) -> Path:
    """Give the folder of a replayed run the name of the original one; return the new folder.

    The manifest then has the environment of the original run. The environment of the replay is
    under the key `replayed`.

    Raises:
        VerificationFailedError: The folder exists already.
    """
    place = config.run_folder(notes.fingerprint)
    if place.exists() and place != folder:
        raise VerificationFailedError(
            f"the bundle has two runs with the name {place.name}, so it is not replayed"
        )
    before = adapter(Environment).dump_python(notes.environment, mode="json")
    # The replay also has the reasons of failures, and has counted its own records.
    for name in ("failed_episodes", *COUNTS):
        del before[name]
    with open_run(folder) as store:
        manifest = store.read_manifest()
        replayed = {name: recorded for name, recorded in manifest.items() if name in HERE}
        named = {"fingerprint": notes.fingerprint, "replayed": replayed}
        store.write_manifest({**manifest, **before, **named})
    restore_memory_checks(folder, notes.memory_checks)
    return folder.replace(place)


def restored_run(config: RunConfig, notes: RunNotes, records: Sequence[Record]) -> RunResult:
    """Create the folder of a run from its packed records, if the run cannot be replayed here."""
    folder = config.run_folder("restored")
    with open_run(folder) as store:
        for record in records:
            store.append(record, NO_TIME)
        store.write_canonical()
        names = adapter(RunNotes).dump_python(notes, mode="json")
        kept = {name: names[name] for name in ("data", "prompts")}
        counts = (sum(record.status == status for record in records) for status in ("ok", "error"))
        counted = dict(zip(COUNTS, counts, strict=True))
        store.write_manifest({"config": config.resolved, "llm": config.llm, **kept, **counted})
    return RunResult(settle(config, folder, notes), tuple(records))


def write_verdicts(
    run: RunResult,
    packed_verdicts: Mapping[str, Sequence[PackedVerdict]],
    refusal_gold: RefusalGold,
) -> str:
    """Write the verdicts of each judge to the run's folder.

    Returns:
        The first verdict that does not belong to an answer; "" if there is none.
    """
    for name, verdicts in packed_verdicts.items():
        difference = restore_verdicts(run.folder / name, verdicts, run.records, refusal_gold)
        if difference:
            return f"{name}: {difference}"
    return ""


def write_timings(folder: Path, timings: Iterable[Timing]) -> None:
    """Write the question times of the original run to the folder of the replayed run."""
    writer = adapter(Timing)
    write_whole(folder / TIMINGS, b"".join(writer.dump_json(timing) + b"\n" for timing in timings))
