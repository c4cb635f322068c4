import copy
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.personamem import PersonaMem, read_blocks
from remem.protocols import CountsFlaws, DataFile
from remem.types import Episode, Gold, History, Message, Query, Question

SESSIONS = [
    {"id": f"ctx_{n}", "content": content, "user_id": "ctx", "timestamp": None}
    for n, content in enumerate(
        (
            "[SYSTEM] The user: Ann Reed.\n\nAnn rows.\n\n[USER] User: I row.\n\n"
            "[ASSISTANT] Assistant: Nice.\n\nReally.\n\n",
            "[USER] Patient: I stopped rowing.\n\n[USER] No label: here.",
        )
    )
]
ASKED = {
    "id": "q-1",
    "query": "User: Ann Reed\n\nI saw a boat.\n\n(a) You row.\n(b) You swim.\n(c) You row.\n"
    "(d) You like to ski.",
    "gold_answers": ["(c) You row.", "c"],
    "gold_ids": ["ctx_0", "ctx_1"],
    "user_id": "ctx",
    "meta": {
        "persona_id": "3",
        "question_type": "suggest_new_ideas",
        "topic": "sport",
        "retrieval_query": "User: Ann Reed\n\nI saw a boat.",
    },
}
FILES = (DataFile("personamem/q.json", "0" * 64), DataFile("personamem/d.json", "1" * 64))


def build(queries=(ASKED,), sessions=SESSIONS):
    return PersonaMem.from_json(list(queries), list(sessions), files=FILES)


def changed(**changes):
    return copy.deepcopy(ASKED) | changes


def test_a_context_is_a_history_and_its_sessions_are_episodes_without_dates():
    first = (
        Message("D0:1", "System", "The user: Ann Reed.\n\nAnn rows."),
        Message("D0:2", "User", "I row."),
        Message("D0:3", "Assistant", "Nice.\n\nReally."),
    )
    second = (
        Message("D1:1", "User", "Patient: I stopped rowing."),
        Message("D1:2", "User", "No label: here."),
    )
    episodes = (Episode("ctx_0", first), Episode("ctx_1", second))
    assert build().histories() == (History("ctx", episodes),)


def test_a_question_is_the_message_and_its_options_and_equal_options_are_golds_too():
    options = ("You row.", "You swim.", "You row.", "You like to ski.")
    query = Query("q-1", "ctx", 0, "User: Ann Reed\n\nI saw a boat.", options=options)
    gold = Gold(("(c) You row.", "(a) You row."), "suggest_new_ideas", group="persona-3")
    assert build().questions("ctx") == (Question(query, gold),)


def test_questions_are_numbered_within_their_context():
    sessions = [*SESSIONS, {**SESSIONS[0], "id": "two_0", "user_id": "two"}]
    two = changed(id="q-2", user_id="two", gold_ids=["two_0"])
    queries = [ASKED, two, changed(id="q-3")]
    benchmark = build(queries, sessions)
    assert [q.query.id for q in benchmark.questions("ctx")] == ["q-1", "q-3"]
    assert [q.query.index for q in benchmark.questions("ctx")] == [0, 1]
    assert [q.query.id for q in benchmark.questions("two")] == ["q-2"]


def test_the_flaws_are_counted(tmp_path):
    # The longest option is (d); "You row." is the shortest, and stands first at (a).
    first = changed(id="q-2", gold_answers=["(a) You row.", "a"])
    longest = changed(id="q-3", gold_answers=["(d) You like to ski.", "d"])
    write(tmp_path, [ASKED, first, longest], SESSIONS)
    benchmark = PersonaMem(data=str(tmp_path), queries="q.json", documents="d.json")
    names = [file.name for file in benchmark.files()]
    assert names == ["personamem/q.json.gz", "personamem/d.json.gz"]
    assert isinstance(benchmark, CountsFlaws)
    assert benchmark.flaws() == {
        "questions with two equal options": 3,
        "questions whose longest option is right": 1,
        "questions whose shortest option is right": 1,
        "questions whose option (c) is right": 1,
        "questions repeated in their context, with the same options": 2,
        "questions without evidence": 3,
        "sessions without a date": 2,
        "messages that name their role a second time": 2,
    }
    (account,) = benchmark.accounts()
    assert (account.arrived, account.repaired[0].count) == (account.kept, 2)


