"""A run is read with its times and the verdicts of its judge."""

from pathlib import Path

import pytest

from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import Judgment, open_judgments
from remem.evaluation.scored_run import read_scored_run
from remem.run.opened_run import read_timings
from remem.run.store import TIMINGS
from remem.types import Gold, Record, Usage

RECORDS = [
    Record(f"q{at}", "h", at, "What?", Gold(("red",), "1"), "ok", answer=answer)
    for at, answer in enumerate(("red", "blue"))
]


def test_the_last_times_of_a_question_win_and_a_line_being_written_waits(tmp_path: Path) -> None:
    line = '{{"query_id":"q","recall_seconds":{},"read_seconds":0.0}}'
    (tmp_path / TIMINGS).write_text(
        "\n".join((line.format(1.0), line.format(2.0), line.format(3.0)[:20]))
    )
    assert read_timings(tmp_path)["q"].recall_seconds == 2.0


def test_a_damaged_line_of_times_is_named(tmp_path: Path) -> None:
    (tmp_path / TIMINGS).write_text('{"query_id":1}\n')
    with pytest.raises(ValueError, match=r"timings\.jsonl:1: not a line of times"):
        read_timings(tmp_path)


def test_without_a_judge_the_first_score_of_the_dataset_says_right_or_wrong(make_run) -> None:
    run = read_scored_run(make_run(RECORDS))
    assert (run.judge, run.main_score, run.shown_scores[:2]) == ("", "f1", ["f1", "bleu1"])
    assert run.timings["q1"].recall_seconds == 0.5
    assert run.name.startswith("generated_dialogues/")


def test_a_judge_that_was_called_in_later_is_found_with_what_it_took(make_run) -> None:
    folder = make_run(RECORDS)
    with open_judgments(folder / "judgments.llm-x.jsonl") as log:
        for case in cases_of(RECORDS, "by_category", 1):
            log.append(Judgment(case, "ok", correct=case.query_id == "q1", usage=Usage(1, 20, 2)))
    run = read_scored_run(folder)
    assert (run.judge, run.main_score) == ("judgments.llm-x.jsonl", "llm_judge")
    assert {query: one.value("llm_judge") for query, one in run.scores.items()} == {
        "q0": 0.0,
        "q1": 1.0,
    }
    assert [(stage.stage, stage.usage) for stage in run.stages] == [("judge", Usage(2, 40, 4))]
