"""The data types: histories, queries, gists, facts, evidence, answers and records.

Modules exchange these frozen dataclasses.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any, Literal

from remem.time_scope import TimePoint, TimeScope

REFUSAL_PHRASE = "no information available"
"""The phrase with which a reader refuses (paper, Refusal Performance)."""

NOT_STATED = "(not stated)"
"""The placeholder for a value that an imported run does not state, such as the id of a retrieved
item: in place of an item, or after "_" in place of the turn of a session."""


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance, or one event statement, which has no `speaker`.

    `date` is the date as the dataset writes it; `time` is the same date, parsed.
    """

    id: str
    speaker: str
    text: str
    time: TimePoint | None = None
    date: str = ""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """A chat session, a message or an event statement: the unit that is indexed."""

    id: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The episodes that one memory graph is built from, without the questions."""

    id: str
    episodes: tuple[Episode, ...]

    def messages(self) -> Iterator[Message]:
        """Iterate over all messages in order."""
        for episode in self.episodes:
            yield from episode.messages


@dataclass(frozen=True, slots=True)
class Query:
    """The part of a question that a memory and a reader may see.

    `prompt` is the dataset's own prompt if there is one. `order` lists the ids of the messages in
    the order in which this prompt states them (Test of Time asks each question in five orders).
    `options` are the answers to choose from, without letters such as (a). `asked` is the date of
    the question as the dataset writes it, or empty if the question has no date.
    """

    id: str
    history_id: str
    index: int
    text: str
    prompt: str = ""
    order: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    asked: str = ""

    @property
    def dated_text(self) -> str:
        """Return the question with its date, for a reader."""
        return f"{self.text} (asked on {self.asked})" if self.asked else self.text


AnswerSeparator = Literal["commas", "semicolons"]
"""The separator between the items of a list answer; each dataset has its own."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The part of a question that only the scores and the Oracle may see.

    `answers` are alternatives; each of them is a complete answer. `answerable` comes from the
    dataset. If it is False, `answers` holds the answer in the dataset's file, or the refusal phrase
    if the file has no answer (`refusal_gold` decides how to score it). `items` holds the parts of a
    list answer, the statements of a rubric, or the reason for a refusal, and is otherwise empty.
    `separator` names the separator of the parts in `answers`. `evidence` holds message ids.
    `unresolved` holds evidence strings that match no message. `group` is the question's cluster
    for statistics.
    """

    answers: tuple[str, ...]
    category: str
    answerable: bool = True
    items: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    group: str = ""
    separator: AnswerSeparator = "commas"


@dataclass(frozen=True, slots=True)
class Question:
    """A query and its gold, kept separate so that no memory can see the gold."""

    query: Query
    gold: Gold


@dataclass(frozen=True, slots=True)
class Gist:
    """A short self-contained sentence about an event; `source` holds the ids of its messages."""

    id: str
    text: str
    time: TimeScope | None
    episode_id: str
    source: tuple[str, ...]

    @property
    def when(self) -> str:
        """Return the time of the gist as text; empty if the gist has no time."""
        return str(self.time or "")


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple with its time scope; `source` holds the ids of its messages.

    `time` is when the fact holds and `record_time` when it was said, if known.
    """

    id: str
    subject: str
    predicate: str
    object: str
    time: TimeScope | None
    episode_id: str
    source: tuple[str, ...]
    record_time: TimePoint | None = None

    @property
    def text(self) -> str:
        """Return the text of the fact for embedding, searching and showing."""
        parts = [self.subject, self.predicate, self.object]
        if self.time is not None and self.time.point_in_time is not None:
            parts.append(str(self.time.point_in_time))
        elif self.time is not None:
            parts.append(f"from {self.time.start or '..'} to {self.time.end or '..'}")
        return " | ".join((*parts, *self._record_time_text()))

    @property
    def when(self) -> str:
        """Return a text with the time of the fact and the time when it was said.

        The text is empty if neither time is known.
        """
        return ", ".join((*([str(self.time)] if self.time else []), *self._record_time_text()))

    def _record_time_text(self) -> tuple[str, ...]:
        return (f"said {self.record_time}",) if self.record_time else ()


Stage = Literal["index", "recall", "read", "judge"]
"""The purpose of a model call; tokens and dollars are counted per stage."""


UNCOUNTED = "came without token counts, so their tokens are unknown"
"""The remark on replies whose tokens the server did not count."""


def _leaving_out_if_empty(key: str, schema: Any) -> Any:
    """Return the pydantic schema with a serializer that omits `key` if its value is empty."""
    from pydantic_core import core_schema

    def written(instance: object, dump: Callable[[object], dict[str, Any]]) -> object:
        return {name: value for name, value in dump(instance).items() if name != key or value}

    return {
        **schema,
        "serialization": core_schema.wrap_serializer_function_ser_schema(written),
    }


