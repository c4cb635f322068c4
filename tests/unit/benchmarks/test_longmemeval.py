"""LongMemEval on files of the original format that are made here, and on the real excerpt."""

import gzip
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.benchmarks.longmemeval import LongMemEval, from_json
from remem.benchmarks.longmemeval_excerpt import (
    SAME_DAY,
    WITHOUT_TURNS,
    WITHOUT_VERSIONS,
    LongMemEvalExcerpt,
)
from remem.files.json_text import json_elements
from remem.intake import Remark
from remem.time_scope import TimePoint
from remem.types import Episode, Gold, History, Message, Query, Question

FILE = "longmemeval_s_cleaned.json"
DATE = "2023/05/30 (Tue) 23:40"
EARLIER = "2023/05/20 (Sat) 02:21"
A_MINUTE_LATE = "2023/05/30 (Tue) 23:41"
LATEST = "2023/05/31 (Wed) 00:00"
TYPES = (
    *("single-session-user", "single-session-assistant", "single-session-preference"),
    *("multi-session", "temporal-reasoning", "knowledge-update"),
)


def turn(text, role="user", **more):
    return {"role": role, "content": text, **more}


def an_instance(name="q1", **changes):
    """Return a question in the file's format; one session answers it, the other does not."""
    return {
        "question_id": name,
        "question_type": "multi-session",
        "question": " How many boats? ",
        "answer": 2,
        "question_date": DATE,
        "haystack_session_ids": ["answer_7_1", "sharegpt_3_0"],
        "haystack_dates": [DATE, EARLIER],
        "haystack_sessions": [
            [turn("I sold two boats.", has_answer=True), turn("Well done.", "assistant")],
            [turn("Hello.", has_answer=False), turn("Hi.", "assistant")],
        ],
        "answer_session_ids": ["answer_7_1"],
    } | changes


def a_file(count):
    """Questions of all types, every tenth to be refused, as the published file mixes them."""
    return [
        an_instance(
            f"q{n}{'' if n % 10 else '_abs'}",
            question_type=TYPES[n % 6],
            answer=n if n % 3 else f"{n} boats",
        )
        for n in range(count)
    ]


def write(data, instances):
    folder = data / "longmemeval"
    folder.mkdir(exist_ok=True)
    content = json.dumps(instances, indent=1).encode()
    (folder / f"{FILE}.gz").write_bytes(gzip.compress(content))


def built(data):
    return LongMemEval(data=str(data), file=FILE)


def test_a_haystack_becomes_sessions_in_the_order_of_time(tmp_path):
    write(tmp_path, [an_instance()])
    early, late = TimePoint(2023, 5, 20, 141), TimePoint(2023, 5, 30, 23 * 60 + 40)
    hello = Message("sharegpt_3_0_1", "user", "Hello.", early, EARLIER)
    hi = Message("sharegpt_3_0_2", "assistant", "Hi.", early, EARLIER)
    sold = Message("answer_7_1_1", "user", "I sold two boats.", late, DATE)
    well = Message("answer_7_1_2", "assistant", "Well done.", late, DATE)
    episodes = (Episode("sharegpt_3_0", (hello, hi)), Episode("answer_7_1", (sold, well)))
    benchmark = built(tmp_path)
    assert benchmark.histories() == (History("q1", episodes),)
    assert benchmark.flaws()["haystacks that are not in the order of time, sorted"] == 1


def test_a_question_has_its_date_and_the_turns_that_answer_it(tmp_path):
    write(tmp_path, [an_instance()])
    query = Query("q1", "q1", 0, "How many boats?", asked=DATE)
    told = {"evidence": ("answer_7_1_1",), "group": "q1", "separator": "semicolons"}
    assert built(tmp_path).questions("q1") == (
        Question(query, Gold(("2",), "multi-session", **told)),
    )


