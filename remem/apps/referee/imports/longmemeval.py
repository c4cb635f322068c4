"""The hypothesis files of LongMemEval, with or without the results of an evaluation."""

from remem.apps.referee.imports.mapped_answers import AnswerFormat

LONGMEMEVAL = AnswerFormat(
    name="longmemeval",
    known_by=("question_id", "hypothesis"),
    parts={
        "id": "question_id",
        "question": "question",
        "gold": "gold|answer",
        "category": "question_type|category",
        "unanswerable": "question_id=*_abs",
        "answer": "hypothesis",
        # a truth value, or an object with the model of the judge
        "verdict": "autoeval_label.label|autoeval_label|correct",
        "judge": "autoeval_label.model|judge_model",
        "dataset": "=longmemeval",
    },
)
