"""A small data set in LoCoMo's form, and files of answers to it; all of it made up."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CONVERSATION = {
    "sample_id": "conv-7",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        **{
            f"session_{number}_date_time": f"1:56 pm on {number} May, 2023"
            for number in range(1, 12)
        },
        **{
            f"session_{number}": [
                {"speaker": "Ann", "dia_id": f"D{number}:1", "text": f"Remark {number} of Ann."},
                {"speaker": "Bob", "dia_id": f"D{number}:2", "text": f"Reply {number} of Bob."},
            ]
            for number in range(1, 12)
        },
    },
    "qa": [
        {"question": "Who baked?", "answer": "Ann Lee", "evidence": ["D1:1"], "category": 4},
        {"question": "When was the fair?", "answer": 2022, "evidence": ["D2:1"], "category": 2},
        {"question": "Why?", "adversarial_answer": "A.", "evidence": [], "category": 5},
        {"question": "What did Bob buy?", "answer": "a kite", "evidence": ["D3:2"], "category": 1},
    ],
    "event_summary": {},
    "observation": {},
    "session_summary": {},
}

Write = Callable[[str, object], Path]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of data with one conversation."""
    folder = tmp_path / "data" / "locomo"
    folder.mkdir(parents=True)
    (folder / "locomo10.json").write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    return folder.parent


@pytest.fixture
def overrides(tmp_path: Path, data: Path) -> list[str]:
    """Overrides that choose the test's own folders."""
    return [f"paths.data={data}", f"paths.results={tmp_path / 'results'}"]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file: text as it is, else JSON; gzipped for *.gz."""

    def written(name: str, content: object) -> Path:
        text = content if isinstance(content, str) else json.dumps(content)
        path = tmp_path / name
        packed = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
        path.write_bytes(packed)
        return path

    return written


def arena_record(name: str, grade: float, **changes: Any) -> dict[str, Any]:
    """Return a record of memory-arena, whose accuracy follows its formula."""
    flags = {"structural_pass": True, "sources_pass": False, "temporal_correct": True}
    flags |= {"update_precision_correct": True, "abstention_correct": True, "abstained": False}
    flags |= changes.pop("flags", {})
    accuracy = grade / 100
    accuracy *= 1 if flags["sources_pass"] else 0.8
    accuracy *= 1 if flags["temporal_correct"] else 0.5
    return {
        "question_id": name,
        "category": "temporal",
        "answer": f"The answer to {name}.",
        "supporting_session_ids": ["s1", "s2"],
        "supporting_turn_ids": [],
        "score": {**flags, "judge_score": grade, "accuracy": accuracy, "structural_fails": []},
        "ir": {"k": 5, "session_mrr": 1.0, "turn_mrr": 0.0},
        "recall_at_k_measurable": True,
        "error": False,
        **changes,
    }


def arena_file(records: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Return a result file of memory-arena with the mean of its records."""
    mean = sum(record["score"]["accuracy"] for record in records) / len(records)
    return {
        "strategy": "memo",
        "recall_records": records,
        "accuracy": mean,
        "accuracy_by_category": {"temporal": {"accuracy": mean, "n": len(records)}},
        "metadata": {
            "seed": 0,
            "models": {"anthropic_judge": "judge-1", "anthropic_generate": "reader-1"},
        },
        **changes,
    }


def amb_result(name: str, *, correct: bool, **changes: Any) -> dict[str, Any]:
    """Return a result of the Agent Memory Benchmark."""
    return {
        "query_id": name,
        "query": "Who baked?",
        "answer": "Ann Lee baked.",
        "reasoning": "",
        "context": '## Memory 1\n{"dia_id": "D1:1"}\n\n## Memory 2\n{"dia_id": "D2:1"}',
        "context_tokens": 12,
        "gold_answers": ["Ann Lee"],
        "correct": correct,
        "meta": {
            "sample_id": "conv-7",
            "category": "single-hop",
            "query_timestamp": "2023-05-09T13:56:00+00:00",
        },
        **changes,
    }


def amb_file(results: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Return a result file of the Agent Memory Benchmark."""
    correct = sum(result["correct"] for result in results)
    return {
        "dataset": "locomo",
        "memory_provider": "remembrall",
        "run_name": "remembrall",
        "answer_llm": "maker:reader-2",
        "judge_llm": "maker:judge-2",
        "accuracy": correct / len(results),
        "results": results,
        **changes,
    }


@pytest.fixture
def made() -> SimpleNamespace:
    """The functions that make files of published answers."""
    return SimpleNamespace(
        arena_record=arena_record, arena_file=arena_file, amb_result=amb_result, amb_file=amb_file
    )
