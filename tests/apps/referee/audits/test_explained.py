"""How a published mean is explained if it is not the mean of its verdicts."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from remem.apps.referee.audits.explained import CheckedMean, check_mean
from remem.apps.referee.imports.importing import read_matched

# Seven answers: 4 of 6 verdicts are right; one answer is an error, one has no verdict.
ROWS = [
    {"category": "a", "correct": True},
    {"category": "a", "correct": True},
    {"category": "a", "correct": True, "error": "timed out"},
    {"category": "b", "correct": True},
    {"category": "b", "correct": False},
    {"category": "b", "correct": False},
    {"category": "b"},
]


def checked(
    folder: Path, published: float, digits: int, rows: Sequence[dict[str, object]] = ROWS
) -> CheckedMean:
    """Return the check of a published mean against the verdicts of some rows."""
    lines = (
        {"id": f"q{at}", "question": f"Which is {at}?", "gold": "red", "answer": "red"} | row
        for at, row in enumerate(rows)
    )
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (run,) = read_matched([path])
    return check_mean([run], published, digits, system="s", judge=run.imported.main)


@pytest.mark.parametrize(
    ("published", "outcome", "reason"),
    [
        (0.6667, "follows", ""),  # 4 of 6
        (0.5714, "counted otherwise", "answers without a verdict as wrong"),  # 4 of 7
        (0.6, "counted otherwise", "without errors and empty answers"),  # 3 of 5
        (0.5, "counted otherwise", "errors and empty answers as wrong"),  # 3 of 6
        (1.0, "counted otherwise", "without category 'b'"),  # 3 of 3
        (0.3333, "counted otherwise", "without category 'a'"),  # 1 of 3
        (0.7143, "open", "1 answers have no verdict; if 1 of these were right"),  # 5 of 7
        (0.8333, "does not follow", "4 of 6 are right; this mean would need 5"),
        (0.68, "does not follow", "right answers, which is not a whole number"),
    ],
)
def test_a_published_mean_is_checked_to_its_last_digit(
    tmp_path: Path, published: float, outcome: str, reason: str
) -> None:
    mean = checked(tmp_path, published, 4)
    assert mean.outcome == outcome
    assert reason in mean.reason
    assert mean.recomputed == pytest.approx(4 / 6)
    assert mean.ids == (("rows.jsonl:3", "rows.jsonl:7") if outcome == "does not follow" else ())


def test_a_mean_of_categories_and_a_category_in_the_numerator_only_are_named(
    tmp_path: Path,
) -> None:
    # 1 of 2 and 3 of 3
    rows = [
        *({"category": "a", "correct": right} for right in (True, False)),
        *({"category": "b", "correct": True} for _ in range(3)),
    ]
    assert checked(tmp_path, 0.75, 2, rows).reason == "the mean of the category means"
    # 3 of 8 and 3 of 3: 6 right answers over 8 questions
    rows = [{"category": "a", "correct": at < 3} for at in range(8)]
    rows += [{"category": "5", "correct": True} for _ in range(3)]
    assert checked(tmp_path, 0.75, 2, rows).reason == "category '5' in the numerator only"


def test_verdicts_of_degrees_are_summed_or_counted_from_one_half_on(tmp_path: Path) -> None:
    rows = [{"correct": grade} for grade in (0.4, 0.5, 0.9, 1.0)]
    assert checked(tmp_path, 0.7, 2, rows).outcome == "follows"
    assert checked(tmp_path, 0.75, 2, rows).reason == "verdicts of 0.5 or more as right"
    assert checked(tmp_path, 0.9, 2, rows).reason == (
        "the sum of the verdicts is 2.80; this mean would need 3.60"
    )


def test_a_mean_is_open_only_if_some_number_of_right_answers_gives_it(tmp_path: Path) -> None:
    rows = [{"correct": True}, {"correct": False}, {}]
    assert checked(tmp_path, 0.67, 2, rows).outcome == "open"  # 2 of 3
    assert checked(tmp_path, 0.68, 2, rows).outcome == "does not follow"
    assert checked(tmp_path, 0.68, 2, [{}, {}]).reason == "there are no verdicts"


@pytest.mark.parametrize(("other", "follows"), [(0.5, True), (0.501, False)])
def test_a_mean_has_as_many_decimals_as_the_longest_of_its_file(
    tmp_path: Path, other: float, follows: bool
) -> None:
    parts = {"rows": "rows", "id": "id", "answer": "answer", "gold": "gold", "verdict": "correct"}
    rows = [{"id": f"q{at}", "answer": "a", "gold": "a", "correct": at < 3} for at in range(4)]
    file = {"rows": rows, "mean": 0.8, "other": other}  # 3 of 4 are .75, or .8 with one decimal
    path = tmp_path / "a.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    (run,) = read_matched([path], format=parts | {"mean": "mean, other"})
    mean, _ = run.imported.published
    result = check_mean([run], mean.value, mean.digits, system="s", judge=mean.judge)
    assert (result.outcome == "follows") == follows
