"""Find the runs needed for a number of the paper, or why the number cannot be computed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from remem.config.fingerprint import prompt_owners
from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import ServedEncoder
from remem.llm.endpoint import AS_STUB, REHEARSED
from remem.paper.layout import Group, PaperCell, PaperTable
from remem.paper.verdict import RunComponents, differences
from remem.prompts.chosen import PromptName
from remem.results.class_counts import has_published, names_published
from remem.results.temporal_classes import PROMPT, is_temporal
from remem.tables.paper.rows import UNNAMED_REMEM, changed, datasets_of, paper_overrides
from remem.tables.paper.scores import ALL, WantedMean
from remem.tables.rows import TIMED

OUT_OF_REACH = {
    "labelled_by_model": "it counts questions: remem data classify dataset=<name> shows ours",
    "human_sample": "which 100 questions people judged was not published",
    "graph_properties": "remem data graph dataset=<name> extractor=llm llm=<model> shows ours",
}
"""Why a kind of number (`made_with`) cannot be computed from the records of a run."""

TIMED_NUMBER = "timed"
"""The kind of number (`made_with`) that is the time or memory of a run."""

UNPUBLISHED = re.compile("when|example:|human")
"""Prefixes of categories that are not in the dataset; those with "when" are temporal classes."""

ONE_QUESTION = "one question of the paper: remem report shows the answer of a run to it"
"""Why a category with a single question does not have its own run."""

PARTS = re.compile(
    r"[+~]*((method|reader|planner|extractor|ablation|lexical)|run\.evidence_tokens)\b"
)
"""The prefixes of overrides that replace a part of the row by another."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """The overrides of the runs that a cell pools, or why the cell cannot have a number."""

    wanted: WantedMean
    runs: tuple[tuple[str, ...], ...]
    out_of_reach: str = ""


def plan_paper_cell(cell: PaperCell, paper: PaperTable, overrides: Sequence[str]) -> CellPlan:
    """Return the runs that a cell needs to compare our number with the paper's."""
    wanted = WantedMean(cell.measured.metric, cell.measured.category)
    sample = paper.header.samples.get(cell.row)
    rows = [
        paper_overrides(cell.measured, dataset, sample) for dataset in datasets_of(cell.measured)
    ]
    timed = TIMED if cell.made_with == TIMED_NUMBER else ()
    planned = [changed((*row, *timed), overrides) for row in rows if row is not None]
    if cell.made_with in OUT_OF_REACH:
        return CellPlan(wanted, (), OUT_OF_REACH[cell.made_with])
    if UNPUBLISHED.match(cell.measured.category) and not is_temporal(cell.measured.category):
        return CellPlan(wanted, (), ONE_QUESTION)
    if not planned or len(planned) < len(rows):
        return CellPlan(wanted, (), f"no method of ours is {cell.measured.memory or 'asked'!r}")
    return CellPlan(wanted, tuple(planned))


def llm_free_wanted(metric: str, group: Group, category: str = "") -> WantedMean | None:
    """Return the mean that an LLM-free row shows in a column; None if it has no number there.

    `category` replaces the column's category. Rules, not a model, classify the questions.
    """
    wanted = WantedMean(metric, category or group.category or ALL, "rules")
    published = not UNPUBLISHED.match(wanted.category) or is_temporal(wanted.category)
    return wanted if wanted.is_score and metric != "llm_j" and published else None


def model_wanted(metric: str, group: Group) -> WantedMean | None:
    """Return the mean that a row with a model shows in a column; None if it has no number there.

    It has no number if the column is not a mean of question scores, or if the dataset does not
    have the category of the column.
    """
    wanted = WantedMean(metric, group.category or ALL)
    return wanted if wanted.is_score and not UNPUBLISHED.match(wanted.category) else None


def not_the_papers(
    config: RunConfig,
    cell: PaperCell,
    overrides: Sequence[str],
    encoder: ServedEncoder | None = None,
    *,
    all_fetched: bool = False,
) -> tuple[str, ...]:
    """Name the parts of a run, such as its model, that differ from what the paper used.

    Args:
        config: The configuration of the run.
        cell: The cell of the number.
        overrides: The overrides of the user.
        encoder: The encoder that the embedder's server reported; None without a server or a run.
        all_fetched: Whether to assume that published prompts and classes have been fetched.
    """
    if AS_STUB in overrides:
        return (REHEARSED,)
    differing = differences(
        run_components(config, encoder), cell.measured, judged=cell.made_with == "mem0_judge"
    )
    published = names_published(config) if all_fetched else has_published(config)
    parts = tuple(f"setting {override}" for override in overrides if PARTS.match(override))
    unnamed = cell.measured.memory == UNNAMED_REMEM
    return (
        *differing,
        *told_anew(cell, published=published),
        *parts,
        *(("REMem-I: the paper says only REMem",) if unnamed else ()),
    )


def told_anew(cell: PaperCell, *, published: bool) -> tuple[str, ...]:
    """Return a note if our prompt chose the classes, since they can then differ from the paper's.

    `published` says whether the published classes are used.
    """
    anew = is_temporal(cell.measured.category) and not published
    return (f"classified with our prompt {PROMPT}",) if anew else ()


def run_components(config: RunConfig, encoder: ServedEncoder | None = None) -> RunComponents:
    """Return the names of the parts that determine the answers of a run, such as its model.

    `encoder` is the encoder that the embedder's server reported; None without a server or a run.
    """
    settings = config.settings
    judge = settings.judge.chat_model
    judged = _owners(config, settings.judge.build) if settings.judge.build else ()
    model = settings.llm.chat_model.endpoint.answering.model or config.llm
    return RunComponents(
        model=model,
        embedder=_embedder(config) if encoder is None else encoder.name,
        prompts=_owners(config, settings.method.build, settings.reader.build),
        judge_model=(judge and judge.endpoint.answering.model) or "none",
        judge_prompt="+".join(prompt_name.library for prompt_name in judged) or "none",
        encoder=encoder,
    )


def _owners(config: RunConfig, *builds: Mapping[str, Any]) -> tuple[PromptName, ...]:
    """Return the owners of the prompts of a run; the prompts need not be fetched."""
    return prompt_owners(list(builds), config.packages)


def _embedder(config: RunConfig) -> str:
    """Return the model of the embedder; "none" if the method has no embedder."""
    embedder = config.settings.embedder
    if all(node != embedder.build for node in nodes(config.settings.method.build)):
        return "none"
    return str(embedder.build.get("embedder", {}).get("model", embedder.name))
