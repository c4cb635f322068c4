"""Make a small table with all parts: rows without a model, and rows with stored replies.

`python every_part.py RESULTS [--store RESULTS] [--workers N] [--single]` prints the checksums of
its canonical records and tables. It needs no pytest, so that any Python with the core can run it.
"""

import argparse
import hashlib
import json
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

from pydantic import TypeAdapter

from remem.metrics.columns import ScoreColumn
from remem.reports.html.table_files import write_own_table
from remem.run.progress import no_view
from remem.run.store import CANONICAL
from remem.serve.stub.stub import StubServer
from remem.tables.reproduce import reproduce
from remem.tables.table import Table
from remem.tables.table_plan import BlockPlan, RowPlan, TablePlan

DIALOGUES = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1"),
    *("dataset.build.sessions=4", "run.limit=12"),
)
STUB = ("llm=loopback-stub", "embedder=loopback-stub", "reader=direct", "extractor=llm")
FREE = (
    BlockPlan(
        "Dialogues",
        (*DIALOGUES, "reader=extractive"),
        (ScoreColumn("F1", "f1"), ScoreColumn("recall@10", "recall_at_10")),
        tuple(
            RowPlan((f"method={name}",)) for name in ("remem_i", "remem_s", "embedding_messages")
        ),
        (),
    ),
    BlockPlan(
        "Reasoning",
        ("dataset=generated_tot", "reader=symbolic", "dataset.build.graphs_per_cell=1"),
        (ScoreColumn("EM", "tot_em"),),
        (RowPlan(("method=remem_i", "planner=symbolic")),),
        (),
    ),
)
STORED = (
    (ScoreColumn("F1", "f1"), ScoreColumn("tokens", "context_tokens")),
    (RowPlan(("method=remem_i", "planner=llm")), RowPlan(("method=remem_s",))),
    (),
)
SMALL = ("run.histories=2", "convention.score.resamples=99")
ONE_AT_A_TIME = ("embedder.build.embedder.batch_size=1", "embedder.build.portion=1")
NO_SERVER = "http://127.0.0.1:9/v1"
"""An address without a server, so that all replies and vectors must come from the store."""


def main() -> None:
    """Answer all rows, build the table, and print the checksums of all files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--store", type=Path, help="earlier results, whose replies serve")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--single", action="store_true", help="embed one text at a time")
    chosen = parser.parse_args()
    results, store = chosen.results, chosen.store
    with nullcontext() if store else StubServer() as server:
        if store:  # its indexes are not copied, so they are built again
            leave_out = shutil.ignore_patterns("indexes")
            shutil.copytree(store / "cache", results / "cache", ignore=leave_out)
        address = server.base_url if server else NO_SERVER
        urls = [f"llm.build.endpoint.base_url={address}"]
        urls += [f"embedder.build.embedder.base_url={address}"]
        urls += ONE_AT_A_TIME if chosen.single else ()
        stored = BlockPlan("A stored model", (*DIALOGUES, *STUB, *urls), *STORED)
        plan = TablePlan("same", "The same again", (*FREE, stored))
        settings = [*SMALL, f"paths.results={results}", "runner=threads"]
        settings += [f"runner.workers={chosen.workers}"]
        made = reproduce(plan, settings, no_view, allow_stub=True)
    if made.errors:
        raise ValueError(f"{made.errors} questions ended in an error: nothing is compared")
    runs = [row.run for block in made.table.blocks for row in block.rows]
    files = [results / run / CANONICAL for run in runs]
    shown = TablePlan(plan.name, plan.title, (*FREE, BlockPlan("A stored model", STUB, *STORED)))
    files += write_own_table(shown, made.table, SMALL, results / "tables")
    contents = {file.relative_to(results).as_posix(): file.read_bytes() for file in files}
    contents["every digit of the table"] = TypeAdapter(Table).dump_json(made.table)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    sys.stdout.write(f"{json.dumps(sums)}\n")


if __name__ == "__main__":
    main()
