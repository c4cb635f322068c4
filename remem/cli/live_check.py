"""`make live-check`: whether the line works with a live model, for a few cents.

Three sessions of one LoCoMo conversation are indexed and twenty questions are asked. It shows what
the prompts meet: replies that parse, gists and facts as many as the paper's, tokens; and no score.
Then the run is replayed from its calls alone. A model that the run serves itself is asked less.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from omegaconf import DictConfig
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from remem.bundle.calls import restore_calls, stored_calls
from remem.bundle.portable import STORE, localised, portable, replay_config
from remem.bundle.replayed_run import asked_before
from remem.cli.hydra_entry import QuestionsInErrorError
from remem.config.run_config import RunConfig, compose_config
from remem.evaluation.graphs import memory_graphs
from remem.evaluation.interval_text import bracketed
from remem.evaluation.usage import usage_by_stage
from remem.llm.call_store import CallStore
from remem.llm.openai_endpoint import needs_key
from remem.metrics.intervals import Interval
from remem.metrics.scores import summarise
from remem.paper.tables import paper_folder, read_table
from remem.protocols import StopRunError
from remem.run.experiment import run_experiment
from remem.run.local_models import check_local_model
from remem.run.run_account import OnProgress
from remem.run.run_result import RunResult

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
SERVED_HERE = ("llm=smollm2", "llm=gguf")
SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=2",
    "extractor=rules",  # whole sessions are too much for the smallest models
    "run.limit=3",
    "runner=serial",
    "llm.build.budget_dollars=null",
)
"""What is asked of a model that the run serves itself: it needs no key, no data and no dollars."""
READS = ("method=bm25_messages", "method.build.top_k=3", "prompts=few_shot")
"""A second run of such a model, which may plan to answer at once: then its reader is not asked."""
STAGES = ("index", "recall", "read")
LOCOMO_SESSIONS = 272
ONLY_STRONGER = (
    "These are made-up dialogues, and too few for a score. Only a stronger model can show: gists "
    "and facts of its own (extractor=llm), plans that search before they answer, and the paper's "
    "numbers. To ask one: remem live-check llm=gpt-4.1-mini-2025-04-14 with OPENAI_API_KEY, or "
    "llm=openai_compatible for a server of yours; both need REMEM_DATA."
)


class NotReadyError(RuntimeError):
    """Something that a live check needs is not at hand."""


class NotReplayedError(RuntimeError):
    """The stored calls do not give the same records again."""


@dataclass(frozen=True, slots=True)
class LiveCheck:
    """What came of it. `parsed` are shares of the replies by stage, (taken, received).

    `errors` are the questions of all runs that have no answer. `calls` are those that the records
    count, and the replies in the store. `replayed` counts the records that came out the same from
    the stored calls alone, and all. `of_paper` says whether the paper has numbers of such data.
    """

    parsed: dict[str, tuple[int, int]]
    sessions: int
    gists: int
    facts: int
    tokens_per_question: float
    f1: Interval | None
    result: RunResult
    errors: int
    calls: tuple[int, int]
    replayed: tuple[int, int]
    of_paper: bool


def compose_checks(overrides: Sequence[str]) -> tuple[DictConfig, ...]:
    """Compose the run of the check, two small ones for a model of this machine.

    Any override holds, for both.
    """
    if not {*SERVED_HERE} & {*overrides}:
        return (compose_config([*OVERRIDES, *overrides]),)
    small = (*OVERRIDES, *SMALL)
    return compose_config([*small, *overrides]), compose_config([*small, *READS, *overrides])


def check_ready(config: RunConfig) -> None:
    """Raise NotReadyError that names everything that is missing."""
    missing = list(_missing(config))
    if missing:
        raise NotReadyError(f"live-check cannot begin, missing: {'; '.join(missing)}")


def live_check(config: RunConfig, on_progress: OnProgress, *others: RunConfig) -> LiveCheck:
    """Run the check, within its budget, then other runs of the same model and store."""
    runs = [(config, run_experiment(config, on_progress=on_progress))]
    runs += [(other, run_experiment(other, on_progress=on_progress)) for other in others]
    result = runs[0][1]
    ((history, graph),) = memory_graphs(config)
    usages = [usage_by_stage(one, of.folder, of.records) for one, of in runs]
    asked = sum(stage.usage.prompt_tokens for stage in usages[0] if stage.unit == "question")
    parsed = _parsed(Path(config.resolved["llm"]["build"]["store"]))
    return LiveCheck(
        parsed=parsed,
        sessions=len(history.episodes),
        gists=len(graph.gists),
        facts=len(graph.facts),
        tokens_per_question=asked / result.total,
        f1=summarise(result.records, config.score_convention()).overall.means["f1"],
        result=result,
        errors=sum(run.errors for _, run in runs),
        calls=(
            sum(stage.usage.calls for stages in usages for stage in stages),
            sum(received for _, received in parsed.values()),
        ),
        replayed=(sum(_replayed(*run) for run in runs), sum(run.total for _, run in runs)),
        of_paper=config.dataset.startswith("locomo"),
    )


def check_passed(found: LiveCheck) -> None:
    """Raise an error if a question has no answer, or a replay gave other records.

    Raises:
        QuestionsInErrorError: A question of any of the runs ended in an error.
        NotReplayedError: The stored calls gave other records.
    """
    if found.errors:
        raise QuestionsInErrorError(
            f"{found.errors} questions ended in an error; the same command asks them again"
        )
    same, of = found.replayed
    if same != of:
        raise NotReplayedError(
            f"a replay of the stored calls gave {same} of {of} records again; "
            f"compare the records in {found.result.folder} with another run of the same command"
        )


def show_check(found: LiveCheck) -> RenderableType:
    """Show the findings, and what the paper has of all of LoCoMo if these data are of it."""
    table = Table("", "here", *["the paper's LoCoMo"] * found.of_paper, box=box.SIMPLE_HEAD)
    for what, here, paper in _rows(found):
        table.add_row(what, here, *[paper] * found.of_paper)
    return table if found.of_paper else Group(table, Text(ONLY_STRONGER))


def _rows(found: LiveCheck) -> Iterator[tuple[str, str, str]]:
    for stage, (taken, received) in found.parsed.items():
        yield f"{stage}: replies that could be used", f"{taken} of {received}", "-"
    yield "calls that the records count, and the call store holds", _of(found.calls, "and"), "-"
    yield "records that a replay gives again, without a call", _of(found.replayed, "of"), "-"
    gists, facts, tokens = _paper_numbers()
    yield "gists a session", f"{found.gists / found.sessions:.1f}", f"{gists:.1f}"
    yield "facts a session", f"{found.facts / found.sessions:.1f}", f"{facts:.1f}"
    yield "tokens in, a question", f"{found.tokens_per_question:,.0f}", f"{tokens:,.0f}"
    if found.of_paper and found.f1 is not None:
        shown = f"{100 * found.f1.mean:.1f} {bracketed(found.f1, '.1f', 100)}"
        yield "F1", shown, f"n = {found.f1.n} proves no score"


def _of(pair: tuple[int, int], word: str) -> str:
    return f"{pair[0]} {word} {pair[1]}"


def _paper_numbers() -> tuple[float, float, float]:
    """Return the gists and facts of a session, and the tokens of a question."""
    graphs = read_table(paper_folder() / "graphs.yaml").cells
    tokens = read_table(paper_folder() / "tokens.yaml").cells["REMem-I", "inference input"]
    gists, facts = (
        float(graphs[row, "locomo"].number.value) * 10 / LOCOMO_SESSIONS
        for row in ("# of gist nodes", "# of triples")
    )
    return gists, facts, float(tokens.number.value) / 1986


def _replayed(config: RunConfig, result: RunResult) -> int:
    """Answer the questions from the stored calls alone and count the records that are the same."""
    store = Path(config.resolved["llm"]["build"]["store"])
    packages = config.resolved["run"]["packages"]
    with TemporaryDirectory(prefix="remem-live-check-") as folder:
        restore_calls(Path(folder) / STORE, stored_calls(store))
        travelled, _ = portable(config.resolved, packages)
        places = {**config.resolved["paths"], "results": folder}
        again = replay_config(localised(travelled, places, packages))
        asked = [record.query_id for record in result.records]
        benchmark = asked_before(again.build_benchmark(), asked)
        records = run_experiment(again, benchmark=benchmark).records
    return sum(one == other for one, other in zip(result.records, records, strict=True))


def _missing(config: RunConfig) -> Iterator[str]:
    endpoint = config.resolved["llm"]["build"]["endpoint"]
    variable = endpoint.get("key_variable", "")  # a model that the run serves itself has none
    if variable and needs_key(endpoint["base_url"]) and not os.environ.get(variable):
        yield f"the environment variable {variable} with a key of {endpoint['base_url']}"
    yield from _unservable(config)
    try:
        config.build_benchmark()
    except (OSError, ValueError) as error:
        yield f"LoCoMo ({error})"


def _unservable(config: RunConfig) -> Iterator[str]:
    """Say what is missing to serve the model here, if the run serves it itself."""
    if config.chat_model is not None:
        config.chat_model.get()
        try:
            check_local_model("llm", config.resolved, config.chat_model)
        except StopRunError as error:
            yield str(error)


def _parsed(store: Path) -> dict[str, tuple[int, int]]:
    calls = CallStore(store)
    outcomes = calls.outcomes()
    calls.close()
    received = Counter[str]()
    for (stage, outcome), count in outcomes.items():
        received[stage] += count if outcome != "error" else 0
    return {stage: (outcomes.get((stage, "ok"), 0), received[stage]) for stage in STAGES}
