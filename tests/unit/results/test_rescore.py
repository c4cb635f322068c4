"""Records are scored in several ways at once; missing verdicts are reported."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.metrics.intervals import share
from remem.metrics.scores import summarise
from remem.reports.terminal.rescored import show_rescored, told_judge_calls
from remem.results.conventions import score_sets
from remem.results.rescore import (
    NO_JUDGE,
    Rescored,
    Scoring,
    describe_overlay,
    overlaid_ways,
    overlay,
    read_overlay,
    rescore,
)
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.types import Gold, Record, Retrieved

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
    questions = tuple(
        replace(record, gold=replace(record.gold, group=record.query_id)) for record in RECORDS
    )
    drawn = [
        Scoring(
            f"{draws} draws, seed {seed}",
            questions,
            replace(SETS["paper"], resamples=draws, seed=seed),
        )
        for draws, seed in ((99, 0), (99, 1), (199, 0))
    ]
    ways = [*WAYS, *drawn]
    for way, found in zip(ways, rescore(ways, OVERALL, None), strict=True):
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
    assert len({f1_of_questions(found) for found in rescore(drawn, OVERALL, None)}) > 1


def f1_of_questions(found: Rescored) -> tuple[float, float]:
    interval = found.estimates["f1", None].over_questions
    return interval.low, interval.high


def test_the_ways_differ_where_their_conventions_do() -> None:
    paper, reference, strict = rescore(WAYS, OVERALL, None)
    # the reference cuts "8 May, 2023" at its comma: 2 words of 2 and 3
    assert paper.estimates["f1", "2"].over_questions.mean == 1.0
    assert reference.estimates["f1", "2"].over_questions.mean == pytest.approx(0.8)
    assert paper.estimates["em", "4"].over_questions.mean == 0.0
    assert strict.estimates["em", "4"].over_questions.mean == 0.5
    assert (paper.refusal.unanswerable, reference.refusal.unanswerable) == (2, 0)
    table = show_rescored("run", [paper, reference, strict]).table
    assert [column.header for column in table.columns[3:]] == ["paper", "reference", "strict"]
    assert "±" in str(next(iter(table.columns[3].cells)))
    assert "resampling two clusters has three outcomes" in str(table.caption)


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


CONVENTION = score_sets(["paper"])["paper"]
RIGHT, WRONG_GOLD, WRONG_EVIDENCE, TRAP = MISLABELLED = tuple(
    Record(
        *(f"conv-7/q{at}", "conv-7", at, f"What {at}?"),
        Gold((gold,), category, answerable=category != "5", evidence=("D1:1",)),
        *("ok", "a boat"),
        retrieved=(Retrieved("g", ("D1:2",)),),
    )
    for at, (gold, category) in enumerate(
        [("a boat", "1"), ("a car", "1"), ("a boat", "2"), ("no information available", "5")]
    )
)


def entry(index: int, kind: str, **changes: Any) -> dict[str, Any]:
    gold = MISLABELLED[index].gold.answers[0]
    return {
        "question_id": f"locomo_0_qa{index}",
        "question": f"What {index}? ",
        "golden_answer": gold,
        "error_type": kind,
        "correct_answer": "a boat (D1:2)" if kind == "WRONG_CITATION" else "a boat",
        "correct_evidence": ["D1:2"],
        **changes,
    }


def written(tmp_path: Path, *entries: Any) -> Path:
    path = tmp_path / "errors.json"
    path.write_text(json.dumps(list(entries)))
    return path


ERRORS = (entry(1, "HALLUCINATION"), entry(2, "WRONG_CITATION"), entry(3, "X", question="Other?"))


def test_scores_are_told_raw_corrected_without_the_errors_and_at_their_ceiling(
    tmp_path: Path,
) -> None:
    overlaid = overlay(MISLABELLED, read_overlay(written(tmp_path, *ERRORS)), CONVENTION)
    ways, ceiling = overlaid_ways(MISLABELLED, overlaid, CONVENTION)
    found = rescore([*ways, ceiling], ("em", "recall_at_10"), None)
    means = [
        [way.estimates[name, None].over_questions.mean for name in ("em", "recall_at_10")]
        for way in found
    ]
    # right are two of four, then three of four, then two of three; all but the wrong gold at best
    assert means == [[2 / 4, 0], [3 / 4, 2 / 4], [pytest.approx(2 / 3), 0], [3 / 4, 2 / 4]]
    names = [way.name for way in found]
    assert names == ["raw labels", "corrected", "without errors", "ceiling, raw labels"]
    # a wrong citation changes the evidence and not the answer
    corrected = {record.query_id: record.gold for record in overlaid.corrected}
    assert corrected[WRONG_EVIDENCE.query_id].answers == ("a boat",)
    assert corrected[WRONG_EVIDENCE.query_id].evidence == ("D1:2",)
    assert corrected[WRONG_GOLD.query_id].answers == ("a boat",)
    assert corrected[RIGHT.query_id] == RIGHT.gold
    assert TRAP in overlaid.without
    assert WRONG_EVIDENCE in overlaid.without
    assert overlaid.accepted == share(2, 3)
    first, second = describe_overlay(overlaid)
    assert "66.7 on the 3 answerable questions, because 1 have a wrong gold answer" in first
    assert second.endswith(
        "1 label errors do not belong to a question of this run; the first is locomo_0_qa3"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"errors": []}, "is of type dict, expected a list of label errors"),
        ([1], "entry 0 is int, expected a JSON object"),
        ([entry(1, "X") | {"question_id": "seven"}], "expected one such as locomo_0_qa1"),
        ([entry(1, "X") | {"correct_answer": 3}], "expected str"),
        ([entry(1, "X", golden_answer="a plane")], "none of the 1 label errors"),
    ],
)
def test_what_is_no_overlay_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "errors.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        overlay(MISLABELLED, read_overlay(path), CONVENTION)


@pytest.mark.real_data
def test_the_public_audit_lies_on_156_questions_of_locomo_and_99_answers_are_wrong() -> None:
    if "REMEM_DATA" not in os.environ:
        pytest.skip("REMEM_DATA is not set")
    data = os.environ["REMEM_DATA"]
    benchmark = LoCoMo(data=data, file="locomo10.json", evidence_rule="paper")
    records = [
        Record(asked.query.id, history.id, asked.query.index, asked.query.text, asked.gold, "ok")
        for history in benchmark.histories()
        for asked in benchmark.questions(history.id)
    ]
    errors = read_overlay(Path(data) / "locomo" / "audit_errors.json")
    overlaid = overlay(records, errors, CONVENTION)
    assert (len(errors), overlaid.elsewhere) == (156, ())
    assert (overlaid.accepted.count, overlaid.accepted.n) == (1441, 1540)
    assert len(overlaid.without) == 1986 - 99
    changed = sum(a.gold != b.gold for a, b in zip(records, overlaid.corrected, strict=True))
    assert 99 <= changed <= 156
