"""What a bundle holds: a zip of plain entries, each listed in its index with sha256 and size.

calls.jsonl, vectors/<n>.f32 and .jsonl, for each run its configuration, notes, sums of records,
scores, verdicts and times, and the files of tables. No text of a data set, unless packed with text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from remem.llm.served import Served
from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile, NativeCall
from remem.types import Usage

FORMAT: Literal["remem-bundle-3"] = "remem-bundle-3"
INDEX = "index.json"
CALLS = "calls.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,2}")
"""An entry: no root, no "..", nothing hidden."""
JUDGE = re.compile(r"judgments\.[A-Za-z0-9][A-Za-z0-9._-]*\.jsonl")
NOTE = (
    "Replies of models (calls.jsonl) derive from the data sets and may quote them: their licences "
    "hold for them too. Nothing else here is text of a data set; prompts, gists, observations and "
    "quoted answers are made again from the data of whoever replays."
)
NOTE_WITH_TEXT = (
    "Packed with text: records and judgments hold questions, gold answers and answers of the data "
    "sets, whose licences hold for them and for the replies of models that derive from them."
)

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the bundle, unpacked."""

    name: str
    sha256: Sha256
    bytes: Count


@dataclass(frozen=True, slots=True)
class VectorTable:
    """The vectors of one embedder, named by the digest of its identity."""

    model: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    dimension: Annotated[int, Field(ge=1, le=2**16)]


@dataclass(frozen=True, slots=True)
class PackedTable:
    """A table that was laid out of runs, which it names; its files lie in tables/<n>/, in order."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
    overrides: tuple[str, ...]
    files: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The list of all that is there; entries are in the order in which they were written."""

    format: Literal["remem-bundle-3"]
    note: str
    made_with: str
    with_text: bool
    licences: tuple[str, ...]
    runs: Annotated[int, Field(ge=1, le=1000)]
    tables: tuple[VectorTable, ...]
    entries: tuple[Entry, ...]
    laid_out: tuple[PackedTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A reply by the key of its call; the request is not there, whoever replays makes it again."""

    key: Sha256
    stage: str
    text: str
    tool_calls: tuple[NativeCall, ...]
    truncated: bool
    calls: Count
    prompt_tokens: Count
    completion_tokens: Count
    latency_seconds: Seconds
    waited_seconds: Seconds
    address: str
    time_utc: str


@dataclass(frozen=True, slots=True)
class VectorRow:
    """Whose vector a row is (the sha256 of what was embedded), and the sha256 of the row."""

    key: Sha256
    row: Count
    sha256: Sha256


@dataclass(frozen=True, slots=True)
class RecordSum:
    """A record by its sums: of its canonical line, and the first digits of that of each field."""

    query_id: str
    history_id: str
    index: int
    category: str
    status: Literal["ok", "error"]
    sha256: Sha256
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of an answer; `case` is the sha256 of all that it was shown."""

    query_id: str
    repeat: Annotated[int, Field(ge=0, le=1000)]
    case: Sha256
    correct: bool
    usage: Usage
    judge_prompt: str


@dataclass(frozen=True, slots=True)
class Environment:
    """What a manifest says of how a run went; reasons of failures, which may quote, are left."""

    commits: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    python: str = ""
    platform: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    started: tuple[str, ...] = ()
    finished: str = ""
    partial: bool = True
    index_seconds: Seconds = 0.0
    indexes_built: Count = 0
    indexes_reused: Count = 0
    peak_rss_mib: Count = 0
    served: Served = field(default_factory=Served)
    index_waited_seconds: Seconds = 0.0
    own_process: bool = False
    index_usage: Mapping[str, Usage] = field(default_factory=dict)
    index_counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    failed_episodes: tuple[tuple[str, str], ...] = ()
    questions: Count = 0
    answered: Count = 0
    errors: Count = 0


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What a run was made of, by which environment, and which judges have seen it."""

    label: str
    fingerprint: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    records_sha256: Sha256
    data: tuple[DataFile, ...]
    prompts: tuple[PromptSum, ...]
    judges: tuple[str, ...]
    environment: Environment


def run_entry(number: int, name: str) -> str:
    """Name a file of a run, counted from 1."""
    return f"runs/{number}/{name}"


def table_entry(number: int, file: int) -> str:
    """Name a file of a table, both counted from 1: its own name may be long and odd."""
    return f"tables/{number}/{file}"


def scores_entry(number: int, judge: str) -> str:
    """Name a run's scores with a judge's verdicts by the judge's file; "" is no judge."""
    stem = judge.removeprefix("judgments").removesuffix(".jsonl")
    return run_entry(number, f"scores{stem}.json")
