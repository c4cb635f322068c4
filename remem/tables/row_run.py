"""The run behind a row of a table, which may be missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.embed.served_encoder import ServedEncoder
from remem.run.plumbing import is_plumbing
from remem.run.run_manifest import RunManifest
from remem.run.run_result import RunResult
from remem.run.served_embedder import encoder_of_run, served_node
from remem.run.store import read_manifest
from remem.tables.table_plan import RowPlan
from remem.types import Record

NO_RESULT = RunResult(Path(), ())
"""The result of a run whose folder is unknown, because the data of the run are missing."""


@dataclass(frozen=True, slots=True)
class RowRun:
    """A row of a plan and its run; unlike `remem.run.opened_run.Run`, the run may not exist.

    `missing` says why there are no records; it is "" if there are. With `impossible` there can
    never be any records. `verdicts` are those of the configured judge, by query id. `label`
    replaces the label of
    the method in notes, unless it is empty.
    """

    plan: RowPlan
    config: RunConfig
    result: RunResult = NO_RESULT
    verdicts: Mapping[str, float] = field(default_factory=dict)
    missing: str = ""
    impossible: bool = False
    label: str = ""

    @property
    def folder(self) -> Path | None:
        """The folder of the run; None if it is unknown."""
        return None if self.result is NO_RESULT else self.result.folder

    @property
    def folder_name(self) -> str:
        """The folder relative to the results; "" if it is unknown."""
        folder = self.folder
        return "" if folder is None else folder.relative_to(self.config.results).as_posix()

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the questions asked."""
        return self.result.records

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the run; an empty one if the folder is unknown."""
        return RunManifest() if self.folder is None else read_manifest(self.folder)

    @property
    def encoder(self) -> ServedEncoder | None:
        """What the server of the embedder said; None without a server, or without a run."""
        if served_node(self.config) is None:  # most rows: their manifest need not be read
            return None
        return encoder_of_run(self.config, self.manifest)

    @property
    def name(self) -> str:
        """The name of the row in notes: its label, and its embedder if the method uses one."""
        label = self.label or self.config.label
        served = served_node(self.config)
        embedder = self.config.settings.embedder.name if served is None else str(served["model"])
        told = self.embeds and embedder != label
        return f"{label} (embedder {embedder})" if told else label

    @property
    def is_plumbing(self) -> bool:
        """Whether the model is too small for the memory's requests, so that no score is shown."""
        return is_plumbing(self.config)

    @property
    def embeds(self) -> bool:
        """Whether the method uses the configured embedder."""
        settings = self.config.settings
        return settings.embedder.build in list(nodes(settings.method.build))

    @property
    def has_random_weights(self) -> bool:
        """Whether the method embeds texts with a model that has random weights."""
        return self.config.settings.embedder.weights == "random" and self.embeds
