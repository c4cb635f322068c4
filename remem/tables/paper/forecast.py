"""Forecast what a table of the paper will cost and need, before anything is sent to a model.

Each run is rehearsed (`remem.results.estimate`). The runs of a table are rehearsed together. If
several rows share an index, it is thus counted only once, for the first row.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from multiprocessing import get_context
from typing import Literal

from remem.config.conf_files import conf_file
from remem.config.instantiation import instantiate_checked
from remem.config.permissions import sends_each_message
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import PAPER_ENCODERS, serving_command, wanted_encoder
from remem.errors import NotServedError
from remem.files.yaml_text import load_yaml
from remem.llm.http_client import needs_key
from remem.protocols import Benchmark
from remem.results.costs import StageUsage
from remem.results.estimate import UsageEstimate, estimate_together
from remem.run.progress import Asked, asked_questions, questions_of
from remem.run.served_models import encoder_at, served_node
from remem.tables.paper.cells import Cells
from remem.tables.paper.comparable import Comparable, comparable
from remem.tables.paper.plan import run_components
from remem.tables.paper.rows import OWN_PROMPTS
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import labelled_runs
from remem.tables.rows import RowOutcome
from remem.types import Stage, Usage

LATENCY_SECONDS = 2.0
"""The assumed duration of a call."""

PROMPTS = "prompts"
OWN = "own"
LOADED = "remem.embed.sentence_transformer.SentenceTransformerEmbedder"
State = Literal["finished", "will run", "cannot"]


@dataclass(frozen=True, slots=True)
class Need:
    """Something that is missing; `what` is its name, `remedy` says how to provide it."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """The remaining calls of one run.

    `labels` are the labels of the rows that show the run, and `stages` holds the usage of each
    stage. `answered` is the number of `questions` that have an answer. If the usage cannot be
    estimated, `stages` is empty, and `no_estimate` says why.
    """

    labels: tuple[str, ...]
    dataset: str
    state: State
    questions: int
    answered: int
    stages: tuple[StageUsage, ...]
    in_flight: int
    sends_alone: bool = False
    """Whether the index sends one call at a time."""
    needs: tuple[Need, ...] = ()
    no_estimate: str = ""

    @property
    def usage(self) -> Usage:
        """Return the calls and tokens of all stages."""
        return sum((stage.usage for stage in self.stages), Usage())

    @property
    def seconds(self) -> float:
        """Return the seconds that all calls take, at `LATENCY_SECONDS` each."""
        calls = sum(
            stage.usage.calls
            / (1 if stage.stage == "index" and self.sends_alone else self.in_flight)
            for stage in self.stages
        )
        return calls * LATENCY_SECONDS

    @property
    def dollars(self) -> float | None:
        """Return the dollars of all stages; None if a price is unknown."""
        known_dollars = [stage.dollars for stage in self.stages if stage.dollars is not None]
        return sum(known_dollars) if len(known_dollars) == len(self.stages) else None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a table of the paper will cost and need, and which numbers can have a verdict."""

    name: str
    number: int
    rows: tuple[ForecastRow, ...]
    comparable: Comparable
    with_our_prompts: bool
    """Whether our prompts stood in for released ones that are missing."""

    @property
    def dollars(self) -> float:
        """Return the dollars of all calls whose price is known."""
        return sum(row.dollars or 0.0 for row in self.rows)

    @property
    def seconds(self) -> float:
        """Return the seconds that all calls take if the rows run one after another."""
        return sum(row.seconds for row in self.rows)


def forecasts(tables: Sequence[Cells], runs: TableRuns) -> list[Forecast]:
    """Return the forecast of each table; a run that tables share counts only for the first of them.

    Nothing is sent to a model.
    """
    planned: dict[tuple[str, ...], _Planned] = {}
    of_tables = []
    for cells in tables:
        labelled = list(labelled_runs(cells))
        new = {
            run.plan.overrides: _planned(run, labels, runs)
            for labels, run in labelled
            if run.plan.overrides not in planned
        }
        planned |= new
        of_tables.append((cells, {run.plan.overrides: run.config for _, run in labelled}, new))
    estimates = _estimates([row for row in planned.values() if row.rehearsed])
    return [_forecast(cells, configs, new, estimates) for cells, configs, new in of_tables]


