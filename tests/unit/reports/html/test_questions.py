"""The values of a question state what was found, what was missed, and what it cost."""

from dataclasses import replace

from remem.files.plain_text import MOST_CHARACTERS, cut
from remem.reports.html.questions import history_numbers, question_values
from remem.results.run import Run
from remem.types import Gold, Record, Retrieved, StepRecord, Usage

GOLD = Gold(("red",), "1", evidence=("m1", "m2"), unresolved=("D:x",))
SEEN = ("g1", "f2")
FULL = Record(
    "q0",
    "h",
    0,
    "What colour?",
    GOLD,
    "ok",
    answer="red",
    retrieved=(Retrieved("g1", ("m9",)), Retrieved("f2", ("m8", "m2"))),
    steps=(
        StepRecord(
            "semantic_retrieve",
            {"query": "x", "end": None},
            "t",
            "m",
            SEEN,
            3,
            error=True,
            scores=(0.912345, 0.5),
        ),
    ),
    proposed_answer="reddish",
    context_tokens=12,
    recall_usage=Usage(2, 30, 4),
    read_usage=Usage(1, 5, 6),
)
FAILED = Record("q1", "h2", 0, "Who?", GOLD, "error", error="TimeoutError: late")


def values(make_run, *records: Record):
    run = Run.open(make_run(records))
    return question_values(run, run.records, history_numbers(run.records), ["em", "llm_judge"])


def test_evidence_is_found_by_the_first_item_that_bears_it_or_missed(make_run) -> None:
    value = values(make_run, FULL)[0]
    assert value["evidence"] == [["m1"], ["m2", 2, "f2"]]
    assert value["unresolved"] == ["D:x"]
    assert value["items"] == [["g1", ["m9"]], ["f2", ["m8", "m2"]]]


def test_a_step_tells_its_call_and_what_of_it_bears_gold(make_run) -> None:
    (step,) = values(make_run, FULL)[0]["steps"]
    assert step == {
        "tool": "semantic_retrieve",
        "arguments": {"query": "x"},
        "thought": "t",
        "message": "m",
        "seen": ["g1", "f2"],
        "seen_scores": [0.9123, 0.5],
        "seen_count": 2,
        "golden": ["f2"],
        "error": True,
        "count": 3,
    }


def test_what_a_question_took_is_told(make_run) -> None:
    value = values(make_run, FULL)[0]
    assert (value["recall_tokens"], value["read_tokens"]) == ([2, 30, 4], [1, 5, 6])
    assert value["seconds"] == [0.5, 0.25]
    assert value["scores"] == {"EM": 1.0}  # no judge was asked
    assert "refused" not in value and "dollars" not in value


def test_a_question_in_error_has_no_answer_and_no_scores(make_run) -> None:
    value = values(make_run, FULL, FAILED)[1]
    assert value["error"] == "TimeoutError: late" and value["history"] == 1
    assert "answer" not in value and "scores" not in value


def test_many_items_are_listed_in_part_and_counted(make_run) -> None:
    many = tuple(Retrieved(f"g{at}", (f"x{at}",)) for at in range(1, 200))
    late = replace(FULL, retrieved=(*many, Retrieved("g200", ("m1",))))
    value = values(make_run, late)[0]
    assert (len(value["items"]), value["item_count"]) == (50, 200)
    assert value["evidence"][0] == ["m1", 200, "g200"]  # found, though it is not listed


def test_a_long_text_is_cut_and_says_so() -> None:
    assert cut("a" * MOST_CHARACTERS) == "a" * MOST_CHARACTERS
    assert cut("a" * (MOST_CHARACTERS + 1_500)).endswith("a… (1,500 characters more)")
