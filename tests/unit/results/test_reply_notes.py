"""The notes on unusual replies: each kind is noted once, with its count and first occurrence."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from remem.llm.channels import BOX, PARTS
from remem.results.intake_notes import reply_notes
from remem.results.run import Run
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.run_manifest import IndexUsage
from remem.types import UNCOUNTED, Gold, Record, StepRecord, Usage

MakeRun = Callable[..., Path]
PLANNED = ("method=remem_i", "planner=llm", "llm=openai_compatible")


def record(number: int, recall: Usage = Usage(), read: Usage = Usage(), *tools: str) -> Record:  # noqa: B008  frozen
    steps = tuple(StepRecord(tool, {}, "", "", (), None, error=False) for tool in tools)
    gold = Gold(("Rome",), "place")
    asked = Record(f"q{number}", "h", number, "Where?", gold, "ok", answer="Rome", steps=steps)
    return replace(asked, recall_usage=recall, read_usage=read)


def test_a_remark_is_counted_over_the_replies_of_all_questions_and_has_its_first_place(
    make_run: MakeRun,
) -> None:
    boxed = record(1, read=Usage(1, 10, 2, remarks={BOX: 1}))
    in_parts = record(2, Usage(3, 30, 6, remarks={PARTS: 2}), Usage(1, 10, 2, remarks={BOX: 1}))
    plain = record(3, read=Usage(1_995, 10, 2))
    assert [*reply_notes(Run.open(make_run([boxed, in_parts, plain])))] == [
        "2 of 2,000 replies had the answer in a box, which was taken out of it (first: "
        "question q1).",
        "2 of 2,000 replies had their text in parts, which were joined (first: question q2).",
    ]


def test_the_replies_of_an_index_and_of_a_judge_have_their_remarks_and_places_too(
    make_run: MakeRun,
) -> None:
    run = Run.open(make_run([record(1, read=Usage(1, 10, 2))]))
    built = {"h": IndexUsage(calls=4, prompt_tokens=9, completion_tokens=2, remarks={BOX: 3})}
    with open_judgments(run.folder / "judgments.mine.jsonl") as log:
        for case in cases_of(run.records, "by_category", 1):
            uncounted = Usage(2, remarks={UNCOUNTED: 2})
            log.append(Judgment(case, "ok", correct=True, usage=uncounted))
    judged = replace(run, manifest=replace(run.manifest, index_usage=built))
    assert [*reply_notes(judged)] == [
        "3 of 7 replies had the answer in a box, which was taken out of it (first: history h).",
        "2 of 7 replies came without token counts, so their tokens are unknown (first: the judge).",
    ]


def test_calls_of_unknown_tools_are_counted_with_their_questions_and_the_first_is_named(
    make_run: MakeRun,
) -> None:
    lost = record(1, Usage(), Usage(), "semantic_retrieve", "fly", "t" * 99)
    again = record(2, Usage(), Usage(), "fly", "output_answer")
    assert [*reply_notes(Run.open(make_run([lost, again], *PLANNED)))] == [
        "Calls of tools that do not exist: 3, in 2 of 2 questions (first: 'fly', question q1)."
    ]


def test_a_run_without_anything_unusual_has_no_notes(make_run: MakeRun) -> None:
    took = Usage(2, 20, 4), Usage(1, 10, 2)
    known = make_run([record(1, *took, "semantic_retrieve", "output_answer")], *PLANNED)
    of_no_planner_of_ours = make_run([record(1, *took, "search_web")], "method=bm25_messages")
    assert [*reply_notes(Run.open(known)), *reply_notes(Run.open(of_no_planner_of_ours))] == []
