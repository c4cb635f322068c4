"""Check the names of scores and conventions before a run starts."""

from dataclasses import dataclass, fields
from typing import Literal

from remem.config.instantiation import UsageError, check_arguments
from remem.config.run_config import RunConfig
from remem.config.suggestions import did_you_mean, either
from remem.metrics.columns import REFUSAL_SCORES


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConvention:
    """The choices in `conf/convention` that affect the run itself, with their known values."""

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
    """Check that the scores to show and the values of conventions exist.

    Unknown keys of conventions are ignored, since parts of the user may define their own.

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
    known = {name: value for name, value in chosen.items() if name in ours}
    check_arguments("convention.run", RunConvention, known, partial=True)
