"""The made-up logs, their questions, and what counts as right."""

import csv
from pathlib import Path

import pytest
from measure.asked_logs import (
    LOGS,
    TUNED_ON,
    AskedQuestion,
    Judged,
    ask_all,
    judged,
    questions,
    rows,
)

from remem.benchmarks.own_log.reading import read_log
from remem.readers.quoting import Quote
from remem.run.log_answer import LogAnswer
from remem.temporal.loose_dates import resolve_dates
from remem.time_scope import TimePoint
from remem.types import Evidence, Message, Usage

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "results" / "tables" / "own_logs"


def answer(text: str) -> LogAnswer:
    quote = Quote(Message("m1", "Ann", text), text, None) if text else None
    return LogAnswer(text, quote, "log:1", Evidence(), Usage(), {})


@pytest.mark.parametrize(
    ("gold", "text", "right"),
    [
        ("40 pounds", "He charges 40 pounds a day", True),
        ("40 pounds", "He charges 140 pounds", False),
        ("40", "It is 40.5 km", False),
        ("40", "It is 40.", True),
        ("Leeds", "leeds it is", True),
        ("Leeds", "", False),
        (None, "", True),
        (None, "Something", False),
    ],
)
def test_an_answer_is_right_if_it_has_the_gold_answer_as_whole_words(gold, text, right) -> None:
    asked = AskedQuestion("01_x.txt", "How much?", gold)
    assert judged(asked, answer(text)).right is right


def test_a_model_that_writes_another_date_is_wrong_whatever_its_source_says() -> None:
    message = Message("m1", "Ann", "I moved on 3 May.", TimePoint(2024, 5, 8))
    quote = Quote(message, message.text, resolve_dates(message.text, message.time)[0])
    asked = AskedQuestion("21_x.txt", "When did Ann move?", "3 May 2024")
    texts = {"I moved on 3 May.": True, "Ann moved.": True, "Ann moved on 4 May.": False}
    for text, right in texts.items():
        found = LogAnswer(text, quote, "log:1", Evidence(), Usage(), {})
        assert judged(asked, found).right is right


def test_shares_are_counted_for_seen_and_held_out_logs_apart() -> None:
    found = [
        Judged(AskedQuestion("01_x.txt", "When?", "1 May 2023"), "", True),
        Judged(AskedQuestion("21_x.txt", "When?", "1 May 2023"), "", False),
        Judged(AskedQuestion("21_x.txt", "Who?", None), "", True),
    ]
    assert rows(found)[0] == ("a date", "1 of 1 (100%)", "0 of 1 (0%)")
    assert rows(found)[1] == ("a name, place, number or reason", "-", "-")
    assert rows(found)[3] == ("all", "1 of 1 (100%)", "1 of 2 (50%)")


def test_there_are_thirty_logs_in_all_formats_and_150_questions() -> None:
    asked = questions()
    logs = [read_log(path) for path in sorted((LOGS / "logs").iterdir())]
    assert (len(asked), len(logs)) == (150, 30)
    assert {question.log for question in asked} == {log.path.name for log in logs}
    assert {log.format for log in logs} == {
        "WhatsApp export",
        "Telegram export",
        "Slack export",
        "ChatGPT export",
        "Claude export",
        "Markdown",
        "JSON Lines",
        "JSON messages",
        "plain text",
    }
    assert all(log.messages[0].message.time for log in logs if "undated_fl" not in log.path.name)
    assert all(not log.notes for log in logs)


def test_the_tracked_answers_of_the_rules_to_one_log_are_given_again() -> None:
    (log,) = {question.log for question in questions() if question.log.startswith("11_")}
    asked = [question for question in questions() if question.log == log]
    with (TABLE / "answers.csv").open(encoding="utf-8", newline="") as lines:
        tracked = [row[1:5] for row in csv.reader(lines) if row[0] == log]
    found = [
        [item.asked.question, item.asked.answer or "", item.answer, str(int(item.right))]
        for item in ask_all(asked, ())
    ]
    assert found == tracked


def test_the_docs_show_the_tracked_table_and_the_table_counts_the_tracked_answers() -> None:
    tracked = (TABLE / "own_logs.md").read_text(encoding="utf-8")
    cells = [line for line in tracked.splitlines() if line.startswith("|")]
    assert "\n".join(cells) in (ROOT / "docs" / "your_own_log.md").read_text(encoding="utf-8")
    with (TABLE / "answers.csv").open(encoding="utf-8", newline="") as lines:
        answers = list(csv.reader(lines))[1:]
    held_out = [row for row in answers if int(row[0][:2]) > TUNED_ON]
    for column, group in ((4, held_out), (6, held_out)):
        right = sum(int(row[column]) for row in group)
        assert f"| {right} of {len(group)} (" in cells[-1]
