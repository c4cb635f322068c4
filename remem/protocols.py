"""The interfaces of components: benchmark, memory, embedder, index, planner, reader and others.

They are protocols without code. All methods are synchronous.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from remem.intake import Account
from remem.types import (
    Answer,
    Episode,
    Evidence,
    Extraction,
    Gold,
    History,
    IndexHealth,
    Query,
    Question,
    Stage,
    Step,
    ToolCall,
    Usage,
)

Vectors = NDArray[np.float32]
Mask = NDArray[np.bool_]
QueryTarget = Literal["passage", "fact"]
"""The kind of text a query is compared with; models with instructions embed the two differently."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file of a benchmark (or a generator's name and seed), and its sha256."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A model's call to a tool; `arguments` is a JSON text.

    The message that contains the result (role "tool") refers to the call by `id`. In replies, `id`
    is empty.
    """

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat request: a text, an assistant's tool calls, or the result of a call."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[NativeCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The description of a tool for a model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a chat model, without the model's own settings.

    `reply_schema` requests a JSON object of that schema, in whatever way the endpoint supports;
    `strict` also forbids any other reply, if the endpoint can do so. Two fields are only for
    endpoints with `json_mode` "alternatives": `reply_alternatives`, a tighter schema of the same
    object, and `reply_grammar`, a GBNF grammar of llama.cpp for a reply that is not JSON. `tools`
    requests native tool calls. `tool_choice` is "auto", "required", "none" or the name of a tool;
    "" leaves the choice to the endpoint's settings.
    """

    stage: Stage
    messages: tuple[ChatMessage, ...]
    reply_schema: Mapping[str, Any] | None = None
    tools: tuple[ToolSpec, ...] = ()
    strict: bool = True
    tool_choice: str = ""
    reply_alternatives: Mapping[str, Any] | None = None
    reply_grammar: str = ""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A model's reply: a text, native tool calls, or both.

    `truncated` marks a reply that ended at the token limit. `model` is the model that the server
    names, "" if the server names none. `remarks` states how the reply was unusual.
    """

    text: str
    tool_calls: tuple[NativeCall, ...]
    truncated: bool
    usage: Usage
    model: str = ""
    remarks: tuple[str, ...] = ()


Parsed = TypeVar("Parsed")


class ChatModel(Protocol):
    """A language model whose calls go through the call store, the limiter and the budget."""

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Return the parsed form of the first reply that `parse` accepts, and the usage.

        The usage counts every attempt, rejected ones included.

        Args:
            request: The request.
            parse: Parses a reply or raises RejectedReplyError. It may return None for a reply that
                was cut; such a reply is neither used nor retried.

        Raises:
            UnusableReplyError: Every reply was rejected.
            ModelUnavailableError: There was no reply.
        """


@runtime_checkable
class Repeatable(Protocol):
    """A chat model that can reply to the same request several times, independently."""

    def repeated(self, repeat: int) -> ChatModel:
        """Return a model for the repeat with this number, with the same limiter and budget."""


class Judge(Protocol):
    """Decides whether an answer means the same as the gold (paper, LLM-as-a-judge)."""

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[float, Usage]:
        """Return the verdict and the usage; raise an error if the verdict cannot be read.

        The verdict is True or False, or a share from 0 to 1 if the judge accepts partly correct
        answers.
        """


@runtime_checkable
class GradesByGold(Protocol):
    """A judge that needs the gold's category or rubric in addition to the gold answers."""

    def grade(self, question: str, gold: Gold, answer: str) -> tuple[bool | float, Usage]:
        """Return whether the answer is right, or its grade from 0 to 1, and the usage."""


class Benchmark(Protocol):
    """Histories, and the questions about each of them."""

    def histories(self) -> Sequence[History]:
        """Return all histories, in a stable order."""

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the questions of one history, in the dataset's order."""

    def files(self) -> Sequence[DataFile]:
        """Return the files that the data were read from."""


@runtime_checkable
class CountsFlaws(Protocol):
    """A benchmark that counts the flaws of its data."""

    def flaws(self) -> Mapping[str, int]:
        """Return how often each flaw occurs; the keys are descriptions of the flaws."""


@runtime_checkable
class KeepsAccounts(Protocol):
    """A benchmark that reports what it left out or changed when it read its files."""

    def accounts(self) -> Sequence[Account]:
        """Return how many sessions, messages and questions were kept, left out or changed."""


