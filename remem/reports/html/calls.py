"""Repeat a run with its stored replies, to collect the model calls behind each answer.

No model is called and no record is written. The report shows no calls for a question if one of
its calls is not stored, or if the current code gives a different answer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from remem.bundle.buildable import OF_CALLS, OF_TEXTS, buildable, stored_replies
from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig
from remem.errors import RejectedReplyError, ReplayMissError
from remem.files.plain_text import cut
from remem.index.stored_arrays import holds_arrays, naming_damage, open_arrays
from remem.memory.stored_memory import FORMAT, stored_items
from remem.protocols import ChatModel, ChatReply, ChatRequest, Memory, Parsed, Reader, SeesGold
from remem.reports.html.questions import Json
from remem.results.run import Run
from remem.run.experiment import answer_question
from remem.run.imported_answers import IMPORTED
from remem.run.index_cache import IndexCache
from remem.run.question_record import Recorder, reader_of_run
from remem.types import Evidence, Fact, Gist, History, Query, Question, Record, Usage


@dataclass(frozen=True, slots=True)
class NotedCall:
    """A request, its reply, and whether the parser accepted the reply."""

    request: ChatRequest
    reply: ChatReply
    taken: bool


@dataclass(frozen=True, slots=True)
class NotingModel:
    """A chat model that records every reply, and whether the parser accepted it."""

    model: ChatModel
    noted: list[NotedCall] = field(default_factory=list)

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Ask the model and record its replies."""

        def noting(reply: ChatReply) -> Parsed:
            try:
                parsed = parse(reply)
            except RejectedReplyError:
                self.noted.append(NotedCall(request, reply, taken=False))
                raise
            self.noted.append(NotedCall(request, reply, taken=True))
            return parsed

        return self.model.ask(request, noting)


@dataclass(frozen=True, slots=True)
class CallsOfQuestions:
    """The model calls of each question, by query id.

    A message is stored as its role and the position of its text in `texts`. `missing` is the number
    of answered questions without calls.
    """

    by_question: Mapping[str, list[Json]] = field(default_factory=dict)
    texts: Sequence[str] = ()
    missing: int = 0


def read_calls(run: Run) -> CallsOfQuestions:
    """Return the calls of all answered questions.

    Raises:
        FileNotFoundError: The call store or the data of the run is missing.
    """
    if run.config.chat_model is None:
        return CallsOfQuestions()
    admitted = buildable(run.config, run.folder, OF_CALLS)
    assert admitted.chat_model is not None  # because run.config.chat_model is not None
    model = NotingModel(stored_replies(admitted.chat_model, admitted.packages))
    config = replace(admitted, chat_model=SharedInstance(admitted.chat_model.build, [model]))
    answered = {record.query_id: record for record in run.records if record.status == "ok"}
    benchmark, reader = config.build_benchmark(), reader_of_run(config)
    texts: dict[str, int] = {}
    calls = {}
    for history in benchmark.histories():
        places = [
            question
            for question in benchmark.questions(history.id)
            if question.query.id in answered
        ]
        memory = _indexed(config, history, benchmark.questions(history.id)) if places else None
        if memory is None:
            continue
        prompts = answered[places[0].query.id].prompts
        recorder = Recorder(config.llm, prompts, config.evidence_tokens)
        for question in places:
            model.noted.clear()
            if _recorded_again(memory, reader, question, recorder) == answered[question.query.id]:
                calls[question.query.id] = [_value(call, texts) for call in model.noted]
    return CallsOfQuestions(calls, list(texts), len(answered) - len(calls))


def _indexed(config: RunConfig, history: History, questions: Sequence[Question]) -> Memory | None:
    """Return a memory with the index of the history, or None if it cannot be loaded or replayed."""
    memory = config.memory_factory()()
    try:
        IndexCache(config).index(memory, history)
    except ReplayMissError:
        return None
    if config.sees_gold and isinstance(memory, SeesGold):
        memory.see_gold(questions)
    return memory


def _recorded_again(
    memory: Memory, reader: Reader, question: Question, recorder: Recorder
) -> Record | None:
    """Answer a question from stored replies; return None if a reply is missing."""
    try:
        return answer_question(memory, reader, question, recorder)[0]
    except ReplayMissError:
        return None


def _value(call: NotedCall, texts: dict[str, int]) -> Json:
    usage, reply = call.reply.usage, call.reply
    called = "\n".join(f"{tool_call.name}({tool_call.arguments})" for tool_call in reply.tool_calls)
    return {
        "stage": call.request.stage,
        "outcome": "ok" if call.taken else "rejected",
        "tokens": [usage.calls, usage.prompt_tokens, usage.completion_tokens],
        "messages": [
            [message.role, texts.setdefault(cut(message.content), len(texts))]
            for message in call.request.messages
        ],
        "reply": cut(called or reply.text),
    }