@dataclass(frozen=True, slots=True)
class _Planned:
    """A row before its estimate: the share of each stage left to do, and overrides to rehearse."""

    row: ForecastRow
    left: Mapping[Stage, Fraction]
    rehearsed: tuple[str, ...] = ()


_Estimates = Mapping[tuple[str, ...], UsageEstimate | ImportError | RuntimeError]


def _estimates(rows: Sequence[_Planned]) -> _Estimates:
    """Rehearse the rows of each dataset in one process, and its slow rows in another.

    Slow rows send one call at a time while indexing, and share no calls with other rows.
    """
    apart: dict[tuple[bool, str], list[tuple[str, ...]]] = {}
    for planned in rows:
        key = (not planned.row.sends_alone, planned.row.dataset)
        apart.setdefault(key, []).append(planned.rehearsed)
    groups = [apart[key] for key in sorted(apart)]
    workers = min(len(groups), os.cpu_count() or 1)
    if workers < 2:
        by_group = list(map(estimate_together, groups))
    else:
        anew = get_context("spawn")  # a fork of a process with threads, as the stub's, may crash
        with ProcessPoolExecutor(workers, mp_context=anew) as processes:
            by_group = list(processes.map(estimate_together, groups))
    return {
        overrides: estimate
        for group, estimates in zip(groups, by_group, strict=True)
        for overrides, estimate in zip(group, estimates, strict=True)
    }


def _forecast(
    cells: Cells,
    configs: Mapping[tuple[str, ...], RunConfig],
    new: Mapping[tuple[str, ...], _Planned],
    estimates: _Estimates,
) -> Forecast:
    paper = cells.paper
    rows = tuple(_estimated(planned, estimates) for planned in new.values())
    stands_in = any(need.what == PROMPTS for row in rows for need in row.needs)
    numbers = comparable([paper], cells.overrides, configs)
    return Forecast(paper.name, paper.header.number, rows, numbers, stands_in)


def _estimated(planned: _Planned, estimates: _Estimates) -> ForecastRow:
    row = planned.row
    if not planned.rehearsed:
        return row
    estimate = estimates[planned.rehearsed]
    if isinstance(estimate, ImportError):
        package = Need("package", str(estimate))
        return replace(row, state="cannot", needs=(*row.needs, package))
    if isinstance(estimate, RuntimeError):
        return replace(row, no_estimate=str(estimate))
    stages = tuple(stage.part(planned.left[stage.stage]) for stage in estimate.stages)
    return replace(row, stages=stages)


def _planned(run: RowOutcome, labels: tuple[str, ...], runs: TableRuns) -> _Planned:
    config = run.config
    benchmark = _benchmark(run, runs)
    asked = asked_questions(benchmark, config.histories, config.limit) if benchmark else []
    row = ForecastRow(
        labels=labels,
        dataset=config.dataset,
        state="finished",
        questions=len(questions_of(asked)),
        answered=sum(record.status == "ok" for record in run.records),
        stages=(),
        in_flight=config.workers,
        sends_alone=sends_each_message(config.settings.method.build["_target_"]),
    )
    left = _stages_left(run, asked)
    if benchmark is not None and not any(left.values()):
        return _Planned(row, left)
    missing = needs(run, has_data=benchmark is not None)
    row = replace(row, state="cannot" if missing else "will run", needs=missing)
    if benchmark is None or run.impossible:
        return _Planned(row, left)
    stand_in = OWN_PROMPTS if any(need.what == PROMPTS for need in missing) else ()
    return _Planned(row, left, (*run.plan.overrides, *stand_in))


