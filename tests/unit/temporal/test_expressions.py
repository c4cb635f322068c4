"""300 time expressions, the day on which each was said, and its value, dated by hand and reviewed.

Half of them announce a future event. 60 are from messages of BEAM, for which the file of cases
states only the place, because their text may not be copied.
"""

import json
import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from remem.benchmarks.beam import Beam
from remem.temporal.dates import parse_point
from remem.temporal.spans import Span
from remem.temporal.times_in_text import times_in

FILE = Path(__file__).parents[2] / "parts" / "times" / "expressions.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
NOT_RIGHT = {
    "d136": "unread",  # "rented out December to February": is it so every year?
    "d138": "wrong",  # "Sat 6 - Sun 14 Jul" is read as two days
    "d206": "wrong",  # "we're going to watch Wednesday" is a film
    "d222": "missed",  # board_20240105.docx
    "d300": "unread",  # "stressed about meeting my June deadline"
}


@cache
def messages_of_beam(size: str) -> dict[str, str]:
    beam = Beam(data=os.environ["REMEM_DATA"], size=size, chats=None)
    return {
        f"{history.id.replace('-', '/')}/{message.id}": message.text
        for history in beam.histories()
        for message in history.messages()
    }


def text_of(row: dict[str, Any]) -> str:
    if "text" in row:
        return row["text"]
    start, end = row["at"]
    return messages_of_beam(row["message"].partition("/")[0])[row["message"]][start:end]


def days(span: Span | None) -> str:
    if span is None:
        return "unread"
    first = span.first_day if span.first else ".."
    return f"{first}/{span.last_day if span.last else '..'}"


def outcome(row: dict[str, Any]) -> str:
    """Return "right", "unread", "missed" or "wrong"; unread is right if the row allows it."""
    text = text_of(row)
    start = text.index(row["words"])
    times = times_in(text, parse_point(row["said"]))
    there = [time for time in times if time.start < start + len(row["words"]) and start < time.end]
    read = {days(time.span) for time in there if time.span}
    if read:
        return "right" if read <= set(row["right"]) else "wrong"
    if not row["right"] or row["unread_honest"]:
        return "right" if not there or row["unread_honest"] else "unread"
    return "unread" if there else "missed"


@pytest.mark.parametrize("kind", sorted({row["kind"] for row in ROWS}))
def test_every_expression_but_five_means_what_people_mean(kind: str) -> None:
    rows = [row for row in ROWS if row["kind"] == kind and "text" in row]
    outcomes = {row["id"]: outcome(row) for row in rows}
    faults = {name: result for name, result in outcomes.items() if result != "right"}
    assert faults == {name: NOT_RIGHT[name] for name in outcomes if name in NOT_RIGHT}


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_the_expressions_of_beam_are_read_but_one() -> None:
    assert len(ROWS) == 300
    outcomes = {row["id"]: outcome(row) for row in ROWS if "message" in row}
    assert Counter(outcomes.values()) == {"right": 59, "unread": 1}
    assert outcomes["d300"] == NOT_RIGHT["d300"]
