"""`remem doctor --live`: whether the pipeline works with a live model, for a few cents.

The check indexes three sessions of one LoCoMo conversation and asks twenty questions. It shows the
share of parsed replies, and the numbers of gists, facts and tokens next to those in the paper. The
check is too small for a score. At the end, it replays the run from its stored calls. If remem
serves the model on this machine, the check asks fewer questions.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from omegaconf import DictConfig, OmegaConf
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remem.bundle.portable import STORE, localised, portable, replay_config
from remem.bundle.replayed_run import asked_before
from remem.bundle.replies_and_vectors import restore_calls, stored_calls
from remem.config.instantiation import no_model
from remem.config.run_config import RunConfig, compose_config
from remem.errors import NotReadyError, NotReplayedError, QuestionsInErrorError, StopRunError
from remem.llm.call_store import CallStore
from remem.llm.http_client import needs_key
from remem.metrics.intervals import Interval
from remem.metrics.scores import summarise
from remem.paper.layout import paper_folder, read_table
from remem.results.costs import stage_prices
from remem.results.memory_graphs import memory_graphs
from remem.results.run import Run
from remem.results.run_notes import ASK_AGAIN, bracketed, describe_failures
from remem.run.experiment import run_experiment
from remem.run.progress import ShowProgress
from remem.run.run_result import RunResult
from remem.run.served_models import check_local_model

OVERRIDES = (
    "dataset=locomo_live_check",
    "method=remem_i",
    "extractor=llm",
    "planner=llm",
    "reader=direct",
    "llm=gpt-4.1-mini-2025-04-14",
    "llm.build.budget_dollars=0.2",
    "llm.build.store=${paths.results}/cache/live_check.sqlite",
    "runner=threads",
    "convention.score.bootstrap_unit=questions",  # there is one conversation
)
SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=2",
    "extractor=rules",  # whole sessions are too much for the smallest models
    "run.limit=3",
    "runner=serial",
    "llm.build.budget_dollars=null",
)
"""Overrides of the check of a model that the run itself serves; the check needs no key or data."""
READS = ("method=bm25_messages", "method.build.top_k=3", "prompts=few_shot")
"""Overrides of a second run of such a model, because the first may never call the reader."""
STAGES = ("index", "recall", "read")
LOCOMO_SESSIONS = 272
ONLY_STRONGER = (
    "These dialogues are generated, and too few for a score. Only a stronger model can extract "
    "gists and facts (extractor=llm), search before it answers, and be compared with the paper. "
    "To try one, set REMEM_DATA and run remem doctor --live with llm=gpt-4.1-mini-2025-04-14 and "
    "OPENAI_API_KEY, or with llm=openai_compatible for your own server."
)


@dataclass(frozen=True, slots=True)
class LiveCheck:
    """The result of a live check.

    Three fields have pairs of numbers. `parsed` has, for each stage, the number of parsed replies
    and the number of received replies. `calls` has the number of calls in the records and the
    number of replies in the store. `replayed` has the number of records that the replay reproduced
    and the number of all records. `of_paper` says whether the paper has numbers for such data.
    """

    parsed: dict[str, tuple[int, int]]
    sessions: int
    gists: int
    facts: int
    tokens_per_question: float
    f1: Interval | None
    result: RunResult
    failures: tuple[str, ...]
    calls: tuple[int, int]
    replayed: tuple[int, int]
    of_paper: bool


def compose_checks(overrides: Sequence[str]) -> tuple[DictConfig, ...]:
    """Compose the run of the check, or two small runs for a model served on this machine.

    The overrides apply to each of these runs.
    """
    whole = compose_config([*OVERRIDES, *overrides])
    if OmegaConf.select(whole, "llm.build.endpoint.server") is None:
        return (whole,)
    small = (*OVERRIDES, *SMALL)
    return compose_config([*small, *overrides]), compose_config([*small, *READS, *overrides])


def check_ready(config: RunConfig) -> None:
    """Raise NotReadyError if anything is missing; its message lists everything."""
    missing = list(_missing(config))
    if missing:
        raise NotReadyError(f"the live check cannot start; missing: {'; '.join(missing)}")


def run_check(config: RunConfig, show_progress: ShowProgress, *others: RunConfig) -> LiveCheck:
    """Run `config`, then `others`, which must use the same model and store; return the result."""
    runs = []
    for small_run in (config, *others):
        price = stage_prices(small_run)["read"]
        with show_progress(f"live check with {small_run.llm}", price) as on_progress:
            runs.append((small_run, run_experiment(small_run, on_progress=on_progress)))
    result = runs[0][1]
    ((history, graph),) = memory_graphs(config)
    usages = [Run.of(*run).stages for run in runs]
    tokens = sum(stage.usage.prompt_tokens for stage in usages[0] if stage.unit == "question")
    parsed = _parsed(_call_store(config))
    return LiveCheck(
        parsed=parsed,
        sessions=len(history.episodes),
        gists=len(graph.gists),
        facts=len(graph.facts),
        tokens_per_question=tokens / result.total,
        f1=summarise(result.records, config.score_convention()).overall.means["f1"],
        result=result,
        failures=tuple(error for _, run in runs for error in run.failures),
        calls=(
            sum(stage.usage.calls for stages in usages for stage in stages),
            sum(received for _, received in parsed.values()),
        ),
        replayed=(sum(_replayed(*run) for run in runs), sum(run.total for _, run in runs)),
        of_paper=config.dataset.startswith("locomo"),
    )


def check_passed(check: LiveCheck) -> None:
    """Raise an error if a question failed, or if the replay gave different records.

    Raises:
        QuestionsInErrorError: A question of one of the runs failed.
        NotReplayedError: The stored calls gave other records.
    """
    if check.failures:
        raise QuestionsInErrorError(describe_failures(check.failures, None, "question", ASK_AGAIN))
    same, records = check.replayed
    if same != records:
        raise NotReplayedError(
            f"a replay of the stored calls reproduced only {same} of {records} records; compare "
            f"the records in {check.result.folder} with another run of the same command"
        )


def show_check(check: LiveCheck) -> RenderableType:
    """Return the result as a table; for LoCoMo data, it also has the paper's numbers."""
    table = Table("", "here", *["the paper's LoCoMo"] * check.of_paper, box=box.SIMPLE_HEAD)
    for quantity, here, paper in _rows(check):
        table.add_row(quantity, here, *[paper] * check.of_paper)
    return table if check.of_paper else Group(table, Text(ONLY_STRONGER))


