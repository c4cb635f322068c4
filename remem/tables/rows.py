"""The rows of a table: the overrides that fit each row, and its result if it was run.

An override of the user applies to each row whose configuration has the override's key. For example,
`llm.build.budget_dollars=5` applies to rows with a model, and `dataset.build.subset=100` to rows of
a dataset with subsets. A choice such as `llm=gpt-5-chat` applies to every row.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from omegaconf import DictConfig, OmegaConf

from remem.config.config_dir import TRUST
from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig, compose_config
from remem.embed.served_encoder import ServedEncoder
from remem.errors import UsageError
from remem.llm.endpoint import AS_STUB
from remem.llm.http_client import needs_key
from remem.metrics.question_scores import QuestionScores
from remem.results.run import Run
from remem.run.run_manifest import RunManifest
from remem.run.served_models import encoder_of_run, is_plumbing, served_node
from remem.tables.table_plan import RowPlan
from remem.types import Record

VALUE = re.compile(r"(?!hydra\b)(?P<parent>\w+(\.\w+)*)\.(?P<name>\w+)=")
"""An override that changes a value; its key has to exist. `+key=` adds one."""
WITHOUT_EFFECT = (
    *("paths.", "runner", "cache", "logger", "hydra.searchpath", TRUST, "run.packages"),
    *("run.model_code", "run.health"),
    *("llm.build.endpoint.base_url", "llm.build.endpoint.known_as"),
    *("llm.build.endpoint.key_variable", "embedder.build.embedder.base_url"),
    *("llm.build.budget_dollars", "llm.build.ledger", "judge_llm.build.budget_dollars"),
    *("judge_llm.build.ledger", "llm.build.endpoint.limits", "llm.build.endpoint.tries"),
    "llm.build.endpoint.timeout_seconds",
)
"""Prefixes of overrides that do not change any score."""
NEEDED = ("hydra.searchpath", TRUST, "run.packages", "run.model_code")
OF_HERE = tuple(key for key in WITHOUT_EFFECT if key not in NEEDED)
"""Prefixes of overrides that commands leave out: local paths, and how runs are executed."""
TIMED = ("runner=serial", "cache=bypass", "judge=none")
"""The overrides of a timed run."""
HOW_IT_IS_RUN = ("runner", "cache")
"""Prefixes of the overrides that a command repeats if its row measures time or memory."""


def fitted(row: Sequence[str], overrides: Sequence[str]) -> tuple[str, ...]:
    """Return the overrides of a row, then those of the user's overrides that apply to the row.

    Raises:
        HydraException: The row or a choice of the user cannot be composed.
    """
    return _fitted(tuple(row), tuple(overrides))


@cache  # the numbers of a row in a table ask again and again
def _fitted(row: tuple[str, ...], overrides: tuple[str, ...]) -> tuple[str, ...]:
    others = [override for override in overrides if not VALUE.match(override)]
    if len(others) == len(overrides):
        return (*row, *overrides)
    composed = compose_config([*row, *others])
    return (*row, *(override for override in overrides if _fits(composed, override)))


def check_overrides(rows: Iterable[Sequence[str]], overrides: Sequence[str]) -> None:
    """Raise an error if the key of an override does not exist in any row.

    Raises:
        HydraException: The error that this override causes in the first row.
    """
    listed = list(rows)
    taken = {override for row in listed for override in fitted(row, overrides)}
    for override in overrides:
        if listed and override not in taken:
            compose_config([*listed[0], override])


def check_rehearsal(config: RunConfig, overrides: Sequence[str]) -> None:
    """Raise UsageError for a row that would ask a paid server in a rehearsal."""
    if AS_STUB not in overrides:
        return
    settings = config.settings
    parts = [settings.method.build, settings.reader.build, settings.judge.build]
    for node in nodes(parts):
        address = str(node.get("base_url", ""))
        if address and needs_key(address):
            raise UsageError(
                f"in this rehearsal, {config.label} would ask {address}; leave out the override "
                f"that sets this address"
            )


def _fits(composed: DictConfig, override: str) -> bool:
    value = VALUE.match(override)
    if value is None:
        return True
    parent = OmegaConf.select(composed, value["parent"])
    return isinstance(parent, DictConfig) and value["name"] in parent


def run_command(overrides: Sequence[str]) -> str:
    """Return the command that runs a row, quoted for a shell."""
    return shlex.join(("remem", "run", *same_everywhere(overrides)))


def same_everywhere(overrides: Sequence[str]) -> list[str]:
    """Return the overrides without local paths, so that a page is the same on every machine.

    The override of the runner is kept if the row measures time or memory. Overrides of a rehearsal
    are left out.
    """
    if AS_STUB in overrides:
        overrides = overrides[: overrides.index(AS_STUB)]
    exempt = HOW_IT_IS_RUN if {*TIMED} <= {*overrides} else ()
    return [
        override
        for override in overrides
        if override.startswith(exempt) or not override.startswith(OF_HERE)
    ]


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """A row of a plan, and its run or the reason why there is no run.

    `run` is None if its folder is unknown, because the data of the run are missing. `missing` says
    why there are no records, and is empty if there are records. `impossible` is True if there can
    never be records. A `label` that is not empty replaces the label of the method in notes.
    """

    plan: RowPlan
    config: RunConfig
    run: Run | None = None
    missing: str = ""
    impossible: bool = False
    label: str = ""

    @property
    def folder_name(self) -> str:
        """The folder of the run relative to the results; "" if it is unknown."""
        if self.run is None:
            return ""
        return self.run.folder.relative_to(self.config.results).as_posix()

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the questions asked."""
        return () if self.run is None else self.run.records

    @property
    def scores(self) -> Mapping[str, QuestionScores]:
        """The scores of each question by query id, without failed questions."""
        return {} if self.run is None else self.run.scores

    @property
    def failures(self) -> tuple[str, ...]:
        """The error of each failed question."""
        return () if self.run is None else self.run.failures

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the run; an empty one if the folder is unknown."""
        return RunManifest() if self.run is None else self.run.manifest

    @property
    def encoder(self) -> ServedEncoder | None:
        """The encoder that the embedder's server reported; None without a server or a run."""
        return encoder_of_run(self.config, self.manifest)

    @property
    def name(self) -> str:
        """The name of the row in notes: its label, and its embedder if the method uses one."""
        label = self.label or self.config.label
        served = served_node(self.config)
        embedder = self.config.settings.embedder.name if served is None else str(served["model"])
        named = self.embeds and embedder != label
        return f"{label} (embedder {embedder})" if named else label

    @property
    def is_plumbing(self) -> bool:
        """Whether no score is shown because the model is too small for the memory's requests."""
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