@runtime_checkable
class KnowsChanges(Protocol):
    """A benchmark that knows how the answers to its questions have changed over time."""

    def former_golds(self, query_id: str) -> Sequence[Gold]:
        """Return the gold answers that were right before the fact changed, oldest first.

        Each answer becomes right in the session with its last evidence, and stays right until the
        next answer becomes right.
        """


class Extractor(Protocol):
    """Turns an episode into gists and facts (paper, Indexing, steps 1 and 2)."""

    def extract(self, episode: Episode) -> Extraction:
        """Extract what the episode says; the ids of gists and facts stay empty."""


class Embedder(Protocol):
    """Turns texts into unit vectors, float32 of shape (n, dimension)."""

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched, shape (n, dimension)."""

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Embed queries that search for `target`, shape (n, dimension)."""


Hit = tuple[int, float]
"""The position of an entry, counted from 0 in the order of addition, and its score."""


class DenseIndex(Protocol):
    """Finds unit vectors similar to a query or to each other; `rows` has shape (n, dimension).

    Each call passes all vectors of the earlier calls again, possibly followed by new vectors, so a
    backend may keep a copy. Callers rank the candidates by the same rule for every backend.
    """

    def candidates(
        self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask
    ) -> NDArray[np.int64]:
        """Return allowed positions that include the best `top_k`; there may be more.

        Callers allow at least one position.
        """

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> NDArray[np.int64]:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""


class LexicalIndex(Protocol):
    """Term-based search."""

    def add(self, texts: Sequence[str]) -> None:
        """Append texts."""

    def search(self, query: str, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries that share a term with the query, best first."""


@runtime_checkable
class Memory(Protocol):
    """A memory: it indexes a history and recalls evidence for queries."""

    def index(self, history: History) -> None:
        """Index a history, or the next part of it."""

    def recall(self, query: Query) -> Evidence:
        """Return the evidence for the query."""


@runtime_checkable
class PersistentMemory(Memory, Protocol):
    """A memory whose index can be saved and shared with other runs."""

    def save(self, folder: Path) -> None:
        """Write the index into an existing folder."""

    def load(self, folder: Path) -> None:
        """Load an index written by `save`; raise DamagedIndexError if it is invalid."""


@runtime_checkable
class AppendableMemory(PersistentMemory, Protocol):
    """A memory that can append newly indexed items to its saved files."""

    def append(self, folder: Path) -> None:
        """Write only the new items into an existing folder."""

    def load(self, folder: Path, *additions: Path) -> None:
        """Load the folder that `save` wrote, then the folders that `append` wrote, in order."""


@runtime_checkable
class AccountsForVectors(Protocol):
    """An embedder that may use a server, and counts the vectors that the server sent."""

    @property
    def vector_account(self) -> Account | None:
        """Return the counts of the vectors sent so far; None if the embedder uses no server."""


@runtime_checkable
class AccountsForIndex(Protocol):
    """A memory that reports the usage of its index, and which episodes failed and why."""

    index_usage: Usage
    failures: tuple[tuple[str, str], ...]


@runtime_checkable
class CountsIndex(Protocol):
    """A memory that counts indexed and dropped items, under names that it chooses itself."""

    index_counts: Mapping[str, int]


@runtime_checkable
class TellsHealth(Protocol):
    """A memory that reports the size of its index."""

    index_health: IndexHealth


@runtime_checkable
class SeesGold(Protocol):
    """An oracle: a reference method that is given the gold evidence."""

    def see_gold(self, questions: Sequence[Question]) -> None:
        """Store the questions of the history, each with its gold."""


class Planner(Protocol):
    """The policy of the agent; it sees only the query and the results of the tools."""

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Choose the next tool call among the offered `tools`."""


class Reader(Protocol):
    """Turns evidence into an answer."""

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""


@runtime_checkable
class ShowsSteps(Protocol):
    """A reader that can show a model the steps of an agent in addition to the evidence."""

    @property
    def shows_steps(self) -> bool:
        """Return whether the reader shows the steps of an agent."""


def shows_steps(reader: Reader) -> bool:
    """Return whether a reader shows the steps of an agent."""
    return isinstance(reader, ShowsSteps) and reader.shows_steps