def _rows(check: LiveCheck) -> Iterator[tuple[str, str, str]]:
    for stage, (parsed, received) in check.parsed.items():
        yield f"{stage}: replies that could be parsed", f"{parsed} of {received}", "-"
    yield "calls in the records, and in the call store", "{} and {}".format(*check.calls), "-"
    yield "records that a replay without calls reproduces", "{} of {}".format(*check.replayed), "-"
    gists, facts, tokens = _paper_numbers()
    yield "gists per session", f"{check.gists / check.sessions:.1f}", f"{gists:.1f}"
    yield "facts per session", f"{check.facts / check.sessions:.1f}", f"{facts:.1f}"
    yield "tokens in, per question", f"{check.tokens_per_question:,.0f}", f"{tokens:,.0f}"
    if check.of_paper and check.f1 is not None:
        f1 = f"{100 * check.f1.mean:.1f} {bracketed(check.f1, '.1f', 100)}"
        yield "F1", f1, f"too few questions (n = {check.f1.n})"


def _paper_numbers() -> tuple[float, float, float]:
    """Return the paper's numbers of gists and facts per session, and of tokens per question."""
    graphs = read_table(paper_folder() / "graphs.yaml").cells
    tokens = read_table(paper_folder() / "tokens.yaml").cells["REMem-I", "inference input"]
    gists, facts = (
        float(graphs[row, "locomo"].number.value) * 10 / LOCOMO_SESSIONS
        for row in ("# of gist nodes", "# of triples")
    )
    return gists, facts, float(tokens.number.value) / 1986


def _replayed(config: RunConfig, result: RunResult) -> int:
    """Answer the questions from stored calls only, and return the number of equal records."""
    store = _call_store(config)
    packages = config.settings.run.packages
    with TemporaryDirectory(prefix="remem-live-check-") as folder:
        restore_calls(Path(folder) / STORE, stored_calls(store))
        bundled, _ = portable(config.resolved, packages)
        places = {**asdict(config.settings.paths), "results": folder}
        again = replay_config(localised(bundled, places, packages))
        questions = [record.query_id for record in result.records]
        benchmark = asked_before(again.build_benchmark(), questions)
        records = run_experiment(again, benchmark=benchmark).records
    return sum(before == now for before, now in zip(result.records, records, strict=True))


def _missing(config: RunConfig) -> Iterator[str]:
    _call_store(config)  # there is a model to ask
    endpoint = config.settings.llm.chat_model.endpoint
    variable = endpoint.key_variable  # a model that the run serves itself has no key
    if variable and needs_key(endpoint.base_url) and not os.environ.get(variable):
        yield f"the environment variable {variable} with a key for {endpoint.base_url}"
    yield from _unservable(config)
    try:
        config.build_benchmark()
    except (OSError, ValueError) as error:
        yield f"LoCoMo ({error})"


def _unservable(config: RunConfig) -> Iterator[str]:
    """Yield what is missing to serve the model here, if the run serves it."""
    if config.chat_model is not None:
        config.chat_model.get()
        try:
            check_local_model(f"llm={config.settings.llm.name}", config.chat_model)
        except StopRunError as error:
            yield str(error)


def _call_store(config: RunConfig) -> Path:
    build = config.settings.llm.build
    if build is None:
        raise no_model(config.settings.llm.name)
    return Path(build["store"])


def _parsed(store: Path) -> dict[str, tuple[int, int]]:
    calls = CallStore(store)
    outcomes = calls.outcomes()
    calls.close()
    received = Counter[str]()
    for (stage, outcome), count in outcomes.items():
        received[stage] += count if outcome != "error" else 0
    return {stage: (outcomes.get((stage, "ok"), 0), received[stage]) for stage in STAGES}
