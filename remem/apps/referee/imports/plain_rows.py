"""Read answers from any source: rows of JSON Lines, JSON, CSV or TSV with fixed column names."""

from remem.apps.referee.imports.mapped_answers import AnswerFormat

AS_NAMED = (
    *("system", "repeat", "dataset", "llm", "question", "gold", "category", "answerable", "error"),
    *("evidence", "retrieved", "context", "context_tokens", "prompt", "reasoning", "today", "cut"),
    "judge",
)
ROWS = AnswerFormat(
    name="rows",
    known_by=("answer|response|prediction",),
    parts={
        **{part: part for part in AS_NAMED},
        "id": "question_id|query_id|id",
        "answer": "answer|response|prediction",
        "history": "history_id",
        "verdict": "correct",
    },
    is_strict=True,
)
