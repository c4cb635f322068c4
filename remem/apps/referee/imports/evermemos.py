"""The evaluation files of EverMemOS: answers by conversation, each with several verdicts."""

from remem.apps.referee.imports.mapped_answers import AnswerFormat

EVERMEMOS = AnswerFormat(
    name="evermemos",
    known_by=("question", "generated_answer", "llm_judgments"),
    parts={
        "rows": "detailed_results.*",
        "id": "question_id",
        "history": "*",
        "question": "question",
        "gold": "golden_answer",
        "category": "category",
        "unanswerable": "category=5",
        "answer": "generated_answer",
        "verdict": "llm_judgments",
        "judge": "metadata.judge_model",
        "mean": "accuracy, metadata.category_accuracies.*.mean",
        "dataset": "=locomo",
        "llm": "metadata.answer_model",
    },
)