def _benchmark(run: RowOutcome, runs: TableRuns) -> Benchmark | None:
    try:
        return runs.benchmark(run.config)
    except FileNotFoundError:
        return None


def _stages_left(outcome: RowOutcome, asked: Asked) -> dict[Stage, Fraction]:
    """Return the share of each stage that is still to be done."""
    answered = {record.query_id for record in outcome.records if record.status == "ok"}
    pending = [
        (history, [question for question in questions if question.query.id not in answered])
        for history, questions in asked
    ]
    questions, left = len(questions_of(asked)), len(questions_of(pending))
    indexed = outcome.manifest.index_usage
    to_index = sum(bool(some) and history.id not in indexed for history, some in pending)
    judged = {} if outcome.run is None else outcome.run.verdicts
    unjudged = questions - len(judged) if outcome.config.settings.judge.build else 0
    return {
        "index": Fraction(to_index, max(1, len(asked))),
        "recall": Fraction(left, max(1, questions)),
        "read": Fraction(left, max(1, questions)),
        "judge": Fraction(unjudged, max(1, questions)),
    }


def remedies(rows: Sequence[ForecastRow]) -> Iterator[Need]:
    """Yield the needs of all rows, without repetitions."""
    yield from dict.fromkeys(need for row in rows for need in row.needs)


def needs(run: RowOutcome, *, has_data: bool) -> tuple[Need, ...]:
    """Return what an unfinished run still needs; nothing is sent to a model."""
    if run.impossible:
        return (Need("another method", run.missing),)
    data = () if has_data else (Need("data", f"remem data fetch {run.config.dataset}"),)
    encoder = _encoder(run.config) if run.embeds else ()
    return tuple(dict.fromkeys((*data, *_keys(run.config), *_prompts(run.config), *encoder)))


def _keys(config: RunConfig) -> Iterator[Need]:
    for chat_model in (config.settings.llm.chat_model, config.settings.judge.chat_model):
        endpoint = chat_model.endpoint if chat_model else None
        variable = endpoint.key_variable if endpoint and needs_key(endpoint.base_url) else None
        if variable and not os.environ.get(variable):
            yield Need("key", f"export {variable}=<your key>")


def _prompts(config: RunConfig) -> Iterator[Need]:
    parts = run_components(config)
    try:
        config.prompts  # noqa: B018  reads the texts
    except FileNotFoundError:
        for library in dict.fromkeys(prompt.library for prompt in parts.prompts):
            if library != OWN:
                yield Need(PROMPTS, f"remem data prompts {library}")
    try:
        config.judge_prompt  # noqa: B018
    except FileNotFoundError:
        yield Need(PROMPTS, f"remem data prompts {parts.judge_prompt}")


def _encoder(config: RunConfig) -> Iterator[Need]:
    """Yield what is missing to run the encoder: its server, a package or a GPU."""
    embedder = config.settings.embedder
    served = served_node(config)
    if served is not None:
        try:
            encoder_at(served)
        except NotServedError as error:
            yield Need("encoder", str(error))
        return
    loaded = embedder.build.get("embedder", {})
    if loaded.get("_target_") != LOADED:
        return
    try:
        instantiate_checked(loaded)  # loads no weights
    except ImportError as error:
        yield Need("encoder", _remedy(embedder.name, str(error)))
    else:
        if embedder.name in PAPER_ENCODERS and shutil.which("nvidia-smi") is None:
            where_one_is = f"where one is: {serving_command(embedder.name)}; then here, "
            yield Need("GPU", _remedy(embedder.name, f"{where_one_is}add embedder=served"))


def _remedy(name: str, otherwise: str) -> str:
    """Return how to use the encoder if it is already served on this machine, else `otherwise`."""
    file = conf_file("embedder", "served")
    address = str(load_yaml(file).build.embedder.base_url) if file else ""
    try:
        wanted_encoder(name, address)
    except NotServedError:
        return otherwise
    return f"{name} is served at {address}: add embedder=served"
