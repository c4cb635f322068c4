"""The result files of the Agent Memory Benchmark (AMB): one memory on one data set each."""

import re
from collections.abc import Iterator
from typing import Any

from remem.apps.referee.imports.fields import (
    as_text,
    count,
    identifier,
    name_of,
    number,
    optional,
    share,
    text,
    texts,
)
from remem.apps.referee.imports.imported import (
    ImportedAnswer,
    ImportedAnswers,
    Published,
    RankedItem,
)
from remem.apps.referee.imports.source_file import SourceFile
from remem.benchmarks.json_files import field

JUDGE = "judge"
"""The name of the judge where a file does not state its model."""
ITEM = re.compile(r"^## Memory (\d+)$", re.MULTILINE)
"""The heading of each retrieved item in a context."""
MESSAGE_ID = re.compile(r'"dia_id":\s*"(D\d{1,4}:\d{1,5})"')
"""The id of a message of LoCoMo, which the contexts quote."""


class AgentMemoryBenchmark:
    """Reads a result file of the Agent Memory Benchmark."""

    name = "agent-memory-benchmark"
    about = "an object with 'memory_provider' and a list 'results'"

    def fits(self, document: object) -> bool:
        """Return whether a JSON document looks like such a file."""
        return isinstance(document, dict) and {"memory_provider", "results"} <= document.keys()

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of the file.

        Raises:
            ValueError: A value is missing or of a wrong type.
        """
        document, file = source.document, str(source.path)
        judge = identifier(document, "judge_llm", where=file).rpartition(":")[2] or JUDGE
        results = field(document, "results", list, file)
        stated = f"'accuracy' of {file}"
        accuracy = share(number(document.get("accuracy"), stated), stated)
        return (
            ImportedAnswers(
                format=self.name,
                file=source.data,
                system=name_of(document, "memory_provider", file),
                repeat=_without(
                    identifier(document, "run_name", where=file),
                    identifier(document, "memory_provider", where=file),
                ),
                corpus=identifier(document, "dataset", where=file),
                llm=identifier(document, "answer_llm", where=file).rpartition(":")[2],
                answers=tuple(
                    _answer(result, f"result {at} of {file}", judge)
                    for at, result in enumerate(results)
                ),
                published=(Published(judge, accuracy),),
                main=judge,
            ),
        )


def _without(run: str, system: str) -> str:
    """Return the name of a run, "" if it is that of the system."""
    return "" if run == system else run


def _answer(result: Any, where: str, judge: str) -> ImportedAnswer:
    name = name_of(result, "query_id", where)
    meta = optional(result, "meta", dict, where) or {}
    context = optional(result, "context", str, where)
    answer = result.get("answer")
    items = tuple(_items(context)) if context is not None else ()
    return ImportedAnswer(
        where=where,
        id=name,
        history=identifier(meta, "sample_id", where=where),
        question=text(result, "query", where=where),
        golds=texts(field(result, "gold_answers", list, where), where),
        category=identifier(meta, "category", where=where),
        answer=None if answer is None else as_text(answer, f"'answer' of {where}"),
        error="the file states no answer" if answer is None else "",
        retrieved=items if any(item.messages for item in items) else None,
        context=context,
        context_tokens=count(result, "context_tokens", where),
        reasoning=text(result, "reasoning", where=where),
        today=text(meta, "query_timestamp", where=where),
        verdicts={judge: share(result.get("correct"), f"'correct' of {where}")},
    )


def _items(context: str) -> Iterator[RankedItem]:
    """Yield the items of a context with the ids of the messages that they quote."""
    marks = list(ITEM.finditer(context))
    ends = [*(mark.start() for mark in marks[1:]), len(context)]
    for mark, end in zip(marks, ends, strict=True):
        messages = dict.fromkeys(MESSAGE_ID.findall(context, mark.end(), end))
        yield RankedItem(f"memory {mark[1]}", messages=tuple(messages))
