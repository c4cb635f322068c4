"""The known formats of published answers; formats that need their own code have a module each."""

from remem.apps.referee.imports.agent_memory_benchmark import AGENT_MEMORY_BENCHMARK
from remem.apps.referee.imports.mapped_answers import AnswerFormat
from remem.apps.referee.imports.mem0 import MEM0
from remem.apps.referee.imports.memory_arena import MEMORY_ARENA

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
"""The files of Backboard's evaluation on LoCoMo: one conversation per file, with verdicts."""
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
"""The evaluation files of EverMemOS: answers by conversation, each with several verdicts."""
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
"""The LoCoMo files of a40-labs, with verdicts; questions are numbered per conversation."""
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
"""The files of Zep's evaluation on LoCoMo: answers by conversation, with or without grades."""
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
"""The hypothesis files of LongMemEval, with or without the results of an evaluation."""
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
"""Read answers from any source: rows of JSON Lines, JSON, CSV or TSV with fixed column names."""
FORMATS = (
    *(MEMORY_ARENA, AGENT_MEMORY_BENCHMARK, BACKBOARD, EVERMEMOS, A40_LABS),
    *(MEM0, ZEP, LONGMEMEVAL, ROWS),
)
"""The formats in the order in which they are tried; the last fits most."""
