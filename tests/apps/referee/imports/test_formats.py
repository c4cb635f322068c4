import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.referee.imports import source_file
from remem.apps.referee.imports.formats import read_answers
from remem.apps.referee.imports.imported import Published, RankedItem
from remem.apps.referee.imports.mapped_answers import NOT_LISTED, REPEATED
from remem.apps.referee.imports.mapping import read_mapping
from remem.errors import UsageError

Write = Callable[[str, object], Path]


def test_a_file_of_memory_arena_has_the_grade_of_its_judge_and_the_accuracy_of_its_formula(
    write: Write,
    made: SimpleNamespace,
) -> None:
    path = write("longmemeval-s_memo_seed0.json", made.arena_file([made.arena_record("q1", 90)]))
    (imported,) = read_answers(path)
    assert (imported.format, imported.system, imported.repeat) == ("memory-arena", "memo", "seed 0")
    assert (imported.corpus, imported.llm, imported.main) == (
        "longmemeval-s",
        "reader-1",
        "accuracy",
    )
    (answer,) = imported.answers
    assert answer.verdicts == {"judge-1": 0.9, "accuracy": pytest.approx(0.72)}
    assert answer.flags["sources_pass"] is False
    assert answer.flags["turn_mrr"] == 0
    assert not {"k", "abstained"} & answer.flags.keys()
    assert [published.category for published in imported.published] == [None, "temporal"]


def test_turns_count_as_retrieved_if_they_are_of_the_listed_sessions(
    write: Write, made: SimpleNamespace
) -> None:
    turns = ["s1_turn_000", "s2_turn_004", "s1_turn_001"]
    listed = made.arena_record("q1", 90, supporting_turn_ids=turns)
    others = made.arena_record("q2", 90, supporting_turn_ids=["s1_turn_000"])
    notes = made.arena_record("q3", 90, supporting_turn_ids=[*turns, "note_7"])
    unknown = made.arena_record("q4", 90, recall_at_k_measurable=False)
    path = write("a.json", made.arena_file([listed, others, notes, unknown]))
    found = [answer.retrieved for answer in read_answers(path)[0].answers]
    assert found[0] == (
        RankedItem("s1_turn_000", messages=("s1_1",)),
        RankedItem("s2_turn_004", messages=("s2_5",)),
        RankedItem("s1_turn_001", messages=("s1_2",)),
    )
    sessions = (RankedItem("s1", sessions=("s1",)), RankedItem("s2", sessions=("s2",)))
    assert found[1:] == [sessions, sessions, None]


def test_an_answer_that_the_file_marks_as_an_error_is_none(
    write: Write, made: SimpleNamespace
) -> None:
    path = write("a.json", made.arena_file([made.arena_record("q1", 0, error=True)]))
    (answer,) = read_answers(path)[0].answers
    assert answer.answer is None
    assert answer.error


def test_a_file_of_the_agent_memory_benchmark_has_contexts_and_the_messages_in_them(
    write: Write,
    made: SimpleNamespace,
) -> None:
    results = [
        made.amb_result("conv-7_q0", correct=True),
        made.amb_result("conv-7_q1", correct=False),
    ]
    (imported,) = read_answers(write("run.json.gz", made.amb_file(results)))
    assert imported.label == "remembrall"
    assert imported.published == (Published("judge-2", 0.5, digits=1),)
    first = imported.answers[0]
    assert first.retrieved == (
        RankedItem("memory 1", messages=("D1:1",)),
        RankedItem("memory 2", messages=("D2:1",)),
    )
    assert (first.today, first.history) == ("2023-05-09T13:56:00+00:00", "conv-7")
    assert [answer.verdicts["judge-2"] for answer in imported.answers] == [1, 0]


def test_rows_of_several_systems_are_several_runs(write: Write) -> None:
    path = write(
        "mine.csv",
        "system,question,gold,answer,correct,speed\n"
        'a,"Who, then?",Ann | Bob,Ann,true,3\n'
        "b,Who?,Ann,,0.5,4\n",
    )
    first, second = read_answers(path)
    assert (first.system, second.system) == ("a", "b")
    assert first.answers[0].question == "Who, then?"
    assert first.answers[0].golds == ("Ann", "Bob")
    assert first.answers[0].verdicts == {"judge": 1}
    assert first.answers[0].flags == {"speed": 3}
    assert second.answers[0].answer == ""
    assert second.answers[0].verdicts == {"judge": 0.5}


