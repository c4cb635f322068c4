"""BEAM on small chats made by hand, and on the real ones where REMEM_DATA holds them."""

import copy
import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.beam import Beam, without_plan_mark
from remem.benchmarks.beam_questions import evidence_ids
from remem.time_scope import TimePoint
from remem.types import Episode, Gold, History, Message, Query, Question


def said(number, role="user", text="I sold it.", **more):
    return {"role": role, "id": number, "content": text, **more}


FIRST = {
    "batch_number": 1,
    "time_anchor": None,
    "turns": [
        [
            said(0, text="I sold the boat. ->-> 1,1", time_anchor="March-15-2024", index="1,1"),
            said(1, "assistant", "To whom?"),
        ],
        [said(2, text="To Ida."), said(3, "assistant", "Good.")],
    ],
}
SECOND = {
    "batch_number": 2,
    "time_anchor": None,
    "turns": [[said(4, time_anchor="April-02-2024"), said(5, "assistant", "Again? ->-> 2,N/A")]],
}
CHAT = [FIRST, SECOND]
EVENTS = {"first_event": [2], "second_event": [99]}
STATEMENTS = {"first_statement": [0], "second_statement": [4]}
QUESTIONS = {
    "abstention": [
        {"question": "Who rowed?", "ideal_response": "Nobody says.", "rubric": ["says nothing"]}
    ],
    "event_ordering": [
        {"question": " In which order? List two items.", "answer": "1) a 2) b"}
        | {"source_chat_ids": [[4, 0], [0]], "rubric": ["a", "b", "c"]}
    ],
    "temporal_reasoning": [
        {"question": "How long?", "answer": "2 weeks"}
        | {"source_chat_ids": EVENTS, "rubric": ["3 weeks", "from May"]}
    ],
    "instruction_following": [
        {"question": "How?", "source_chat_ids": [], "rubric": ["has code", "is short"]}
    ],
    "contradiction_resolution": [
        {"question": "Did I?", "ideal_answer": "You said both."}
        | {"source_chat_ids": STATEMENTS, "rubric": ["both"]}
    ],
    "summarization": [{"question": "Sum up.", "ideal_summary": "A boat.", "rubric": ["a boat"]}],
}


def write(data, chat=CHAT, questions=QUESTIONS, number=1, size="100K"):
    folder = data / "beam" / size / str(number)
    folder.mkdir(parents=True)
    (folder / "chat.json").write_text(json.dumps(chat))
    (folder / "probing_questions.json").write_text(json.dumps(questions))


def built(data, size="100K", chats=None):
    return Beam(data=str(data), size=size, chats=chats)


def test_turns_become_episodes_with_the_only_date_there_is_and_without_plan_marks(tmp_path):
    write(tmp_path)
    march = (TimePoint(2024, 3, 15), "March-15-2024")
    april = (TimePoint(2024, 4, 2), "April-02-2024")
    messages = (
        Message("0", "user", "I sold the boat.", *march),
        Message("1", "assistant", "To whom?", *march),
        Message("2", "user", "To Ida.", *march),
        Message("3", "assistant", "Good.", *march),
        Message("4", "user", "I sold it.", *april),
        Message("5", "assistant", "Again?", *april),
    )
    episodes = (
        Episode("batch_1_turn_1", messages[:2]),
        Episode("batch_1_turn_2", messages[2:4]),
        Episode("batch_2_turn_1", messages[4:]),
    )
    assert built(tmp_path).histories() == (History("100K-1", episodes),)


@pytest.mark.parametrize(
    ("text", "left"), [("Sold.->-> 3,4)", "Sold."), ("a -> b ->-> 2,N/A", "a -> b")]
)
def test_only_the_mark_of_the_plan_is_cut_off(text, left):
    assert without_plan_mark(text) == left


def test_a_batch_without_a_time_anchor_has_no_date(tmp_path):
    undated = copy.deepcopy(FIRST)
    del undated["turns"][0][0]["time_anchor"]
    write(tmp_path, [undated])
    [history] = built(tmp_path).histories()
    assert {(message.time, message.date) for message in history.messages()} == {(None, "")}


def test_an_abstention_is_unanswerable_and_its_rubric_is_kept(tmp_path):
    write(tmp_path)
    told = {"items": ("says nothing",), "group": "100K-1", "separator": "semicolons"}
    assert built(tmp_path).questions("100K-1")[0] == Question(
        Query("100K-1/abstention/0", "100K-1", 0, "Who rowed?"),
        Gold(("no information available",), "abstention", answerable=False, **told),
    )


def test_each_ability_has_a_gold_under_its_own_key_and_evidence_in_the_order_of_the_file(tmp_path):
    write(tmp_path)
    golds = [question.gold for question in built(tmp_path).questions("100K-1")]
    assert [(gold.category, *gold.answers, gold.evidence, gold.unresolved) for gold in golds] == [
        ("abstention", "no information available", (), ()),
        ("event_ordering", "1) a 2) b", ("4", "0"), ()),
        ("temporal_reasoning", "2 weeks", ("2",), ("99",)),
        ("instruction_following", "has code; is short", (), ()),
        ("contradiction_resolution", "You said both.", ("0", "4"), ()),
        ("summarization", "A boat.", (), ()),
    ]


IDS = st.recursive(
    st.integers(0, 99),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
).filter(lambda ids: not isinstance(ids, int))


