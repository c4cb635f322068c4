"""The files of Zep's evaluation on LoCoMo: answers by conversation, with or without grades."""

from remem.apps.referee.imports.mapped_answers import AnswerFormat

ZEP = AnswerFormat(
    name="zep",
    known_by=("question", "answer", "golden_answer"),
    parts={
        "rows": "*",
        "history": "*",
        "question": "question",
        "gold": "golden_answer",
        "category": "category",
        "answer": "answer",
        "context": "context",
        "verdict": "grade",
        "system": "=zep",
        "dataset": "=locomo",
    },
)
