"""The files of Mem0's evaluation on LoCoMo: answers by conversation, with or without scores."""

from dataclasses import replace
from typing import Any

from remem.apps.referee.imports.fields import as_text
from remem.apps.referee.imports.imported import ImportedAnswer
from remem.apps.referee.imports.mapped_answers import AnswerFormat
from remem.benchmarks.json_files import checked

MEMORIES = ("speaker_1_memories", "speaker_2_memories")


def _with_memories(answer: ImportedAnswer, record: dict[str, Any]) -> ImportedAnswer:
    """Return the answer with the dated memories of both speakers, if there are any, as context."""
    names = [name for name in MEMORIES if name in record]
    lines = []
    for name in names:
        for item in checked(record[name] or [], list, f"{name!r} of {answer.where}"):
            place = f"an item of {name!r} of {answer.where}"
            memory = checked(item, dict, place)
            date, remembered = (as_text(memory.get(key), place) for key in ("timestamp", "memory"))
            lines.append(f"{date}: {remembered}")
    return replace(answer, context="\n".join(lines) if names else None)


MEM0 = AnswerFormat(
    name="mem0",
    known_by=("question", "response"),
    parts={
        "rows": "*",
        "history": "*",
        "question": "question",
        "gold": "answer",
        "category": "category",
        "unanswerable": "category=5",
        "answer": "response",
        "verdict": "llm_score, f1_score, bleu_score",
        "dataset": "=locomo",
        "set_aside": "",
    },
    complete=_with_memories,
)
