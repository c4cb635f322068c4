"""The result files of the Agent Memory Benchmark (AMB): one memory and one data set per file."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from remem.apps.referee.imports.imported import ImportedAnswer, RankedItem
from remem.apps.referee.imports.mapped_answers import AnswerFormat

ITEM = re.compile(r"^## Memory (\d+)$", re.MULTILINE)
"""The heading of each retrieved item in a context."""
MESSAGE_ID = re.compile(r'"dia_id":\s*"(D\d{1,4}:\d{1,5})"')
"""The id of a message of LoCoMo, which the contexts quote."""


def _with_items(answer: ImportedAnswer, _: dict[str, Any]) -> ImportedAnswer:
    items = tuple(_items(answer.context or ""))
    return replace(answer, retrieved=items if any(item.messages for item in items) else None)


def _items(context: str) -> Iterator[RankedItem]:
    """Yield the items of a context with the ids of the messages that they quote."""
    marks = list(ITEM.finditer(context))
    ends = [*(mark.start() for mark in marks[1:]), len(context)]
    for mark, end in zip(marks, ends, strict=False):
        messages = dict.fromkeys(MESSAGE_ID.findall(context, mark.end(), end))
        yield RankedItem(f"memory {mark[1]}", messages=tuple(messages))


AGENT_MEMORY_BENCHMARK = AnswerFormat(
    name="agent-memory-benchmark",
    document_key="memory_provider",
    known_by=("query_id", "answer", "correct"),
    parts={
        "rows": "results",
        "id": "query_id",
        "history": "meta.sample_id",
        "question": "query",
        "gold": "gold_answers",
        "category": "meta.category",
        "answer": "answer",
        "context": "context",
        "context_tokens": "context_tokens",
        "reasoning": "reasoning",
        "today": "meta.query_timestamp",
        "verdict": "correct",
        "judge": "judge_llm:",
        "mean": "accuracy",
        "system": "memory_provider",
        "repeat": "run_name",
        "dataset": "dataset",
        "llm": "answer_llm:",
    },
    complete=_with_items,
)
