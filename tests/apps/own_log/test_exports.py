"""JSON and HTML exports of Telegram, Slack, ChatGPT and Claude, read by hand first."""

import json

import pytest

from remem.apps.own_log.logs.reading import read_log

TELEGRAM = {
    "name": "Ann",
    "type": "personal_chat",
    "id": 1,
    "messages": [
        {
            "id": 1,
            "type": "service",
            "date": "2024-02-04T18:00:00",
            "date_unixtime": "1707069600",
            "actor": "Ann",
            "action": "create_group",
            "title": "Hike",
            "members": ["Ann", "Bob"],
            "text": "",
        },
        {
            "id": 2,
            "type": "message",
            "date": "2024-02-04T18:05:33",
            "from": "Ann",
            "from_id": "user1",
            "text": ["We ", {"type": "bold", "text": "moved"}, "!"],
        },
        {
            "id": 3,
            "type": "message",
            "date": "2024-02-05T00:10:00",
            "from": None,
            "from_id": "user2",
            "text": "",
            "media_type": "sticker",
            "sticker_emoji": "\U0001f642",
        },
    ],
}


def test_a_telegram_chat_has_notices_formatted_texts_and_media(read, rows) -> None:
    log = read("result.json", json.dumps(TELEGRAM))
    assert log.format == "Telegram export"
    assert rows(log) == [
        ("message 1", "2024-02-04T18:00", "Ann", "[create group: Hike: Ann: Bob]"),
        ("message 2", "2024-02-04T18:05", "Ann", "We moved!"),
        ("message 3", "2024-02-05T00:10", "", "[\U0001f642: sticker]"),
    ]


def test_a_telegram_message_without_a_text_says_what_it_has(read, rows) -> None:
    common = {"type": "message", "date": "2024-02-04T18:05:33", "from": "Ann", "from_id": "user1"}
    messages = [
        {**common, "text": "", "photo": "photos/1.jpg"},
        {**common, "text": "", "location_information": {"latitude": 59.9, "longitude": 10.7}},
        {**common, "text": "", "contact_information": {"first_name": "Bob", "phone_number": "123"}},
        {**common, "text": "", "poll": {"question": "Pizza?", "answers": [{"text": "Yes"}, []]}},
        {**common, "text": ""},
    ]
    log = read("result.json", json.dumps({"messages": messages}))
    assert [row[3] for row in rows(log)] == [
        *("[photos/1.jpg]", "[59.9: 10.7]", "[Bob: 123]", "Pizza?\nYes", "[message]")
    ]


def test_all_chats_of_a_telegram_account_are_read(read, rows) -> None:
    log = read("result.json", json.dumps({"chats": {"list": [TELEGRAM, TELEGRAM]}}))
    assert len(log.messages) == 6
    assert rows(log)[4][0] == "chat 2, message 2"


PAGE = """<html><body><div class="page_wrap"><div class="history">
<div class="message service" id="message-1">
 <div class="body details">4 February 2024</div>
</div>
<div class="message default clearfix" id="message2">
 <div class="pull_left userpic_wrap"><div class="userpic"><div class="initials">A</div></div></div>
 <div class="body">
  <div class="pull_right date details" title="04.02.2024 18:05:33 UTC+01:00">18:05</div>
  <div class="from_name">Ann </div>
  <div class="text">We moved &amp; rest<br>at last</div>
 </div>
</div>
<div class="message default clearfix joined" id="message3">
 <div class="body">
  <div class="pull_right date details" title="04.02.2024 18:06:00 UTC+01:00">18:06</div>
  <div class="text">Come <a href="x">and see</a></div>
 </div>
</div>
</div></div></body></html>"""


def test_a_telegram_page_gives_joined_messages_their_sender(read, rows) -> None:
    log = read("messages.html", PAGE)
    assert log.format == "Telegram page"
    assert rows(log) == [
        ("2", "2024-02-04", "", "4 February 2024"),
        ("5", "2024-02-04T18:05", "Ann", "We moved & rest\nat last"),
        ("13", "2024-02-04T18:06", "Ann", "Come and see"),
    ]


SLACK = [
    {"type": "message", "user": "U1", "text": "Hi <@U2> &amp; all", "ts": "1707069933.000200"},
    {
        "type": "message",
        "user": "U9",
        "user_profile": {"real_name": "Cy Fox"},
        "text": "",
        "attachments": [{"fallback": "Build &lt;12&gt; failed"}],
        "files": [{"title": "plan.pdf"}],
        "ts": "1707073533.000100",
    },
]
USERS = [
    {"id": "U1", "name": "ann", "profile": {"real_name": "Ann Ray"}},
    {"id": "U2", "name": "b"},
]


