"""The manifest of a run: its configuration, data, code version, durations and model usage."""

import logging
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from remem.config.extras import installed_version
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import ServedEncoder
from remem.errors import NotServedError
from remem.files.adapters import adapter
from remem.files.live_process import peak_rss_mib
from remem.files.programs import run_program
from remem.files.shipped import code_sum, package_folder
from remem.intake import Account
from remem.llm.endpoint import Served
from remem.protocols import AccountsForIndex, CountsIndex, DataFile
from remem.run.run_manifest import RunManifest
from remem.run.store import RunStore, open_run, read_manifest
from remem.types import Record, Stage, Usage

log = logging.getLogger(__name__)

PACKAGES = (
    *("remem", "hydra-core", "numpy", "scipy", "pandas", "bm25s", "sacrebleu", "pydantic"),
    *("faiss-cpu", "mem0ai", "graphiti-core", "kuzu"),
)
NOT_INSTALLED = "not installed"
UNKNOWN = "unknown"
"""The value in a manifest for an unknown commit or source of the output cap."""
GIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class OutputCap:
    """The maximum number of tokens in a reply; `source` says where it comes from, if known."""

    tokens: int
    source: str


def output_cap(config: RunConfig) -> OutputCap | None:
    """Return the maximum number of tokens in a reply; None if the run uses no endpoint."""
    llm = config.settings.llm
    tokens = llm.chat_model.endpoint.answering.max_output_tokens
    # A user's own model need not state the source of its number.
    return None if tokens is None else OutputCap(tokens, llm.output_cap_source or UNKNOWN)