def test_json_lines_and_a_json_list_give_the_same_answers(write: Write) -> None:
    rows = [
        {"id": 1, "gold": ["x", 2], "response": "x", "retrieved": ["m1"], "cut": True},
        {"id": 2, "gold": "y", "error": "timeout", "answer": None},
    ]
    lines = read_answers(write("a.jsonl", "\n".join(map(json.dumps, rows))))[0].answers
    listed = read_answers(write("a.json", rows))[0].answers
    assert [line.golds for line in lines] == [row.golds for row in listed] == [("x", "2"), ("y",)]
    assert (lines[0].id, lines[0].is_cut) == ("1", True)
    assert lines[0].retrieved == (RankedItem("m1", messages=("m1",)),)
    assert (lines[1].answer, lines[1].error) == (None, "timeout")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"answer": "x"}, "a.jsonl:1 has no question_id, query_id, id or question, expected one"),
        ({"id": "1"}, "none of the known formats"),
        ({"id": "1", "answer": None}, "a.jsonl:1 has no answer, response, prediction or error"),
        ({"id": "1", "answer": ["x"]}, "'answer' of .*a.jsonl:1 is list, expected text"),
        ({"id": "1", "answer": "x", "corect": "y"}, "'corect'.*did you mean 'correct'"),
        ({"id": "1", "answer": "x", "correct": 2}, "'correct' of .* is '2', expected true"),
        ({"id": "1", "answer": "x", "cut": 2}, "'cut' of .* expected true or false"),
        (
            {"id": "1" * 301, "answer": "x"},
            "'id' of .*a.jsonl:1 has 301 characters, expected at most 300",
        ),
        ({"id": "1", "answer": "x", "context_tokens": -1}, "expected a whole number"),
    ],
)
def test_a_bad_row_is_named_with_its_place(write: Write, row: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_answers(write("a.jsonl", json.dumps(row)))


def test_an_unknown_document_is_described_by_its_keys_and_the_nearest_format(write: Write) -> None:
    with pytest.raises(
        ValueError,
        match=r"has the keys 'runs', which match none of .*rows\); to read it in another way, name",
    ):
        read_answers(write("a.json", {"runs": []}))
    for unknown in ("[1]", ""):
        with pytest.raises(
            ValueError, match=r"has no rows, expected answers|has no keys, which match none"
        ):
            read_answers(write("a.jsonl", unknown))
    near = {"turns": {"user_0": [{"question": "Who?", "golden_answer": "Ann", "reply": "Ann"}]}}
    said = (
        "'turns.user_0.reply'.*nearest is zep, which needs .*, but this file lacks 'answer';.*--map"
    )
    with pytest.raises(ValueError, match=said):
        read_answers(write("a.json", near))


def test_an_unknown_format_is_a_usage_error_that_names_the_nearest(write: Write) -> None:
    with pytest.raises(UsageError, match="did you mean 'rows'"):
        read_answers(write("a.json", {}), "row")


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "MAX_BYTES", 1000)
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b"[" * 100_000))
    assert path.stat().st_size < 1000
    with pytest.raises(ValueError, match="has more than 1,000 bytes"):
        read_answers(path)


def test_a_file_without_answers_and_one_that_is_missing_are_errors(
    write: Write, made: SimpleNamespace, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"has no answers .*, expected at least one"):
        read_answers(
            write("a.json", made.arena_file([made.arena_record("q", 1)], recall_records=[]))
        )
    with pytest.raises(FileNotFoundError, match="no file of answers at"):
        read_answers(tmp_path)


def test_a_file_of_mem0s_scores_has_its_judge_and_its_metrics(write: Write) -> None:
    item = {"question": "Who?", "answer": 7, "response": "Ann", "category": "4"}
    scores = {"llm_score": 1, "f1_score": 0.5, "bleu_score": 0.25}
    refusing = {"question": "Why?", "response": None, "category": 5}
    memories = [{"memory": "Ann baked.", "timestamp": "8 May"}]
    path = write(
        "memo_results_top_30.json",
        {"0": [{**item, **scores, "speaker_1_memories": memories}], "1": [refusing]},
    )
    (imported,) = read_answers(path)
    assert (imported.format, imported.system, imported.main) == ("mem0", "memo", "llm_score")
    first, second = imported.answers
    assert first.verdicts == scores
    assert (first.golds, first.history, first.context) == (("7",), "0", "8 May: Ann baked.")
    assert (second.answer, second.answerable, second.golds) == (None, False, ())