def test_a_reader_is_told_the_date_of_a_question_that_has_one():
    assert Query("q", "h", 0, "When?", asked="8 May").dated_text == "When? (asked on 8 May)"
    assert Query("q", "h", 0, "When?").dated_text == "When?"


@pytest.mark.parametrize(("told", "kept"), [("You never said.", ("You never said.",)), (None, ())])
def test_why_a_question_is_to_be_refused_is_kept_apart_from_its_answer(tmp_path, told, kept):
    write(tmp_path, [an_instance("q1_abs", answer=told)])
    [question] = built(tmp_path).questions("q1_abs")
    assert (question.gold.answers, question.gold.items) == (("no information available",), kept)


def test_a_question_to_refuse_has_no_evidence_even_where_a_turn_is_marked(tmp_path):
    write(tmp_path, [an_instance("q1_abs")])
    [question] = built(tmp_path).questions("q1_abs")
    assert question.gold == Gold(
        ("no information available",),
        "multi-session",
        answerable=False,
        items=("2",),  # the file says why; here it is the answer of the other questions
        group="q1_abs",
        separator="semicolons",
    )


def test_the_accounts_of_sessions_and_turns_add_up_with_the_first_place_of_each_reason(tmp_path):
    write(tmp_path, [with_session(date=LATEST, turns=[turn("No."), turn(" ")])])
    haystacks, sessions, turns = built(tmp_path).accounts()
    assert haystacks.kept == 1
    assert (sessions.arrived, sessions.kept, turns.arrived, turns.kept) == (3, 2, 6, 5)
    assert list(sessions.sentences("longmemeval")) == [
        "longmemeval: 1 of 3 sessions were left out: sessions later than the question (first: "
        "x of q1)."
    ]
    assert turns.left_out == (Remark("turns without text", 1, "turn 2 of session x of q1"),)


def test_all_500_questions_of_a_file_of_the_published_size_are_counted(tmp_path):
    write(tmp_path, a_file(500))
    benchmark = built(tmp_path)
    golds = [benchmark.questions(history.id)[0].gold for history in benchmark.histories()]
    assert Counter(gold.category for gold in golds) == {
        kind: 84 if place < 2 else 83 for place, kind in enumerate(TYPES)
    }
    assert benchmark.flaws() == {
        "questions to refuse, with an id that ends in _abs": 50,
        "of these without an answering turn": 0,
        "other questions without an answering turn": 0,
        "questions whose answering turns are in other sessions than the answer sessions": 0,
        "answers that are whole numbers": 300,  # 333 are no multiple of 3; 33 of them are refused
        "sessions later than the question, left out": 0,
        "empty sessions, left out": 0,
        "turns without text, left out": 0,
        "sessions with the id of an earlier one in the haystack, given a number": 0,
        "haystacks that are not in the order of time, sorted": 500,
    }


def with_session(name="x", date=EARLIER, turns=None):
    made = an_instance()
    return made | {
        "haystack_session_ids": [*made["haystack_session_ids"], name],
        "haystack_dates": [*made["haystack_dates"], date],
        "haystack_sessions": [*made["haystack_sessions"], turns or []],
    }


