"""`remem log table` makes a table of a log and questions; `remem log init` writes one to edit."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[3] / "examples/own_log"
MEMORIES = ["REMem-I (scripted)", "REMem-S", "BM25", "hashing"]
FEW = "convention.score.resamples=99"


def methods(folder: Path, name: str) -> list[str]:
    tables = folder / "results/tables"
    (path,) = set(tables.glob(f"{name}/*.csv")) - set(tables.glob("*/costs.csv"))
    with path.open(newline="") as rows:
        return list(dict.fromkeys(row["method"] for row in csv.DictReader(rows)))


def test_a_log_and_a_csv_of_questions_are_a_table_in_one_command(
    tmp_path: Path, remem: Callable[..., Any]
) -> None:
    (tmp_path / "q.csv").write_text(
        "question,answer,evidence\nWhen did Ann adopt a dog?,2 June 2023,3\nWho swam?,,\n"
    )
    done = remem(tmp_path, "log", "table", EXAMPLE / "diary.txt", "q.csv", FEW)
    assert done.code == 0, done.err
    assert "Each memory returns 2 of 6 messages." in done.out
    assert methods(tmp_path, "own_log*") == [*MEMORIES, "No memory", "Always refuse"]


def test_a_new_benchmark_is_a_table_at_once_and_is_not_written_over(
    tmp_path: Path, remem: Callable[..., Any]
) -> None:
    assert remem(tmp_path, "log", "init", "my_benchmark").code == 0
    done = remem(tmp_path, "table", "my_benchmark", "--trust-config", "my_benchmark", FEW)
    assert done.code == 0, done.err
    assert methods(tmp_path, "my_benchmark*") == [*MEMORIES, "No memory"]
    again = remem(tmp_path, "log", "init", "my_benchmark")
    assert (again.code != 0, "is not an empty folder" in again.err) == (True, True)


def test_a_broken_question_is_an_error(tmp_path: Path, remem: Callable[..., Any]) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "Why?"}\n')
    broken = remem(tmp_path, "log", "table", EXAMPLE / "diary.txt", "q.jsonl")
    assert broken.code != 0
    assert "q.jsonl:1 has no 'answer'" in broken.err
    assert "Traceback" not in broken.err


def test_a_log_is_a_benchmark_of_one_run(tmp_path: Path, remem: Callable[..., Any]) -> None:
    files = (f"log={EXAMPLE / 'diary.txt'}", f"questions={EXAMPLE / 'questions.jsonl'}")
    chosen = ("dataset=own_log", *(f"dataset.build.{file}" for file in files))
    done = remem(tmp_path, "run", *chosen, "method.build.top_k=3", FEW)
    assert done.code == 0, done.err
    (records,) = (tmp_path / "results" / "runs").rglob("records.jsonl")
    assert len(records.read_text().splitlines()) == 3
