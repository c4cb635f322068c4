"""Records are scored in several ways at once; what a judge has not seen is named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from remem.metrics.scores import summarise
from remem.reports.terminal.rescored import show_rescored, told_judge_calls
from remem.results.conventions import score_sets
from remem.results.rescore import NO_JUDGE, Scoring, rescore
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.types import Gold, Record

SETS = score_sets([], "released_comma_cut")
ANSWERS = (
    ("8 May, 2023", Gold(("8 May, 2023",), "2", group="a")),
    ("a red car", Gold(("red bus",), "4", group="a")),
    (
        "Rome; Paris",
        Gold(("Paris; Rome",), "4", items=("Paris", "Rome"), group="b", separator="semicolons"),
    ),
    ("no information available", Gold(("No",), "5", answerable=False, group="b")),
    ("No", Gold(("No",), "5", answerable=False, group="b")),
)
RECORDS = tuple(
    Record(f"q{at}", "h", at, f"What {at}?", gold, "ok", answer=answer)
    for at, (answer, gold) in enumerate(ANSWERS)
)
FAILED = Record("q9", "h", 9, "What 9?", Gold(("x",), "4"), "error", error="E: e")
WAYS = [Scoring(name, (*RECORDS, FAILED), convention) for name, convention in SETS.items()]
OVERALL = ("f1", "bleu1", "em")


def test_each_way_gives_what_its_convention_gives_alone() -> None:
    for way, found in zip(WAYS, rescore(WAYS, OVERALL, None), strict=True):
        for unit in ("questions", "clusters"):
            alone = summarise(way.records, replace(way.convention, bootstrap_unit=unit))
            for part in (alone.overall, *alone.categories):
                for name in OVERALL:
                    one = getattr(found.estimates[name, part.category], f"over_{unit}")
                    other = part.means[name]
                    assert [one.mean, one.low, one.high] == pytest.approx(
                        [other.mean, other.low, other.high]
                    )
                    assert (one.n, one.clusters) == (other.n, other.clusters)
            assert found.refusal == alone.refusal


def test_the_ways_differ_where_their_conventions_do() -> None:
    paper, reference, strict = rescore(WAYS, OVERALL, None)
    # the reference cuts "8 May, 2023" at its comma: 2 words of 2 and 3
    assert paper.estimates["f1", "2"].over_questions.mean == 1.0
    assert reference.estimates["f1", "2"].over_questions.mean == pytest.approx(0.8)
    assert paper.estimates["em", "4"].over_questions.mean == 0.0
    assert strict.estimates["em", "4"].over_questions.mean == 0.5
    assert (paper.refusal.unanswerable, reference.refusal.unanswerable) == (2, 0)


def test_both_intervals_are_shown_side_by_side_for_all_ways() -> None:
    table = show_rescored("run", rescore(WAYS, OVERALL, None)).table
    assert [column.header for column in table.columns[3:]] == ["paper", "reference", "strict"]
    assert "±" in str(next(iter(table.columns[3].cells)))
    assert "intervals over fewer than 20 clusters are rough" in str(table.caption)


def test_without_a_judge_all_answers_are_to_be_judged(tmp_path: Path) -> None:
    found = rescore(WAYS, OVERALL, tmp_path)
    assert [(judge_call.judge, len(judge_call.missing)) for judge_call in found[0].judge_calls] == [
        (NO_JUDGE, 5)
    ]
    assert rescore(WAYS, OVERALL, None)[0].judge_calls == ()


def test_a_judge_that_saw_other_golds_lacks_those_verdicts_alone(tmp_path: Path) -> None:
    with open_judgments(tmp_path / "judgments.mine.jsonl") as log:
        for case in cases_of(RECORDS, "by_category", 2):
            log.append(Judgment(case, "ok", correct=case.query_id in ("q0", "q3")))
    paper, reference, strict = rescore(WAYS, OVERALL, tmp_path)
    assert [way.judge_calls[0].missing for way in (paper, strict)] == [(), ()]
    assert reference.judge_calls[0].missing == ("q3", "q4")
    assert told_judge_calls([reference]) == [
        "reference: judgments.mine has no verdict on 2 answers: q3, q4"
    ]
    judged = [way.estimates["llm_judge, judgments.mine", None] for way in (paper, reference)]
    assert [item.over_questions.mean for item in judged] == pytest.approx([2 / 5, 1 / 3])
    lines = (tmp_path / "judgments.mine.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["case"]["golds"] == ["8 May, 2023"]
