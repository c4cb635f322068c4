import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from remem.apps.referee.audits.audited import find
from remem.apps.referee.imports.error_messages import is_error_message
from remem.apps.referee.imports.importing import import_runs, read_matched
from remem.apps.referee.imports.known_questions import DataSets
from remem.apps.referee.imports.written_run import WrittenRun
from remem.bundle.gathering import read_packed_run
from remem.errors import UsageError
from remem.metrics.benchmark_scores import recall_any
from remem.results.conventions import score_sets
from remem.results.intake_notes import intake_notes
from remem.results.rescore import Scoring, rescore
from remem.results.run import Run
from remem.results.verdicts import judge_kind, judgment_files, verdicts_by_case
from remem.run.imported_answers import read_origin
from remem.run.store import RECORDS
from remem.types import NOT_STATED, Gold, Record, Retrieved


@pytest.fixture
def results(made: SimpleNamespace) -> list[Any]:
    """Two answers, one right and one wrong."""
    return [
        made.amb_result("conv-7_q0", correct=True),
        made.amb_result(
            "conv-7_q1", correct=False, query="When was the fair?", gold_answers=[2022]
        ),
    ]


Write = Callable[[str, object], Path]


def imported(paths: list[Path], overrides: list[str], **chosen: str) -> list[WrittenRun]:
    return import_runs(read_matched(paths, data_sets=DataSets(overrides), **chosen), overrides)