@given(IDS)
def test_every_number_in_any_shape_of_ids_is_found_in_order(ids):
    found = re.findall(r"(?<![\"\w])[0-9]+", json.dumps(_without_keys(ids)))
    assert evidence_ids({"source_chat_ids": ids}, "q") == found


def _without_keys(ids):
    if isinstance(ids, dict):
        return [_without_keys(value) for value in ids.values()]
    return [_without_keys(value) for value in ids] if isinstance(ids, list) else ids


def test_the_flaws_are_counted(tmp_path):
    write(tmp_path)
    assert built(tmp_path).flaws() == {
        "batches without a time anchor of their own": 2,
        "messages that end in a mark of the writing plan": 2,
        "of these from the assistant": 1,
        "abstention questions without evidence ids": 1,
        "other questions without the key of evidence ids": 1,
        "questions with an empty list of evidence ids": 1,
        "questions with lists within the list of evidence ids": 1,
        "questions that repeat an evidence id": 1,
        "event orderings with ids that are not in the order of the messages": 1,
        "event orderings with more or fewer ids than statements in the rubric": 1,
        "event orderings that ask for another number of items than the rubric has": 1,
        "temporal questions whose answer contradicts the rubric": 1,
    }
    (account,) = built(tmp_path).accounts()
    assert (account.arrived, account.repaired[0].count) == (account.kept, 2)


def test_chats_are_ordered_by_number_and_can_be_chosen(tmp_path):
    for number in (10, 2, 1):
        write(tmp_path, number=number)
    (tmp_path / "beam" / "100K" / "notes").mkdir()
    ids = [history.id for history in built(tmp_path).histories()]
    assert ids == ["100K-1", "100K-2", "100K-10"]
    chosen = built(tmp_path, chats=[10, 2])
    assert [history.id for history in chosen.histories()] == ["100K-2", "100K-10"]
    assert [file.name for file in chosen.files()] == [
        "beam/100K/2/chat.json",
        "beam/100K/2/probing_questions.json",
        "beam/100K/10/chat.json",
        "beam/100K/10/probing_questions.json",
    ]


def test_the_batches_of_the_plans_of_the_longest_chats_are_read_in_order(tmp_path):
    write(tmp_path, [{"plan-1": [FIRST]}, {"plan-2": [SECOND]}], size="10M")
    [history] = built(tmp_path, size="10M").histories()
    assert [message.id for message in history.messages()] == ["0", "1", "2", "3", "4", "5"]
    assert history.id == "10M-1"


def test_a_chat_that_is_not_there_is_named_with_those_that_are(tmp_path):
    write(tmp_path)
    with pytest.raises(ValueError, match=r"dataset\.build\.chats names \[7\], .* chats \[1\]"):
        built(tmp_path, chats=[1, 7])


def test_a_folder_without_chats_names_the_readme(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"datasets/beam/README\.md"):
        built(tmp_path, size="1M")


def with_question(**changes):
    return {"event_ordering": [QUESTIONS["event_ordering"][0] | changes]}


def with_message(**changes):
    return [{"turns": [[said(0) | changes]]}]


@pytest.mark.parametrize(
    ("chat", "questions", "message"),
    [
        ({}, QUESTIONS, "the chat of 100K-1 is dict, expected list"),
        ([{"turn": []}], QUESTIONS, "batch 1 of 100K-1 has no 'turns'"),
        (with_message(id="0"), {}, "'id' of a message in turn 1 of batch 1 of 100K-1 is str"),
        (with_message(content=None), {}, "'content' of message 0 in turn 1 of batch 1"),
        (with_message(time_anchor="15.3.2024"), {}, "expected the form '%B-%d-%Y'"),
        (
            [{"turns": [*FIRST["turns"], *SECOND["turns"]]}],
            {},
            "batch 1 of 100K-1 has several time anchors",
        ),
        (CHAT, [], "the questions of 100K-1 is list, expected dict"),
        (CHAT, with_question(rubric=[]), "100K-1/event_ordering/0 has a rubric without"),
        (CHAT, with_question(rubric=["a", " "]), "100K-1/event_ordering/0 has a rubric without"),
        (CHAT, with_question(source_chat_ids=["4"]), "an id in 'source_chat_ids' .* is str"),
    ],
)
def test_wrong_files_are_refused_with_the_place(tmp_path, chat, questions, message):
    write(tmp_path, chat, questions)
    with pytest.raises(ValueError, match=message):
        built(tmp_path)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("size", "chats", "questions", "with_evidence"),
    [("100K", 20, 400, 355), ("500K", 3, 60, 53)],
)
def test_the_published_files_have_the_counts_of_the_page(
    real_data, size, chats, questions, with_evidence
):
    if not (real_data / "beam" / size).is_dir():
        pytest.skip(f"no beam/{size}")
    benchmark = built(real_data, size, list(range(1, chats + 1)))
    golds = [q.gold for h in benchmark.histories() for q in benchmark.questions(h.id)]
    assert len(golds) == questions
    assert set(Counter(gold.category for gold in golds).values()) == {questions // 10}
    assert sum(bool(gold.evidence) for gold in golds) == with_evidence
    assert not any(gold.unresolved for gold in golds)
    assert not any("->->" in m.text for h in benchmark.histories() for m in h.messages())
    assert all(m.time for h in benchmark.histories() for m in h.messages())
