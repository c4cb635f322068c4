"""TABLE=personamem and TABLE=locomo-plus run without a key, here on small files of their format."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TEXTS = ("I row on the lake.", "I gave up sailing.", "My sister skis.", "I bake bread.")
OPTIONS = ("As a rower, try the lake.", "Ski with us.", "As a baker, try our bread, it is good.")


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    told = "\n\n".join(f"[USER] User: {text}" for text in TEXTS * 4)
    session = {"id": "ctx_0", "content": told, "user_id": "ctx", "timestamp": None}
    asked = {
        "query": "\n".join(
            ("What now?", *(f"({a}) {text}" for a, text in zip("abc", OPTIONS, strict=True)))
        ),
        "gold_answers": [f"(c) {OPTIONS[2]}", "c"],
        "gold_ids": ["ctx_0"],
        "user_id": "ctx",
        "meta": {
            "persona_id": "0",
            "question_type": "recall_user_shared_facts",
            "retrieval_query": "What now?",
        },
    }
    write(tmp_path / "personamem" / "32k_documents.json", [session])
    write(tmp_path / "personamem" / "32k_queries.json", [asked | {"id": f"q{n}"} for n in (0, 1)])
    chat = {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1": [
            {"speaker": "Bob", "dia_id": f"D1:{n}", "text": f"{TEXTS[n % 4]} {n}"}
            for n in range(1, 30)
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    items = [
        {
            "relation_type": relation,
            "cue_dialogue": "A: My canoe is green.\nB: Nice.",
            "trigger_query": "A: The canoe is gone.",
            "time_gap": "two weeks later",
        }
        for relation in ("causal", "goal")
    ]
    write(tmp_path / "locomo_plus" / "locomo_plus.json", items)
    write(tmp_path / "locomo" / "locomo10.json", [{"sample_id": "conv-1", "conversation": chat}])
    return tmp_path


@pytest.fixture
def table(remem: Callable[..., Any], data: Path) -> Callable[[str], dict[str, str]]:
    """Make a table, and return the first cell of each row by its method."""
    few = "convention.score.resamples=99"

    def table(name: str) -> dict[str, str]:
        done = remem(data, "table", name, few, data=data)
        assert done.code == 0, done.err
        written = data / "results/tables" / f"{name}+{few}" / f"{name}+{few}.csv"
        cells: dict[str, str] = {}
        with written.open(newline="") as rows:
            for row in csv.DictReader(rows):
                cells.setdefault(row["method"], row["mean"])
        return cells

    return table


def test_personamem_has_memories_and_baselines_that_see_no_evidence(
    table: Callable[[str], dict[str, str]],
) -> None:
    cells = table("personamem")
    assert {method: float(cells[method]) for method in cells if "option" in method.lower()} == {
        "Longest option": 100,
        "Shortest option": 0,
        "First option": 0,
    }
    assert float(cells["Always (c)"]) == 100
    assert float(cells["Always refuse"]) == float(cells["No memory"]) == 0
    assert {"REMem-I (scripted), in context", "REMem-S", "BM25", "hashing"} <= set(cells)


def test_locomo_plus_shows_how_much_of_the_cue_is_found(
    table: Callable[[str], dict[str, str]],
) -> None:
    cells = table("locomo-plus")
    # BM25 finds the line on the canoe, and not the reply to it.
    assert float(cells["BM25"]) == 50
    assert float(cells["Oracle Message"]) == 100
    assert float(cells["No memory"]) == 0