def test_an_imported_run_has_the_questions_and_golds_of_the_data_set(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    (run,) = imported([write("amb.json", made.amb_file(results))], overrides)
    opened = Run.open(run.folder)
    assert [record.query_id for record in opened.records] == ["conv-7/q0", "conv-7/q1"]
    assert opened.records[1].gold.evidence == ("D2:1",)
    assert opened.records[1].gold.category == "2"
    assert opened.config.dataset == "locomo"
    assert (opened.manifest.questions, opened.manifest.answered) == (4, 2)
    assert opened.manifest.partial
    assert run.matched.not_answered == ("conv-7/q2", "conv-7/q3")


def test_an_imported_run_is_scored_under_every_convention_with_its_verdicts(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    (run,) = imported([write("amb.json", made.amb_file(results))], overrides)
    records = Run.open(run.folder).records
    ways = [Scoring(name, records, rules) for name, rules in score_sets([]).items()]
    for way in rescore(ways, ["f1", "recall_at_10"], run.folder):
        (verdicts,) = {name for name, _ in way.estimates if name.startswith("published verdict")}
        assert way.estimates[verdicts, None].over_questions.mean == 0.5
        assert way.estimates["recall_at_10", None].over_questions.mean == 1
        assert way.judge_calls[0].missing == ()


def test_a_second_import_changes_nothing(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    path = write("amb.json", made.amb_file(results))
    (first,) = imported([path], overrides)
    before = {file.name: file.read_bytes() for file in first.folder.glob("*.jsonl")}
    (second,) = imported([path], overrides)
    assert second.folder == first.folder
    assert {file.name: file.read_bytes() for file in first.folder.glob("*.jsonl")} == before
    assert RECORDS in before


def test_what_a_file_does_not_state_has_no_score_and_is_named(
    write: Write, made: SimpleNamespace, overrides: list[str]
) -> None:
    path = write("memo.json", made.arena_file([made.arena_record("conv-7_q0", 100)]))
    (run,) = imported([path], overrides, dataset="locomo")
    opened = Run.open(run.folder)
    (record,) = opened.records
    assert record.prompts == NOT_STATED
    assert opened.costs.costs == ()
    (way,) = rescore(
        [Scoring(name, [record], rules) for name, rules in score_sets(["paper"]).items()],
        ["recall_at_10", "session_recall", "context_tokens", "f1"],
        run.folder,
    )
    assert {name for name, _ in way.estimates if not name.startswith("published")} == {"f1"}
    origin = read_origin(run.folder)
    assert origin is not None
    assert origin.missing == ("which messages were retrieved", "the context of the reader")


def test_the_judge_and_the_formula_of_a_file_are_two_judges(
    write: Write, made: SimpleNamespace, overrides: list[str]
) -> None:
    path = write("memo.json", made.arena_file([made.arena_record("conv-7_q0", 50)]))
    (run,) = imported([path], overrides, dataset="locomo")
    formula, judge = sorted(judgment_files(run.folder))
    assert formula.name.startswith("judgments.published-formula-accuracy-")
    assert judge.name.startswith("judgments.published-judge-1-")
    assert list(verdicts_by_case(judge).values()) == [0.5]
    assert list(verdicts_by_case(formula).values()) == [pytest.approx(0.4)]
    assert judge_kind(judge.name) == "published verdict"


def test_rows_without_a_data_set_keep_their_own_questions(
    write: Write, overrides: list[str]
) -> None:
    rows = [
        {"id": "q1", "question": "Who?", "gold": "Ann", "answer": "Ann", "category": "names"},
        {"id": "q2", "question": "Where?", "answer": "there"},
        {"id": "q3", "question": "Why?", "answerable": False, "answer": "no idea"},
    ]
    path = write("own.jsonl", "\n".join(map(json.dumps, rows)))
    (run,) = imported([path], overrides)
    opened = Run.open(run.folder)
    assert [record.query_id for record in opened.records] == ["q1", "q3"]
    assert opened.records[0].gold.category == "names"
    assert not opened.records[1].gold.answerable
    assert opened.config.dataset == "imported"
    assert list(intake_notes(opened)) == [
        "Imported from own.jsonl (rows); the file does not state: what was retrieved, the context "
        "of the "
        "reader, the model that answered, verdicts.",
        "own.jsonl: 1 of 3 answers were left out: their gold answer is not known (first: "
        "own.jsonl:2).",
    ]


def test_an_answer_that_is_an_error_message_is_an_error_unless_errors_are_asked_for(
    write: Write, overrides: list[str]
) -> None:
    rows = [
        {"id": "q1", "question": "Who?", "gold": "Ann", "answer": "Error: timed out"},
        {"id": "q2", "question": "Which error?", "gold": "disk", "answer": "Error: disk full"},
        {"id": "q3", "question": "How old?", "gold": 3.0, "answer": 3},
    ]
    path = write("own.jsonl", "\n".join(json.dumps(row | {"correct": False}) for row in rows))
    (run,) = imported([path], overrides)
    opened = Run.open(run.folder)
    assert [record.status for record in opened.records] == ["error", "ok", "ok"]
    assert opened.records[0].error == "Error: timed out"
    assert (opened.records[2].answer, opened.records[2].gold.answers) == ("3", ("3",))
    assert list(intake_notes(opened))[1:] == [
        "own.jsonl: 1 of 3 answers were repaired: answers that are error messages were read as "
        "errors, which are not scored (first: own.jsonl:1)."
    ]
    (finding,) = find([run.matched], ())
    assert finding.check == "errors and empty answers with a verdict"


@pytest.mark.parametrize(
    "message",
    [
        "Error: unhandled errors in a TaskGroup (1 sub-exception)",
        "ERROR: Rate limit reached for gpt-4o",
        "Error code: 429 - {'error': {'message': 'quota'}}",
        'Traceback (most recent call last):\n  File "a.py", line 1',
        "litellm.RateLimitError: too many requests",
        "RateLimitError('429')",
        "[ERROR] no reply",
        "\u274c **Error**: no reply",
        "Exception: no reply",
        "Error calling LLM: no reply",
        "HTTP 503 Service Unavailable",
        '{"error": {"message": "quota"}}',
        "Request timed out.",
    ],
)
def test_an_error_message_of_a_client_or_server_is_recognised(message: str) -> None:
    assert is_error_message(message)


@pytest.mark.parametrize(
    "sentence",
    [
        "Error bars were too wide",
        "He made an error: he forgot the keys",
        "The server returned Error: 500",
        "Exceptionally, on Friday: at noon",
        "TypeError: x is undefined",
        "Errors in the model railway: the wheels",
        "404 people",
        "Traceback was her first album",
        "",
    ],
)
def test_a_sentence_that_has_words_of_errors_is_an_answer(sentence: str) -> None:
    assert not is_error_message(sentence)


def test_an_error_of_the_file_is_an_error_of_the_run_and_has_no_verdict(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    (run,) = imported(
        [write("amb.json", made.amb_file([results[0], {**results[1], "answer": None}]))], overrides
    )
    opened = Run.open(run.folder)
    assert [record.status for record in opened.records] == ["ok", "error"]
    assert opened.manifest.errors == 1
    (file,) = judgment_files(run.folder)
    assert [case.query_id for case in verdicts_by_case(file)] == ["conv-7/q0"]


def test_a_question_that_is_answered_twice_is_an_error(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    with pytest.raises(ValueError, match=r"'conv-7/q0' occurs twice in the questions of amb\.json"):
        read_matched(
            [write("amb.json", made.amb_file(results[:1] * 2))], data_sets=DataSets(overrides)
        )


def test_so_is_one_that_is_found_by_its_words_alone(write: Write, overrides: list[str]) -> None:
    rows = [{"question": "Who baked?", "gold": "Ann Lee", "answer": each} for each in "ab"]
    with pytest.raises(ValueError, match="'conv-7/q0' occurs twice"):
        read_matched([write("a.json", rows)], dataset="locomo", data_sets=DataSets(overrides))


@pytest.mark.parametrize("name", ["../convention/paper", "locomo run.packages=[os]", "unknown"])
def test_a_file_cannot_name_anything_but_a_data_set(
    write: Write, overrides: list[str], name: str
) -> None:
    path = write("a.json", [{"id": "q1", "gold": "x", "answer": "x", "dataset": name}])
    (matched,) = read_matched([path], data_sets=DataSets(overrides))
    assert matched.known is None
    with pytest.raises(UsageError, match="unknown dataset"):
        read_matched([path], dataset=name, data_sets=DataSets(overrides))


def test_answers_without_any_gold_are_an_error_that_says_what_to_do(
    write: Write, made: SimpleNamespace, overrides: list[str]
) -> None:
    path = write("longmemeval-s_x.json", made.arena_file([made.arena_record("q", 1)]))
    with pytest.raises(ValueError, match="set REMEM_DATA to the folder with the data set"):
        read_matched([path], data_sets=DataSets(overrides))


def test_a_question_with_other_words_is_not_the_question_of_that_id(
    write: Write, made: SimpleNamespace, overrides: list[str]
) -> None:
    other = made.amb_result("conv-7_q3", correct=True)  # asks what q0 asks
    (matched,) = read_matched(
        [write("amb.json", made.amb_file([other]))], data_sets=DataSets(overrides)
    )
    assert [answer.id for answer in matched.answers] == ["conv-7/q0"]


def test_a_bundle_of_an_imported_run_is_refused(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    (run,) = imported([write("amb.json", made.amb_file(results))], overrides)
    with pytest.raises(
        UsageError, match="has imported answers, so a bundle would have nothing to replay"
    ):
        read_packed_run(run.folder, allow_stub=False)


def test_turns_and_sessions_have_scores_as_far_as_they_are_stated() -> None:
    cases = [("s1_1", 1, 1), (f"s1_{NOT_STATED}", None, 1), (NOT_STATED, None, None)]
    for source, turn, session in cases:
        gold = Gold(("Ann",), "multi-session", evidence=("s1_1",))
        items = (Retrieved("item", (source,)),)
        record = Record("q", "h", 0, "Who?", gold, "ok", retrieved=items, prompts=NOT_STATED)
        convention = score_sets(["paper"])["paper"]
        assert recall_any(record, convention, level="turn", k=5) == turn
        assert recall_any(record, convention, level="session", k=5) == session


def test_answers_of_which_few_are_in_a_data_set_belong_to_none(
    write: Write, overrides: list[str]
) -> None:
    rows = [{"id": "conv-7_q0", "answer": "Ann", "gold": "Ann Lee"}]
    rows += [{"id": f"other {at}", "answer": "Ann", "gold": "Ann"} for at in range(2)]
    (matched,) = read_matched(
        [write("a.json", rows)], dataset="locomo", data_sets=DataSets(overrides)
    )
    assert matched.known is None
    assert len(matched.answers) == 3


def test_what_a_file_has_and_is_not_read_is_said(
    write: Write, results: list[Any], made: SimpleNamespace, overrides: list[str]
) -> None:
    file = made.amb_file([{**results[0], "judge_reason": "Same."}], again=[results[1]])
    (run,) = imported([write("amb.json", file)], overrides)
    origin = read_origin(run.folder)
    assert origin is not None
    told = list(origin.sentences())
    assert told[0].endswith("not read: judge_reason.")
    assert told[1].startswith("amb.json: 1 of 2 answers were left out: they are in a list that")
