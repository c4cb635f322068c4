"""40 exports and 28 questions, written by people who had not seen the code."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from remem.apps.own_log.log_memory import open_memory
from remem.apps.own_log.logs.reading import read_log
from remem.apps.own_log.logs.stamps import MARKS

PARTS = Path(__file__).parents[2] / "parts" / "logs"
CASES = [json.loads(line) for line in (PARTS / "cases.jsonl").read_text().splitlines()]
QUESTIONS = [json.loads(line) for line in (PARTS / "questions.jsonl").read_text().splitlines()]
ORDERS = {"--day-first": True, "--month-first": False}
NOT_RIGHT = {"l23"}  # a deleted message of Slack has the speaker USLACKBOT


def plain(text: str | None) -> str:
    return " ".join((text or "").translate(dict.fromkeys(map(ord, MARKS))).split())


def faults(case: dict[str, Any], folder: Path) -> list[str]:
    """Return what differs from the expectations of a case."""
    for name, content in case["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        is_text = isinstance(content, str)
        path.write_bytes(content.encode() if is_text else base64.b64decode(content["base64"]))
    expect = case["expect"]
    order = next((ORDERS[option] for option in case["options"]), None)
    try:
        log = read_log(folder / case["path"], day_first=order)
    except ValueError as error:
        lines = [name.removeprefix("line ") for name in expect.get("error_names", [])]
        may = expect.get("refused") or case.get("may_refuse")
        named = all(re.search(rf"\D{line}\b", str(error)) for line in lines)
        return [] if may and named else [str(error)]
    if expect.get("refused"):
        return ["it is not refused"]
    messages = [
        (str(item.time)[:16] if item.time else None, plain(item.speaker) or None, plain(item.text))
        for item in (each.message for each in log.messages)
    ]
    texts, speakers = [each[2] for each in messages], {each[1] for each in messages if each[1]}
    wanted = [
        (time and time[:16], plain(speaker) or None, plain(text))
        for time, speaker, text in expect.get("messages", [])
    ]
    return [
        *([f"messages: {messages}"] if wanted and wanted != messages else []),
        *(each for each in expect.get("texts", []) if not any(plain(each) in t for t in texts)),
        *(each for each in expect.get("not_texts", []) if any(plain(each) in t for t in texts)),
        *(
            f"no speaker {each}"
            for each in expect.get("speakers", [])
            if not speakers & set(map(plain, each.split(" or ")))
        ),
        *(["another speaker"] if len(speakers) > len(expect.get("speakers") or speakers) else []),
    ]


def test_every_export_but_one_is_read_as_its_user_expects(tmp_path: Path) -> None:
    not_right = {case["id"]: faults(case, tmp_path) for case in CASES}
    assert {name for name, wrong in not_right.items() if wrong} == NOT_RIGHT, not_right


@pytest.mark.parametrize(("log", "usable"), [("family.txt", 10), ("work.json", 12)])
def test_so_many_of_14_questions_have_a_usable_answer_or_a_right_refusal(
    tmp_path: Path, log: str, usable: int
) -> None:
    count = 0
    with open_memory(tmp_path / "memory", [], make=True) as memory:
        memory.add(read_log(PARTS / log).messages)
        for each in (each for each in QUESTIONS if each["log"] == log):
            answer = memory.ask(each["question"])
            shown = f"{answer.text} {answer.when} {answer.source}".lower()
            wanted = [text.lower() for text in each["usable"]]
            count += any(text in shown for text in wanted) if wanted else not answer.text
    assert count == usable
