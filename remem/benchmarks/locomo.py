"""LoCoMo: ten long conversations between two people, 1,986 questions (paper, Datasets).

One episode is one session. A category is the number in the file, as a string, because the paper
and the authors of LoCoMo use different names for the categories.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remem.benchmarks.chat_sessions import numbered_sessions, parse_time
from remem.benchmarks.evidence_ids import Resolver, by_position, choose_rule, resolve
from remem.benchmarks.json_files import checked, field, gold_text, read_json, strings
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.protocols import DataFile
from remem.types import REFUSAL_PHRASE, Episode, Gold, History, Message, Query, Question

DATE_LAYOUT = "%I:%M %p on %d %B, %Y"
ADVERSARIAL = 5
"""The category of unanswerable questions."""


class LoCoMo(BenchmarkOnLoaded):
    """The published benchmark, locomo10.json."""

    def __init__(self, *, data: str, file: str, evidence_rule: str) -> None:
        raw, source = read_json(Path(data), "locomo", file)
        self._loaded = self.from_json(
            raw, name=source.name, evidence_rule=evidence_rule, files=(source,)
        )

    @staticmethod
    def from_json(
        raw: Any, *, name: str, evidence_rule: str, files: Sequence[DataFile]
    ) -> LoadedBenchmark:
        """Build the benchmark from parsed JSON with the structure of locomo10.json.

        Args:
            raw: The list of conversations.
            name: The name of the data in error messages.
            evidence_rule: `paper` or `tolerant`, see `evidence_ids`.
            files: The files that the data came from.
        """
        rule = choose_rule(evidence_rule, paper=by_position)
        questions_of_history = []
        for position, conversation in enumerate(checked(raw, list, name)):
            history = read_history(conversation, f"conversation {position} of {name}")
            questions_of_history.append(
                (history, read_questions(conversation, history, rule(history)))
            )
        return LoadedBenchmark(questions_of_history, files)


def read_history(raw: Any, where: str) -> History:
    """Return one conversation with its sessions."""
    history_id = field(raw, "sample_id", str, where)
    conversation = field(raw, "conversation", dict, history_id)
    return History(
        history_id,
        tuple(
            read_session(
                key,
                messages,
                date=field(conversation, f"{key}_date_time", str, history_id),
                where=f"{key} of {history_id}",
            )
            for key, messages in numbered_sessions(conversation, history_id)
        ),
    )


def read_session(key: str, messages: list[Any], *, date: str, where: str) -> Episode:
    """Return one session; its messages have the date of the session."""
    time = parse_time(date, DATE_LAYOUT, where)
    a_message = f"a message in {where}"
    return Episode(
        key,
        tuple(
            Message(
                id=field(raw, "dia_id", str, a_message),
                speaker=field(raw, "speaker", str, a_message),
                text=field(raw, "text", str, a_message),
                time=time,
                date=date,
                caption=checked(raw.get("blip_caption") or "", str, f"the caption of {a_message}"),
            )
            for raw in messages
        ),
    )


def read_questions(raw: Any, history: History, resolver: Resolver) -> list[Question]:
    """Return the questions of one conversation."""
    questions = []
    for index, item in enumerate(field(raw, "qa", list, history.id)):
        query_id = f"{history.id}/q{index}"
        text = field(item, "question", str, query_id).strip()
        gold = read_gold(item, history.id, query_id, resolver)
        questions.append(Question(Query(query_id, history.id, index, text), gold))
    return questions


def read_gold(item: Any, history_id: str, query_id: str, resolver: Resolver) -> Gold:
    """Return the gold of one question.

    Of the adversarial questions, only two have an answer in the file. The gold answer to the others
    is a refusal.
    """
    category = field(item, "category", int, query_id)
    evidence, unresolved = resolve(resolver, strings(item, "evidence", query_id))
    unanswered = category == ADVERSARIAL and item.get("answer") is None
    return Gold(
        answers=(REFUSAL_PHRASE if unanswered else read_answer(item, query_id),),
        category=str(category),
        answerable=category != ADVERSARIAL,
        evidence=evidence,
        unresolved=unresolved,
        group=history_id,
    )


def read_answer(item: Any, query_id: str) -> str:
    """Return an answer as text; some are numbers in the file."""
    answer = item.get("answer")
    return gold_text(answer, query_id)
