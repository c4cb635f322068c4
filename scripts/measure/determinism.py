"""A small pipeline with all parts: rows without a model, and rows with stored replies.

It gives the same records and tables with other workers, batches, processors and Pythons.
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from remem.metrics.columns import Column
from remem.reports.html.table_files import write_own_table
from remem.run.run_account import no_view
from remem.run.store import CANONICAL
from remem.serve.stub.stub import StubServer
from remem.tables.reproduce import reproduce
from remem.tables.table import Table
from remem.tables.table_plan import BlockPlan, RowPlan, TablePlan

DIALOGUES = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1"),
    *("dataset.build.sessions=4", "run.limit=12"),
)
MULTIPLY = "import numpy as np; np.ones((64, 64)) @ np.ones((64, 64))"
STUB = ("llm=loopback-stub", "embedder=loopback-stub", "reader=direct", "extractor=llm")
PLAN = TablePlan(
    name="same",
    title="The same again",
    blocks=(
        BlockPlan(
            "Dialogues",
            (*DIALOGUES, "reader=extractive"),
            (Column("F1", "f1"), Column("recall@10", "recall_at_10")),
            tuple(
                RowPlan((f"method={name}",))
                for name in ("remem_i", "remem_s", "embedding_messages")
            ),
            (),
        ),
        BlockPlan(
            "Reasoning",
            ("dataset=generated_tot", "reader=symbolic", "dataset.build.graphs_per_cell=1"),
            (Column("EM", "tot_em"),),
            (RowPlan(("method=remem_i", "planner=symbolic")),),
            (),
        ),
        BlockPlan(
            "A stored model",
            (*DIALOGUES, *STUB),
            (Column("F1", "f1"), Column("tokens", "context_tokens")),
            (RowPlan(("method=remem_i", "planner=llm")), RowPlan(("method=remem_s",))),
            (),
        ),
    ),
)
SMALL = ("run.histories=2", "convention.score.resamples=99")
ONE_AT_A_TIME = ("embedder.build.embedder.batch_size=1", "embedder.build.portion=1")
NO_INDEX = shutil.ignore_patterns("indexes")
"""Parts of a store that are not copied: indexes are built again."""
NO_SERVER = "http://127.0.0.1:9/v1"
"""An address without a server, so that all replies and vectors must come from the store."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of the same pipeline; `single` calls the stub again, with one text at a time."""

    name: str
    python: str = sys.executable
    workers: int = 1
    single: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a variant: checksums of canonical records and of table files, and the bytes."""

    sums: Mapping[str, str]
    bytes: int

    def difference(self, other: "Outcome") -> str:
        """Return the name of the first file that differs, or ""."""
        every = sorted(self.sums.keys() | other.sums.keys())
        return next((name for name in every if self.sums.get(name) != other.sums.get(name)), "")


@cache
def kernels() -> tuple[str, ...]:
    """Return the processors whose OpenBLAS kernels run on this machine.

    A kernel for a newer processor, such as one with AVX-512, ends the process.
    """
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    named = ("Prescott", "Haswell", "SkylakeX", "Zen") if is_x86 else ("ARMV8", "NEOVERSEN1")
    return tuple(kernel for kernel in named if _runs(kernel))


def _runs(kernel: str) -> bool:
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    tried = subprocess.run(
        [sys.executable, "-c", MULTIPLY], env=environment, capture_output=True, check=False
    )
    return tried.returncode == 0


def run_line(results: Path, store: Path | None, *, workers: int, single: bool) -> Outcome:
    """Answer all rows, build the table, and return the result.

    Args:
        results: An empty folder.
        store: Results of an earlier line, whose replies and vectors serve; None asks the stub.
        workers: How many questions are in work at once.
        single: Whether texts are embedded one at a time.
    """
    with nullcontext() if store else StubServer() as server:
        if store:
            shutil.copytree(store / "cache", results / "cache", ignore=NO_INDEX)
        where = f"paths.results={results}"
        address = server.base_url if server else NO_SERVER
        urls = (
            f"llm.build.endpoint.base_url={address}",
            f"embedder.build.embedder.base_url={address}",
            *(ONE_AT_A_TIME if single else ()),
        )
        *free, stored = PLAN.blocks
        sent = BlockPlan(
            stored.title, (*stored.overrides, *urls), stored.columns, stored.rows, stored.notes
        )
        plan = TablePlan(PLAN.name, PLAN.title, (*free, sent))
        chosen = [*SMALL, where, "runner=threads", f"runner.workers={workers}"]
        made = reproduce(plan, chosen, no_view, allow_stub=True)
    if made.errors:
        raise ValueError(f"{made.errors} questions ended in an error: nothing is compared")
    runs = [row.run for block in made.table.blocks for row in block.rows]
    files = [results / run / CANONICAL for run in runs]
    files += write_own_table(PLAN, made.table, SMALL, results / "tables")
    contents = {file.relative_to(results).as_posix(): file.read_bytes() for file in files}
    contents["every digit of the table"] = TypeAdapter(Table).dump_json(made.table)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    return Outcome(sums, sum(map(len, contents.values())))


def run_variant(variant: Variant, results: Path, store: Path | None) -> Outcome:
    """Run a variant in its own process."""
    root = Path(__file__).parents[2]
    words = ["--line", str(results), "--workers", str(variant.workers)]
    words += ["--store", str(store)] if store and not variant.single else []
    words += ["--single"] if variant.single else []
    done = subprocess.run(
        [variant.python, str(root / "scripts" / "determinism.py"), *words],
        env={**os.environ, "PYTHONPATH": str(root), **variant.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"{variant.name}: {done.stderr.strip().splitlines()[-1:]}")
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))


def variants(pythons: Sequence[str]) -> list[Variant]:
    """Return all variants; the others are compared with the first."""
    return [
        Variant("1 worker, batched"),
        Variant("twice"),
        Variant("2 workers", workers=2),
        Variant("single", single=True),
        *(Variant(kernel, environment={"OPENBLAS_CORETYPE": kernel}) for kernel in kernels()),
        *(Variant(f"Python {python_release(python)}", python) for python in pythons),
    ]


def python_release(python: str) -> str:
    """Return the release of an interpreter."""
    code = "import platform; print(platform.python_version())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
