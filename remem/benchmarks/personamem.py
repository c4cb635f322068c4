"""PersonaMem with 32k contexts: 589 multiple-choice questions on chats with an assistant.

The files are a re-release that does not say at which point of the chat a question was asked. So a
history is the full context of its questions. Questions have no evidence here, because the file
names all sessions of the context as evidence. Sessions have no dates.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from remem.benchmarks.json_files import checked, field, read_json, strings
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.intake import Account, Intake
from remem.metrics.choices import lettered
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question

_MARK = re.compile(r"^\(([a-z])\)[ \t]", re.MULTILINE)


def read_options(text: str, where: str) -> tuple[str, ...]:
    """Return the texts of the options without their letters.

    Raises:
        ValueError: There are fewer than two options, an option is empty, or there is text before
            the first option.
    """
    marks = _in_order(list(_MARK.finditer(text)))
    if len(marks) < 2:
        raise ValueError(
            f"{where} has too few options ({len(marks)}), expected at least '(a) ...' and '(b) ...'"
        )
    if text[: marks[0].start()].strip():
        raise ValueError(f"{where} has text before its option (a), expected only the options")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    options = tuple(text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    for letter, option in zip(ascii_lowercase, options, strict=False):
        if not option:
            raise ValueError(f"option ({letter}) of {where} is empty, expected some text")
    return options


def equal_options(options: Sequence[str], position: int) -> tuple[int, ...]:
    """Return the positions of all other options with the text of the option at `position`.

    >>> equal_options(["tea", "rum", "tea"], 0)
    (2,)
    """
    return tuple(
        place
        for place, option in enumerate(options)
        if place != position and option == options[position]
    )


def _in_order(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the marks whose letters continue the alphabet from "a"."""
    matches: list[re.Match[str]] = []
    for mark in marks:
        if len(matches) < len(ascii_lowercase) and mark[1] == ascii_lowercase[len(matches)]:
            matches.append(mark)
    return matches


BLOCK = re.compile(r"(?:\A|\n\n)\[(SYSTEM|USER|ASSISTANT)\] ")
"""What begins a message in the content of a session."""


class PersonaMem(BenchmarkOnLoaded):
    """The published benchmark: queries.json and documents.json, plain or gzipped."""

    def __init__(self, *, data: str, queries: str, documents: str) -> None:
        raw_queries, queries_file = read_json(Path(data), "personamem", queries)
        raw_documents, documents_file = read_json(Path(data), "personamem", documents)
        self._loaded = self.from_json(
            raw_queries, raw_documents, files=(queries_file, documents_file)
        )
        self._flaws = count_flaws(self._loaded) | {
            "messages that name their role a second time": sum(
                roles_named_twice(record["content"]) for record in raw_documents
            )
        }

    @staticmethod
    def from_json(
        raw_queries: Any, raw_documents: Any, *, files: Sequence[DataFile]
    ) -> LoadedBenchmark:
        """Return the benchmark from parsed JSON.

        Args:
            raw_queries: The list of questions.
            raw_documents: The list of sessions; those of one context are in order.
            files: The two files, in this order.
        """
        histories = read_histories(raw_documents, files[1].name)
        questions_of_history: dict[str, list[Question]] = {
            history_id: [] for history_id in histories
        }
        for place, record in enumerate(checked(raw_queries, list, files[0].name)):
            where = f"question {place} of {files[0].name}"
            context = field(record, "user_id", str, where)
            if context not in histories:
                raise ValueError(
                    f"{where} is about the context {context!r}, which is not in {files[1].name}: "
                    f"fetch both files from the same release"
                )
            index = len(questions_of_history[context])
            questions_of_history[context].append(
                read_question(record, index, histories[context], where)
            )
        return LoadedBenchmark(
            [
                (histories[context], questions)
                for context, questions in questions_of_history.items()
            ],
            files,
            (_account(raw_documents, histories.values()),),
        )

    def flaws(self) -> Mapping[str, int]:
        """Return how many questions and sessions have each known flaw."""
        return self._flaws


def read_histories(raw: Any, name: str) -> dict[str, History]:
    """Return the contexts by id, with their sessions in the order of the file."""
    sessions: dict[str, list[Episode]] = {}
    for place, record in enumerate(checked(raw, list, name)):
        where = f"session {place} of {name}"
        context = field(record, "user_id", str, where)
        of_context = sessions.setdefault(context, [])
        of_context.append(read_session(record, len(of_context), where))
    return {context: History(context, tuple(episodes)) for context, episodes in sessions.items()}


def read_session(record: Any, number: int, where: str) -> Episode:
    """Return one session; message ids have the form "D0:1", like those of LoCoMo."""
    session_id = field(record, "id", str, where)
    where = f"{session_id} ({where})"
    if record.get("timestamp") is not None:
        raise ValueError(
            f"{where} has the timestamp {record['timestamp']!r}, expected null: this release of "
            f"PersonaMem has no dates"
        )
    content = field(record, "content", str, where)
    return Episode(
        session_id,
        tuple(
            Message(f"D{number}:{place}", speaker, text)
            for place, (speaker, text) in enumerate(read_blocks(content, where), start=1)
        ),
    )