def test_a_slack_folder_has_names_mentions_and_a_session_for_each_channel_and_day(
    tmp_path, rows
) -> None:
    for day in ("2024-02-04", "2024-02-05"):
        path = tmp_path / "export" / "general" / f"{day}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(SLACK))
    (tmp_path / "export" / "users.json").write_text(json.dumps(USERS))
    log = read_log(tmp_path / "export")
    assert log.format == "Slack export"
    assert rows(log)[:2] == [
        ("/general/2024-02-04.json, message 1", "2024-02-04T18:05", "Ann Ray", "Hi @b & all"),
        (
            "/general/2024-02-04.json, message 2",
            "2024-02-04T19:05",
            "Cy Fox",
            "Build <12> failed\n[plan.pdf]",
        ),
    ]
    assert [item.session for item in log.messages] == [
        *["general/2024-02-04"] * 2,
        *["general/2024-02-05"] * 2,
    ]


def test_a_day_of_slack_that_is_no_list_is_left_out_and_named(tmp_path):
    (tmp_path / "general").mkdir()
    good = '[{"ts": "1710263100.1", "user": "U1", "text": "The launch is on Friday"}]'
    for day, content in ((12, good), (13, '[{"ts": '), (14, "{}")):
        (tmp_path / "general" / f"2024-03-{day}.json").write_text(content)
    log = read_log(tmp_path)
    assert [item.message.text for item in log.messages] == ["The launch is on Friday"]
    broken, other = log.notes
    assert "a day was not read: " in broken and "2024-03-13.json" in broken
    assert "2024-03-14.json" in other and "expected list" in other


def test_a_slack_file_alone_takes_the_names_that_it_has(read, rows) -> None:
    log = read("general/2024-02-04.json", json.dumps(SLACK))
    assert [row[2] for row in rows(log)] == ["U1", "Cy Fox"]


def test_a_folder_without_an_export_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="is a folder, but not a Slack export"):
        read_log(tmp_path)


def _node(parent, children, role="", parts=(), time=None):
    message = {
        "author": {"role": role, "name": None},
        "create_time": time,
        "content": {"content_type": "text", "parts": list(parts)},
    }
    return {"message": message if role else None, "parent": parent, "children": children}


def test_a_chatgpt_tree_is_read_parents_first_with_all_its_branches(read, rows) -> None:
    mapping = {
        "c": _node("b", [], "assistant", ["Second try"], 1707073533),
        "r": _node(None, ["a"]),
        "a": _node(
            "r", ["b"], "user", ["Where is Kjerag?", {"content_type": "image_asset"}], 1.7e9
        ),
        "b": _node("a", ["d", "c"], "assistant", ["In Norway."], 1707069933.5),
        "d": _node("b", [], "user", ["Thanks"], None),
        "lost": _node("gone", [], "user", ["Alone"], None),
    }
    log = read("conversations.json", json.dumps([{"title": "Trip", "mapping": mapping}]))
    assert log.format == "ChatGPT export"
    assert rows(log) == [
        (
            "conversation 1, message 2",
            "2023-11-14T22:13",
            "user",
            "Where is Kjerag?\n[image_asset]",
        ),
        ("conversation 1, message 3", "2024-02-04T18:05", "assistant", "In Norway."),
        ("conversation 1, message 4", "", "user", "Thanks"),
        ("conversation 1, message 5", "2024-02-04T19:05", "assistant", "Second try"),
        ("conversation 1, message 6", "", "user", "Alone"),
    ]
    assert len({item.session for item in log.messages}) == 1


def test_a_chatgpt_tree_with_a_loop_ends(read) -> None:
    mapping = {"a": _node("b", ["b"], "user", ["x"]), "b": _node("a", ["a"], "user", ["y"])}
    log = read("conversations.json", json.dumps([{"mapping": mapping}]))
    assert [item.message.text for item in log.messages] == ["x", "y"]


def test_a_claude_conversation_has_texts_parts_and_attachments(read, rows) -> None:
    messages = [
        {"sender": "human", "text": "Hi", "created_at": "2024-02-04T18:05:33.123456Z"},
        {
            "sender": "assistant",
            "text": "",
            "content": [{"type": "text", "text": "Hello"}, {"type": "tool_use", "input": {}}],
            "files": [{"file_name": "b.png"}],
            "created_at": "2024-02-04T18:05:40Z",
            "attachments": [{"file_name": "a.txt", "extracted_content": "inside"}],
        },
    ]
    log = read("conversations.json", json.dumps([{"name": "x", "chat_messages": messages}]))
    assert log.format == "Claude export"
    assert rows(log) == [
        ("conversation 1, message 1", "2024-02-04T18:05", "human", "Hi"),
        (
            "conversation 1, message 2",
            "2024-02-04T18:05",
            "assistant",
            "Hello\n[tool_use]\n[a.txt]\ninside\n[b.png]",
        ),
    ]


def test_a_zip_is_refused_with_what_to_do(tmp_path) -> None:
    (tmp_path / "chat.txt").write_bytes(b"PK\x03\x04xx")
    with pytest.raises(ValueError, match="unzip it"):
        read_log(tmp_path / "chat.txt")
