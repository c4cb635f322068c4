"""Refuse a run with unknown settings, and stop a run whose scores would not measure the memory.

For example, the memory is empty, has no dates, is always retrieved in full, or does not get the
gold evidence that it needs. Such scores would look valid. `run.health=warn` continues anyway.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Literal

from remem.config.conf_files import REPLAY_ENDPOINT
from remem.config.instantiation import check_arguments, nodes
from remem.config.permissions import app_permissions, is_rival
from remem.config.run_config import RunConfig
from remem.config.suggestions import did_you_mean, either
from remem.errors import UnhealthyMemoryError, UsageError
from remem.metrics.columns import REFUSAL_SCORES
from remem.protocols import AccountsForIndex, Benchmark, Memory, TellsHealth
from remem.run.manifest import ManifestWriter
from remem.run.memory_checks import write_memory_checks
from remem.run.served_models import ask_server, check_local_model
from remem.types import History, IndexHealth, Question, Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConvention:
    """The choices in `conf/convention` that affect the run itself, with their known values."""

    evidence_rule: Literal["paper", "tolerant"]
    full_context_order: Literal["newest_first", "chronological"]
    undated_items: Literal["record_time", "keep", "drop"]
    time_filter: Literal["gists_and_facts", "facts"]
    gist_contexts: Literal["episode_and_similar", "similar", "adjacent"]
    limit: Literal["any", "top_k"]
    offered_tools: Literal["all", "once_found"]
    unknown_tool: Literal["error", "semantic_retrieve"]
    fact_string: Literal["bars", "released"]
    single_step_tool: Literal["semantic_retrieve", "lexical_retrieve"]
    final_answer: Literal["synthesise", "proposed"]
    embed_date: bool
    judge_golds: Literal["together", "each"]


def check_choices(config: RunConfig) -> None:
    """Check that the configured scores and the values of the conventions are known.

    Unknown keys of conventions are ignored, because a user's own components may define keys.

    Raises:
        UsageError: A score or a value is unknown.
    """
    scores = (*config.score_convention().score_names, *REFUSAL_SCORES)
    for score in config.scores:
        if score not in scores:
            raise UsageError(
                f"dataset.scores: unknown score {score!r}; choose "
                f"{either(scores)}{did_you_mean(score, scores)}"
            )
    ours = {field.name for field in fields(RunConvention)}
    chosen = config.settings.convention.run
    our_choices = {name: value for name, value in chosen.items() if name in ours}
    check_arguments("convention.run", RunConvention, our_choices, partial=True)


def all_questions(benchmark: Benchmark) -> Iterator[Question]:
    """Iterate over the questions of all histories."""
    for history in benchmark.histories():
        yield from benchmark.questions(history.id)


def missing_evidence(config: RunConfig, questions: Iterable[Question]) -> str:
    """Return an error message if the method needs gold evidence and no question has it, else "".

    Without gold evidence, the Oracle recalls nothing, like No memory, and the score of its refusals
    would look valid.
    """
    if not config.sees_gold or any(question.gold.evidence for question in questions):
        return ""
    return (
        f"{config.label} needs the gold evidence of each question, but no question of "
        f"{config.dataset} has any; choose a dataset whose questions have it"
    )


@dataclass(slots=True)
class HealthCheck:
    """Checks the index of each history; `histories` is the number of histories.

    If a history has at most k items, every query retrieves all of them. Such a history does not
    test retrieval, unless the evidence is then cut (`cuts`). A benchmark may have a few such
    histories: Test of Time has 10 among its 560. A run stops only if all its histories are that
    small.
    """

    stops: bool
    histories: int
    cuts: bool = False
    whole: list[str] = field(default_factory=list)
    """The histories whose queries always retrieve all items."""

    @classmethod
    def of(cls, config: RunConfig, histories: int) -> "HealthCheck":
        """Return the health check that the configuration asks for."""
        stops, cuts = config.settings.run.health == "stop", config.evidence_tokens is not None
        return cls(stops, histories, cuts)

    def look_at(self, memory: object, history: History) -> None:
        """Check the index of a history.

        Raises:
            UnhealthyMemoryError: The index is empty or undated, or the indexes of all histories
                have at most k items.
        """
        if isinstance(memory, AccountsForIndex):
            _tell_cut_replies(memory.index_usage, history)
        if not isinstance(memory, TellsHealth) or not any(history.messages()):
            return
        health = memory.index_health
        if health.items == 0:
            self._complain(f"the memory of history {history.id} is empty; check the model")
        elif health.dated == 0 and any(message.time for message in history.messages()):
            self._complain(
                f"history {history.id} has dates, but none of the {health.items} items of its "
                "memory do; check the extraction"
            )
        elif health.top_k >= health.items and not self.cuts:
            self._note_whole(history, health)

    def look_at_gold(self, config: RunConfig, questions: Iterable[Question]) -> None:
        """Check that the run has gold evidence if its method needs it.

        Raises:
            UnhealthyMemoryError: The method needs gold evidence, and there is none.
        """
        if reason := missing_evidence(config, questions):
            self._complain(reason)

    def _note_whole(self, history: History, health: IndexHealth) -> None:
        self.whole.append(history.id)
        if len(self.whole) == self.histories:
            self._complain(
                f"every query retrieves the entire memory (history {history.id} has {health.items} "
                f"items, k is {health.top_k}), so the ranking leaves nothing out; set a smaller "
                "method.build.top_k"
            )

    def _complain(self, reason: str) -> None:
        if self.stops:
            raise UnhealthyMemoryError(f"{reason}; to continue anyway, set run.health=warn")
        log.warning("%s", reason)


def _tell_cut_replies(usage: Usage, history: History) -> None:
    """Warn about truncated replies, which cost additional calls or lose items."""
    if usage.cut_replies:
        log.warning(
            "history %s: %d of %d replies reached the token limit during indexing; raise "
            "llm.build.endpoint.max_output_tokens if the model allows more",
            *(history.id, usage.cut_replies, usage.calls),
        )


def check_before_questions(
    config: RunConfig, manifest: ManifestWriter, make_memory: Callable[[], Memory]
) -> None:
    """Check the models of a run, and the memory if it is third-party or an external program.

    The encoder that the embedder's server reports and the results of the checks are written into
    the folder of the run.

    Raises:
        StopRunError: The local model cannot be served.
        NotServedError: The embedder's server does not serve the configured encoder.
        UnhealthyMemoryError: A hard check failed, and `run.health` is "stop".
    """
    check_local_model(f"llm={config.settings.llm.name}", config.chat_model)
    encoder = ask_server(config)
    if encoder is not None:
        manifest.keep_encoder(encoder)
    if not is_checked(config):
        return
    from remem.run.memory_checks import check_memory

    checks = check_memory(make_memory)
    write_memory_checks(manifest.store.folder, checks)
    for check in checks:
        if not check.passed:
            log.warning("%s: check %r failed: %s", config.label, check.name, check.found)
    stopping = [check for check in checks if check.stops]
    if stopping and config.settings.run.health == "stop":
        raise UnhealthyMemoryError(
            f"{config.label} failed the check {stopping[0].name!r}: {stopping[0].found}; "
            f"to continue anyway, set run.health=warn"
        )


def is_checked(config: RunConfig) -> bool:
    """Return whether a run checks its memory.

    A run that replays stored replies is not checked, because it has no replies to the questions
    about planted facts.
    """
    build = config.settings.method.build
    target = build["_target_"]
    replays = any(node["_target_"] == REPLAY_ENDPOINT for node in nodes(build))
    return target in app_permissions().outside or (is_rival(target) and not replays)