def read_blocks(content: str, where: str) -> list[tuple[str, str]]:
    """Return the speaker and the text of each message of a session.

    Most messages name their role twice ("[USER] User: Hi"); the second name is removed. Other names
    at the start of a text ("Patient: Hi") are kept.

    Raises:
        ValueError: The content does not begin with a role, or a message is empty.
    """
    marks = list(BLOCK.finditer(content))
    if not marks or marks[0].start() != 0:
        raise ValueError(
            f"{where} begins with {content[:30]!r}, expected '[SYSTEM] ', '[USER] ' or "
            f"'[ASSISTANT] '"
        )
    ends = [*(mark.start() for mark in marks[1:]), len(content)]
    messages: list[tuple[str, str]] = []
    for mark, end in zip(marks, ends, strict=True):
        speaker = mark[1].capitalize()
        text = content[mark.end() : end].removeprefix(f"{speaker}: ").strip()
        if not text:
            raise ValueError(f"message {len(messages) + 1} of {where} is empty, expected some text")
        messages.append((speaker, text))
    return messages


def roles_named_twice(content: str) -> int:
    r"""Return how many messages of a session repeat their role at the start of the text.

    >>> roles_named_twice("[USER] User: Hi\n\n[ASSISTANT] Hello")
    1
    """
    return sum(
        content.startswith(f"{mark[1].capitalize()}: ", mark.end())
        for mark in BLOCK.finditer(content)
    )


def _account(sessions: Sequence[Mapping[str, Any]], histories: Iterable[History]) -> Account:
    """Return the account of the messages; the repeated name of the role is removed from most."""
    intake: Intake[str] = Intake("messages")
    for session in sessions:
        place, content = f"session {session['id']}", session["content"]
        for _ in BLOCK.finditer(content):
            intake.keep(place)
        for _ in range(roles_named_twice(content)):
            intake.repair(place, "the name of their role, stated a second time, was removed")
    return intake.account(arrived=sum(1 for each in histories for _ in each.messages()))


def read_question(record: Any, index: int, history: History, where: str) -> Question:
    """Return one question: the message to answer, and the replies to choose from."""
    query_id = field(record, "id", str, where)
    where = f"{query_id} ({where})"
    meta = field(record, "meta", dict, where)
    text = field(meta, "retrieval_query", str, where)
    whole = field(record, "query", str, where)
    if not whole.startswith(text):
        raise ValueError(f"the query of {where} does not begin with the text of retrieval_query")
    options = read_options(whole[len(text) :], where)
    unknown = set(strings(record, "gold_ids", where)) - {e.id for e in history.episodes}
    if unknown:
        raise ValueError(
            f"{where} has the gold session {min(unknown)!r}, expected a session of the same context"
        )
    gold = Gold(
        answers=read_golds(strings(record, "gold_answers", where), options, where),
        category=field(meta, "question_type", str, where),
        group=f"persona-{field(meta, 'persona_id', str, where)}",
    )
    return Question(Query(query_id, history.id, index, text.strip(), options=options), gold)


def read_golds(written: Sequence[str], options: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the right option, then other options with the same text, each with its letter.

    Raises:
        ValueError: `written` is not the text of an option and its letter.
    """
    choices = lettered(options)
    if len(written) != len(("text", "letter")) or written[1] not in [*ascii_lowercase]:
        raise ValueError(
            f"{where} has the gold {list(written)!r}, expected the text of an option and its letter"
        )
    position = ascii_lowercase.index(written[1])
    if position >= len(choices) or choices[position] != written[0].strip():
        raise ValueError(
            f"the gold of {where} is option ({written[1]}), but the text given for it is not the "
            "text of that option in the question"
        )
    return (choices[position], *(choices[place] for place in equal_options(options, position)))


def count_flaws(benchmark: LoadedBenchmark) -> dict[str, int]:
    """Return how many questions and sessions of a benchmark have each known flaw."""
    all_questions = [
        q for history in benchmark.histories() for q in benchmark.questions(history.id)
    ]
    questions = [(q.query.history_id, q.query.text, q.query.options) for q in all_questions]
    return {
        "questions with two equal options": sum(
            len(set(q.query.options)) < len(q.query.options) for q in all_questions
        ),
        "questions whose longest option is right": sum(
            _is_right(q, max(q.query.options, key=len)) for q in all_questions
        ),
        "questions whose shortest option is right": sum(
            _is_right(q, min(q.query.options, key=len)) for q in all_questions
        ),
        "questions whose option (c) is right": sum(
            q.gold.answers[0].startswith("(c) ") for q in all_questions
        ),
        "questions repeated in their context, with the same options": len(questions)
        - len(set(questions)),
        "questions without evidence": sum(not q.gold.evidence for q in all_questions),
        "sessions without a date": sum(
            all(message.time is None for message in episode.messages)
            for history in benchmark.histories()
            for episode in history.episodes
        ),
    }


def _is_right(question: Question, option: str) -> bool:
    """Return whether the letter of the first option with this text is that of the gold."""
    options = question.query.options
    return question.gold.answers[0] == lettered(options)[options.index(option)]