class NotKeptError(Exception):
    """The cache has no index of a history."""


@dataclass(slots=True)
class KeptIndex:
    """A memory that only reads the gists and facts of a stored index.

    `synonyms` are pairs of positions in `gists`, one for each synonymy edge.
    """

    gists: tuple[Gist, ...] = ()
    facts: tuple[Fact, ...] = ()
    synonyms: tuple[tuple[int, int], ...] = ()

    def index(self, history: History) -> None:
        """Raise NotKeptError, because the index is not stored and a report builds none."""
        raise NotKeptError(history.id)

    def recall(self, query: Query) -> Evidence:
        """Return no evidence, because a report asks no questions."""
        return Evidence()

    def save(self, folder: Path) -> None:
        """Write nothing, because a report builds no index."""

    def load(self, folder: Path) -> None:
        """Read the gists, facts and synonymy edges, if the stored index has them.

        Raises:
            DamagedIndexError: A file is damaged.
        """
        with naming_damage(folder, "stored memory"):
            if holds_arrays(folder, FORMAT):
                arrays = open_arrays(folder, FORMAT)
                gists, facts = stored_items(arrays)
                self.gists, self.facts = tuple(gists), tuple(facts)
                self.synonyms = tuple((i, j) for i, j in arrays["synonyms"].tolist())


@dataclass(frozen=True, slots=True)
class Items:
    """The stored items of histories, by history number.

    `missing` is the number of histories that have no index in the cache.
    """

    histories: Mapping[int, Json] = field(default_factory=dict)
    missing: int = 0

    @property
    def empty(self) -> bool:
        """Whether no history has a gist or a fact."""
        return not any(kept["gists"] or kept["facts"] for kept in self.histories.values())


ReadItems = Callable[[Run, Mapping[str, int]], Items]
"""Returns the stored items of these histories of a run; `read_items` is one."""


def read_items(run: Run, numbers: Mapping[str, int]) -> Items:
    """Return the stored items of these histories as JSON values, by history number.

    The result is empty if the data has changed since the run, or if the run was imported.

    Raises:
        FileNotFoundError: The data of the run is missing.
    """
    if run.config.settings.dataset.source.target == IMPORTED:
        return Items()
    cache, missing = IndexCache(run.config), 0
    benchmark, values = buildable(run.config, run.folder, OF_TEXTS).build_benchmark(), {}
    if {file.sha256 for file in benchmark.files()} != {file.sha256 for file in run.manifest.data}:
        return Items()  # the ids of the records could have other texts now
    for history in benchmark.histories():
        if history.id not in numbers:
            continue
        kept = KeptIndex()
        try:
            cache.index(kept, history)
        except NotKeptError:
            missing += 1
        values[numbers[history.id]] = _history_values(history, kept)
    return Items(values, missing)


def named_items(items: Items, questions: Iterable[Json]) -> dict[int, Json]:
    """Return, for each history, the items that the traces of these questions mention."""
    named: defaultdict[int, set[str]] = defaultdict(set)
    for question in questions:
        ids = named[question["history"]]
        ids.update(message for message, *_ in question.get("evidence", ()))
        ids.update(chain.from_iterable(step.get("seen", ()) for step in question.get("steps", ())))
        for item, sources in question.get("items", ()):
            ids.update((item, *sources))
    return {
        number: {
            "messages": {
                message_id: message_text
                for message_id, message_text in kept["messages"].items()
                if message_id in ids
            },
            "gists": [gist for gist in kept["gists"] if gist[0] in ids],
            "facts": [fact for fact in kept["facts"] if fact[0] in ids],
        }
        for number, kept in items.histories.items()
        if (ids := named[number])
    }


def _history_values(history: History, kept: KeptIndex) -> Json:
    return {
        "messages": {
            message.id: [message.speaker, message.date, cut(message.text)]
            for message in history.messages()
        },
        "gists": [[*_common(gist), cut(gist.text)] for gist in kept.gists],
        "facts": [[*_common(fact), *map(cut, _triple(fact))] for fact in kept.facts],
        "synonyms": kept.synonyms,
    }


def _common(item: Gist | Fact) -> Iterator[Any]:
    yield from (item.id, item.when, item.episode_id, list(item.source))


def _triple(fact: Fact) -> tuple[str, str, str]:
    return fact.subject, fact.predicate, fact.object