@pytest.mark.parametrize(
    ("instance", "flaw", "sessions"),
    [
        (with_session(), "empty sessions", 2),
        (with_session(date=A_MINUTE_LATE, turns=[turn("Late.")]), "sessions later than", 2),
        (with_session("answer_7_1", turns=[turn("Again.")]), "sessions with the id of an earl", 3),
        (with_session(turns=[turn(" "), turn("Yes.")]), "turns without text, left out", 3),
        (an_instance(answer_session_ids=["answer_7_1", "x"]), "questions whose answering turns", 2),
    ],
)
def test_what_is_left_out_or_changed_is_counted(tmp_path, instance, flaw, sessions):
    write(tmp_path, [instance])
    benchmark = built(tmp_path)
    assert [count for text, count in benchmark.flaws().items() if text.startswith(flaw)] == [1]
    assert len(benchmark.histories()[0].episodes) == sessions


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        ({}, "question 0 has no 'question_id'"),
        (an_instance(answer=None), "q1 has the answer None, expected a text or a finite number"),
        (an_instance(question_date="2023-05-30"), "question q1 is dated '2023-05-30'"),
        (an_instance(haystack_dates=[DATE]), "q1 has 2 haystack_session_ids, 1 haystack_dates"),
        (
            an_instance(haystack_sessions=[[], 7]),
            "session sharegpt_3_0 of q1 is int, expected list",
        ),
        (
            an_instance(haystack_sessions=[[], [{"role": "user"}]]),
            "turn 1 of session sharegpt_3_0 of q1 has no 'content'",
        ),
        (an_instance(haystack_dates=[DATE, "?"]), "session sharegpt_3_0 of q1 is dated '\\?'"),
    ],
)
def test_wrong_files_are_refused_with_the_place(tmp_path, instance, message):
    write(tmp_path, [instance])
    with pytest.raises(ValueError, match=message):
        built(tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


@given(st.lists(JSON, max_size=5), st.sampled_from([None, 1]))
def test_the_elements_of_an_array_are_those_that_json_reads(elements, indent):
    content = json.dumps(elements, indent=indent).encode()
    assert list(json_elements(content, "x.json")) == elements


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}", "x.json has '{}', expected '\\['"),
        (b"", "x.json has '', expected '\\['"),
        (b"[1 2]", "element 1 of x.json has '2\\]', expected ','"),
        (b"[1,]", "element 2 of x.json is not JSON"),
        (b"[1", "element 1 of x.json has '', expected ','"),
        (b"[1] 2", "x.json has text after the end"),
        (b'[{"a": 1, "a": 2}]', "element 1 of x.json has the key 'a' twice"),
        (b"[\xff]", "x.json is not UTF-8 at byte 1"),
        (b"[" * 100_000, "element 1 of x.json is nested too deeply"),
    ],
)
def test_content_that_is_no_array_is_refused_with_the_element(content, message):
    with pytest.raises(ValueError, match=message):
        list(json_elements(content, "x.json"))


def write_excerpt(data, pool):
    folder = data / "longmemeval"
    folder.mkdir()
    question = {"id": "q1", "category": "multi_session_reasoning", "question": "How many?"}
    gold = {"answer": "2", "supporting_session_ids": ["answer_7_1"], "valid_as_of": DATE}
    (folder / "asked.jsonl").write_text(json.dumps(question | {"ground_truth": gold}))
    (folder / "pool.jsonl").write_text("\n".join(map(json.dumps, pool)))


def pooled(name, date, *answering):
    turns = [{**turn("Yes."), "metadata": {"has_answer": has}} for has in answering]
    return {"id": name, "timestamp": date, "turns": turns}


def test_a_question_of_the_excerpt_searches_the_pool_up_to_its_date(tmp_path):
    late = "2023/06/01 (Thu) 00:00"
    pool = [pooled("answer_7_1", DATE, True, False), pooled("answer_9_1", EARLIER, True)]
    write_excerpt(tmp_path, [*pool, pooled("x", late, False), pooled("y", EARLIER)])
    benchmark = LongMemEvalExcerpt(
        data=str(tmp_path), questions="asked.jsonl", sessions="pool.jsonl"
    )
    [history] = benchmark.histories()
    assert [episode.id for episode in history.episodes] == ["answer_9_1", "answer_7_1"]
    [question] = benchmark.questions("q1")
    assert question.gold.evidence == ("answer_7_1_1",)
    assert question.gold.category == "multi-session-reasoning"
    assert question.query.asked == DATE
    flaws = benchmark.flaws()
    assert flaws["sessions of the pool"] == 4
    assert flaws["sessions later than the question, left out"] == 1
    assert flaws["empty sessions, left out"] == 1


