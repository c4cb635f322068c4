"""For every reader, each word of the source is in a message or counted as not read."""

import json
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.apps.own_log.logs.preview import warnings
from remem.apps.own_log.logs.reading import read_log

TIME, SECONDS = "2024-03-12T18:05:00Z", 1710263100


def _node(parent, role, content):
    message = {"author": {"role": role}, "create_time": SECONDS, "content": content}
    return {"parent": parent, "children": [], "message": message if role else None}


def _parts(*texts):
    return {"content_type": "text", "parts": list(texts)}


def _rich(*elements):
    section = {"type": "rich_text_section", "elements": list(elements)}
    return [{"type": "rich_text", "block_id": "b 1", "elements": [section]}]


CHATGPT = {
    "title": "Trip to Norway",
    "current_node": "b",
    "mapping": {
        "r": _node(None, "", None),
        "s": _node("r", "system", _parts("")),
        "u": _node("s", "user", _parts("Where is Kjerag?")),
        "a": _node("u", "assistant", _parts("In Sweden.")),
        "b": _node("u", "assistant", _parts("In Norway.")),
    },
}
CLAUDE = {
    "name": "A talk",
    "chat_messages": [
        {
            "sender": "human",
            "text": None,
            "content": [{"type": "text", "text": "I moved to Ghent"}],
            "created_at": TIME,
            "attachments": [{"file_name": "a.txt", "extracted_content": "my old address"}],
        }
    ],
}
SLACK = [
    {
        "ts": "1710263160.000100",
        "user": "U1",
        "text": "",
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": "Our plan"}},
            *_rich(
                {"type": "user", "user_id": "U2"},
                {"type": "text", "text": " flies on "},
                {"type": "link", "url": "https://x.org", "text": "3 May"},
                {"type": "emoji", "name": "tada"},
            ),
        ],
    },
    {
        "ts": "1710263100.000100",
        "user": "U2",
        "text": "<@U1> see <https://y.org|the page> &amp; <!here>",
        "user_profile": {"real_name": "Omar Diaz", "display_name": "omar d"},
        "blocks": _rich({"type": "user", "user_id": "U1"}, {"type": "text", "text": " see "}),
        "reactions": [{"name": "one two", "users": ["U1"]}],
    },
]
TELEGRAM = {
    "name": "Hike in May",
    "messages": [
        {
            "from": "Iris Bell",
            "from_id": "user1",
            "forwarded_from": "Carla Ruiz",
            "date_unixtime": str(SECONDS),
            "text": ["I am ", {"type": "bold", "text": "pregnant"}],
            "text_entities": [{"type": "plain", "text": "I am "}],
            "thumbnail": "(File not included.)",
        }
    ],
}
DISCORD = {
    "guild": {"name": "Our server"},
    "channel": {"name": "general", "topic": "All of it"},
    "messages": [
        {
            "id": "1",
            "timestamp": TIME,
            "content": "Look",
            "author": {"name": "iris_b", "nickname": "Iris Bell"},
            "embeds": [{"title": "News", "fields": [{"name": "Where", "value": "in town"}]}],
            "attachments": [{"fileName": "plan.pdf"}],
        },
        {
            "id": "2",
            "timestamp": TIME,
            "content": "Thanks",
            "author": {"name": "omar"},
            "reference": {"messageId": "1"},
        },
    ],
}
MESSENGER = {
    "title": "Zo\u00c3\u00ab B",
    "participants": [{"name": "Zo\u00c3\u00ab B"}],
    "messages": [
        {"sender_name": "Omar", "timestamp_ms": SECONDS * 1000 + 60_000, "call_duration": 63},
        {
            "sender_name": "Zo\u00c3\u00ab B",
            "timestamp_ms": SECONDS * 1000,
            "content": "caf\u00c3\u00a9",
            "photos": [{"uri": "a/1.jpg"}],
        },
    ],
}
JSON = [
    {"title": "One", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
    {"title": "Two", "messages": [{"role": "user", "content": "Bye", "quote": "the old one"}]},
]
EXPORTS = {
    "ChatGPT export": ([CHATGPT], lambda doc: doc[0]["mapping"]["u"]["message"]),
    "Claude export": ([CLAUDE], lambda doc: doc[0]["chat_messages"][0]),
    "Slack export": (SLACK, lambda doc: doc[0]),
    "Telegram export": (TELEGRAM, lambda doc: doc["messages"][0]),
    "Discord export": (DISCORD, lambda doc: doc["messages"][0]),
    "Messenger export": (MESSENGER, lambda doc: doc["messages"][1]),
    "JSON messages": (JSON, lambda doc: doc[1]["messages"][0]),
}
BY_NAME = pytest.mark.parametrize("name", EXPORTS)
ONE_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)


def _not_read(log):
    return [warning for warning in warnings(log) if "were not read, first at" in warning]


def _said(read, rows, document):
    return [row[2:] for row in rows(read("log.json", json.dumps(document)))]


@BY_NAME
def test_a_good_export_has_no_loss(read, name) -> None:
    log = read("log.json", json.dumps(EXPORTS[name][0]))
    assert (log.format, _not_read(log)) == (name, [])