def write(folder, queries, sessions):
    (folder / "personamem").mkdir()
    for name, content in (("q", queries), ("d", sessions)):
        packed = gzip.compress(json.dumps(content).encode())
        (folder / "personamem" / f"{name}.json.gz").write_bytes(packed)


def without_query(**meta):
    return changed(meta={**ASKED["meta"], **meta})


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            changed(user_id="two"),
            r"question 0 of .*q.json is about the context 'two', which is not in",
        ),
        (changed(gold_answers=["c"]), r"has the gold \['c'\], expected the text of an option"),
        (changed(gold_answers=["(c) You row.", "e"]), r"gold of q-1 .* option \(e\), but the text"),
        (
            changed(gold_answers=["(c) You row.", "ab"]),
            "expected the text of an option and its letter",
        ),
        (
            changed(gold_answers=["(b) You row.", "b"]),
            r"option \(b\), but the text given for it is not",
        ),
        (changed(gold_ids=["ctx_9"]), "q-1 .* has the gold session 'ctx_9', expected"),
        (changed(query="(a) Tea.\n(b) Rum."), "does not begin with the text of retrieval_query"),
        (without_query(retrieval_query=7), "'retrieval_query' of q-1 .* is int, expected str"),
        (changed(query=ASKED["meta"]["retrieval_query"]), "q-1 .* has too few options"),
    ],
)
def test_a_malformed_question_is_named(question, message):
    with pytest.raises(ValueError, match=message):
        build([question])


@pytest.mark.parametrize(
    ("session", "message"),
    [
        ({"timestamp": "2024"}, "ctx_0 .* has the timestamp '2024', expected null"),
        ({"content": "Hello"}, r"begins with 'Hello', expected '\[SYSTEM\] '"),
        ({"content": "[USER] User: \n\n[USER] x"}, "message 1 of ctx_0 .* is empty"),
        ({"user_id": None}, "'user_id' of session 0 .* is NoneType"),
    ],
)
def test_a_malformed_session_is_named(session, message):
    with pytest.raises(ValueError, match=message):
        build(sessions=[{**SESSIONS[0], **session}, SESSIONS[1]])


ROLES = st.sampled_from(["SYSTEM", "USER", "ASSISTANT"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="[:"), min_size=1).filter(
    lambda text: text.strip() == text
)


@given(st.lists(st.tuples(ROLES, TEXTS, st.booleans()), min_size=1, max_size=6))
def test_blocks_are_read_back_with_or_without_the_second_label(blocks):
    content = "\n\n".join(
        f"[{role}] {role.capitalize() + ': ' if again else ''}{text}"
        for role, text, again in blocks
    )
    assert read_blocks(content, "s") == [(role.capitalize(), text) for role, text, _ in blocks]


@given(st.text())
def test_any_content_is_read_or_refused(content):
    try:
        messages = read_blocks(content, "s")
    except ValueError as error:
        assert str(error).startswith(("s begins with", "message"))
    else:
        assert all(text for _, text in messages)


@pytest.mark.real_data
def test_the_real_file_has_the_known_counts(real_data):
    data = str(real_data)
    try:
        real = PersonaMem(data=data, queries="32k_queries.json", documents="32k_documents.json")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    histories = real.histories()
    questions = [q for history in histories for q in real.questions(history.id)]
    assert (len(histories), len(questions)) == (37, 589)
    assert sum(len(history.episodes) for history in histories) == 195
    assert len({q.gold.group for q in questions}) == 20
    assert {len(q.query.options) for q in questions} == {4}
    assert sum(len(q.gold.answers) == 2 for q in questions) == 17