def test_a_file_of_zeps_grades_has_the_key_of_each_conversation(write: Write) -> None:
    item = {"question": "Who?", "answer": "Ann", "golden_answer": "Ann Lee", "grade": True}
    path = write("zep_locomo_grades.json", {"locomo_experiment_user_12": [item]})
    (imported,) = read_answers(path)
    assert (imported.format, imported.main) == ("zep", "grade")
    (answer,) = imported.answers
    assert (answer.history, answer.golds, answer.verdicts) == (
        "locomo_experiment_user_12",
        ("Ann Lee",),
        {"grade": 1},
    )


@pytest.mark.parametrize("label", [{"model": "judge-3", "label": False}, False])
def test_a_hypothesis_file_of_longmemeval_is_read_with_its_labels(
    write: Write, label: object
) -> None:
    rows = [
        {"question_id": "q1_abs", "hypothesis": "I do not know.", "autoeval_label": label},
        {"question_id": "q2", "hypothesis": "Ann"},
    ]
    (imported,) = read_answers(write("mine.jsonl", "\n".join(map(json.dumps, rows))))
    assert (imported.format, imported.system, imported.corpus) == (
        "longmemeval",
        "mine",
        "longmemeval",
    )
    assert [answer.answerable for answer in imported.answers] == [False, True]
    assert list(imported.answers[0].verdicts.values()) == [0]
    assert imported.answers[1].verdicts == {}


def test_a_hypothesis_file_of_longmemeval_may_have_golds_and_verdicts_of_its_own(
    write: Write,
) -> None:
    row = {"question_id": "q1", "hypothesis": "Ann", "gold": 7, "category": "c", "correct": True}
    (imported,) = read_answers(write("a.json", [{**row, "tokens": 12, "rounds": None}]))
    (answer,) = imported.answers
    assert (imported.format, imported.main) == ("longmemeval", "judge")
    assert (answer.golds, answer.category) == (("7",), "c")
    assert (answer.verdicts, answer.flags) == ({"judge": 1}, {"tokens": 12})


def test_a_file_of_backboard_has_its_means_and_names_the_rows_that_stand_there_twice(
    write: Write,
) -> None:
    said = {"conversation_id": "conv-7", "question_type": "hop", "category": 5}
    row = {**said, "question": "Who?", "expected_answer": "Ann", "ai_response": "Ann Lee"}
    rows = [{**row, "evaluation": {"is_correct": True, "reasoning": "Same.", "error": None}}]
    other = {**rows[0], "ai_response": "Bob"}
    stated = {"accuracy_percentage": 100.0, "responses": [*rows, other]}
    file = {"accuracy_percentage": 100.0, "responses": rows, "by_type": {"hop": stated}}
    (imported,) = read_answers(write("a.json", file))
    assert (imported.format, imported.label) == ("backboard", "backboard (conv-7)")
    (answer,) = imported.answers
    assert (answer.verdicts, answer.answerable) == ({"is_correct": 1}, False)
    assert imported.published == (
        Published("is_correct", 1, None, 3),
        Published("is_correct", 1, "hop", 3),
    )
    assert imported.unread == ("evaluation.reasoning",)
    assert imported.left_out == (
        ("row 0 of by_type.hop.responses", REPEATED),
        ("row 1 of by_type.hop.responses", NOT_LISTED),
    )


