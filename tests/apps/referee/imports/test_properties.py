"""For any file of answers, kept and omitted answers add up to all, or the file is refused."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.apps.referee.imports.formats import read_answers
from remem.apps.referee.imports.known_questions import DataSets
from remem.apps.referee.imports.matched import match

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ODD = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.text(max_size=2), SCALARS)
ANSWERS = st.sampled_from(["Ann", "Error: timed out", "[ERROR]", "", 3.0]) | ODD
GOLDS = st.sampled_from(["Ann", ["Ann", 3.0], "", [], None]) | ODD
ROWS = st.fixed_dictionaries(
    {"question_id": st.integers(0, 99) | SCALARS, "answer": ANSWERS},
    optional={
        "question": st.just("Who?") | SCALARS,
        "gold": GOLDS,
        "answerable": st.booleans() | ODD,
        "error": st.sampled_from(["", "cut off"]) | ODD,
        "correct": st.booleans() | ODD,
        "system": st.sampled_from(["a", "b"]) | ODD,
        "retrieved": st.lists(st.text(max_size=3), max_size=2) | ODD,
        "latency": st.floats() | ODD,
    },
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROWS, min_size=1, max_size=5))
def test_the_answers_of_any_rows_add_up_or_are_refused_with_a_place(
    tmp_path: Path, rows: list[dict[str, object]]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    try:
        matched = [match(imported, DataSets()) for imported in read_answers(path)]
    except ValueError as refusal:
        assert "rows.jsonl" in str(refusal)
        return
    assert sum(run.account.arrived for run in matched) == len(rows)
    for run in matched:
        left_out = sum(remark.count for remark in run.account.left_out)
        repaired = sum(remark.count for remark in run.account.repaired)
        assert len(run.records) + left_out == run.account.arrived
        assert repaired <= sum(record.status == "error" for record in run.records)