def _sum(first: Mapping[str, int], second: Mapping[str, int]) -> Mapping[str, int]:
    if not first or not second:  # nearly always, and ten times as fast
        return first or second
    return dict(Counter(first) + Counter(second))


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls to a language model and their tokens, as the endpoint counted them.

    Calls answered from the call store count like calls that were sent, so a resumed run has the
    same usage as one that was never interrupted. `cut_replies` counts all replies that reached the
    token limit, even if they were used. `rejected_replies` counts all replies that could not be
    parsed, even if the call was repeated. `remarks` maps each kind of irregularity to the number of
    replies that had it.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut_replies: int = 0
    rejected_replies: int = 0
    remarks: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cut_replies + other.cut_replies,
            self.rejected_replies + other.rejected_replies,
            _sum(self.remarks, other.remarks),
        )

    def times(self, factor: Fraction) -> "Usage":
        """Return the usage multiplied by a factor and rounded, without its remarks."""
        return Usage(
            round(self.calls * factor),
            round(self.prompt_tokens * factor),
            round(self.completion_tokens * factor),
            round(self.cut_replies * factor),
            round(self.rejected_replies * factor),
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Return the pydantic schema with a serializer that omits empty remarks."""
        return _leaving_out_if_empty("remarks", handler(source))

    @property
    def uncounted_calls(self) -> int:
        """Return the number of calls whose tokens the server did not count."""
        return self.remarks.get(UNCOUNTED, 0)

    @property
    def shown_tokens(self) -> tuple[str, str]:
        """Return the prompt and completion tokens as text; "unknown" if no call has counts.

        >>> Usage(2, 1200, 30).shown_tokens, Usage(2, 600, 9, remarks={UNCOUNTED: 1}).shown_tokens
        (('1,200', '30'), ('at least 600', 'at least 9'))
        """
        if self.uncounted_calls and self.uncounted_calls == self.calls:
            return "unknown", "unknown"
        bound = "at least " if self.uncounted_calls else ""
        return f"{bound}{self.prompt_tokens:,}", f"{bound}{self.completion_tokens:,}"


@dataclass(frozen=True, slots=True)
class Extraction:
    """The gists and facts of one episode; their ids are empty until the graph assigns them.

    `failure` says why the extraction failed; it stays empty if there was nothing to extract.
    """

    gists: tuple[Gist, ...] = ()
    facts: tuple[Fact, ...] = ()
    usage: Usage = Usage()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim part of the history, with the ids of its messages."""

    id: str
    text: str
    time: TimePoint | None
    source: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The tool call that a planner chose next, and the planner's reason for it."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    thought: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a tool call; `error` is set if the call could not be executed.

    `scores` holds the scores of the gists, then of the facts; empty if the tool does not rank.
    """

    message: str
    gists: tuple[Gist, ...] = ()
    facts: tuple[Fact, ...] = ()
    count: int | None = None
    error: bool = False
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the agent loop (paper, Algorithm 2)."""

    call: ToolCall
    observation: Observation


@dataclass(frozen=True, slots=True)
class Evidence:
    """The items recalled for a query, best first unless `ranked` is False.

    Gists and facts are separate lists.
    """

    gists: tuple[Gist, ...] = ()
    facts: tuple[Fact, ...] = ()
    passages: tuple[Passage, ...] = ()
    steps: tuple[Step, ...] = ()
    proposed_answer: str | None = None
    ranked: bool = True
    usage: Usage = Usage()

    def _repr_html_(self) -> str:
        rows = [("gist", gist.text, gist.when) for gist in self.gists]
        rows += [
            ("fact", f"{fact.subject} {fact.predicate} {fact.object}", fact.when)
            for fact in self.facts
        ]
        rows += [("passage", item.text, str(item.time or "")) for item in self.passages]
        head = "<tr><th>kind</th><th>text</th><th>when</th></tr>"
        lines = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in rows)
        return f"<table>{head}{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


@dataclass(frozen=True, slots=True)
class Answer:
    """A reader's answer, and the number of evidence tokens that the reader was given."""

    text: str
    context_tokens: int = 0
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One retrieved item in a record: its id and the ids of its source messages."""

    id: str
    source: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step in a record, with ids instead of texts; `scores` belong to the items in `seen`."""

    tool: str
    arguments: Mapping[str, Any]
    thought: str
    message: str
    seen: tuple[str, ...]
    count: int | None
    error: bool
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One attempt at one question, with everything that a score may depend on.

    `prompts` is "own" for our prompts, "none" if no model was used, and the checksum of the prompts
    otherwise. `cut` holds the retrieved items that `run.evidence_tokens` left out, best first.
    """

    query_id: str
    history_id: str
    index: int
    question: str
    gold: Gold
    status: Literal["ok", "error"]
    answer: str = ""
    error: str = ""
    retrieved: tuple[Retrieved, ...] = ()
    ranked: bool = True
    steps: tuple[StepRecord, ...] = ()
    proposed_answer: str | None = None
    context_tokens: int = 0
    llm: str = "none"
    prompts: str = "none"
    recall_usage: Usage = Usage()
    read_usage: Usage = Usage()
    cut: tuple[Retrieved, ...] = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Return the pydantic schema with a serializer that omits an empty `cut`."""
        return _leaving_out_if_empty("cut", handler(source))


LEFT_OUT = "left out by the ablation"
"""How a name in `index_counts` ends if it counts items that an ablation hides from the tools."""


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """The numbers of items in an index, of dated items, and of items returned for a query."""

    items: int
    dated: int
    top_k: int