def test_a_file_of_evermemos_has_each_call_of_its_judge_and_their_mean(write: Write) -> None:
    calls = {"judgment_1": True, "judgment_2": False, "judgment_3": True}
    row = {"question_id": "locomo_3_qa0", "question": "Who?", "golden_answer": "Ann"}
    row |= {"generated_answer": "Ann Lee", "category": "2"}
    means = {"category_accuracies": {"2": {"mean": 2 / 3}}}
    models = {"answer_model": "reader-4", "judge_model": "judge-4"}
    file = {
        "accuracy": 2 / 3,
        "detailed_results": {"user_0": [], "user_3": [{**row, "llm_judgments": calls}]},
        "metadata": models | means,
    }
    (imported,) = read_answers(write("fc_v4.1-cot.json", file))
    assert (imported.format, imported.system, imported.llm) == (
        "evermemos",
        "fc_v4.1-cot",
        "reader-4",
    )
    (answer,) = imported.answers
    each = {f"judge-4, judgment_{call}": value for call, value in enumerate((1, 0, 1), start=1)}
    assert answer.verdicts == {"judge-4": pytest.approx(2 / 3), **each}
    assert [mean.category for mean in imported.published] == [None, "2"]
    assert imported.main == "judge-4"


def test_a_file_of_a40_labs_names_questions_by_their_number(write: Write) -> None:
    row = {"qa_index": 3, "conv_id": "conv-7", "category": "Adversarial", "adversarial": True}
    row |= {"hypothesis": "Ann", "gold": "Bob", "correct": False, "tokens": 9, "category_id": 5}
    (imported,) = read_answers(write("a.json", [row]))
    (answer,) = imported.answers
    assert (imported.format, imported.corpus, answer.id) == ("a40-labs", "locomo", "conv-7/q3")
    assert (answer.answerable, answer.verdicts, answer.flags) == (
        False,
        {"correct": 0},
        {"tokens": 9},
    )


MAPPING = """
rows: runs.*
id: "{group}-{number}"
question: asked.text
answer: reply
gold: expected
verdict: grade/10
category: kind
system: about.name
mean: about.mean/10
"""


def test_a_mapping_reads_an_unknown_file(write: Write) -> None:
    row = {"group": "g", "number": 1, "asked": {"text": "Who?"}, "reply": "Ann", "kind": "names"}
    row |= {"expected": ["Ann", "Ann Lee"], "grade": 8, "notes": "none", "seconds": 2.5}
    file = {"runs": {"first": [row]}, "about": {"name": "memo", "mean": 8}}
    parts = read_mapping(write("mapping.yaml", MAPPING))
    (imported,) = read_answers(write("a.json", file), parts)
    (answer,) = imported.answers
    assert (imported.format, imported.system) == ("mapping", "memo")
    assert imported.published == (Published("grade", 0.8, digits=1),)
    assert (answer.id, answer.question, answer.answer) == ("g-1", "Who?", "Ann")
    assert (answer.golds, answer.category) == (("Ann", "Ann Lee"), "names")
    assert (answer.verdicts, answer.flags) == ({"grade": 0.8}, {"seconds": 2.5})
    assert imported.unread == ("notes",)


def test_a_mapping_reads_a_table_with_the_types_of_its_columns(write: Write) -> None:
    parts = read_mapping(write("m.yaml", "id: nr\nanswer: reply\ngold: right\nverdict: ok"))
    path = write("a.csv", "nr,reply,right,ok\n1,2,a | b,1\n2,x,c,\n")
    first, second = read_answers(path, parts)[0].answers
    assert (first.id, first.answer, first.golds) == ("1", "2", ("a", "b"))
    assert (first.verdicts, second.verdicts) == ({"ok": 1}, {})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("anser: reply", "has 'anser': 'reply', expected .* did you mean 'answer'"),
        ("answer: [reply]", "has 'answer': .*, expected <part>: <name of a key>"),
        ("answer: reply", "must name a key for 'answer', and one for 'id' or 'question'"),
        ("- answer", "expected <part>: <name of a key>"),
    ],
)
def test_a_mapping_that_cannot_be_read_says_what_it_has(
    write: Write, content: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        read_mapping(write("mapping.yaml", content))


def test_a_key_of_a_mapping_that_no_row_has_is_an_error(write: Write) -> None:
    parts = {"id": "nr", "answer": "reply", "verdict": "grade|label"}
    path = write("a.json", [{"nr": 1, "reply": "Ann", "score": 1}])
    said = "has the key 'grade' or 'label' that the mapping names for 'verdict'; .* 'score'"
    with pytest.raises(ValueError, match=said):
        read_answers(path, parts)


CELL = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\x00"), min_size=1, max_size=20
).filter(lambda text: text.strip() == text and not text.isspace())


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5))
def test_a_table_gives_the_answers_that_were_written_to_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "answer"])
        writer.writerows(rows)
    (imported,) = read_answers(path)
    found = [(answer.question, answer.answer) for answer in imported.answers]
    assert found == rows


