"""Read the manifest of a run as typed data; errors name the file and the key.

Keys may be missing, as in manifests of earlier versions, and unknown keys are allowed.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from remem.embed.served_encoder import ServedEncoder
from remem.files.adapters import first_fault, parsed
from remem.intake import Account
from remem.llm.endpoint import Served
from remem.prompts.chosen import PromptSum
from remem.protocols import DataFile
from remem.types import Usage

LARGEST = 2**53
"""Maximum count; JSON readers of other languages store integers exactly up to this value."""
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Seconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
NEEDED = ("config", "fingerprint", "data", "prompts", "commits")
"""Keys that a manifest must have before the run is shown, compared or packed."""


@dataclass(frozen=True, slots=True)
class FailedEpisode:
    """An episode that was indexed without gists and facts, and the reason."""

    history: str
    episode: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class IndexUsage:
    """The stored fields of a `Usage`; earlier versions wrote only some of them."""

    calls: Count = 0
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cut_replies: Count = 0
    rejected_replies: Count = 0
    remarks: dict[str, Count] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunManifest:
    """The configuration, data, code version, durations and usage of a run.

    `config` is the whole configuration. `missing` lists the keys in NEEDED that the file does not
    have. `index_seconds` includes the loading of stored indexes; `index_seconds_of` has only the
    histories whose index was built. `encoder` is what the embedder's server reported, if a server
    was asked. `data_accounts` counts what was kept, left out or changed in the data files;
    `accounts` has the same counts for other sources, such as the server of the embedder.
    """

    config: dict[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    data: tuple[DataFile, ...] = ()
    data_accounts: tuple[Account, ...] = ()
    llm: str = ""
    prompts: tuple[PromptSum, ...] = ()
    commits: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    python: str = ""
    platform: str = ""
    packages: dict[str, str] = field(default_factory=dict)
    started: tuple[str, ...] = ()
    finished: str = ""
    index_usage: dict[str, IndexUsage] = field(default_factory=dict)
    index_counts: dict[str, dict[str, Count]] = field(default_factory=dict)
    failed_episodes: tuple[FailedEpisode, ...] = ()
    index_seconds: Seconds = 0.0
    index_seconds_of: dict[str, Seconds] = field(default_factory=dict)
    index_waited_seconds: Seconds = 0.0
    indexes_built: Count = 0
    indexes_reused: Count = 0
    questions: Count = 0
    answered: Count = 0
    errors: Count = 0
    checkpoint_lines: Count = 0
    cut_replies: dict[str, Count] = field(default_factory=dict)
    peak_rss_mib: Count = 0
    served: Served = field(default_factory=Served)
    encoder: ServedEncoder | None = None
    accounts: dict[str, Account] = field(default_factory=dict)
    partial: bool = True
    own_process: bool = False
    missing: tuple[str, ...] = NEEDED

    @property
    def data_names(self) -> tuple[str, ...]:
        """Return the names of the data files."""
        return tuple(file.name for file in self.data)

    @property
    def index_usages(self) -> dict[str, Usage]:
        """Return the model usage of each history's index."""
        return {history: Usage(**asdict(counts)) for history, counts in self.index_usage.items()}

    @property
    def counts(self) -> Counter[str]:
        """Return the counts that memories report on their indexes, summed over all histories."""
        total: Counter[str] = Counter()
        for counts in self.index_counts.values():
            total.update(counts)
        return total


def typed_manifest(path: Path, content: Mapping[str, Any]) -> RunManifest:
    """Check the content of a manifest file and return it as a `RunManifest`.

    Raises:
        ValueError: A value has the wrong type; the message names the file and the key.
    """
    try:
        manifest = parsed(RunManifest, json.dumps(content), strict=True)
    except ValidationError as error:
        raise ValueError(
            f"{path}: {first_fault(error)}; move the file away and run the same command again; the "
            "answers are kept"
        ) from error
    return replace(manifest, missing=tuple(name for name in NEEDED if name not in content))
