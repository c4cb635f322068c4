"""The LoCoMo files of a40-labs, with verdicts; questions are numbered per conversation."""

from remem.apps.referee.imports.mapped_answers import AnswerFormat

A40_LABS = AnswerFormat(
    name="a40-labs",
    known_by=("conv_id", "qa_index", "hypothesis"),
    parts={
        "id": "{conv_id}/q{qa_index}",
        "history": "conv_id",
        "gold": "gold",
        "category": "category",
        "unanswerable": "adversarial=true",
        "answer": "hypothesis",
        "verdict": "correct",
        "dataset": "=locomo",
        "set_aside": "category_id",
    },
)
