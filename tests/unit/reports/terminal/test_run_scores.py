"""Errors among the scores of a run are counted next to the answers, and are not in any mean."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

from rich.console import Console

from remem.config.run_config import compose_config, run_config
from remem.metrics.scores import summarise
from remem.reports.terminal.run_tables import show_scores
from remem.results.run import SCORES, write_scores
from remem.types import Gold, Record

RIGHT = Record("q1", "h", 0, "Who?", Gold(("Ann",), "1", group="g1"), "ok", "Ann")
WRONG = replace(RIGHT, query_id="q2", index=1, answer="Eve")
FAILED = replace(RIGHT, query_id="q3", index=2, status="error", answer="", error="E: e")
CONVENTION = run_config(compose_config([])).score_convention()


def test_the_file_depends_on_the_records_and_not_on_their_order(tmp_path: Path) -> None:
    records = (RIGHT, WRONG, FAILED)
    write_scores(tmp_path / SCORES, summarise(records, CONVENTION))
    first = (tmp_path / SCORES).read_bytes()
    write_scores(tmp_path / SCORES, summarise(records[::-1], CONVENTION))
    assert (tmp_path / SCORES).read_bytes() == first
    overall = json.loads(first)["overall"]
    assert (overall["n"], overall["total"], overall["em"]["mean"]) == (2, 3, 0.5)


def test_errors_show_as_a_part_of_the_questions_and_a_missing_score_as_a_dash() -> None:
    console = Console(file=StringIO(), width=120)
    summary = summarise((RIGHT, WRONG, FAILED), CONVENTION)
    console.print(show_scores("BM25 on tiny", summary, ["em", "recall_at_10"]))
    assert isinstance(console.file, StringIO)
    cells = [
        [cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")]
        for line in console.file.getvalue().splitlines()
        if "│" in line or "┃" in line
    ]
    heading, overall, category = cells
    assert heading == ["category", "n", "EM", "recall@10"]
    assert (overall[:2], overall[3]) == (["all", "2/3"], "-")
    assert overall[2].startswith("50.0 [")
    assert category[:2] == ["1", "2/3"]
