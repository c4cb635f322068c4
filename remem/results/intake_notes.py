"""State what was left out of a run's input or repaired in it, for readers of the scores.

Each unusual property of replies is reported once, with its first occurrence.
"""

from collections.abc import Iterator

from remem.embed.vector_account import vector_sentences
from remem.memory.tool_arguments import TOOL_ARGUMENTS
from remem.results.run import Run
from remem.run.imported_answers import read_origin
from remem.run.script_note import script_note
from remem.types import Usage


def intake_notes(run: Run) -> Iterator[str]:
    """Yield sentences on what was left out, repaired or unusual in the input of a run."""
    yield from data_notes(run)
    yield from reply_notes(run)
    yield from rejected_notes(run)


def data_notes(run: Run) -> Iterator[str]:
    """Yield a sentence for each thing left out or repaired before the answers were scored."""
    for account in run.manifest.data_accounts:
        yield from account.sentences(run.config.dataset)
    golds = [record.gold for record in run.records]
    if note := script_note(run.config, [record.question for record in run.records], golds):
        yield f"{note}."
    origin = read_origin(run.folder)
    if origin is not None:
        yield from origin.sentences()


def reply_notes(run: Run) -> Iterator[str]:
    """Yield a sentence for each remark on replies, for unknown tools and for changed vectors."""
    places = list(_usages(run))
    for remark in dict.fromkeys(remark for _, usage in places for remark in usage.remarks):
        remarked = [(place, usage) for place, usage in places if remark in usage.remarks]
        replies = sum(usage.remarks[remark] for _, usage in remarked)
        calls = sum(usage.calls for _, usage in places)
        yield f"{replies:,} of {calls:,} replies {remark} (first: {remarked[0][0]})."
    yield from _unknown_tools(run)
    yield from vector_sentences(run.manifest.accounts)


def rejected_notes(run: Run) -> Iterator[str]:
    """Yield a sentence about the replies that could not be read."""
    places = list(_usages(run))
    rejected = [(place, usage) for place, usage in places if usage.rejected_replies]
    if rejected:
        count = sum(usage.rejected_replies for _, usage in rejected)
        calls = sum(usage.calls for _, usage in places)
        yield (
            f"{count:,} of {calls:,} replies could not be read; the model was asked again or the "
            f"question failed (first: {rejected[0][0]})."
        )


def _usages(run: Run) -> Iterator[tuple[str, Usage]]:
    """Yield the usage of each history, question and the judge, with its place in words."""
    for history, usage in run.manifest.index_usages.items():
        yield f"history {history}", usage
    for record in run.records:
        yield f"question {record.query_id}", record.recall_usage + record.read_usage
    for stage in run.stages:
        if stage.stage == "judge":
            yield "the judge", stage.usage


def _unknown_tools(run: Run) -> Iterator[str]:
    """Yield a sentence about calls of unknown tools, if one of our planners made them."""
    if run.config.planner is None:
        return
    calls = [
        (step.tool, record.query_id)
        for record in run.records
        for step in record.steps
        if step.tool not in TOOL_ARGUMENTS
    ]
    if calls:
        questions = len({query_id for _, query_id in calls})
        tool, query_id = calls[0]
        yield (
            f"Calls of tools that do not exist: {len(calls):,}, in {questions:,} of "
            f"{len(run.records):,} questions (first: {tool[:60]!r}, question {query_id})."
        )
