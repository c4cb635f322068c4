"""A run written by hand: two answers and an error, with verdicts and unknown prices."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.protocols import DataFile
from remem.run.store import Timing, open_run
from remem.types import Gold, Record, Retrieved, Usage

Written = Callable[..., Path]
QUESTION = "Where did Ann put the red boat after the long storm of May?"
RECORDS = (
    Record(
        "q0",
        "h",
        0,
        QUESTION,
        Gold(("in the harbour",), "a/b"),
        "ok",
        answer="In the harbour.",
        retrieved=(Retrieved("g1", ("m1",)),),
        context_tokens=30,
        recall_usage=Usage(1, 100, 10),
        read_usage=Usage(1, 40, 4),
    ),
    Record("q1", "h", 1, "Was it?", Gold(("yes",), "c"), "ok", answer="no", context_tokens=10),
    Record("q2", "h", 2, "Who?", Gold(("Ann",), "c"), "error", error="TimeoutError: said secret"),
)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write a run as an experiment would; return its folder."""

    def write(*overrides: str, data: str = "made up") -> Path:
        results = tmp_path / "home" / "ann" / "results"
        small = ("dataset.build.conversations=1", "dataset.build.sessions=2")
        quick = "convention.score.resamples=99"
        chosen = [*small, quick, f"paths.results={results}", *overrides]
        config = run_config(compose_config(chosen))
        files = (DataFile(data, "0" * 64),)
        folder = config.run_folder(config.fingerprint(files))
        with open_run(folder) as store:
            for record in RECORDS:
                store.append(record, Timing(record.query_id, 0.5, 0.25))
            store.write_manifest(
                {
                    "config": config.resolved,
                    "fingerprint": config.fingerprint(files),
                    "data": [asdict(file) for file in files],
                    "prompts": [asdict(prompt) for prompt in config.prompts],
                    "commits": ["0123456789abcdef"],
                    "index_seconds": 2.0,
                    "index_usage": {"h": asdict(Usage(3, 600, 60))},
                    "partial": False,
                }
            )
        return folder

    return write
