"""Replaying a bundle: its runs answered again from its replies, vectors and the reader's own data.

No model is asked and nothing is sent. What comes out is compared, record by record and score by
score, with what was packed.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from remem.bundle.calls import restore_calls
from remem.bundle.layout import CALLS, Call, run_entry
from remem.bundle.portable import STORE, localised, replay_config
from remem.bundle.reading import Bundle, open_bundle
from remem.bundle.run_parts import RunParts, check_scores, malformed_config, read_run_parts
from remem.bundle.sums import first_difference, records_sum
from remem.bundle.vectors import restore_vectors
from remem.bundle.verdicts import restore_verdicts
from remem.bundle.verify import Verified, verify
from remem.config import RunConfig, compose_config
from remem.data_files.audit import VerificationFailedError
from remem.experiment import OnProgress, RunResult, run_experiment
from remem.identity import data_sums
from remem.instantiation import UsageError
from remem.metrics.scores import score_questions
from remem.protocols import Benchmark, StopRunError
from remem.report.run_scores import SCORES
from remem.store import TIMINGS, Timing, write_whole

ShowProgress = Callable[[str], AbstractContextManager[OnProgress]]


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """A run whose records came out the same, or that could only be scored from what was packed.

    `lacking` says in the second case why; `remark` is what is worth knowing all the same.
    """

    label: str
    questions: int
    lacking: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What was found, in the order of the bundle."""

    verified: Verified
    runs: tuple[ReplayedRun, ...]


def replay(
    path: Path,
    data: Path,
    results: Path,
    show_progress: ShowProgress,
    packages: Sequence[str] = (),
) -> Replayed:
    """Verify a bundle, then answer its runs again.

    Args:
        path: The bundle.
        data: The folder that holds <set>/<file>.
        results: An empty folder, for the runs and their store.
        show_progress: Called with the label of a run, once for each.
        packages: Packages of the reader's whose classes the bundle may name.

    Raises:
        VerificationFailedError: Something differs; it names the first that does.
    """
    if results.exists() and any(results.iterdir()):
        raise UsageError(f"{results} is not empty: a replay starts from nothing")
    verified = verify(path)
    places = {
        "data": str(data),
        "results": str(results.resolve()),
        "prompts": str(compose_config([]).paths.prompts),
    }
    with open_bundle(path) as bundle:
        restore_calls(results / STORE, bundle.lines(CALLS, Call))
        for number, table in enumerate(bundle.index.tables, start=1):
            restore_vectors(bundle, number, table, results / STORE)
        runs = []
        for number in range(1, bundle.index.runs + 1):
            parts = read_run_parts(bundle, number)
            with malformed_config(f"{path}: {parts.name}"):
                config = replay_config(localised(parts.config, places, packages))
                benchmark = config.build_benchmark()
                benchmark.histories()
            with show_progress(parts.notes.label) as on_progress:
                runs.append(_replayed(bundle, parts, config, benchmark, on_progress))
    return Replayed(verified, tuple(runs))


def _replayed(
    bundle: Bundle, parts: RunParts, config: RunConfig, benchmark: Benchmark, progress: OnProgress
) -> ReplayedRun:
    _check_prompts(parts, config)
    label, questions = parts.notes.label, len(parts.records)
    other_data = _other_data(parts, benchmark)
    try:
        with malformed_config(parts.name):
            config.memory_factory()()
            config.build_reader()
        result = run_experiment(config, benchmark=benchmark, on_progress=progress)
    except ImportError as error:  # a rival's package: its packed scores have been verified
        return ReplayedRun(label, questions, lacking=str(error))
    except StopRunError as error:
        raise _differs(parts, str(error), other_data) from error
    difference = first_difference(parts.records, result.records)
    if difference:
        raise _differs(parts, difference, other_data)
    if records_sum(result.records) != parts.notes.records_sha256:
        raise _differs(parts, "other records than the bundle says", other_data)
    _write_beside(bundle, parts, result)
    return ReplayedRun(label, questions, remark=other_data and f"{other_data}, to the same effect")


def _write_beside(bundle: Bundle, parts: RunParts, result: RunResult) -> None:
    """Compare scores and verdicts, and put them into the run's folder with the packed times."""
    for name, said in parts.verdicts.items():
        rule = parts.convention.refusal_gold
        difference = restore_verdicts(result.folder / name, said, result.records, rule)
        if difference:
            raise _differs(parts, f"{name}: {difference}", "")
    scores = check_scores(bundle, parts, score_questions(result.records, parts.convention))
    write_whole(result.folder / SCORES, scores)
    adapter = TypeAdapter(Timing)
    timings = bundle.lines(run_entry(parts.number, TIMINGS), Timing)
    write_whole(result.folder / TIMINGS, b"".join(adapter.dump_json(t) + b"\n" for t in timings))


def _check_prompts(parts: RunParts, config: RunConfig) -> None:
    with malformed_config(parts.name):
        here = config.prompts
    for before, now in zip(parts.notes.prompts, here, strict=False):
        if before != now:
            told = f"{before.library}:{before.name} had sha256 {before.sha256}"
            raise _differs(parts, f"the prompt {told}, here it has {now.sha256}", "")
    if len(parts.notes.prompts) != len(here):
        raise _differs(parts, f"{len(here)} prompts, not {len(parts.notes.prompts)}", "")


def _other_data(parts: RunParts, benchmark: Benchmark) -> str:
    """Say which data file is the first to be another than the packer's; "" where none is.

    It need not matter: the same file may be packed otherwise.
    """
    before, now = data_sums(parts.notes.data), data_sums(benchmark.files())
    if before == now:
        return ""
    told = next(([*pair] for pair in before if pair not in now), before[0] if before else ["none"])
    return f"the data are others here: the run read {' with sha256 '.join(told)}"


def _differs(parts: RunParts, difference: str, other_data: str) -> VerificationFailedError:
    told = "; ".join(filter(None, (difference, other_data)))
    return VerificationFailedError(f"{parts.name}: the first difference: {told}")
