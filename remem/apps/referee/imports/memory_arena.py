"""The result files of memory-arena on LongMemEval: one system and one seed per file.

Each answer has a judge's grade from 0 to 100, and an accuracy that a formula computes from the
grade and four checks.
"""

import re
from dataclasses import replace
from typing import Any

from remem.apps.referee.imports.imported import ImportedAnswer, RankedItem
from remem.apps.referee.imports.mapped_answers import AnswerFormat
from remem.benchmarks.json_files import strings

TURN = re.compile(r"(?P<session>.+)_turn_(?P<turn>[0-9]{1,6})")
"""The id of a turn, numbered from 0."""


def _with_retrieved(answer: ImportedAnswer, record: dict[str, Any]) -> ImportedAnswer:
    return replace(answer, retrieved=_retrieved(record, answer.where))


def _retrieved(record: dict[str, Any], where: str) -> tuple[RankedItem, ...] | None:
    """Return the turns that were retrieved, or else their sessions; None if neither is known.

    Turns are used if all their ids are valid, and if they are from exactly the listed sessions.
    """
    if record.get("recall_at_k_measurable") is False:
        return None
    sessions = strings(record, "supporting_session_ids", where)
    turns = [TURN.fullmatch(name) for name in strings(record, "supporting_turn_ids", where)]
    known = [turn for turn in turns if turn]
    listed = list(dict.fromkeys(turn["session"] for turn in known))
    if not turns or len(known) < len(turns) or listed != sessions:
        return tuple(RankedItem(session, sessions=(session,)) for session in sessions)
    return tuple(RankedItem(turn[0], messages=(_message_id(turn),)) for turn in known)


def _message_id(turn: re.Match[str]) -> str:
    """Return the id of a message as LongMemEval's authors number it, from 1."""
    return f"{turn['session']}_{int(turn['turn']) + 1}"


MEMORY_ARENA = AnswerFormat(
    name="memory-arena",
    document_key="strategy",
    known_by=("question_id", "answer", "score"),
    parts={
        "rows": "recall_records",
        "id": "question_id",
        "category": "category",
        "answer": "answer",
        "error": "error",
        "verdict": "score.judge_score/100",
        "formula": "score.accuracy",
        "judge": "metadata.models.anthropic_judge",
        "mean": "accuracy, accuracy_by_category.*.accuracy",
        "system": "strategy",
        "repeat": "seed {metadata.seed}",
        "dataset": "=longmemeval-s",
        "llm": "metadata.models.anthropic_generate",
        # what an answer did is neither a check that it passed nor one that it failed
        "set_aside": "score.abstained, ir.k, recall_at_k_measurable, "
        "supporting_session_ids, supporting_turn_ids",
    },
    complete=_with_retrieved,
)