@BY_NAME
@ONE_FOLDER
@given(keys=st.lists(st.sampled_from(["note", "title", "text", "quote", "x", "files", "id"])))
def test_each_further_text_is_in_a_message_or_counted(tmp_path, name, keys) -> None:
    document, record_of = deepcopy(EXPORTS[name][0]), EXPORTS[name][1]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document))
    before = read_log(path).accounts[1]
    further = [(key, f"zq{at}a zq{at}b") for at, key in enumerate(keys)]
    record_of(document)["extra"] = [{key: text} for key, text in further]
    path.write_text(json.dumps(document))
    log = read_log(path)
    after = log.accounts[1]
    shown = " ".join(item.message.text for item in log.messages)
    texts = [text for key, text in further if key != "id"]
    lost = 2 * sum(text not in shown for text in texts)
    assert after.arrived - before.arrived == 2 * len(texts)
    assert after.kept - before.kept == 2 * len(texts) - lost
    assert bool(_not_read(log)) == bool(lost)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "Date: 8 May 2023\nAnn: We moved.\n[9 May 2023, 10:00] <Bob> no\nwarm\n"),
        (
            "a.md",
            "# Diary 2024\n\n1. [x] milk\n- eggs\nand bread\n\n## 2 March - Rome\n**Ann:** Hi\n",
        ),
        ("b.txt", "13/02/24, 18:05 - Encrypted.\n13/02/24, 18:06 - Ann: Hi\nmore\n"),
        ("a.jsonl", '{"role": "user", "content": "Hi", "date": "Sunday, 3 March 2024"}\n'),
    ],
)
def test_every_word_of_a_text_file_is_read(read, name, text) -> None:
    log = read(name, text)
    assert log.accounts[1].arrived == log.accounts[1].kept > 0


def test_the_first_text_that_was_not_read_is_named(read) -> None:
    records = [{"text": "Hi"}, {"text": "Yes", "note": "buy red kayaks"}]
    log = read("log.json", json.dumps(records))
    assert _not_read(log) == [
        f"{log.path}: 3 of 5 words were not read, first at {log.path}, [2].note."
    ]


def test_bad_records_are_left_out_and_counted_and_a_bad_date_is_none(read, rows) -> None:
    records = [7, {"text": 3}, {"text": None}, {"role": 1}, {"text": "Hi \ud83d!", "date": "soon"}]
    log = read("log.json", json.dumps(records))
    assert rows(log) == [("message 5", "", "", "Hi \ufffd!")]
    account = log.accounts[0]
    assert (account.arrived, account.kept) == (5, 1)
    assert [(remark.count, remark.first[-9:]) for remark in account.left_out] == [
        *((1, "message 1"), (1, "message 2"), (1, "message 3"), (1, "message 4"))
    ]
    assert [remark.count for remark in account.repaired] == [1, 1]


def test_only_the_current_branch_is_read_unless_all_are_asked_for(read, tmp_path) -> None:
    log = read("log.json", json.dumps([CHATGPT]))
    texts = [item.message.text for item in log.messages]
    assert texts == ["Where is Kjerag?", "In Norway."]
    assert "1 of 3 messages were left out: they are in other branches" in warnings(log)[0]
    whole = read_log(tmp_path / "log.json", all_branches=True)
    assert [item.message.text for item in whole.messages][1:] == ["In Sweden.", "In Norway."]


def test_slack_blocks_become_text_in_the_order_of_time(read, rows) -> None:
    assert _said(read, rows, SLACK) == [
        ("Omar Diaz", "@U1 see the page (https://y.org) & @here"),
        ("U1", "Our plan\n@U2 flies on 3 May (https://x.org):tada:"),
    ]


def test_an_edited_message_of_slack_has_its_last_text(read, rows) -> None:
    first = {"ts": "1710263100.0001", "user": "U1", "text": "at 3"}
    edit = {"ts": "1710263190.0001", "subtype": "message_changed"}
    edit["message"] = {**first, "text": "at 4"}
    assert _said(read, rows, [first, edit]) == [("U1", "at 4")]


def test_a_forwarded_message_is_by_its_author(read, rows) -> None:
    assert _said(read, rows, TELEGRAM) == [
        ("Carla Ruiz", "I am pregnant\n[forwarded by Iris Bell]")
    ]


def test_discord_and_messenger_name_what_a_message_has(read, rows) -> None:
    assert _said(read, rows, DISCORD) == [
        ("Iris Bell", "Look\nNews\nWhere: in town\n[plan.pdf]"),
        ("omar", "Thanks\n[in reply to Iris Bell]"),
    ]
    assert _said(read, rows, MESSENGER) == [
        ("Zo\u00eb B", "caf\u00e9\n[photos: 1.jpg]"),
        ("Omar", "[call: 63 seconds]"),
    ]


def test_each_conversation_of_a_json_list_is_a_session(read) -> None:
    sessions = [item.session for item in read("log.json", json.dumps(JSON)).messages]
    assert [session.rpartition(", ")[2] for session in sessions] == [
        "conversation 1: One",
        "conversation 2: Two",
    ]


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000, "1"])
def test_seconds_or_smaller_units_are_read_as_numbers_and_texts(read, rows, unit) -> None:
    stated = SECONDS * unit if isinstance(unit, int) else str(SECONDS)
    log = read("log.json", json.dumps([{"text": "Hi", "timestamp": stated}]))
    assert rows(log)[0][1] == "2024-03-12T17:05"


def test_utf_16_is_read(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("13/02/24, 18:06 - Ann: Hi\r\n".encode("utf-16"))
    assert read_log(path).messages[0].message.speaker == "Ann"
