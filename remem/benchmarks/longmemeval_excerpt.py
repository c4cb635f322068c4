"""A public excerpt of LongMemEval-S: 16 questions, and one pool of 82 sessions.

The sessions were cut to at most 8 turns each. Unlike in the benchmark, all questions share one pool
with the sessions of 16 people.
The history of a question has those sessions of the pool that are not later than the question.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.benchmarks.json_files import checked, field, read_bytes, strings
from remem.benchmarks.loaded import BenchmarkOnLoaded
from remem.benchmarks.longmemeval import from_json
from remem.files.json_text import parse_json
from remem.protocols import DataFile

LONGEST = 8
"""The number of turns to which the sessions were cut."""
POOL = "sessions of the pool"
CUT = "of these with just 8 turns, the length at which they were cut"
SAME_DAY = "answer sessions of the day of the question, later than its date without a time of day"
WITHOUT_TURNS = "questions without ids of their answering turns (supporting_turn_ids)"
WITHOUT_VERSIONS = "questions without versions of their facts (fact_versions)"


class LongMemEvalExcerpt(BenchmarkOnLoaded):
    """The excerpt: a file of questions and a file of sessions, with one JSON object per line.

    Args:
        data: The folder of the data.
        questions: The name of the file of the questions.
        sessions: The name of the file of the sessions.
    """

    def __init__(self, *, data: str, questions: str, sessions: str) -> None:
        asked, asked_file = _lines(Path(data), questions)
        pool, pool_file = _lines(Path(data), sessions)
        pool = [_session(raw, place) for place, raw in enumerate(pool, 1)]
        instances = (_instance(raw, pool, place) for place, raw in enumerate(asked, 1))
        self._loaded, flaws = from_json(instances, (asked_file, pool_file))
        cut = sum(len(session["turns"]) == LONGEST for session in pool)
        golds = [
            field(raw, "ground_truth", dict, f"question {n}") for n, raw in enumerate(asked, 1)
        ]
        self._flaws = {POOL: len(pool), CUT: cut} | dict(flaws) | _lost(golds, pool)

    def flaws(self) -> Mapping[str, int]:
        """Return the size of the pool, then how often each flaw of the data occurs."""
        return self._flaws


def _lines(data: Path, file: str) -> tuple[list[Any], DataFile]:
    content, source = read_bytes(data, "longmemeval", file)
    lines = enumerate(content.splitlines(), 1)
    return [parse_json(line, f"{source.name}:{number}") for number, line in lines], source


def _session(raw: object, place: int) -> dict[str, Any]:
    """Return a session of the pool, with its turns in the form of the benchmark's own file."""
    name = field(raw, "id", str, f"session {place}")
    date = field(raw, "timestamp", str, name)
    turns = [dict(_turn(turn, name)) for turn in field(raw, "turns", list, name)]
    return {"id": name, "date": date, "turns": turns}


def _turn(raw: object, where: str) -> Iterator[tuple[str, Any]]:
    turn = checked(raw, dict, f"a turn of {where}")
    yield from ((key, turn[key]) for key in ("role", "content") if key in turn)
    yield "has_answer", field(turn, "metadata", dict, f"a turn of {where}").get("has_answer")


def _instance(raw: object, pool: Sequence[Mapping[str, Any]], place: int) -> dict[str, Any]:
    """Return a question of the excerpt in the form of the benchmark's own file.

    Marks of answers are removed from other sessions, where they belong to other questions.
    """
    name = field(raw, "id", str, f"question {place}")
    gold = field(raw, "ground_truth", dict, name)
    own = strings(gold, "supporting_session_ids", name)
    return {
        "question_id": name,
        "question_type": field(raw, "category", str, name).replace("_", "-"),
        "question": field(raw, "question", str, name),
        "answer": gold.get("answer"),
        "question_date": field(gold, "valid_as_of", str, name),
        "answer_session_ids": own,
        "haystack_session_ids": [session["id"] for session in pool],
        "haystack_dates": [session["date"] for session in pool],
        "haystack_sessions": [
            session["turns"] if session["id"] in own else _without_answers(session["turns"])
            for session in pool
        ],
    }


def _lost(golds: Sequence[Mapping[str, Any]], pool: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Count gold answers without turn ids or versions, and their sessions of the question's day."""
    days = {session["id"]: _day(session["date"]) for session in pool}
    return {
        SAME_DAY: sum(
            days.get(session) == _day(gold["valid_as_of"])
            for gold in golds
            for session in gold["supporting_session_ids"]
        ),
        WITHOUT_TURNS: sum(not gold.get("supporting_turn_ids") for gold in golds),
        WITHOUT_VERSIONS: sum(not gold.get("fact_versions") for gold in golds),
    }


def _day(date: str) -> str:
    """Return the day in a date such as "2023/05/30 (Tue) 23:40", which was checked before."""
    return date.partition(" ")[0]


def _without_answers(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**turn, "has_answer": None} for turn in turns]