@dataclass(slots=True)
class ManifestWriter:
    """Writes the manifest of a new or resumed run; values of earlier starts are carried over."""

    store: RunStore
    content: dict[str, Any]
    index_seconds: float = 0.0
    index_seconds_of: dict[str, float] = field(default_factory=dict)
    """The seconds that building took, for each history whose index was built in this start."""
    index_waited_seconds: float = 0.0
    indexes_built: int = 0
    indexes_reused: int = 0
    index_usage: dict[str, Any] = field(default_factory=dict)
    """The usage of each history's index when it was built, by this run or another."""
    failed_episodes: list[dict[str, str]] = field(default_factory=list)
    index_counts: dict[str, Any] = field(default_factory=dict)
    """The memory's own counts for the index of each history."""
    served: Served = field(default_factory=Served)
    """The replies of a model that the run served itself, in this start."""
    _earlier: dict[str, Any] = field(default_factory=dict)
    _before: RunManifest = field(default_factory=RunManifest)
    """The manifest of the earlier start."""

    @classmethod
    def start(
        cls,
        store: RunStore,
        config: RunConfig,
        files: Sequence[DataFile],
        questions: int,
        data_accounts: Sequence[Account] = (),
    ) -> "ManifestWriter":
        """Write the initial manifest; warn if the code has changed since earlier answers.

        Args:
            store: The store of the run.
            config: The configuration of the run.
            files: The data files.
            questions: The number of questions in the data.
            data_accounts: How much of the data files was kept, left out or changed.
        """
        earlier, before = store.read_manifest(), read_manifest(store.folder)
        commit, code = _commit(), code_sum()
        commits, codes = [*before.commits], [*before.code]
        if codes and codes[-1] != code:
            log.warning(
                "%s: earlier answers were made with code %s, but the code is now %s; delete the "
                "folder to answer everything again",
                store.folder,
                ", ".join(commits),
                commit,
            )
        content = {
            "config": config.resolved,
            "fingerprint": config.fingerprint(files),
            "data": [asdict(file) for file in files],
            "data_accounts": [asdict(account) for account in data_accounts],
            "llm": config.llm,
            "output_cap": None if (cap := output_cap(config)) is None else asdict(cap),
            "prompts": [asdict(prompt) for prompt in config.prompts],
            "commits": commits if commits[-1:] == [commit] else [*commits, commit],
            "code": codes if codes[-1:] == [code] else [*codes, code],
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": installed_packages(),
            "questions": questions,
            "started": [*before.started, _now()],
        }
        if before.encoder is not None:
            content["encoder"] = asdict(before.encoder)
        if before.accounts:
            content["accounts"] = earlier["accounts"]
        store.write_manifest({**earlier, **content})
        return cls(store, content, _earlier=earlier, _before=before)

    def keep_encoder(self, encoder: ServedEncoder) -> None:
        """Record the encoder that the embedder's server serves.

        Raises:
            NotServedError: The server had another encoder when earlier answers were made.
        """
        before = self._before.encoder
        if before not in (None, encoder):
            raise NotServedError(
                f"{self.store.folder}: the server has {encoder}, but earlier answers were made "
                f"with {before}; serve the earlier encoder again, or delete the folder to answer "
                f"everything "
                "again"
            )
        self.content["encoder"] = asdict(encoder)
        self.store.write_manifest({**self._earlier, **self.content, **self._accounted()})

    def indexed(
        self, history_id: str, seconds: float, *, waited: float = 0.0, reused: bool
    ) -> None:
        """Add a built or loaded index to the totals.

        `waited` is the part of `seconds` that was spent waiting.
        """
        self.index_seconds += seconds
        if not reused:
            self.index_seconds_of[history_id] = seconds
        self.index_waited_seconds += waited
        self.indexes_reused += reused
        self.indexes_built += not reused

    def account(self, history_id: str, memory: AccountsForIndex) -> None:
        """Record the usage of a history's index, and the episodes without gists and facts.

        The manifest is written at once, because a resumed run skips a history whose questions are
        all answered.
        """
        self.index_usage[history_id] = adapter(Usage).dump_python(memory.index_usage)
        self.failed_episodes += [
            {"history": history_id, "episode": episode, "reason": reason}
            for episode, reason in memory.failures
        ]
        if isinstance(memory, CountsIndex) and memory.index_counts:
            self.index_counts[history_id] = dict(memory.index_counts)
        if memory.index_usage.calls or memory.failures:
            self.store.write_manifest({**self._earlier, **self.content, **self._accounted()})

    def keep_account(self, source: str, account: Account) -> None:
        """Add the counts of an outside source to the counts from earlier starts of the run."""
        if not account.asked:
            return
        before = self._before.accounts
        total = before[source] + account if source in before else account
        accounts = {**before, source: total}
        dumped = adapter(dict[str, Account]).dump_python(accounts, mode="json")
        self.store.write_manifest({**self.store.read_manifest(), "accounts": dumped})

    def finish(self, records: Sequence[Record]) -> None:
        """Write the totals of the run, such as the numbers of answered and failed questions."""
        before = self._before
        self.store.write_manifest(
            {
                **self.content,
                **self._accounted(),
                "finished": _now(),
                "index_seconds": before.index_seconds + self.index_seconds,
                "index_seconds_of": {**before.index_seconds_of, **self.index_seconds_of},
                "index_waited_seconds": before.index_waited_seconds + self.index_waited_seconds,
                "indexes_built": before.indexes_built + self.indexes_built,
                "indexes_reused": before.indexes_reused + self.indexes_reused,
                "answered": sum(record.status == "ok" for record in records),
                "errors": sum(record.status == "error" for record in records),
                "cut_replies": self._cut_replies(records),
                "partial": len(records) < self.content["questions"],
                **self._served(),
            }
        )

    def _served(self) -> dict[str, dict[str, Any]]:
        """Return the counts of locally served models over all starts; empty if there were none."""
        served = self._before.served + self.served
        return {"served": asdict(served)} if served != Served() else {}

    def _cut_replies(self, records: Sequence[Record]) -> dict[Stage, int]:
        """Count the replies that reached the token limit, by stage."""
        indexes = self._accounted()["index_usage"].values()
        return {
            "index": sum(index.get("cut_replies", 0) for index in indexes),  # earlier code had none
            "recall": sum(record.recall_usage.cut_replies for record in records),
            "read": sum(record.read_usage.cut_replies for record in records),
        }

    def _accounted(self) -> dict[str, Any]:
        """Return the usage of all indexes, including those of earlier starts."""
        failed_before = (
            failed
            for failed in self._earlier.get("failed_episodes", [])
            if failed["history"] not in self.index_usage
        )
        return {
            "index_usage": {**self._earlier.get("index_usage", {}), **self.index_usage},
            "index_counts": {**self._earlier.get("index_counts", {}), **self.index_counts},
            "failed_episodes": [*failed_before, *self.failed_episodes],
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def note_own_process(folder: Path) -> None:
    """Record the peak memory of this process, which executed only this run.

    No peak is recorded for a run that was started several times.
    """
    if len(read_manifest(folder).started) == 1:
        with open_run(folder) as store:
            apart = {"own_process": True, "peak_rss_mib": peak_rss_mib()}
            store.write_manifest({**store.read_manifest(), **apart})


def installed_packages() -> dict[str, str]:
    """Return the versions of the installed packages that answers may depend on."""
    return {name: _version(name) for name in PACKAGES}


@cache
def _version(package: str) -> str:
    return installed_version(package) or NOT_INSTALLED


@cache
def _commit() -> str:
    """Return the commit, with "+changes" if the code differs from it; "unknown" outside git."""
    folder = package_folder()
    try:
        # An installed package may be inside another repository that does not track it.
        _git(folder, "ls-files", "--error-unmatch", ".")
        head = _git(folder, "rev-parse", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--", ".", "../baselines")
    except OSError:
        return UNKNOWN
    return f"{head}+changes" if changed else head


def _git(folder: Path, *arguments: str) -> str:
    """Return the output of git; raise OSError if git is missing or fails."""
    done = run_program(["git", "-C", str(folder), *arguments], GIT_SECONDS)
    if done.exit_code:
        raise OSError(f"git {arguments[0]} ended with exit code {done.exit_code}")
    return done.output.strip()
