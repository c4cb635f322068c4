"""Known label errors are put over a run: corrected, left out, and the ceiling they leave."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.metrics.proportion import share
from remem.results.conventions import score_sets
from remem.results.label_overlay import overlaid_ways, overlay, read_overlay, told_overlay
from remem.results.rescore import rescore
from remem.types import Gold, Record, Retrieved

CONVENTION = score_sets(["paper"])["paper"]
RIGHT, WRONG_GOLD, WRONG_EVIDENCE, TRAP = RECORDS = tuple(
    Record(
        f"conv-7/q{at}",
        "conv-7",
        at,
        f"What {at}?",
        Gold((gold,), category, answerable=category != "5", evidence=("D1:1",)),
        "ok",
        answer="a boat",
        retrieved=(Retrieved("g", ("D1:2",)),),
    )
    for at, (gold, category) in enumerate(
        [("a boat", "1"), ("a car", "1"), ("a boat", "2"), ("no information available", "5")]
    )
)


def entry(index: int, kind: str, **changes: Any) -> dict[str, Any]:
    gold = RECORDS[index].gold.answers[0]
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
    overlaid = overlay(RECORDS, read_overlay(written(tmp_path, *ERRORS)), CONVENTION)
    ways, ceiling = overlaid_ways(RECORDS, overlaid, CONVENTION)
    found = rescore([*ways, ceiling], ("em", "recall_at_10"), None)
    means = [
        [way.estimates[name, None].over_questions.mean for name in ("em", "recall_at_10")]
        for way in found
    ]
    # right are two of four, then three of four, then two of three; all but the wrong gold at best
    assert means == [
        [2 / 4, 0.0],
        [3 / 4, 2 / 4],
        [pytest.approx(2 / 3), 0.0],
        [3 / 4, 2 / 4],
    ]
    assert [way.name for way in found] == [
        "raw labels",
        "corrected",
        "without errors",
        "ceiling, raw labels",
    ]


def test_a_wrong_citation_changes_the_evidence_and_not_the_answer(tmp_path: Path) -> None:
    overlaid = overlay(RECORDS, read_overlay(written(tmp_path, *ERRORS)), CONVENTION)
    corrected = {record.query_id: record.gold for record in overlaid.corrected}
    assert corrected[WRONG_EVIDENCE.query_id].answers == ("a boat",)
    assert corrected[WRONG_EVIDENCE.query_id].evidence == ("D1:2",)
    assert corrected[WRONG_GOLD.query_id].answers == ("a boat",)
    assert corrected[RIGHT.query_id] == RIGHT.gold
    assert TRAP in overlaid.without
    assert WRONG_EVIDENCE in overlaid.without


def test_the_ceiling_of_a_judge_and_the_errors_elsewhere_are_told(tmp_path: Path) -> None:
    overlaid = overlay(RECORDS, read_overlay(written(tmp_path, *ERRORS)), CONVENTION)
    assert overlaid.accepted == share(2, 3)
    first, second = told_overlay(overlaid)
    assert "66.7 over the 3 answerable questions, as 1 have a wrong gold" in first
    assert second.endswith(
        "1 label errors belong to no question of this run; the first is locomo_0_qa3"
    )


def test_an_overlay_of_another_dataset_is_refused(tmp_path: Path) -> None:
    errors = read_overlay(written(tmp_path, entry(1, "X", golden_answer="a plane")))
    with pytest.raises(ValueError, match="none of the 1 label errors"):
        overlay(RECORDS, errors, CONVENTION)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"errors": []}, "is a dict, expected a list of label errors"),
        ([1], "entry 0 is int, expected a JSON object"),
        ([entry(1, "X") | {"question_id": "seven"}], "expected one such as locomo_0_qa1"),
        ([entry(1, "X") | {"correct_answer": 3}], "expected str"),
    ],
)
def test_what_is_no_overlay_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "errors.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        read_overlay(path)


@pytest.mark.real_data
def test_the_public_audit_lies_on_156_questions_of_locomo_and_99_answers_are_wrong() -> None:
    if "REMEM_DATA" not in os.environ:
        pytest.skip("REMEM_DATA is not set")
    data = os.environ["REMEM_DATA"]
    benchmark = LoCoMo(data=data, file="locomo10.json", evidence_rule="paper")
    records = [
        Record(
            question.query.id,
            history.id,
            question.query.index,
            question.query.text,
            question.gold,
            "ok",
        )
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    ]
    errors = read_overlay(Path(data) / "locomo" / "audit_errors.json")
    overlaid = overlay(records, errors, CONVENTION)
    assert (len(errors), overlaid.elsewhere) == (156, ())
    assert (overlaid.accepted.count, overlaid.accepted.n) == (1441, 1540)
    assert len(overlaid.without) == 1986 - 99
    changed = sum(a.gold != b.gold for a, b in zip(records, overlaid.corrected, strict=True))
    assert 99 <= changed <= 156
