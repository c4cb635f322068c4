"""The layout of a bundle: a zip whose index lists each entry with its sha256 and size.

The entries are calls.jsonl, vectors/<n>.f32 with vectors/<n>.jsonl, and the files of tables. Each
run also has entries for its configuration, notes, checksums of records, scores, verdicts and times.
Unless a bundle is packed with text, it contains no text of a data set.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from remem.embed.served_encoder import ServedEncoder
from remem.intake import Account
from remem.llm.endpoint import Served
from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile, NativeCall
from remem.run.memory_checks import CheckName
from remem.types import Usage

FORMAT: Literal["remem-bundle-3"] = "remem-bundle-3"
INDEX = "index.json"
CALLS = "calls.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,2}")
"""The name of an entry: a relative path without ".." and without hidden files."""
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

PackageName = Annotated[str, StringConstraints(pattern=r"^[\w.\[\]-]{1,80}$")]
Release = Annotated[str, StringConstraints(pattern=r"^[\w.+!-]{0,60}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Entry:
    """The name, sha256 and uncompressed size of a file in the bundle."""

    name: str
    sha256: Sha256
    bytes: Count


@dataclass(frozen=True, slots=True)
class PackedVectors:
    """The vectors of one embedder; `model` is the digest of the embedder's identity."""

    model: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    dimension: Annotated[int, Field(ge=1, le=2**16)]


@dataclass(frozen=True, slots=True)
class PackedTable:
    """A packed table and its runs; tables/<n>/ has the table's files, in the order of `files`."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
    overrides: tuple[str, ...]
    files: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The contents of a bundle; entries are in the order in which they were written."""

    format: Literal["remem-bundle-3"]
    note: str
    made_with: str
    with_text: bool
    licences: tuple[str, ...]
    runs: Annotated[int, Field(ge=1, le=1000)]
    tables: tuple[PackedVectors, ...]
    entries: tuple[Entry, ...]
    laid_out: tuple[PackedTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A reply and the key of its call, without the request, which a replay builds again."""

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
    model: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorRow:
    """The key of a vector (see `content_key`), its row in the file, and the row's sha256."""

    key: Sha256
    row: Count
    sha256: Sha256


@dataclass(frozen=True, slots=True)
class RecordSum:
    """The checksums of a record: the sha256 of its line, and a short checksum of each field."""

    query_id: str
    history_id: str
    index: int
    category: str
    status: Literal["ok", "error"]
    sha256: Sha256
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PackedVerdict:
    """A judge's verdict on an answer; `case` is the sha256 of all that the judge was shown."""

    query_id: str
    repeat: Annotated[int, Field(ge=0, le=1000)]
    case: Sha256
    correct: bool | Annotated[float, Field(ge=0, le=1)]
    usage: Usage
    judge_prompt: str


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment, times and counts of a run, without error texts, which may quote data."""

    commits: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    python: str = ""
    platform: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    started: tuple[str, ...] = ()
    finished: str = ""
    partial: bool = True
    index_seconds: Seconds = 0.0
    index_seconds_of: Mapping[str, Seconds] = field(default_factory=dict)
    indexes_built: Count = 0
    indexes_reused: Count = 0
    peak_rss_mib: Count = 0
    served: Served = field(default_factory=Served)
    encoder: ServedEncoder | None = None
    accounts: Mapping[str, Account] = field(default_factory=dict)
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
    """The label, fingerprint, data, prompts, judges and environment of a run."""

    label: str
    fingerprint: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    records_sha256: Sha256
    data: tuple[DataFile, ...]
    prompts: tuple[PromptSum, ...]
    judges: tuple[str, ...]
    environment: Environment
    memory_checks: Mapping[CheckName, bool] = field(default_factory=dict)
    """Which checks of the memory passed before the first question; empty if it was not checked."""


def run_entry(number: int, name: str) -> str:
    """Return the name that a run's file has in a bundle; runs are counted from 1."""
    return f"runs/{number}/{name}"


def table_entry(number: int, file: int) -> str:
    """Return the name that a table's file has in a bundle; tables and files are counted from 1."""
    return f"tables/{number}/{file}"


def scores_entry(number: int, judge: str) -> str:
    """Return the name of the entry that has a run's scores.

    `judge` is the name of a judge's file of verdicts; "" for the scores that use no verdicts.
    """
    stem = judge.removeprefix("judgments").removesuffix(".jsonl")
    return run_entry(number, f"scores{stem}.json")
