"""The files of Backboard's evaluation on LoCoMo: one conversation per file, with verdicts."""

from remem.apps.referee.imports.mapped_answers import AnswerFormat

BACKBOARD = AnswerFormat(
    name="backboard",
    known_by=("question", "ai_response", "evaluation"),
    parts={
        "rows": "responses",
        "history": "conversation_id",
        "question": "question",
        "gold": "expected_answer",
        "category": "question_type|category",
        "unanswerable": "category=5",
        "answer": "ai_response",
        "verdict": "evaluation.is_correct",
        "mean": "accuracy_percentage/100, by_type.*.accuracy_percentage/100",
        "system": "=backboard",
        "repeat": "conversation_id",
        "dataset": "=locomo",
    },
)
