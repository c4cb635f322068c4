import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.evidence_ids import (
    by_position,
    choose_rule,
    resolve,
    tolerant,
    within_session,
)
from remem.types import Episode, History, Message


def a_history(**sessions):
    return History(
        "chat-1",
        tuple(
            Episode(key, tuple(Message(message_id, "Ann", "Hi") for message_id in ids.split()))
            for key, ids in sessions.items()
        ),
    )


# Session 2 was split at a time gap without renumbering; D1:3 and D2:5 were merged away.
RESPLIT = a_history(session_1="D1:1 D1:2 D1:4", session_2="D2:2 D2:3", session_3="D2:4 D2:6 D2:7")
PLAIN = a_history(session_1="D1:1 D1:2", session_2="D2:1 D2:2 D2:3 D2:4 D2:5 D2:6")


@pytest.mark.parametrize(
    ("written", "found", "lost"),
    [
        ("D1:2", ("D1:2",), ()),
        ("D2:05", ("D2:5",), ()),
        ("D1:1; D2:6", ("D1:1", "D2:6"), ()),
        ("D1:1;D2:6", (), ("D1:1;D2:6",)),
        ("D:1:2", (), ("D:1:2",)),
        ("", (), ("",)),
        ("D1:3", (), ("D1:3",)),
        ("D1:0", (), ("D1:0",)),
        ("D9:1", (), ("D9:1",)),
    ],
)
def test_the_released_rule_of_locomo_reads_well_formed_ids_only(written, found, lost):
    assert resolve(by_position(PLAIN), [written]) == (found, lost)


@pytest.mark.parametrize(
    ("written", "found", "lost"),
    [
        ("D1:4", ("D1:4",), ()),
        ("D2:4", (), ("D2:4",)),  # it lies in session_3
        ("D1:1;D2:2", ("D1:1", "D2:2"), ()),
        ("D1:1; D2:2", ("D1:1", "D2:2"), ()),
        ("D1:01", (), ("D1:01",)),
        ("D 2:3", (), ("D 2:3",)),
        ("D1:1.", (), ("D1:1.",)),
        ("D:1", (), ("D:1",)),
        ("D9", (), ("D9",)),
    ],
)
def test_the_released_rule_of_realtalk_looks_in_the_session_of_the_number(written, found, lost):
    assert resolve(within_session(RESPLIT), [written]) == (found, lost)


@pytest.mark.parametrize(
    ("written", "found", "lost"),
    [
        ("D2:4", ("D2:4",), ()),
        ("D02:004", ("D2:4",), ()),
        ("D1:1;D2:7", ("D1:1", "D2:7"), ()),
        ("D1:1:D2:7", ("D1:1", "D2:7"), ()),
        ("D1:1 D1:2 D2:7", ("D1:1", "D1:2", "D2:7"), ()),
        ("D 2:7", ("D2:7",), ()),
        ("D:2:7", ("D2:7",), ()),
        ("2:7", ("D2:7",), ()),
        ("D2;7", ("D2:7",), ()),
        ("D1:3", ("D1:2",), ()),  # merged into the message before it
        ("D2:5", ("D2:4",), ()),
        ("D1:5", (), ("D1:5",)),  # after the last
        ("D2:1", (), ("D2:1",)),  # before the first
        ("D9:1", (), ("D9:1",)),
        ("D2:2-D2:4", ("D2:2", "D2:3", "D2:4"), ()),
        ("D2:4-D2:2", ("D2:2", "D2:3", "D2:4"), ()),
        ("D1:1-D1:4;D2:6-D2:7", ("D1:1", "D1:2", "D1:4", "D2:6", "D2:7"), ()),
        ("D2:6-D2:99999999", ("D2:6", "D2:7"), ("D2:6-D2:99999999",)),
        ("D1:4-D2:2", ("D1:4", "D2:2"), ()),
        ("D:5", (), ("D:5",)),
    ],
)
def test_the_tolerant_rule_reads_what_the_annotators_meant(written, found, lost):
    assert resolve(tolerant(RESPLIT), [written]) == (found, lost)


def test_ids_are_given_once_in_the_order_of_the_evidence():
    evidence = ["D2:7", "D1:1", "D2:7", "nonsense", "D1:1", ""]
    assert resolve(tolerant(RESPLIT), evidence) == (("D2:7", "D1:1"), ("nonsense", ""))


def test_the_rule_is_chosen_by_name():
    assert choose_rule("paper", paper=by_position) is by_position
    assert choose_rule("tolerant", paper=by_position) is tolerant
    with pytest.raises(
        ValueError, match="evidence_rule is 'strict', expected 'paper' or 'tolerant'"
    ):
        choose_rule("strict", paper=by_position)


@pytest.mark.parametrize("message_id", ["m1", "D1", "D1:01", "D1:1a"])
def test_message_ids_of_another_form_are_refused_by_the_tolerant_rule(message_id):
    with pytest.raises(ValueError, match=f"the message id '{message_id}' does not have the form"):
        tolerant(a_history(session_1=message_id))


@given(st.lists(st.text(alphabet="D:;- .0123456789x", max_size=30), max_size=5))
def test_whatever_is_written_every_rule_finds_only_messages_of_the_history(evidence):
    known = {message.id for message in RESPLIT.messages()}
    for rule in (by_position, within_session, tolerant):
        found, lost = resolve(rule(RESPLIT), evidence)
        assert set(found) <= known
        assert len(set(found)) == len(found)
        assert bool(evidence) == bool(found or lost)
        assert all(any(piece in written for written in evidence) for piece in lost)
