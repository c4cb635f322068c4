"""The user's own logs: what is read from each format, and what is refused with its place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.own_log.logs.log import numbered
from remem.apps.own_log.logs.reading import read_log
from remem.time_scope import TimePoint


def written(tmp_path: Path, name: str, content: str) -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


MAY, JUNE = TimePoint(2023, 5, 8), TimePoint(2023, 6, 1)


def test_text_json_and_json_lines_say_the_same(tmp_path: Path) -> None:
    said = [
        {"speaker": "Ann", "text": "We moved.", "date": "2023-05-08"},
        {"speaker": "Bob", "text": "Good.", "date": "2023-06-01"},
    ]
    lines = "\n".join(map(json.dumps, said))
    text = "Date: 2023-05-08\nAnn: We moved.\n\nDate: 2023-06-01\nBob: Good.\n"
    logs = [
        written(tmp_path, "a.json", json.dumps(said)),
        written(tmp_path, "b.json", json.dumps({"messages": said})),
        written(tmp_path, "c.jsonl", lines),
        written(tmp_path, "d.txt", text),
    ]
    for log in logs:
        first, second = numbered(read_log(log).messages)
        assert (first.id, second.id) == ("s1", "s2")
        (ann,), (bob,) = first.messages, second.messages
        assert (ann.id, ann.speaker, ann.text, ann.time) == ("m1", "Ann", "We moved.", MAY)
        assert (bob.id, bob.speaker, bob.text, bob.time) == ("m2", "Bob", "Good.", JUNE)


def test_the_keys_of_a_chat_with_a_model_are_read(tmp_path: Path) -> None:
    log = written(tmp_path, "a.jsonl", '{"role": "user", "content": "Hi", "timestamp": 86400}')
    (item,) = read_log(log).messages
    message = item.message
    assert (message.speaker, message.text) == ("user", "Hi")
    assert message.time == TimePoint(1970, 1, 2, 0)


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("2023-05-08T13:56:00+02:00", TimePoint(2023, 5, 8, 13 * 60 + 56)),
        ("8 May 2023", MAY),
        ("2023", TimePoint(2023)),
    ],
)
def test_a_date_keeps_its_granularity_and_its_local_clock(
    tmp_path: Path, date: str, time: TimePoint
) -> None:
    log = written(tmp_path, "a.jsonl", json.dumps({"text": "Hi", "date": date}))
    (item,) = read_log(log).messages
    message = item.message
    assert message.time == time


def test_sessions_are_named_or_a_day_each_and_the_undated_stay_with_what_goes_before(
    tmp_path: Path,
) -> None:
    said = [
        {"text": "a", "date": "2023-05-08"},
        {"text": "b"},
        {"text": "c", "date": "2023-05-09"},
        {"text": "d", "session": "x", "date": "2023-05-09"},
        {"text": "e", "session": "x", "date": "2023-06-01"},
    ]
    log = written(tmp_path, "a.json", json.dumps(said))
    sessions = numbered(read_log(log).messages)
    assert [[m.text for m in session.messages] for session in sessions] == [
        ["a", "b"],
        ["c"],
        ["d", "e"],
    ]


@pytest.mark.parametrize("name", ["LOG.JSON", "log.Json"])
def test_the_case_of_an_ending_does_not_matter(tmp_path: Path, name: str) -> None:
    (item,) = read_log(written(tmp_path, name, '[{"text": "Hi"}]')).messages
    assert item.message.text == "Hi"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        (
            "a.jsonl",
            '{"speaker": "Ann"}',
            "none of the keys for the text .text, content.*first: .*a.jsonl:1",
        ),
        ("a.jsonl", '{"text": 3}', "neither a string nor a list of parts .first: .*a.jsonl:1"),
        ("a.jsonl", "Hi", "a.jsonl has no messages.*are not JSON objects .first: .*a.jsonl:1"),
        ("a.json", '[{"text": "Hi"},\n{"text"]', "a.json:2 is not JSON .*: fix it there"),
        ("a.json", '{"text": "Hi"}\n{"text": "x"}', "one message per line must end in .jsonl"),
        ("a.json", '{"chat": []}', "a.json is neither a list of messages"),
        ("a.json", "[]", "a.json has no messages"),
        ("a.txt", "Date: 8 May 2023\n", "a.txt has no messages"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(
    tmp_path: Path, name: str, content: str, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_log(written(tmp_path, name, content))


def test_a_log_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_log(tmp_path / "nothing.txt")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        read_log(tmp_path / "a.txt")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "role", "date", "session", "x"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@given(value=json_values)
def test_any_json_is_read_or_refused_by_a_value_error(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    path = tmp_path_factory.mktemp("log") / "a.json"
    path.write_text(json.dumps(value))
    try:
        assert all(item.message.text for item in read_log(path).messages)
    except ValueError as error:
        assert str(path) in str(error)
