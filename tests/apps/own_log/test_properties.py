"""For every log, no word is lost, and what cannot be read raises a ValueError."""

import json
import re
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.apps.own_log.logs.questions import read_questions
from remem.apps.own_log.logs.reading import read_log
from remem.benchmarks.loaded import LoadedBenchmark
from remem.types import Episode, History, Message

ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
NAMES = st.sampled_from(["Ann", "Bob Lee", "+49 151 23", "Çağla", "小明", "민수"])
MOMENTS = st.datetimes(datetime(2001, 1, 1), datetime(2037, 12, 31))
STARTS = (
    "{when:%d/%m/%Y, %H:%M} - ",
    "[{when:%d.%m.%y, %H:%M:%S}] ",
    "\u200e[{when:%Y-%m-%d, %H:%M:%S}] ",
    "{when:%m/%d/%y, %I:%M\u202f%p} - ",
    "{when:%Y년 %m월 %d일 %H:%M} - ",
    "[{when:%Y. %m. %d. 오후 06:%M:%S}] ",
    "{when:%H:%M, %d/%m/%Y} - ",
    "[{when:%Y年%m月%d日 %H:%M:%S}] ",
)
LINES = st.sampled_from(
    [
        "{word}",
        "Ann: {word}",
        "## {word}",
        "## 4 February 2024 - {word}",
        "- {word}",
        "1. [x] {word}",
        "**Bob:** {word}",
        "2024-02-04 {word}",
        "[04.02.24, 18:05] {word}",
        "04/02/2024, 18:05 - Ann: {word}",
        "31/02/2024, 18:05 - Ann: {word}",
        "18:05, 04/02/2024 - Lan: {word}",
        "2024년 2월 4일 오후 3:05, 민수 : {word}",
        "Date: 4 Feb 2024",
        "4. Februar 2024: {word}",
        "> {word}",
        "date: {word}",
        "",
        "\u200e",
        "{word} at 99:99",
    ]
)


@ONE_FOLDER
@given(
    start=st.sampled_from(STARTS),
    told=st.lists(st.tuples(NAMES, MOMENTS, st.integers(1, 3)), min_size=1, max_size=8),
)
def test_every_message_of_a_whatsapp_chat_comes_back(tmp_path, rows, start, told) -> None:
    texts = [
        "\n".join(f"line{at}x{number}" for number in range(count))
        for at, (_, _, count) in enumerate(told)
    ]
    lines = [
        f"{start.format(when=when)}{name}: {text}"
        for (name, when, _), text in zip(told, texts, strict=True)
    ]
    path = tmp_path / "chat.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    log = read_log(path)
    assert [row[2:] for row in rows(log)] == [
        (name, text) for (name, _, _), text in zip(told, texts, strict=True)
    ]
    assert all(item.message.time for item in log.messages)


@pytest.mark.parametrize("name", ["log.txt", "log.md"])
@ONE_FOLDER
@given(lines=st.lists(LINES, min_size=1, max_size=25))
def test_every_word_of_a_text_is_in_one_message(tmp_path, name, lines) -> None:
    words = [f"word{number}x" for number in range(len(lines))]
    path = tmp_path / name
    text = "\n".join(line.format(word=word) for line, word in zip(lines, words, strict=True))
    path.write_text(text, encoding="utf-8")
    wanted = [word for word in words if word in text]
    if not wanted:
        return
    found = [f"{item.message.speaker} {item.message.text}" for item in read_log(path).messages]
    for word in wanted:
        assert sum(word in message for message in found) == 1, (word, found)


SUFFIXES = ("txt", "md", "json", "jsonl", "html")
KEYS = st.sampled_from(
    [
        *(
            "messages",
            "mapping",
            "chat_messages",
            "ts",
            "text",
            "content",
            "parts",
            "author",
            "role",
        ),
        *("message", "parent", "children", "date", "date_unixtime", "from_id", "from", "sender"),
        *("create_time", "created_at", "chats", "list", "attachments", "files", "user", "poll"),
        *("user_profile", "answers", "members", "action", "type"),
    ]
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@ONE_FOLDER
@given(
    content=st.binary(max_size=60)
    | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | JSON_VALUES.map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_read_or_refused_with_the_name_of_the_file(tmp_path, suffix, content) -> None:
    path = tmp_path / f"log.{suffix}"
    path.write_bytes(content)
    try:
        assert all(item.message.text for item in read_log(path).messages)
    except ValueError as error:
        assert str(path) in str(error)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ODD = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.text(max_size=2), SCALARS)
QUESTIONS = st.fixed_dictionaries(
    {"question": st.just("Who?") | SCALARS},
    optional={
        "answer": st.sampled_from(["Ann", "", 3.0, None]) | ODD,
        "answers": st.just({"text": ["Ann", 3.0], "answer_start": [0, 1]}) | ODD,
        "evidence": st.lists(st.integers(1, 3), max_size=2) | ODD,
        "category": st.just("who") | SCALARS,
    },
)
HISTORY = History("log", (Episode("s1", tuple(Message(f"m{n}", "", "x") for n in (1, 2, 3))),))


@settings(ONE_FOLDER, max_examples=300)
@given(records=st.lists(QUESTIONS | ODD, min_size=1, max_size=3))
def test_every_question_of_any_records_is_read_or_refused_with_its_place(
    tmp_path, records: list[object]
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    try:
        questions = read_questions(path, HISTORY)
        LoadedBenchmark([(HISTORY, questions)], [])
    except ValueError as refusal:
        assert re.search(r"questions\.jsonl:[1-3]|q[1-3] has", str(refusal))
        return
    assert len(questions) == len(records)
    texts = [text for question in questions for text in question.gold.answers]
    assert all(text.strip() and text not in ("nan", "inf", "-inf", "None") for text in texts)
