"""Fuzz target: files of published answers in every format, imported and checked."""

import gzip
import json
from dataclasses import replace
from random import Random
from typing import Any

from fuzzing.data_targets import document, write
from fuzzing.harness import Target
from fuzzing.mutation import changed_text
from pydantic import TypeAdapter

from remem.apps.referee.audits.audited import find
from remem.apps.referee.imports.census import census
from remem.apps.referee.imports.formats import read_answers
from remem.apps.referee.imports.known_questions import DataSets
from remem.apps.referee.imports.matched import match
from remem.types import Record

RECORDS = TypeAdapter(tuple[Record, ...])
ARENA = {
    "strategy": "memo",
    "accuracy": 0.36,
    "accuracy_by_category": {"temporal": {"accuracy": 0.36, "n": 1}},
    "metadata": {"seed": 0, "models": {"anthropic_judge": "j", "anthropic_generate": "r"}},
    "recall_records": [
        {
            "question_id": name,
            "category": "temporal",
            "answer": "Ann.",
            "supporting_session_ids": ["s1"],
            "supporting_turn_ids": ["s1_turn_000"],
            "score": {"judge_score": 90.0, "accuracy": 0.36, "sources_pass": False},
            "ir": {"k": 5, "turn_mrr": 0.0},
            "error": False,
        }
        for name in ("q1", "q2")
    ],
}
AMB = {
    "dataset": "x",
    "memory_provider": "memo",
    "run_name": "memo",
    "answer_llm": "a:b",
    "judge_llm": "c:d",
    "accuracy": 1.0,
    "results": [
        {
            "query_id": "h_q0",
            "query": "Who baked the cake then?",
            "answer": "Ann Lee",
            "reasoning": "As of 9 May 2023, she did.",
            "context": '## Memory 1\n{"dia_id": "D1:1"} Who baked the cake then? Ann Lee',
            "context_tokens": 9,
            "gold_answers": ["Ann Lee", 7],
            "correct": True,
            "meta": {"sample_id": "h", "category": "c", "query_timestamp": "2023-05-09"},
        }
    ],
}
MEM0 = {
    "0": [
        {
            "question": "Who?",
            "answer": "Ann",
            "response": "Ann Lee",
            "category": "5",
            "llm_score": 1,
            "f1_score": 0.5,
            "speaker_1_memories": [{"memory": "Ann baked.", "timestamp": "8 May"}],
        }
    ]
}
ZEP = {"user_0": [{"question": "Who?", "answer": "A", "golden_answer": "B", "grade": False}]}
BACKBOARD = {
    "accuracy_percentage": 100.0,
    "by_type": {"hop": {"accuracy_percentage": 100.0, "responses": []}},
    "responses": [
        {
            **{"conversation_id": "h", "question": "Who?", "expected_answer": "A"},
            **{"ai_response": "B", "question_type": "hop", "evaluation": {"is_correct": True}},
        }
    ],
}
EVERMEMOS = {
    "accuracy": 0.5,
    "metadata": {"judge_model": "j", "category_accuracies": {"2": {"mean": 0.5}}},
    "detailed_results": {
        "user_0": [
            {
                **{"question_id": "q0", "question": "Who?", "golden_answer": "A", "category": "2"},
                **{"generated_answer": "B", "llm_judgments": {"first": True, "second": False}},
            }
        ]
    },
}
NUMBERED = [{"conv_id": "h", "qa_index": 1, "hypothesis": "A", "gold": "B", "correct": True}]
LINES = (
    {"question_id": "q_abs", "hypothesis": "A", "autoeval_label": {"model": "j", "label": True}},
    {
        **{"id": "q1", "question": "Who?", "gold": ["A", "B"], "answer": "A", "correct": 0.5},
        **{"judge": "j", "system": "s", "retrieved": ["m1"], "cut": True, "speed": 3},
    },
)
TABLE = (
    "question_id;question;gold;answer;correct;cut;retrieved\n"
    'q1;Who?;A | B;"A;\nB";true;no;m1 m2\nq2;"Wh""y?";C;;0.5;;\n'
)


def _document(rng: Random) -> tuple[str, bytes]:
    others = (BACKBOARD, EVERMEMOS, NUMBERED, list(LINES))
    content = document(rng.choice((ARENA, AMB, MEM0, ZEP, *others)))(rng)
    return ("a.json.gz", gzip.compress(content, 1)) if rng.random() < 0.1 else ("a.json", content)


def _rows(rng: Random) -> tuple[str, bytes]:
    if rng.random() < 0.5:
        return "a.csv", changed_text(rng, TABLE).encode("utf-8", "replace")
    lines = (json.dumps(line) for line in (*LINES, LINES[1]))
    changed = "\n".join(
        changed_text(rng, line, 1) if rng.random() < 0.5 else line for line in lines
    )
    return "a.jsonl", changed.encode("utf-8", "replace")


def read_import(given: tuple[str, bytes]) -> int:
    """Read a file as `remem referee import` does, but without a data set and without a run."""
    name, content = given
    path = write(name, content)
    runs = [match(replace(found, corpus=""), DataSets()) for found in read_answers(path)]
    for run in runs:
        RECORDS.dump_json(run.records)
        counts: Any = census(run).counts
        assert sum(counts.values()) == len(run.answers)
    return len(find(runs, ()))


TARGETS = (
    Target("imports: published files", _document, read_import),
    Target("imports: rows", _rows, read_import),
)