def test_a_name_that_is_missing_or_too_long_is_an_error(
    write: Write, made: SimpleNamespace
) -> None:
    record = made.arena_record("q" * 301, 1)
    with pytest.raises(
        ValueError, match=r"'question_id' of row 0 of 'recall_.* has 301 characters"
    ):
        read_answers(write("a.json", made.arena_file([record])))
    with pytest.raises(ValueError, match=r"row 0 of 'recall_records' of .* has no question_id, "):
        read_answers(write("a.json", made.arena_file([made.arena_record("", 1)])))


@pytest.mark.parametrize(
    ("changes", "result", "said"),
    [
        ({"accuracy": 1e300}, {}, r"'accuracy' of .* is '1e\+300', expected .* from 0 to 1"),
        ({"accuracy": -0.5}, {}, "'accuracy' of .* expected .* from 0 to 1"),
        (
            {},
            {"context_tokens": -5},
            "'context_tokens' of row 0 of 'results' .* is '-5', expected a whole",
        ),
        (
            {},
            {"context_tokens": 10**30},
            "'context_tokens' of row 0 of 'results' .* expected a whole number",
        ),
    ],
)
def test_a_share_and_a_count_have_their_range_in_every_format(
    write: Write,
    made: SimpleNamespace,
    changes: dict[str, object],
    result: dict[str, object],
    said: str,
) -> None:
    listed = [made.amb_result("conv-7_q0", correct=True, **result)]
    with pytest.raises(ValueError, match=said):
        read_answers(write("a.json", made.amb_file(listed, **changes)))


def test_the_mean_of_a_file_of_memory_arena_is_a_share(write: Write, made: SimpleNamespace) -> None:
    file = made.arena_file([made.arena_record("q1", 90)], accuracy=1.5)
    with pytest.raises(ValueError, match=r"'accuracy' of .* is '1.5', expected .* from 0 to 1"):
        read_answers(write("a.json", file))


@pytest.mark.parametrize(("cell", "tokens"), [("0", 0), ("1", 1), ("12.0", 12)])
def test_a_number_column_of_a_table_has_numbers(write: Write, cell: str, tokens: int) -> None:
    path = write("a.csv", f"id,answer,context_tokens,speed,fast\nq,x,{cell},1,yes\n")
    (answer,) = read_answers(path)[0].answers
    assert answer.context_tokens == tokens
    assert [type(value) for value in answer.flags.values()] == [float, bool]


@pytest.mark.parametrize(("cell", "value"), [("1", True), ("0", False), ("No", False)])
def test_a_truth_column_of_a_table_also_has_1_and_0(write: Write, cell: str, value: bool) -> None:
    path = write("a.csv", f"id,answer,cut,answerable,correct\nq,x,{cell},{cell},{cell}\n")
    (answer,) = read_answers(path)[0].answers
    assert (answer.is_cut, answer.answerable, answer.verdicts) == (value, value, {"judge": value})


@pytest.mark.parametrize("cell", ["inf", "-inf", "nan"])
def test_a_number_without_a_value_is_refused_in_plain_words(write: Write, cell: str) -> None:
    with pytest.raises(ValueError, match=f"'speed' of .*:2 is {cell}, expected a finite number"):
        read_answers(write("a.csv", f"id,answer,speed\nq,x,{cell}\n"))


@pytest.mark.parametrize("blank", ["\n", "\r\n \n", ";;\n"])
def test_blank_lines_before_the_header_do_not_choose_the_separator(
    write: Write, blank: str
) -> None:
    (imported,) = read_answers(write("a.csv", f"{blank}id;question;answer\nq;a, b?;x\n"))
    assert imported.answers[0].question == "a, b?"


def test_a_long_cell_is_read_and_the_limit_of_other_readers_stays(write: Write) -> None:
    limit = csv.field_size_limit()
    long = "word " * limit

    (imported,) = read_answers(write("a.csv", f"id,answer\nq,{long}\n"))

    assert imported.answers[0].answer == long
    assert csv.field_size_limit() == limit
