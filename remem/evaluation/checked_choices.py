"""Refuses a misspelt score or convention before a run builds anything or asks any question."""

from dataclasses import dataclass, fields
from typing import Literal

from remem.config.instantiation import UsageError, check_arguments
from remem.config.run_config import RunConfig
from remem.config.suggestions import did_you_mean, either
from remem.metrics.columns import REFUSAL_SCORES


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConvention:
    """The choices of conf/convention that change what is run, each with its known values."""

    evidence_rule: Literal["paper", "tolerant"]
    full_context_order: Literal["newest_first", "chronological"]
    undated_items: Literal["record_time", "keep", "drop"]
    time_filter: Literal["gists_and_facts", "facts"]
    gist_contexts: Literal["episode_and_similar", "similar"]
    limit: Literal["any", "top_k"]
    offered_tools: Literal["all", "once_found"]
    unknown_tool: Literal["error", "semantic_retrieve"]
    fact_string: Literal["bars", "released"]
    single_step_tool: Literal["semantic_retrieve", "lexical_retrieve"]
    final_answer: Literal["synthesise", "proposed"]
    embed_date: bool
    judge_golds: Literal["together", "each"]


def check_choices(config: RunConfig) -> None:
    """Refuse scores to show, conventions of scoring and conventions of a run that do not exist.

    A part of the user's own may have conventions of its own: keys that are not ours are left alone.

    Raises:
        UsageError: There is no such score, or no such value.
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
    known = {name: value for name, value in chosen.items() if name in ours}
    check_arguments("convention.run", RunConvention, known, partial=True)