def test_what_the_golds_of_the_excerpt_lack_is_counted(tmp_path):
    same_day = DATE.partition(" ")[0] + " (Tue) 00:01"
    pool = [pooled("answer_7_1", same_day, True), pooled("answer_9_1", EARLIER, True)]
    write_excerpt(tmp_path, pool)
    asked = tmp_path / "longmemeval" / "asked.jsonl"
    first = json.loads(asked.read_text())
    first["ground_truth"] |= {"supporting_turn_ids": [], "fact_versions": ["v1"]}
    second = {**first, "id": "q2", "ground_truth": {**first["ground_truth"]}}
    second["ground_truth"] |= {"supporting_turn_ids": ["t1"], "fact_versions": []}
    second["ground_truth"]["supporting_session_ids"] = ["answer_9_1"]
    asked.write_text(f"{json.dumps(first)}\n{json.dumps(second)}")
    flaws = LongMemEvalExcerpt(
        data=str(tmp_path), questions="asked.jsonl", sessions="pool.jsonl"
    ).flaws()
    # Of the two answer sessions, only the first one has the day of the question.
    assert flaws[SAME_DAY] == 1
    assert flaws[WITHOUT_TURNS] == 1
    assert flaws[WITHOUT_VERSIONS] == 1


@pytest.mark.real_data
def test_the_published_excerpt_has_the_counts_of_the_page(real_data):
    if not (real_data / "longmemeval/excerpt16_questions.jsonl").is_file():
        pytest.skip("no excerpt")
    files = {"questions": "excerpt16_questions.jsonl", "sessions": "excerpt16_sessions.jsonl"}
    benchmark = LongMemEvalExcerpt(data=str(real_data), **files)
    asked = [benchmark.questions(history.id)[0] for history in benchmark.histories()]
    assert [q.query.id for q in asked if not q.gold.evidence] == ["118b2229"]
    assert sum(len(q.gold.evidence) for q in asked) == 35
    assert benchmark.flaws()["sessions later than the question, left out"] == 405
    found = {flaw: benchmark.flaws()[flaw] for flaw in (SAME_DAY, WITHOUT_TURNS, WITHOUT_VERSIONS)}
    assert found == {SAME_DAY: 8, WITHOUT_TURNS: 16, WITHOUT_VERSIONS: 16}


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY_TURNS = st.lists(
    st.fixed_dictionaries(
        {"role": st.just("user") | SCALARS, "content": st.sampled_from(["Hi.", " "]) | SCALARS}
    )
    | SCALARS,
    max_size=3,
)
SOUND_TURNS = st.lists(st.sampled_from([turn("Hi."), turn(" "), turn("")]), max_size=3)
SESSIONS = st.tuples(
    st.sampled_from(["a", "b"]) | st.text(max_size=2),
    st.sampled_from([EARLIER, DATE, LATEST]) | st.sampled_from(["", "2023/05/30"]),
    SOUND_TURNS | ANY_TURNS,
)


@settings(max_examples=300)
@given(
    sessions=st.lists(SESSIONS, max_size=4),
    answer=st.just("two") | SCALARS,
    question=st.just("Who?") | SCALARS,
)
def test_the_sessions_and_turns_of_any_haystack_add_up_or_are_refused_with_a_place(
    sessions, answer, question
):
    ids, dates, contents = (
        ([*column] for column in zip(*sessions, strict=True)) if sessions else ([], [], [])
    )
    raw = an_instance(
        answer=answer,
        question=question,
        haystack_session_ids=ids,
        haystack_dates=dates,
        haystack_sessions=contents,
    )
    try:
        benchmark, _ = from_json([raw], [])
    except ValueError as refusal:
        assert "q1" in str(refusal)
        return
    _, of_sessions, of_turns = benchmark.accounts()
    (history,) = benchmark.histories()
    assert of_sessions.arrived == len(sessions)
    assert of_sessions.kept == len(history.episodes)
    assert of_turns.arrived == sum(map(len, contents))
    assert of_turns.kept >= len([*history.messages()])  # turns of sessions that are left out count
